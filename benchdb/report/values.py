"""All values: every run with its figures as printed, what failed among them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchdb.catalogue import workloads
from benchdb.report.apart import told_apart
from benchdb.report.listed import BESIDE, headlines
from benchdb.report.measurement import Measurement
from benchdb.report.notes import Notes
from benchdb.report.quantities import (
    as_printed,
    scaled,
    uncertainty_printed,
    unit_of,
    workload_of,
)
from benchdb.report.runs import NO_FIGURE, Facts, Figure, StoredRun, by_session
from benchdb.report.sources import Sources
from benchdb.report.systems import Party, as_published
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.listed import Ground, ValueRow
from benchdb.statistics import comparison

_Told = tuple[StoredRun, Figure, float]
_Spreads = Mapping[tuple[str, str], comparison.Spread | None]  # by run and metric
# What is read beside the work of a step varies as its rate does.
_RATE = "samples_per_second"


class _Line(msgspec.Struct, frozen=True):
    """A figure to be shown: of one run, or of all processes of a cell.

    There is one of *figures* for each of the *runs*, and of *values* unless it has
    none. *shown* is what else the run shows, this metric among it.
    """

    runs: tuple[StoredRun, ...]
    figures: tuple[Figure, ...]
    values: tuple[float, ...]
    shown: tuple[str, ...]
    spread: comparison.Spread | None = None

    @property
    def first(self) -> StoredRun:
        return self.runs[0]

    @property
    def sample(self) -> comparison.Sample:
        """Return the values by session."""
        sessions: defaultdict[str, list[float]] = defaultdict(list)
        for run, value in zip(self.runs, self.values, strict=True):
            sessions[run.facts.session.name].append(value)
        return comparison.Sample(tuple(map(tuple, sessions.values())), self.spread)


def values(
    runs: Iterable[StoredRun],
    systems: dict[Party, System],
    notes: Notes,
    sources: Sources,
    measured: Iterable[Measurement] = (),
) -> tuple[ValueRow, ...]:
    """Return the table: by source, system and workload, the headline of a run first.

    Processes are together as in what was *measured*, whose spread counts here as well.
    """
    spreads = {
        (run, one.conditions.metric): one.spread for one in measured for run in one.runs
    }
    cells: defaultdict[tuple[object, ...], list[StoredRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: _order(run, sources)):
        cells[_cell(run)].append(run)
    return told_apart(
        [
            _value(line, as_published(systems, line.first.party), notes, sources)
            for cell in cells.values()
            for line in _lines([run for s in by_session(cell) for run in s], spreads)
        ]
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


def _cell(run: StoredRun) -> tuple[object, ...]:
    """Return what processes of one cell have in common; any other run is its own."""
    facts = run.facts
    if facts.label != "measured" or facts.campaign is None or facts.status != "ok":
        return (facts.digest,)
    # What a failed gate disqualifies is in no measurement: its campaign stands alone.
    alone = facts.campaign if facts.grade == "X" else ""
    return run.place, facts.alike, alone


def _lines(cell: Sequence[StoredRun], spreads: _Spreads) -> list[_Line]:
    """Return the headline of the cell's runs, and what stands beside it."""
    found: defaultdict[str, list[_Told]] = defaultdict(list)
    for run in cell:
        for figure in run.figures:
            if figure.value is not None:
                found[figure.metric].append((run, figure, figure.value))
    first = cell[0]
    order = headlines(first.facts.workload)
    headline = next((name for name in order if name in found), None)
    beside = [name for name in BESIDE if name in found and name != headline]
    shown = tuple(name for name in (headline, *beside) if name is not None)
    spread = spreads.get((first.facts.digest, _RATE))
    lines = [
        _line(found[name], shown, spreads.get((first.facts.digest, name), spread))
        for name in shown
    ]
    return lines if headline else [*(_empty(run, order) for run in cell), *lines]


def _line(
    told: Sequence[_Told], shown: tuple[str, ...], spread: comparison.Spread | None
) -> _Line:
    runs, figures, found = zip(*told, strict=True)
    return _Line(runs, figures, found, shown, spread)


def _empty(run: StoredRun, order: Sequence[str]) -> _Line:
    """Return the place of a run's headline, for which it has no figure."""
    # Of each metric a process that came to no end only says that it was not measured;
    # why is said once. A source names what it has no figure of.
    ended = run.facts.label == "measured" and run.facts.why
    own = () if ended else run.figures
    there = {figure.metric: figure for figure in own}
    figure = next((there[name] for name in order if name in there), NO_FIGURE)
    return _Line((run,), (figure,), (), ())


def _value(line: _Line, system: System, notes: Notes, sources: Sources) -> ValueRow:
    run, figure, facts = line.first, line.figures[0], line.first.facts
    usual = headlines(facts.workload)[0] if facts.workload in workloads() else ""
    derived = line.figures[0].derived if line.values else None
    return ValueRow(
        run=facts.digest,
        workload=workload_of(facts.workload),
        system=system,
        batch_size=facts.batch_size,
        size=_whole(facts, "size"),
        precision=facts.precision,
        compiler=facts.compiler,
        metric=figure.metric or usual,
        quantity=_quantity(line, notes) if line.values else None,
        status=facts.status,
        reason=figure.reason or facts.why,
        label=facts.label,
        source=sources.key(run.place.source),
        locator=figure.locator or facts.locator,
        started=facts.started,
        tier=facts.tier,
        trials=_whole(facts, "trials"),
        runs=tuple(one.facts.digest for one in line.runs) if len(line.runs) > 1 else (),
        made=derived,
        setting=facts.setting,
        against=tuple(Ground(*ground) for ground in facts.against.items()),
        parameters=_spelled(facts.parameters),
        conditions=facts.surroundings,
    )


def _spelled(parameters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, fact if isinstance(fact, str) else json.dumps(fact, sort_keys=True))
        for name, fact in sorted(parameters.items())
    )


def _quantity(line: _Line, notes: Notes) -> Quantity:
    figure, runs = line.figures[0], [one.facts.digest for one in line.runs]
    noted = notes.on(runs, figure.metric)
    if figure.metric == line.shown[0]:
        # What the table does not show has no row of its own for a note.
        beside = (note for run in runs for note in notes.beside(run, line.shown))
        noted = tuple(dict.fromkeys((*noted, *beside)))
    found = _estimate(line.sample)
    unit = unit_of(figure.metric, line.first.facts.workload)
    size, unit = scaled(found.value, unit)
    derived = any(one.derived is not None for one in line.figures)
    alone = len(runs) == 1
    printed = figure.printed if alone else None
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
        uncertainty=uncertainty_printed(printed, figure.uncertainty, size)
        if alone
        else None,
        grade=max(
            (one.facts.grade for one in line.runs if one.facts.grade), default=None
        ),
        label=line.first.facts.label,
        sessions=len(line.sample.sessions),
        mine=line.first.place.mine,
    )


def _estimate(sample: comparison.Sample) -> comparison.Estimate:
    """Return the figure of one run, or that of several processes with its interval."""
    figures = [value for session in sample.sessions for value in session]
    if len(figures) == 1:
        return comparison.Estimate(figures[0])
    if min(figures) <= 0:  # a power meter may read 0: no factor, no interval
        return comparison.Estimate(fmean(figures))
    return comparison.estimate(sample)


def _whole(facts: Facts, name: str) -> int | None:
    found = facts.parameters.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
