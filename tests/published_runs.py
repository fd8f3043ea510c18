"""What is published: its files, its runs, and a database of them."""

import shutil
from pathlib import Path

from benchdb.merge import import_or_raise
from benchdb.store.database import open_database

FOLDER = Path(__file__).parents[1] / "published"
COUNT = sum(path.read_bytes().count(b'"type":"run"') for path in FOLDER.glob("*.jsonl"))


def database(folder: Path) -> Path:
    """Return a copy of the committed database, in which the files are imported."""
    committed = FOLDER.parent / "results.sqlite"
    return Path(shutil.copyfile(committed, folder / "published.sqlite"))


def imported(folder: Path) -> Path:
    """Return a database that is filled anew, with the schema of today."""
    path = folder / "results.sqlite"
    engine = open_database(str(path), create=True)
    import_or_raise(engine, [FOLDER])
    engine.dispose()
    return path
