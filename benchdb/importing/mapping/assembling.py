"""From a run in the making to its record."""

import re
from collections.abc import Iterator, Mapping, Sequence

from benchdb.exchange.lines import Flag, Run, Scalar, Source, Status
from benchdb.exchange.reader import BadLine
from benchdb.exchange.record import Record
from benchdb.importing import building
from benchdb.importing.mapping import hardware, software
from benchdb.importing.mapping.cells import Figure
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.layers import bare
from benchdb.importing.mapping.observations import Observation
from benchdb.importing.mapping.runs import Gathered
from benchdb.importing.mapping.words import OF_RUNS, scalar
from benchdb.importing.quantities.cell import status_of
from benchdb.importing.quantities.quantity import Missing

_LINE = re.compile(r"line \d+")
_WORST: tuple[Status, ...] = ("oom", "failed", "unsupported", "not-measured")
# Where these are not known, the machine or the environment says so.
_ELSEWHERE = (*hardware.FIELDS, *software.FIELDS, "framework_version")


def records(
    run: Gathered, map_: Map, source: Source, flags: Sequence[Flag]
) -> Iterator[Record | BadLine]:
    """Yield the record of *run*; else why it has none: a fault, a figure twice."""
    first = run.observations[0]
    refused = [*_faults(run), *_doubled(run)]
    yield from refused
    if not refused:
        yield building.attempt(
            lambda: _record(run, map_, source, flags),
            line=first.line,
            locator=first.locator,
            raw=first.raw,
        )


def _record(run: Gathered, map_: Map, source: Source, flags: Sequence[Flag]) -> Record:
    fields = run.known.fields
    figures = [one.figure for one in run.observations if one.figure is not None]
    machine = hardware.machine(fields, map_.machines)
    name = hardware.device_name(str(fields.get("device")), machine.chip)
    status, why = _outcome(figures)
    own = [flag for figure in figures for flag in figure.flags]
    return building.record(
        run=_run(run, map_, name),
        machine=machine,
        environment=software.environment(fields, map_.environments),
        source=source,
        values=(figure.value for figure in figures),
        status=status,
        reason=why,
        flags=(*flags, *own),
    )


def _run(run: Gathered, map_: Map, device_name: str | None) -> Run:
    fields, missing = run.known.fields, dict(run.known.missing)
    facts: dict[str, Scalar] = {
        name: fields[name]
        for name in OF_RUNS
        if name in fields and name != "framework_version"
    }
    for name in ("framework", "device"):
        if name not in facts:
            facts[name] = "unknown"
            missing.setdefault(name, "not printed")
    if device_name is not None:
        facts.setdefault("device_name", device_name)
    if "started" in facts:
        facts["started"] = building.date(str(facts["started"]))
    if isinstance(facts.get("seed"), str):
        facts["seed"] = scalar("parameters.seed", str(facts["seed"]))
    return building.run(
        **facts,
        parameters=_under("parameters.", fields),
        conditions=_under("conditions.", fields),
        label=map_.label,
        locator=_place(run.observations),
        basis=dict(run.known.basis),
        missing={n: why for n, why in missing.items() if n not in _ELSEWHERE},
    )


def _under(prefix: str, fields: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {bare(name): it for name, it in fields.items() if name.startswith(prefix)}


def _outcome(figures: Sequence[Figure]) -> tuple[Status, str | None]:
    """Return how the run ended: ``ok`` where at least one cell has a figure."""
    absent = [one.absent for one in figures if one.absent is not None]
    if len(absent) < len(figures) or not absent:
        return "ok", None
    worst = min(absent, key=lambda one: _WORST.index(_status(one)))
    return _status(worst), worst.reason


def _status(missing: Missing) -> Status:
    status = status_of(missing)
    return status if status in _WORST else "not-measured"


def _place(observations: Sequence[Observation]) -> str:
    """Return where the run stands: the place that all of its figures share."""
    locators = list(dict.fromkeys(one.locator for one in observations))
    if len(locators) == 1:
        return locators[0]
    matches = (_LINE.match(one) for one in locators)
    return ", ".join(dict.fromkeys(match[0] for match in matches if match))


def _faults(run: Gathered) -> Iterator[BadLine]:
    for one in run.observations:
        if one.fault is not None:
            yield _bad(one, one.fault)


def _doubled(run: Gathered) -> Iterator[BadLine]:
    places: dict[str, str] = {}
    for one in run.observations:
        if one.figure is None:
            continue
        metric = one.figure.value.metric
        if metric in places:
            why = f"twice: {metric} of the same run is at {places[metric]} as well"
            yield _bad(one, f"{why}; a field that tells them apart is missing")
        places.setdefault(metric, one.locator)


def _bad(one: Observation, why: str) -> BadLine:
    return building.bad(why, line=one.line, locator=one.locator, raw=one.raw)
