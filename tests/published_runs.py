"""What is published: its files, its runs, and databases of them."""

import fcntl
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from benchdb.merge import import_or_raise
from benchdb.store.database import open_database

FOLDER = Path(__file__).parents[1] / "published"
# What was written by hand or measured by us, enough for most tests and read quickly.
# Below them are the files of the corpus, ten times as much.
FILES = sorted(FOLDER.glob("*.jsonl"))


def count(files: Iterable[Path]) -> int:
    """Return how many runs the *files* hold."""
    return sum(path.read_bytes().count(b'"type":"run"') for path in files)


def database(folder: Path) -> Path:
    """Return a copy of the committed database, in which all files are imported."""
    committed = FOLDER.parent / "results.sqlite"
    return Path(shutil.copyfile(committed, folder / "published.sqlite"))


def imported(folder: Path) -> Path:
    """Return a database of ``FILES`` that is filled anew, with the schema of today.

    The first who asks fills it; others have copies. *folder* is a test's or a module's.
    """
    room = folder.parent
    if "PYTEST_XDIST_WORKER" in os.environ:
        room = room.parent  # that of all workers
    filled = room / "published.sqlite"
    with filled.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not filled.exists():
            new = filled.with_suffix(".new")
            engine = open_database(str(new), create=True)
            import_or_raise(engine, FILES)
            engine.dispose()
            new.rename(filled)
    return Path(shutil.copyfile(filled, folder / "results.sqlite"))
