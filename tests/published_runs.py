"""What is published: its files, its runs, and a database of them."""

import shutil
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "published"
COUNT = sum(path.read_bytes().count(b'"type":"run"') for path in FOLDER.glob("*.jsonl"))


def database(folder: Path) -> Path:
    """Return a copy of the committed database, in which the files are imported."""
    committed = FOLDER.parent / "results.sqlite"
    return Path(shutil.copyfile(committed, folder / "published.sqlite"))
