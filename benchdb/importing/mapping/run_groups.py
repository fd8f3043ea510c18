"""Read a document by a map: items of an exchange file come out."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Flag, Run, Scalar, Source, Status
from benchdb.exchange.reader import BadLine, Item, LoneSource
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, reason
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping import claims, hardware
from benchdb.importing.mapping.cell_values import Observation, RunGroup
from benchdb.importing.mapping.fields import (
    OF_RUNS,
    Defaults,
    Known,
    bare_name,
    group_facts,
    scalar,
)
from benchdb.importing.mapping.language import Map, MappedFlag
from benchdb.importing.mapping.match import match_tables, search, time_limit
from benchdb.importing.mapping.table_rows import RatioCell, read_rows
from benchdb.importing.provenance import About

IMPORTER = "map"

# Of processor time; a table of one MiB takes about 7 s.
SECONDS = 10.0
SECONDS_PER_BYTE = 60 / 2**20
_BASIS_LIMIT = 2000  # characters; nobody reads more
_LINE = re.compile(r"line \d+")
_WORST: tuple[Status, ...] = ("oom", "failed", "unsupported", "not-measured", "ok")
# Where these are not known, the machine or the environment says so.
_ELSEWHERE = (*hardware.OF_MACHINES, *hardware.OF_ENVIRONMENTS, "framework_version")


def read(document: Document, map_: Map, about: About) -> Iterator[Item]:
    """Yield what *map_* makes of *document*; what *about* says wins over the map.

    First comes the source, which stands even without a run. Raise ``DocumentError``
    where the document cannot be read, has no table that the map means, or takes far
    too long with this map.
    """
    if about.label is not None:
        map_ = replace(map_, label=about.label)
    with time_limit(SECONDS + SECONDS_PER_BYTE * len(document.content)):
        source = _source(document, map_, about)
        items_read: list[Observation | RatioCell | BadLine] = []
        items_read += claims.read_figures(document, map_)
        for table in match_tables(document, map_):
            items_read += read_rows(table)
        name = search(map_.name, document.name) if map_.name else None
        defaults = Defaults(map_, (map_, group_facts(name)), source.slug)
        figures = (item for item in items_read if isinstance(item, Observation))
        groups, ungrouped = group_runs(figures, defaults)
        ratios = (item for item in items_read if isinstance(item, RatioCell))
        items: list[Item] = [
            LoneSource(source),
            *(item for item in items_read if isinstance(item, BadLine)),
            *ungrouped,
            *_records(groups, map_, source),
            *claims.read_ratios(ratios, groups, defaults, source),
            *claims.read_claims(document, map_, source),
        ]
    yield from items  # once the time is no longer taken


def _source(document: Document, map_: Map, about: About) -> Source:
    """Return the source line: facts from *about*, else those of the map."""
    mapped = msgspec.structs.asdict(map_.source)
    protocol, missing = mapped.pop("protocol"), mapped.pop("missing")
    given = {name: getattr(about, name) or fact for name, fact in mapped.items()}
    missing = {name: why for name, why in missing.items() if not given.get(name)}
    line = building.source(
        document, About(**given), IMPORTER, protocol=protocol, missing=missing
    )
    try:
        return building.acceptable(line)
    except UNDERSTANDABLE as why:
        raise DocumentError(f"its source: {reason(why)}") from why


def group_runs(
    observations: Iterable[Observation], defaults: Defaults
) -> tuple[list[RunGroup], list[BadLine]]:
    """Return the runs of *observations*, and those of which none can be made out.

    Those under equal fields are one run.
    """
    bad: list[BadLine] = []
    groups: dict[tuple[tuple[str, str], ...], RunGroup] = {}
    for item in observations:
        try:
            known = defaults.known(item.layers)
        except (*UNDERSTANDABLE, ValueError) as why:
            bad.append(_bad(item, reason(why)))
            continue
        key = tuple(sorted((name, _text(it)) for name, it in known.fields.items()))
        group = groups.setdefault(key, RunGroup(known))
        group.observations.append(item)
        group.known = _merge_known(group.known, known)
    return list(groups.values()), bad


def _text(value: Scalar) -> str:
    """Return *value* so that equal ones are equal texts: 128 and 128.0 are."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return repr(value)


def _merge_known(known: Known, more: Known) -> Known:
    """Return what is known of a run whose figures know equal fields."""
    if known.basis == more.basis and known.missing == more.missing:
        return known
    basis = dict(known.basis)
    for name, how in more.basis.items():
        before = basis.setdefault(name, how)
        if how not in before and len(before) < _BASIS_LIMIT:
            basis[name] = f"{before}; {how}"
    return Known(known.fields, basis, {**more.missing, **known.missing})


def _records(
    groups: Iterable[RunGroup], map_: Map, source: Source
) -> Iterator[Record | BadLine]:
    """Yield the record of each run, else why it has none: a fault, a figure twice.

    The doubts of the map are flags of the runs that they are about.
    """
    indices: set[int] = set()
    for group in groups:
        about = [
            index for index, flag in enumerate(map_.flag) if _is_about(flag, group)
        ]
        indices.update(about)
        refused = list(_refusals(group.observations))
        yield from refused
        if not refused:
            flags = [map_.flag[index] for index in about]
            first = group.observations[0]
            try:
                yield _record(group, map_, source, flags)
            except UNDERSTANDABLE as why:
                yield _bad(first, reason(why))
    for index, flag in enumerate(map_.flag):
        if index not in indices:
            unused = f"the map's flag {flag.code!r} is about no run"
            yield building.bad(unused, line=flag.lines[0])


def _is_about(flag: MappedFlag, group: RunGroup) -> bool:
    """Tell whether *flag* is about a figure of the run."""
    first, last = flag.lines
    endings = (f", {flag.column}", f", column {flag.column}")
    return any(
        first <= one.line <= last
        and (flag.column is None or one.locator.endswith(endings))
        and flag.metric in (None, one.value and one.value.metric)
        for one in group.observations
    )


def _refusals(observations: Sequence[Observation]) -> Iterator[BadLine]:
    """Yield the faults of a run, and the figures that it would have twice."""
    for item in observations:
        if item.fault is not None:
            yield _bad(item, item.fault)
    places: dict[str, str] = {}
    for item in observations:
        metric = item.value.metric if item.value else ""
        if metric in places:
            why = f"twice: {metric} of the same run is at {places[metric]} as well"
            yield _bad(item, f"{why}; a field that tells them apart is missing")
        elif metric:
            places[metric] = item.locator


def _bad(one: Observation, why: str) -> BadLine:
    return building.bad(why, line=one.line, locator=one.locator, raw=one.raw)


def _record(
    group: RunGroup, map_: Map, source: Source, flags: Sequence[MappedFlag]
) -> Record:
    fields, observations = group.known.fields, group.observations
    machine = hardware.machine(fields, map_.machines)
    name = hardware.device_name(str(fields.get("device")), machine.chip)
    # A run is ok where at least one cell has a figure; else the worst cell says why.
    end = min(observations, key=lambda item: _WORST.index(item.status))
    if any(item.status == "ok" for item in observations):
        end = replace(end, status="ok", value=None)
    doubts = [
        Flag(
            code=flag.code,
            metric=flag.metric,
            detail={**flag.detail, **dict.fromkeys(flag.unknown)},
        )
        for flag in flags
    ]
    return building.record(
        run=_run(group, map_, name),
        machine=machine,
        environment=hardware.environment(fields, map_.environments),
        source=source,
        values=[item.value for item in observations if item.value is not None],
        status=end.status,
        reason=None if end.value is None else end.value.reason,
        flags=[*doubts, *(flag for item in observations for flag in item.flags)],
    )


def _run(group: RunGroup, map_: Map, device_name: str | None) -> Run:
    fields, missing = group.known.fields, dict(group.known.missing)
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
        locator=_locator(group.observations),
        basis=dict(group.known.basis),
        missing={n: why for n, why in missing.items() if n not in _ELSEWHERE},
    )


def _under(prefix: str, fields: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {
        bare_name(name): it for name, it in fields.items() if name.startswith(prefix)
    }


def _locator(observations: Iterable[Observation]) -> str:
    """Return where the run stands: the place that all of its figures share."""
    locators = list(dict.fromkeys(one.locator for one in observations))
    if len(locators) == 1:
        return locators[0]
    matches = (_LINE.match(one) for one in locators)
    return ", ".join(dict.fromkeys(match[0] for match in matches if match))
