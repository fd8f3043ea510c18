"""All values: every run with its figures as printed, what failed among them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchdb import stats
from benchdb.catalogue import workloads
from benchdb.report.listed import BESIDE, headlines
from benchdb.report.measurement import Place
from benchdb.report.notes import Notes
from benchdb.report.quantities import (
    as_printed,
    scaled,
    uncertainty_printed,
    unit_of,
    workload_of,
)
from benchdb.report.sources import Sources
from benchdb.report.systems import Party, as_published, party
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.listed import ValueRow


@dataclass(frozen=True)
class StoredRun:
    """One run as the query gives it: its rows, place and party.

    *left_out* runs are listed and in no comparison.
    """

    rows: tuple[Any, ...]
    place: Place
    party: Party
    left_out: bool = False

    @property
    def facts(self) -> Any:
        """Return what all rows of the run say."""
        return self.rows[0]


@dataclass(frozen=True)
class _Line:
    """A figure to be shown: of one run, or of all processes of a cell."""

    runs: tuple[StoredRun, ...]
    rows: tuple[Any, ...]  # one of each run
    shown: tuple[str, ...]  # what else the run shows, this metric among it

    @property
    def first(self) -> StoredRun:
        return self.runs[0]


def stored(
    rows: Sequence[Any], place: Place, here: str | None, *, left_out: bool = False
) -> StoredRun:
    """Return one run from its *rows*, one for each metric."""
    who = party(place, rows[0].framework, here)
    return StoredRun(tuple(rows), place, who, left_out)


def values(
    runs: Iterable[StoredRun],
    systems: dict[Party, System],
    notes: Notes,
    sources: Sources,
) -> tuple[ValueRow, ...]:
    """Return the table: by source, system and workload, the headline of a run first."""
    cells: defaultdict[tuple[Any, ...], list[StoredRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: _order(run, sources)):
        cells[_cell(run)].append(run)
    return tuple(
        _value(line, as_published(systems, line.first.party), notes, sources)
        for cell in cells.values()
        for line in _lines(sorted(cell, key=_turn))
    )


def _order(run: StoredRun, sources: Sources) -> tuple[object, ...]:
    facts, place, who = run.facts, run.place, run.party
    number = sources.key(place.source)
    known = workloads()
    names = list(known)
    index = names.index(facts.workload) if facts.workload in known else len(names)
    return (
        int(number) if number else 0,
        who.chip,
        who.model or "",
        who.ram_bytes or 0,
        who.device,
        who.framework,
        index,
        facts.workload,
        facts.batch_size or 0,
        _whole(facts, "size") or 0,
        facts.precision or "",
        facts.started or "",
        facts.replicate or 0,
        facts.digest,
    )


def _cell(run: StoredRun) -> tuple[Any, ...]:
    """Return what processes of one cell have in common; any other run is its own."""
    facts = run.facts
    if facts.label != "measured" or facts.campaign is None or facts.status != "ok":
        return (facts.digest,)
    return (
        run.place,
        facts.environment,
        facts.campaign,
        facts.workload,
        facts.workload_version,
        facts.setting,
        facts.framework,
        facts.batch_size,
        facts.precision,
        facts.compiler,
        facts.tier,
        json.dumps(facts.parameters, sort_keys=True),
    )


def _turn(run: StoredRun) -> tuple[object, ...]:
    # As in a measurement, whose first run the other sections refer to.
    replicate = run.facts.replicate
    return replicate is None, replicate or 0, run.facts.digest


def _lines(cell: Sequence[StoredRun]) -> list[_Line]:
    """Return the headline of the cell's runs, and what stands beside it."""
    found: defaultdict[str, list[tuple[StoredRun, Any]]] = defaultdict(list)
    for run in cell:
        for row in run.rows:
            if row.value is not None:
                found[row.metric].append((run, row))
    first = cell[0]
    order = headlines(first.facts.workload)
    headline = next((name for name in order if name in found), None)
    beside = [name for name in BESIDE if name in found and name != headline]
    shown = tuple(name for name in (headline, *beside) if name is not None)
    lines = [_line(found[name], shown) for name in shown]
    return lines if headline else [*(_empty(run, order) for run in cell), *lines]


def _line(pairs: Sequence[tuple[StoredRun, Any]], shown: tuple[str, ...]) -> _Line:
    runs, rows = zip(*pairs, strict=True)
    return _Line(runs, rows, shown)


def _empty(run: StoredRun, order: Sequence[str]) -> _Line:
    """Return the place of a run's headline, for which it has no figure."""
    there = {row.metric: row for row in run.rows}
    row = next((there[name] for name in order if name in there), run.facts)
    return _Line((run,), (row,), ())


def _value(line: _Line, system: System, notes: Notes, sources: Sources) -> ValueRow:
    run, row, facts = line.first, line.rows[0], line.first.facts
    usual = headlines(facts.workload)[0] if facts.workload in workloads() else ""
    derived = (one.derived for one in line.rows if one.value is not None)
    return ValueRow(
        run=facts.digest,
        workload=workload_of(facts.workload),
        system=system,
        batch_size=facts.batch_size,
        size=_whole(facts, "size"),
        precision=facts.precision,
        compiler=facts.compiler,
        metric=row.metric or usual,
        quantity=_quantity(line, notes) if row.value is not None else None,
        status=facts.status,
        reason=row.reason or facts.why,
        label=facts.label,
        source=sources.key(run.place.source),
        locator=row.value_locator or facts.locator,
        started=facts.started,
        tier=facts.tier,
        trials=_whole(facts, "trials"),
        runs=tuple(one.facts.digest for one in line.runs) if len(line.runs) > 1 else (),
        made=next(derived, None),
        setting=facts.setting,
    )


def _quantity(line: _Line, notes: Notes) -> Quantity:
    row, runs = line.rows[0], [one.facts.digest for one in line.runs]
    noted = notes.on(runs, row.metric)
    if row.metric == line.shown[0]:
        # What the table does not show has no row of its own for a note.
        beside = (note for run in runs for note in notes.beside(run, line.shown))
        noted = tuple(dict.fromkeys((*noted, *beside)))
    found = _estimate([one.value for one in line.rows])
    unit = unit_of(row.metric, line.first.facts.workload)
    size, unit = scaled(found.value, unit)
    derived = any(one.derived is not None for one in line.rows)
    alone = len(runs) == 1
    printed = row.printed if alone else None
    return Quantity(
        value=found.value / size,
        unit=unit,
        run=runs[0],
        n=len(runs),
        printed=as_printed(printed, found.value / size, derived=derived),
        low=None if found.low is None else found.low / size,
        high=None if found.high is None else found.high / size,
        notes=noted,
        derived=derived,
        uncertainty=uncertainty_printed(printed, row.uncertainty, size)
        if alone
        else None,
    )


def _estimate(figures: Sequence[float]) -> stats.Estimate:
    """Return the figure of one run, or that of several processes with its interval."""
    if len(figures) == 1:
        return stats.Estimate(figures[0])
    if min(figures) <= 0:  # a power meter may read 0: no factor, no interval
        return stats.Estimate(fmean(figures))
    return stats.estimate(figures)


def _whole(facts: Any, name: str) -> int | None:
    found = facts.parameters.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
