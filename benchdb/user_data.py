"""Where a user's data are on this system: their folder, and the database in it."""

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """Return where a user's data belong on this system."""
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "benchdb"
    root = Path(os.environ.get("XDG_DATA_HOME", ""))
    # A relative one does not count, by the specification of these folders.
    own = root if root.is_absolute() else Path.home() / ".local" / "share"
    return own / "benchdb"


def location_of(db: str | None) -> str:
    """Return which database *db* asks for: a path or an address."""
    return str(data_folder() / "results.sqlite") if db is None else db
