"""Reproducible machine-learning benchmark results across machines.

``benchdb.open()`` gives results as pandas data frames; see ``docs/python.md``. What
``__all__`` names is kept stable, all else in this package is private.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchdb.api.results_database import Database, columns, open  # noqa: A004 - benchdb.open
    from benchdb.errors import BenchdbError, DatabaseError, UsageError
    from benchdb.store.views import Column

__all__ = [
    "BenchdbError",
    "Column",
    "Database",
    "DatabaseError",
    "UsageError",
    "__version__",
    "columns",
    "open",
]
__version__ = "0.1.0"

_HOMES = {
    "Column": "benchdb.store.views",
    "Database": "benchdb.api.results_database",
    "columns": "benchdb.api.results_database",
    "open": "benchdb.api.results_database",
    **dict.fromkeys(("BenchdbError", "DatabaseError", "UsageError"), "benchdb.errors"),
}


def __getattr__(name: str) -> Any:
    """Return a name of ``__all__`` when it is first used: importing stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module 'benchdb' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - who runs a command needs none

    result = getattr(import_module(_HOMES[name]), name)
    globals()[name] = result
    return result


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
