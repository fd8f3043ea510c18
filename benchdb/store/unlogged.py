"""Much that comes into an empty file of SQLite does without the log.

The log holds every page as often as there was no room for it in memory, and each page
that is wanted again has to be looked for in it: a million runs take a tenth longer.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection


@contextmanager
def unlogged(connection: Connection) -> Iterator[None]:
    """Let the transactions inside do without the log, if nobody has the file open.

    Who comes to read meanwhile waits; there was nothing to see before. What a killed
    process leaves is undone by whoever opens the file next, as ever.
    """
    driver: Any = connection.connection.dbapi_connection
    without = False
    if connection.dialect.name == "sqlite":
        with suppress(sqlite3.Error), _at_once(driver):
            if driver.execute("SELECT 1 FROM run LIMIT 1").fetchone() is None:
                driver.execute("PRAGMA journal_mode=DELETE")
                without = True
    try:
        yield
    finally:
        if without:  # an interrupt may have closed it; who opens it next does so too
            with suppress(sqlite3.Error), _at_once(driver):
                driver.execute("PRAGMA journal_mode=WAL")


@contextmanager
def _at_once(driver: sqlite3.Connection) -> Iterator[None]:
    """Wait for nobody meanwhile."""
    (patience,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute("PRAGMA busy_timeout=0")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout={patience}")
