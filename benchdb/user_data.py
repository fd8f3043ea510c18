"""Where a user's data are on this system: their folder, and the database in it."""

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """Return where a user's data belong on this system."""
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home)
    return _own("Application Support", "XDG_DATA_HOME", ".local/share") / "benchdb"


def cache_folder() -> Path:
    """Return where on this system belongs what can be made again."""
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home) / "cache"
    return _own("Caches", "XDG_CACHE_HOME", ".cache") / "benchdb"


def _own(of_a_mac: str, variable: str, usual: str) -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / of_a_mac
    root = Path(os.environ.get(variable, ""))
    # A relative one does not count, by the specification of these folders.
    return root if root.is_absolute() else Path.home() / usual


def location_of(db: str | None) -> str:
    """Return which database *db* asks for: a path or an address."""
    return str(data_folder() / "results.sqlite") if db is None else db
