"""All values: every run with its figures as printed, what failed among them.

The processes of one cell are a row together, as they are behind each of its figures.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.conditions import parsed
from benchdb.metric_kinds import BESIDE_THE_HEADLINE, headlines, scaled, unit_of
from benchdb.report.inputs import Inputs
from benchdb.report.measurement import Process
from benchdb.report.quantities import as_printed, uncertainty_printed
from benchdb.report.references import Notes, Sources
from benchdb.report.runs import StoredRun
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.listed import Ground, ValueRow
from benchdb.report.wording.terms import OF_A_MODEL
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import Estimate, Sample, Spread
from benchdb.steps import lowest
from benchdb.store.pooling import average, by_session
from benchdb.store.run_facts import NO_FIGURE, Figure

_Spreads = Mapping[str, Spread | None]  # of a run, by metric
# What is read beside the work of a step varies as its rate does.
_RATE = "samples_per_second"
_LETTERS = 40  # of a fact; a stranger's may have any number
_TIMES = ("tier", "day", "minute")
# The first figure of a run, which is its headline if it has one, and the others.
Line = tuple[ValueRow, ...]


def values(inputs: Inputs, systems: Mapping[System, System]) -> tuple[ValueRow, ...]:
    """Return the table: by source, system and workload, the headline of a run first.

    Processes are together as in what was measured, whose spread counts here as well.
    """
    notes, sources = inputs.notes, inputs.sources
    spreads = defaultdict[str, dict[str, Spread | None]](dict)
    for measurement in inputs.measured:
        for run in measurement.runs:
            spreads[run][measurement.conditions.metric] = measurement.spread
    given = dict[str, _Given]()
    named: dict[System, System] = {}
    for processes in _cells(inputs):
        digests = [run.facts.digest for run in processes]
        party = processes[0].party
        # With its own model and RAM, not a fuller twin's.
        if party not in named:
            own = {"model": party.model, "ram_bytes": party.ram_bytes}
            named[party] = replace(systems[party], **own)
        given[digests[0]] = _Given(
            processes,
            named[party],
            sources.key(processes[0].place.source),
            spreads.get(digests[0], {}),
            # Notes get their letters anew, in the order of the rows.
            object() if any(map(notes.flagged, digests)) else None,
        )
    groups = inputs.memo.each(
        "rows", given, lambda keys: [[*_rows(given[it], notes)] for it in keys]
    )
    rows = [row for some in groups for row in some]
    names = distinctions(rows)
    return tuple(
        replace(row, distinction=name) if name else row
        for row, name in zip(rows, names, strict=True)
    )


def _cells(inputs: Inputs) -> Iterator[Sequence[StoredRun]]:
    """Yield the processes of each cell, in the order of the table."""
    cells = defaultdict[tuple[object, ...], list[StoredRun]](list)
    places = {name: n for n, name in enumerate(workloads())}
    order = partial(_order, sources=inputs.sources, places=places)
    for run in sorted(inputs.runs, key=order):
        cells[_cell(run)].append(run)
    for cell in cells.values():
        yield tuple(chain.from_iterable(by_session(cell)))


class _Given(NamedTuple):
    """What the rows of a cell follow from; *noted* is new each time if anything is."""

    processes: Sequence[StoredRun]
    system: System
    source: str | None
    spreads: _Spreads
    noted: object


def _rows(given: _Given, notes: Notes) -> Iterator[ValueRow]:
    for figures, quantity in _figures(given.processes, notes, given.spreads):
        run, figure = figures[0]
        facts, known = run.facts, run.facts.workload in workloads()
        usual = headlines(facts.workload)[0] if known else ""
        digests = tuple(stored_run.facts.digest for stored_run, _ in figures)
        yield ValueRow(
            run=facts.digest,
            workload=workload_of(facts.workload),
            system=given.system,
            batch_size=facts.batch_size,
            size=facts.whole("size"),
            precision=facts.precision,
            compiler=facts.compiler,
            metric=figure.metric or usual,
            quantity=quantity,
            status=facts.status,
            reason=figure.reason or facts.why,
            label=facts.label,
            source=given.source,
            locator=figure.locator or facts.locator,
            started=facts.started,
            tier=facts.tier,
            trials=facts.whole("trials"),
            runs=digests if len(digests) > 1 else (),
            made=figure.derived if quantity else None,
            setting=facts.setting,
            against=tuple(Ground(*ground) for ground in facts.against.items()),
            parameters=_texts(facts.spelled),
            conditions=facts.surroundings,
        )


def _order(
    run: StoredRun, sources: Sources, places: Mapping[str, int]
) -> tuple[object, ...]:
    facts, place, who = run.facts, run.place, run.party
    number = sources.key(place.source)
    return (
        int(number) if number else 0,
        who.chip,
        who.model or "",
        who.ram_bytes or 0,
        who.device,
        who.framework,
        places.get(facts.workload, len(places)),
        facts.workload,
        facts.batch_size or 0,
        facts.whole("size") or 0,
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


def _figures(
    cell: Sequence[StoredRun], notes: Notes, spreads: _Spreads
) -> Iterator[tuple[Sequence[Process], Quantity | None]]:
    """Yield the headline of the cell's runs, and what stands beside it."""
    by_metric = defaultdict[str, list[Process]](list)
    for run in cell:
        for figure in run.figures:
            if figure.value is not None:
                by_metric[figure.metric].append((run, figure))
    first = cell[0].facts
    order = headlines(first.workload)
    headline = next((name for name in order if name in by_metric), None)
    if headline is None:
        yield from (([(run, _absent(run, order))], None) for run in cell)
    beside = [
        name for name in BESIDE_THE_HEADLINE if name in by_metric and name != headline
    ]
    shown = [*([headline] if headline else []), *beside]
    spread = spreads.get(_RATE)
    for name in shown:
        runs = [run.facts.digest for run, _ in by_metric[name]]
        noted = notes.on(runs, name)
        if name == shown[0]:
            # What the table does not show has no row of its own for a note.
            others = (note for run in runs for note in notes.beside(run, shown))
            noted = tuple(dict.fromkeys((*noted, *others)))
        own = spreads.get(name, spread)
        yield by_metric[name], _quantity(by_metric[name], own, noted)


def _absent(run: StoredRun, order: Sequence[str]) -> Figure:
    """Return the place of a run's headline, for which it has no figure."""
    # Of each metric a process that came to no end only says that it was not measured;
    # why is said once. A source names what it has no figure of.
    ended = run.facts.label == "measured" and run.facts.why
    there = {figure.metric: figure for figure in (() if ended else run.figures)}
    return next((there[name] for name in order if name in there), NO_FIGURE)


def _quantity(
    processes: Sequence[Process], spread: Spread | None, noted: tuple[str, ...]
) -> Quantity:
    """Return the figure of one run, or that of several processes with its interval."""
    run, figure = processes[0]
    alone = len(processes) == 1
    sessions = defaultdict[str, list[float]](list)
    for stored_run, other in processes:
        sessions[stored_run.facts.session.name].append(other.value or 0.0)
    if alone:  # as most of what others published
        shown = Estimate(figure.value or 0.0)
    else:
        shown = average(Sample(tuple(map(tuple, sessions.values())), spread))
    value, low, high, n = shown.value, shown.low, shown.high, len(processes)
    size, unit = scaled(value, unit_of(figure.metric, run.facts.workload))
    derived = any(other.derived is not None for _, other in processes)
    printed = figure.printed if alone else None
    return Quantity(
        value=value / size,
        unit=unit,
        run=run.facts.digest,
        n=n,
        printed=as_printed(printed, value / size, derived=derived),
        low=None if low is None else low / size,
        high=None if high is None else high / size,
        notes=noted,
        derived=derived,
        uncertainty=uncertainty_printed(printed, figure.uncertainty, size)
        if alone
        else None,
        grade=max(
            (result.facts.grade for result, _ in processes if result.facts.grade),
            default=None,
        ),
        label=run.facts.label,
        sessions=len(sessions),
        mine=run.place.mine,
        trust=lowest(result.facts.trust for result, _ in processes),
    )


@lru_cache(maxsize=4096)  # thousands of runs share them
def _texts(spelled: str) -> tuple[tuple[str, str], ...]:
    """Return all that was set, by name, as text."""
    return tuple(
        (name, fact if isinstance(fact, str) else json.dumps(fact, sort_keys=True))
        for name, fact in sorted(parsed(spelled).items())
    )


def distinctions(rows: Sequence[ValueRow]) -> list[str]:
    """Return of each row what tells it from those that have all else in common.

    A sweep has many points, and campaigns of one machine measure the same work again.
    It is the setting, parameters and conditions in which they differ; where that is not
    enough the tier, the day, the minute. The only one of its kind needs nothing.
    """
    alike = defaultdict[object, list[int]](list)
    for n, row in enumerate(rows):
        alike[_visible(row)].append(n)
    names = [""] * len(rows)
    for several in (some for some in alike.values() if len(some) > 1):
        known = [_facts(rows[n]) for n in several]
        differing = _differing(known)
        for n, facts in zip(several, known, strict=True):
            names[n] = " · ".join(facts[it] for it in differing if facts.get(it))
    return names


def _visible(row: ValueRow) -> object:
    """Return what a reader sees of a row but its figure."""
    whose = row.system.here, row.system.mine
    system = row.system.chip, row.system.device, row.system.framework, *whose
    work = row.workload.name, row.batch_size, row.size, row.metric
    model = tuple(fact for fact in row.parameters if fact[0] in OF_A_MODEL)
    origin = row.label, row.status, row.source, row.locator, row.made
    return system, work, model, row.precision, row.compiler, origin


def _facts(row: ValueRow) -> Mapping[str, str]:
    """Return what else is known of a row, by name: as it is told, or nothing."""
    started = row.started or ""
    return {
        "setting": row.setting,
        **{name: f"{name} {fact[:_LETTERS]}" for name, fact in row.parameters},
        **{name: f"{name} {fact}" for name, fact in row.conditions if fact},
        "tier": row.tier or "",
        "day": started[: len("2026-11-21")],
        "minute": started[: len("2026-11-21T21:44")].replace("T", " "),
    }


def _differing(rows: Sequence[Mapping[str, str]]) -> Sequence[str]:
    """Return the names of the facts that tell *rows* apart: a time only if needed."""
    names = dict.fromkeys(name for row in rows for name in row)
    differ = [name for name in names if len({row.get(name) for row in rows}) > 1]
    enough = [name for name in differ if name not in _TIMES]
    for name in (time for time in _TIMES if time in differ):
        if len({tuple(map(row.get, enough)) for row in rows}) == len(rows):
            break
        # The minute has the day in it.
        enough = [*(text for text in enough if text != "day"), name]
    return enough


def per_run(rows: Iterable[ValueRow]) -> tuple[list[Line], dict[str, ValueRow]]:
    """Return a line for each run or cell, in the order of its first figure.

    Beside them, by every run that is behind a figure, the first figure of its line. A
    figure joins the line that has its run already; none is lost, none shown twice.
    """
    lines: dict[str, Line] = {}
    heads: dict[str, ValueRow] = {}
    for row in rows:
        head = heads.setdefault(row.run, row)
        lines[head.run] = (*lines.get(head.run, ()), row)
        for run in row.runs:
            heads.setdefault(run, head)
    return list(lines.values()), heads


def runs_of(line: Sequence[ValueRow]) -> tuple[str, ...]:
    """Return every run behind a figure of the line, those of the headline first."""
    return tuple(dict.fromkeys(run for row in line for run in row.runs or (row.run,)))
