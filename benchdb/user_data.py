"""Where a user's data are on this system: their folders, and the database in one."""

import os
from pathlib import Path

_NAME = "benchdb"


def data_folder() -> Path:
    """Return where a user's data belong on this system."""
    return _own("user_data_path", ".")


def cache_folder() -> Path:
    """Return where on this system belongs what can be made again."""
    return _own("user_cache_path", "cache")


def config_folder() -> Path:
    """Return where a user's settings, collectors and workloads belong."""
    return _own("user_config_path", "config")


def _own(function: str, below_home: str) -> Path:
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home) / below_home
    import platformdirs  # noqa: PLC0415 - commands with --db do without it

    path: Path = getattr(platformdirs, function)(_NAME, appauthor=False)
    return path


def location_of(db: str | None) -> str:
    """Return which database *db* asks for: a path or an address."""
    return str(data_folder() / "results.sqlite") if db is None else db
