"""A campaign: all planned replicates, one after another, each stored at once."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from sqlalchemy import Engine

from benchdb.collecting.plan import Cell, Item
from benchdb.collecting.runner import Interruption, Settings, run
from benchdb.errors import BenchdbError, DatabaseError
from benchdb.exchange.record import Record
from benchdb.exchange.writer import header, record_lines
from benchdb.store import rows
from benchdb.store.database import writing
from benchdb.store.write import Writer


@dataclass(frozen=True)
class Started:
    """A replicate begins; *position* counts from 1."""

    item: Item
    position: int
    total: int
    seconds_so_far: float
    seconds_expected: float | None


@dataclass(frozen=True)
class Finished:
    """A replicate is stored, or *error* says why it is not in the database."""

    item: Item
    record: Record | None
    seconds: float
    error: str | None = None


Event = Started | Finished


def measure(
    engine: Engine,
    items: Sequence[Item],
    settings: Settings,
    interruption: Interruption,
    clock: Callable[[], float] = monotonic,
) -> Iterator[Event]:
    """Run *items* and yield what happens; each record is stored before it is told.

    A replicate that fails is told, and the rest goes on. An interruption ends the
    campaign after the running replicate has been stored as interrupted.
    """
    begun = clock()
    pace = _Pace(items)
    steps: dict[Cell, int] = {}
    for position, item in enumerate(items, start=1):
        if interruption.requested:
            return
        so_far = clock() - begun
        yield Started(item, position, len(items), so_far, pace.remaining(position))
        before = clock()
        for record, error in _replicate(engine, item, settings, interruption, steps):
            yield Finished(item, record, clock() - before, error)
        pace.took(item.cell, clock() - before)


def _replicate(
    engine: Engine,
    item: Item,
    settings: Settings,
    interruption: Interruption,
    steps: dict[Cell, int],
) -> Iterator[tuple[Record | None, str | None]]:
    try:
        for record in run(item, settings, interruption, steps.get(item.cell)):
            _calibrate(steps, item.cell, record)
            yield record, _stored(engine, record, settings.campaign)
    except BenchdbError as error:
        yield None, str(error)


def _stored(engine: Engine, record: Record, campaign: str) -> str | None:
    """Store *record*; if the database cannot take it, keep it beside and say where."""
    try:
        store(engine, record)
    except DatabaseError as error:
        rescue = Path(tempfile.gettempdir()) / f"benchdb-{campaign}.jsonl"
        with rescue.open("ab") as stream:
            stream.write(header())
            stream.writelines(record_lines([record]))
        return f"{error}; kept in {rescue}, take it in with 'benchdb import'"
    return None


def store(engine: Engine, record: Record) -> None:
    """Add one record in a transaction of its own."""
    with writing(engine) as connection:
        writer = Writer(connection)
        writer.add(rows.of_record(record))
        writer.flush()


def _calibrate(steps: dict[Cell, int], cell: Cell, record: Record) -> None:
    """Let later replicates of a cell reuse the block size that the first one found."""
    for series in record.series:
        if series.phase == "measure" and record.end.status == "ok":
            steps.setdefault(cell, series.per)


class _Pace:
    """How long the rest will take, judged by what has run so far."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self._seconds: dict[Cell, list[float]] = {}

    def took(self, cell: Cell, seconds: float) -> None:
        self._seconds.setdefault(cell, []).append(seconds)

    def remaining(self, position: int) -> float | None:
        """Return the seconds expected for the items from *position* (from 1) on."""
        if not self._seconds:
            return None
        every = [one for some in self._seconds.values() for one in some]
        usual = sum(every) / len(every)
        means = {cell: sum(some) / len(some) for cell, some in self._seconds.items()}
        return sum(means.get(item.cell, usual) for item in self._items[position - 1 :])
