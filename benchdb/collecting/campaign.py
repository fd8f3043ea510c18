"""A campaign: all planned replicates, one after another, each stored at once."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from time import monotonic

import msgspec
import rfc8785
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.collecting.item_runs import failed_run, now
from benchdb.collecting.plan import Cell, Item, Memory, Settings
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import publishable
from benchdb.collecting.runner import run
from benchdb.errors import BenchdbError, DatabaseError, UsageError
from benchdb.exchange.record import Record
from benchdb.exchange.writer import header, record_lines
from benchdb.store import findings, machines
from benchdb.store.database import writing
from benchdb.store.write import Writer

Doubts = tuple[tuple[str, str | None], ...]


class Started(msgspec.Struct, frozen=True):
    """A replicate begins; *position* counts from 1.

    *seconds_each* are those expected of it alone, *seconds_expected* of all that are
    left.
    """

    item: Item
    position: int
    total: int
    seconds_so_far: float
    seconds_expected: float | None
    seconds_each: float | None = None


class Finished(msgspec.Struct, frozen=True):
    """A replicate is stored, or *error* says why it is not in the database.

    *doubts* are what the rules of plausibility found in it: code and metric, if one.
    """

    item: Item
    record: Record | None
    seconds: float
    error: str | None = None
    doubts: Doubts = ()


Event = Started | Finished


def measure(
    engine: Engine,
    items: Sequence[Item],
    settings: Settings,
    interruption: Interruption,
    memory: Memory,
    estimates: Mapping[Cell, float] | None = None,
) -> Iterator[Event]:
    """Run *items* and yield what happens; each record is stored before it is told.

    A replicate that fails is told, and the rest goes on. An interruption ends the
    campaign after the running replicate has been stored as interrupted. *estimates*
    are seconds of a process, as far as they are known before. Raise ``UsageError``
    when the first collector refuses to start: nothing can be measured.
    """
    begun, known = monotonic(), estimates or {}
    taken: defaultdict[Cell, list[float]] = defaultdict(list)
    for position, item in enumerate(items, start=1):
        if interruption.requested:
            return
        so_far = monotonic() - begun
        rest = _remaining(items[position - 1 :], taken, known)
        each = _remaining([item], taken, known)
        yield Started(item, position, len(items), so_far, rest, each)
        before = monotonic()
        first = position == 1
        yield from measured(engine, item, settings, interruption, memory, first=first)
        taken[item.cell].append(monotonic() - before)


def measured(
    engine: Engine,
    item: Item,
    settings: Settings,
    interruption: Interruption,
    memory: Memory,
    *,
    first: bool,
) -> Iterator[Finished]:
    """Run *item*, store what comes of it and remember it for those that follow.

    A collector that refuses to start leaves a failed run, unless it is the *first*:
    then raise ``UsageError``.
    """
    before = monotonic()
    records = run(item, settings, interruption, memory)
    if not first:
        records = _started(records, item, settings)
    if settings.originals:
        records = _linked(records, settings.originals[item.replicate])
    for record, outcome in _kept(engine, records, settings.campaign):
        if record is not None:
            memory.take(item.cell, record.run.conditions, record.end.checks)
        seconds = monotonic() - before
        if isinstance(outcome, str):
            yield Finished(item, record, seconds, outcome)
        else:
            yield Finished(item, record, seconds, doubts=outcome)


def _linked(records: Iterator[Record], original: str) -> Iterator[Record]:
    """Yield the *records* as reproductions of the run *original*.

    Collectors need not know of it.
    """
    for record in records:
        yield replace(record, run=replace(record.run, reproduces=original))


def _started(
    records: Iterator[Record], item: Item, settings: Settings
) -> Iterator[Record]:
    """Yield the *records*; a failed one if the collector refuses to start, in midway.

    What it asks for was there when the campaign began.
    """
    began = now()
    try:
        yield from records
    except UsageError as refusal:
        text = publishable(str(refusal)) or "its reason is not for others"
        yield failed_run(item, settings, began, f"it refused to start: {text}")


def _kept(
    engine: Engine, records: Iterator[Record], campaign: str
) -> Iterator[tuple[Record | None, str | Doubts]]:
    """Store the *records* as they come; yield each with what went wrong, or doubts."""
    try:
        for record in records:
            yield record, _stored(engine, record, campaign)
    except UsageError:
        raise
    except BenchdbError as error:
        yield None, str(error)


def _stored(engine: Engine, record: Record, campaign: str) -> str | Doubts:
    """Store *record*, which is mine, in a transaction of its own; return its doubts.

    Keep in a file what the database cannot take, and return where.
    """
    try:
        with writing(engine) as connection:
            writer = Writer(connection)
            writer.add_record(record, mine=True)
            writer.flush()
            machines.flag_foreign_ids(connection)
            judged = findings.refresh(connection, sources=set(), runs={record.digest})
            writer.changes.touch(judged)
            writer.changes.refresh()
            doubts = findings.findings_of(connection, record.digest)
    except rfc8785.CanonicalizationError as error:
        return f"it cannot be stored, for it has no canonical form: {error}"
    except DatabaseError as error:
        return f"{error}; {rescued(record, campaign)}"
    return tuple((doubt.code, doubt.metric) for doubt in doubts)


def _remaining(
    items: Sequence[Item],
    taken: Mapping[Cell, Sequence[float]],
    estimates: Mapping[Cell, float],
) -> float | None:
    """Return the seconds expected for *items*: as their cells took, or as estimated.

    Estimates are corrected by what they were wrong by so far. None where nothing is
    known of one of them.
    """
    means = {cell: fmean(seconds) for cell, seconds in taken.items()}
    wrong = [
        mean / estimates[cell] for cell, mean in means.items() if cell in estimates
    ]
    factor = median(wrong) if wrong else 1.0
    usual = fmean(chain.from_iterable(taken.values())) if taken else None
    expected = [
        means.get(item.cell, estimates[item.cell] * factor)
        if item.cell in estimates
        else means.get(item.cell, usual)
        for item in items
    ]
    known = [seconds for seconds in expected if seconds is not None]
    return sum(known) if len(known) == len(expected) else None


def rescued(record: Record, campaign: str) -> str:
    """Append *record* to an exchange file; return what became of it.

    The file lies in the current folder, or where that cannot be written, among the
    temporary ones, which a reboot may empty.
    """
    lines = [header(), *record_lines([record])]
    for folder in (Path.cwd, tempfile.gettempdir):
        try:
            path = Path(folder()) / f"benchdb-{campaign}.jsonl"
            with path.open("ab") as stream:
                stream.writelines(lines)
        except OSError as error:
            refusal = error
        else:
            return f"kept in {path}, take it in with 'benchdb import'"
    return f"lost, for no folder takes it either: {refusal.strerror}"
