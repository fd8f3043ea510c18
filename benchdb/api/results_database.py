"""A database of results as pandas data frames; nothing is written into it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from sqlalchemy import TableClause, column, select, table

from benchdb.api.row_filters import Filters, Names, conditions, listed, moment
from benchdb.errors import UsageError
from benchdb.store import query as question
from benchdb.store.database import open_to_read, reading
from benchdb.store.read import find, samples_of
from benchdb.store.views import COLUMNS, SAMPLES, TABLES, Column
from benchdb.user_data import location_of

if TYPE_CHECKING:
    import pandas as pd

    from benchdb.api.compared import Compared

_VIEWS: dict[str, TableClause] = {
    name: table(name, *(column(item.name) for item in columns))
    for name, columns in COLUMNS.items()
}

# Their order costs nothing, and the same contents give the same frame.
_KEYS = {
    "results": ("run",),
    "figures": ("run", "metric"),
    "machine_details": ("machine", "mine"),
}


def columns(table: str = "results") -> dict[str, Column]:
    """Return what the columns of *table* mean: a ``Column`` by name, in their order.

    A table is ``results``, ``figures``, ``doubts``, ``machine_details`` or ``samples``.
    Raise ``UsageError`` for another.
    """
    if table not in TABLES:
        known = ", ".join(TABLES)
        raise UsageError(f"no table {table!r}; there are: {known}")
    return {item.name: item for item in TABLES[table]}


class Database:
    """An open database, as ``benchdb.open`` gives it.

    Its methods return data frames: a row for each thing, columns in the order of
    ``columns``, with units in ``attrs["units"]``. What is not known is missing, never
    0: ``pandas.NA``, in categories and times what pandas has in its place. Each method
    sees the database as it is at that moment.

    Every method raises ``DatabaseError`` where the database cannot be read, and
    ``UsageError`` for names that nothing has; both are a ``BenchdbError``.
    """

    def __init__(self, location: str) -> None:
        """Open *location*; call ``benchdb.open`` instead."""
        self._engine = open_to_read(location)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database; a frame that is there stays."""
        self._engine.dispose()

    @property
    def columns(self) -> dict[str, Column]:
        """What the columns of ``results`` mean, by name: meaning, kind and unit."""
        return columns()

    def results(self, **filters: Unpack[Filters]) -> "pd.DataFrame":
        """Return the figure of each cell and session: a row for each.

        ``value`` is the geometric mean over its ``n`` processes, ``low`` and ``high``
        bound its 95 % interval where ``n`` is 2 or more; ``unit`` says in which unit
        all three are. *filters* take a name or a list of them.
        """
        return self._filtered("results", filters)

    def figures(self, **filters: Unpack[Filters]) -> "pd.DataFrame":
        """Return every figure of every run, a row for each: the long form.

        ``value`` is in ``unit``; where it is missing, ``reason`` says why.
        """
        return self._filtered("figures", filters)

    def samples(self, run: str | Iterable[str]) -> "pd.DataFrame":
        """Return the raw times of runs: a row for each, in the order taken.

        *run* is a run id or how it begins, or a list of such. ``seconds`` is the time
        of all ``steps`` of a sample. Raise ``UsageError`` for an id that no run has, or
        several.
        """
        from benchdb.api.frames import frame  # noqa: PLC0415 - pandas is slow to load

        asked = [run] if isinstance(run, str) else list(run)
        with reading(self._engine) as connection:
            digests = dict.fromkeys(find(connection, text) for text in asked)
            series = samples_of(connection, list(digests))
        rows = [
            (digest, phase, index, steps, seconds)
            for digest in digests
            for index, (phase, steps, seconds) in enumerate(
                (item.phase, item.per, value)
                for item in series[digest]
                for value in item.values
            )
        ]
        return frame(SAMPLES, rows)

    def machines(self) -> "pd.DataFrame":
        """Return the machines with their chips, a row for each; memory is in GiB.

        Those that are the same are one, but what others contributed is never one with
        what is mine.
        """
        return self._filtered("machine_details", {})

    def query(self, sql: str, *, timeout: float | None = None) -> "pd.DataFrame":
        """Return what one SELECT asks: its columns and rows as SQL has them.

        Beside the tables there are the views ``results``, ``figures``, ``doubts`` and
        ``machine_details``, and ``samples`` row by row (in a file; on a server use the
        method). SQLite has no booleans: there ``mine`` is 0 or 1. Raise ``UsageError``
        for what is no SELECT, and ``BenchdbError`` where the answer takes longer than
        *timeout* seconds.
        """
        from benchdb.api.frames import guessed  # noqa: PLC0415 - pandas is slow to load

        with question.asked(self._engine, sql, timeout) as answer:
            return guessed(answer.names, list(answer.rows))

    def compare(
        self,
        a: str,
        b: str,
        *,
        workload: Names = None,
        threshold: float | None = None,
        accept: Names = None,
    ) -> "Compared":
        """Return what *b* does beside *a*, the baseline: ``.cells`` and ``.summary``.

        Each is a run, campaign, machine, chip, source, file or database as ``benchdb
        compare`` takes it: ``kind:value``, or a value that only one of them has.
        *threshold* is the share that counts as a difference (0.02 on one machine, 0.05
        between two), *accept* names conditions that may differ. Raise ``UsageError``
        for what is no side, or several.
        """
        from benchdb.api.compared import compared  # noqa: PLC0415 - pandas is slow

        workloads = () if workload is None else listed("workload", workload)
        accepted = () if accept is None else listed("accept", accept)
        return compared(self._engine, (a, b), workloads, threshold, accepted)

    def report(
        self, path: str | os.PathLike[str], lang: str = "en", **filters: Names
    ) -> Path:
        """Write a report as one HTML page to the file *path*, and return its place.

        *lang* is a language that reports have (de, fr, ko …). *filters* are chip,
        workload, framework, device, precision, source and grade, a name or a list.
        """
        from benchdb.api.report_page import write  # noqa: PLC0415 - all of a report

        with reading(self._engine) as connection:
            return write(connection, Path(path), lang, filters)

    def _filtered(self, name: str, filters: Any) -> "pd.DataFrame":
        from benchdb.api.frames import frame  # noqa: PLC0415 - pandas is slow to load

        view = _VIEWS[name]
        with reading(self._engine) as connection:
            # By their keys, which costs nothing: the same contents, the same frame.
            order = (
                view.c[text] for text in ("run", "metric", "machine") if text in view.c
            )
            query = select(view).where(*conditions(connection, view, filters))
            rows: Sequence[Any] = connection.execute(query.order_by(*order)).all()
        table = frame(COLUMNS[name], rows)
        if filters.get("since") is None:
            return table
        later = table["started"] >= moment(filters["since"])
        return table[later].reset_index(drop=True)


def open(path_or_url: str | os.PathLike[str] | None = None) -> Database:  # noqa: A001 - benchdb.open
    """Return the database at a path or ``postgresql+psycopg://`` address, to be read.

    Without one it is yours, as the command line finds it: ``BENCHDB_DB``, else the file
    in your data folder. Nothing is made or upgraded. Raise ``DatabaseError`` where
    there is no database, or one with an older schema: 'benchdb db upgrade' upgrades it.
    """
    like = os.environ.get("BENCHDB_DB") if path_or_url is None else path_or_url
    return Database(location_of(None if like is None else os.fspath(like)))
