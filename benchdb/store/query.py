"""Questions in SQL of whoever asks: only what reads, with samples row by row."""

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from benchdb.errors import BenchdbError, DatabaseError, UsageError, suggestion
from benchdb.exchange.packing import unpack
from benchdb.store.error_text import name, why
from benchdb.store.sqlite import cause, private, question
from benchdb.store.tables import metadata
from benchdb.store.views import TABLES

_ROWS = 1000  # fetched at a time
_STEPS = 10_000  # of SQLite's machine, between two looks at the clock
# A number goes through as the text that Python makes of it: not every SQLite reads
# back the same number.
_SAMPLES = """
CREATE TEMP VIEW samples AS
SELECT packed.run,
       json_extract(sample.value, '$[0]') AS phase,
       sample.key AS "index",
       json_extract(sample.value, '$[1]') AS steps,
       benchdb_number(json_extract(sample.value, '$[2]')) AS seconds
  FROM main.samples AS packed, json_each(benchdb_samples(packed.packed)) AS sample
"""
_WORD = re.compile(r"\bsamples\b", re.IGNORECASE)
_TABLE = re.compile(r'(?:no such table: |relation ")(?:\w+\.)?(\w+)')
_COLUMN = re.compile(r'(?:no such column: |column "?)(?:\w+\.)*(\w+)')
_DAMAGED = "user-defined function raised exception"
_READ_ONLY, _CANCELLED = "25006", "57014"  # PostgreSQL's codes
_OURS = ("22", "42")  # classes of what is wrong with the question itself


class Answer(msgspec.Struct, frozen=True):
    """The names of the columns, and the rows as they come."""

    names: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def asked(
    engine: Engine, statement: str, seconds: float | None = None
) -> Iterator[Answer]:
    """Give the answer to one *statement* of SQL; nothing is changed by it.

    The *engine* is one of ``open_to_read``.

    Raise ``UsageError`` for what is no question, and where the answer takes longer than
    so many *seconds*.
    """
    try:
        with engine.connect() as connection, connection.begin() as transaction:
            try:
                if engine.dialect.name == "sqlite":
                    yield from _of_file(connection, statement, seconds)
                else:
                    yield from _of_server(connection, statement, seconds)
            finally:
                transaction.rollback()  # views of our own go with it
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot read {name(engine)}: {why(error)}") from error


def _of_file(
    connection: Connection, statement: str, seconds: float | None
) -> Iterator[Answer]:
    driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
    end = None if seconds is None else time.monotonic() + seconds

    def late() -> bool:
        return end is not None and time.monotonic() > end

    def translated(error: Exception) -> BaseException:
        code = getattr(error, "sqlite_errorname", "")
        if code == "SQLITE_INTERRUPT":
            # What Ctrl-C raises in a callback comes back as an interrupted query.
            return _late(seconds) if late() else KeyboardInterrupt()
        if code in ("SQLITE_AUTH", "SQLITE_READONLY"):
            return _refused("it changes something")
        if _DAMAGED in str(error):
            return DatabaseError(
                "samples are damaged; 'benchdb db check' tells which, a backup or "
                "'benchdb import' has them"
            )
        if code in ("SQLITE_ERROR", "") or isinstance(error, sqlite3.ProgrammingError):
            return _wrong(str(error))
        return DatabaseError(f"cannot read {name(connection.engine)}: {cause(error)}")

    driver.create_function("benchdb_samples", 1, _unpacked, deterministic=True)
    driver.create_function("benchdb_number", 1, float, deterministic=True)
    driver.set_progress_handler(late, _STEPS)
    try:
        driver.execute(_SAMPLES)
        driver.set_authorizer(question)
        yield _answered(
            lambda: driver.execute(statement),
            (sqlite3.Error, sqlite3.Warning),
            translated,
        )
    finally:
        driver.set_authorizer(private)
        driver.set_progress_handler(None, 0)


def _unpacked(packed: bytes) -> str:
    """Return the samples in *packed* as JSON: phase, steps and seconds of each."""
    rows = (
        (series.phase, series.per, repr(seconds))
        for series in unpack(packed)
        for seconds in series.values
    )
    return json.dumps(list(rows))


def _of_server(
    connection: Connection, statement: str, seconds: float | None
) -> Iterator[Answer]:
    import psycopg  # noqa: PLC0415 - only for servers

    if _WORD.search(statement):
        raise UsageError(
            "samples are packed on a server; ask Parquet files of them ('benchdb "
            "export --format parquet'), or db.samples(RUN) in Python"
        )

    def translated(error: Exception) -> BaseException:
        diagnosis = getattr(error, "diag", None)
        code = str(getattr(diagnosis, "sqlstate", None) or "")
        message = getattr(diagnosis, "message_primary", None) or why(error)
        if code == _CANCELLED and seconds is not None:
            return _late(seconds)
        if code == _READ_ONLY:
            return _refused("it changes something")
        if code.startswith(_OURS) or isinstance(error, psycopg.ProgrammingError):
            return _wrong(message)
        return DatabaseError(f"cannot read {name(connection.engine)}: {message}")

    connection.exec_driver_sql("SET TRANSACTION READ ONLY")
    # From the first query on, no statement can take that back.
    milliseconds = 0 if seconds is None else max(1, round(1000 * seconds))
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
    connection.exec_driver_sql("SELECT 1")
    cursor: Any = connection.connection.cursor()
    # Prepared, it can be one statement only.
    yield _answered(
        lambda: cursor.execute(statement, prepare=True),
        (psycopg.Error,),
        translated,
    )


def _answered(
    ask: Callable[[], Any],
    kinds: tuple[type[Exception], ...],
    translated: Callable[[Exception], BaseException],
) -> Answer:
    """Return what *ask* gives; errors of these *kinds* are *translated*."""
    try:
        cursor = ask()
    except kinds as error:
        raise translated(error) from error
    if cursor.description is None:
        raise _refused("it asks for no rows")

    def rows() -> Iterator[tuple[Any, ...]]:
        try:
            while some := cursor.fetchmany(_ROWS):
                yield from some
        except kinds as error:
            raise translated(error) from error

    return Answer(tuple(column[0] for column in cursor.description), rows())


def _late(seconds: float | None) -> BenchdbError:
    return BenchdbError(
        f"the answer takes longer than {seconds:g} s; ask for less, or give it more "
        "time"
    )


def _refused(reason: str) -> UsageError:
    return UsageError(f"only what reads can be asked, as SELECT does; {reason}")


def _wrong(text: str) -> UsageError:
    """Return what to say of SQL that the database does not understand."""
    line = text.splitlines()[0].strip() if text.strip() else "nothing is asked"
    if match := _TABLE.search(line):
        every = (suggestion(match[1], names) for names in (TABLES, metadata.tables))
        near = (item for item in every if "did you mean" in item)
        line += next(near, suggestion(match[1], TABLES))
    elif match := _COLUMN.search(line):
        names = {column.name for columns in TABLES.values() for column in columns}
        line += suggestion(match[1], names)
    return UsageError(f"the query cannot be asked: {line}")
