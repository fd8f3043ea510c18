"""Read a document by a map: items of an exchange file come out."""

import posixpath
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics, workloads
from benchdb.exchange.messages import Flag, Phase, Run, Scalar, Source, Status, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import BadLine, Item, LoneSource
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping import claims
from benchdb.importing.mapping.fields import (
    MACHINE_FACTS,
    Defaults,
    Known,
    device_name,
    environment,
    group_facts,
    machine,
    scalar,
)
from benchdb.importing.mapping.language import (
    OF_ENVIRONMENTS,
    OF_MACHINES,
    OF_RUNS,
    Facts,
    Map,
    MappedFlag,
    bare_name,
)
from benchdb.importing.mapping.mapped_figures import Observation, search, time_limit
from benchdb.importing.mapping.table_rows import RatioCell, RunGroup, match_tables
from benchdb.importing.provenance import NOTHING, About, SourceFacts

# Of processor time; a table of one MiB takes about 7 s.
SECONDS = 10.0
SECONDS_PER_BYTE = 60 / 2**20
_BASIS_LIMIT = 2000  # characters; nobody reads more
_PRINTED_LIMIT = 800  # characters of samples that are shown beside their median
_SHOWN = 3  # columns in which two figures of one run differ
_LINE = re.compile(r"line \d+")
_THREAD = re.compile(r"(issue|pull|discussion)s?[/-](\d+)")
_THREADS = re.compile(
    r"/(?:tree/[0-9a-f]{40}|(?:issues|pull|discussions)(?:/\d+)?)?/?$"
)
_TREE = re.compile(r"/tree/([0-9a-f]{40})/?$")
_WORST: tuple[Status, ...] = ("oom", "failed", "unsupported", "not-measured", "ok")
# Where these are not known, the machine or the environment says so.
_ELSEWHERE = {*OF_MACHINES, *MACHINE_FACTS, *OF_ENVIRONMENTS, "framework_version"}


def read(document: Document, map_: Map, about: About) -> Iterator[Item]:
    """Yield what *map_* makes of *document*; what *about* says wins over the map.

    First comes the source, which stands even without a run. Raise ``DocumentError``
    where the document cannot be read, has no table that the map means, or takes far
    too long with this map.
    """
    if about.label is not None:
        map_ = replace(map_, label=about.label)
    document = replace(document, name=map_.path(document.sha256) or document.name)
    with time_limit(SECONDS + SECONDS_PER_BYTE * len(document.content)):
        source = _source(document, map_, about)
        read_items: list[Observation | RatioCell | BadLine] = []
        read_items += claims.read_figures(document, map_)
        for table in match_tables(document, map_):
            read_items += table.read()
        name = search(map_.name, document.name) if map_.name else None
        files = [it for key, it in map_.files.items() if search(key, document.name)]
        defaults = Defaults(map_, (map_, group_facts(name), *files), source.slug)
        figures = [item for item in read_items if isinstance(item, Observation)]
        groups, ungrouped = _group_runs(figures, defaults)
        ratios = (item for item in read_items if isinstance(item, RatioCell))
        items: list[Item] = [
            LoneSource(source),
            *(item for item in read_items if isinstance(item, BadLine)),
            *ungrouped,
        ]
        used: set[int] = set()
        for group in groups:
            flags = [n for n, it in enumerate(map_.flag) if _is_about(it, group)]
            used.update(flags)
            items += _refusals(group)
            if group.observations:
                doubts = [map_.flag[n] for n in flags]
                items += _records(group, map_, source, doubts)
        for n, flag in enumerate(map_.flag):
            if n not in used:
                unused = f"the map's flag {flag.code!r} is about no run"
                items.append(building.bad(unused, line=flag.lines[0]))
        items += claims.read_ratios(ratios, groups, defaults, source)
        items += claims.read_claims(document, map_, source)
    yield from items  # once the time is no longer taken


def facts_of(document: Document, map_: Map, about: About = NOTHING) -> About:
    """Return where *document* comes from, by *about*, else by *map_*.

    The address of a repository at a commit leads to the file in it, that of one with
    threads (``pull/12.md``, ``issue-12.txt``) to the thread.
    """
    mapped = msgspec.structs.asdict(map_.source)
    given = {name: mapped[name] for name in SourceFacts.__struct_fields__}
    path = map_.path(document.sha256)
    given["published"] = map_.published.get(path or "", given["published"])
    if given["url"] and path and (thread := _THREAD.match(path)):
        kind = thread[1] if thread[1] == "pull" else f"{thread[1]}s"
        given["url"] = f"{_THREADS.sub('', given['url'])}/{kind}/{thread[2]}"
    elif given["url"] and path:
        given["url"] = _TREE.sub(rf"/blob/\g<1>/{quote(path)}", given["url"])
    result = {name: getattr(about, name) or fact for name, fact in given.items()}
    return About(**result, label=about.label)


def _source(document: Document, map_: Map, about: About) -> Source:
    """Return the source line: facts from *about*, else those of the map."""
    given = facts_of(document, map_, about)
    protocol = map_.source.protocol
    missing = {
        name: why
        for name, why in map_.source.missing.items()
        if not getattr(given, name, None)
    }
    line = building.source(document, given, "map", protocol=protocol, missing=missing)
    try:
        return building.acceptable(line)
    except UNDERSTANDABLE as why:
        raise DocumentError(f"its source: {reason(why)}") from why


def _group_runs(
    observations: Iterable[Observation], defaults: Defaults
) -> tuple[list[RunGroup], list[BadLine]]:
    """Return the runs of *observations*, and those of which none can be made out.

    Those under equal fields are one run.
    """
    bad: list[BadLine] = []
    groups: dict[frozenset[tuple[str, Scalar]], RunGroup] = {}
    layers: tuple[Facts, ...] | None = None
    known, fault = Known(), ""
    key: frozenset[tuple[str, Scalar]] = frozenset()
    for item in observations:
        if item.layers is not layers:  # the figures of a row know the same
            layers, fault = item.layers, ""
            try:
                known = defaults.known(layers)
            except (*UNDERSTANDABLE, ValueError) as why:
                fault = reason(why)
            key = frozenset(known.fields.items())  # 128 and 128.0 are equal
        if refusal := fault or _unlike_samples(item, known):
            bad.append(_bad(item, refusal))
            continue
        group = groups.setdefault(key, RunGroup(known))
        group.observations.append(item)
        group.known = _merge_known(group.known, known)
    return list(groups.values()), bad


def _unlike_samples(item: Observation, known: Known) -> str:
    """Return why *item* is no rate of its work: a sample has many tokens."""
    workload, value = str(known.fields.get("workload")), item.value
    of_samples = value is not None and "sample" in metrics()[value.metric].counts
    if not of_samples or workload not in workloads():
        return ""
    if workloads()[workload].sample_unit != "token":
        return ""
    return f"it counts samples, and {workload} counts tokens: name the work otherwise"


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


def _is_about(flag: MappedFlag, group: RunGroup) -> bool:
    first, last = flag.lines
    column = flag.column or ""
    endings = (f", {column}", f", column {column}", f"/{column.replace('.', '/')}")
    return any(
        first <= observation.line <= last
        and (flag.column is None or observation.locator.endswith(endings))
        and flag.metric in (None, observation.value and observation.value.metric)
        for observation in group.observations
    )


def _refusals(group: RunGroup) -> list[BadLine]:
    """Take out of a run what is at fault, and all figures that it would have twice.

    What is printed twice and alike is one figure: its place names the others as well.
    Samples are pooled, and stand beside no single figure of their metric.
    """
    by_metric: dict[str, list[tuple[Value, Observation]]] = defaultdict(list)
    for item in group.observations:
        if item.fault is None and item.value is not None:
            by_metric[item.value.metric].append((item.value, item))
    refused: list[BadLine] = []
    taken: list[Observation] = []
    for item in group.observations:
        alike = by_metric[item.value.metric] if item.value else []
        lone = [it for it, observation in alike if observation.pool is None]
        printed = {(it.value, it.uncertainty, it.reason) for it in lone}
        value = None if item.pool else item.value
        if item.fault is not None:
            refused.append(_bad(item, item.fault))
        elif len(printed) > 1 or 0 < len(lone) < len(alike):
            others = [it for _, it in alike if not (item.pool and it.pool)]
            refused.append(_bad(item, _doubled(item, others)))
        elif value is None or item is alike[0][1]:
            places = "; ".join(it.locator for _, it in alike)[:_BASIS_LIMIT]
            once = replace(value, locator=places) if value else item.value
            taken.append(replace(item, value=once))
    group.observations = taken
    return refused


def _doubled(item: Observation, alike: Sequence[Observation]) -> str:
    """Say where else a run has the figure *item*, and what could tell them apart."""
    others = [observation for observation in alike if observation is not item]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    metric = item.value.metric if item.value else ""
    why = f"twice: {metric} of the same run is at {others[0].locator}{more} as well"
    return f"{why}; {_difference(item, others[0])}"


def _difference(observation: Observation, other: Observation) -> str:
    """Say what could tell two figures apart that are of the same run."""
    if observation.place is None or other.place is None:
        return "a field that tells them apart is missing"
    if observation.place.context != other.place.context:
        headings = [
            (place.context or ("",))[-1] for place in (observation.place, other.place)
        ]
        if headings[0] != headings[1]:
            return f"one is under {headings[0]!r}, the other under {headings[1]!r}"
    columns = zip(
        observation.place.header,
        observation.place.texts,
        other.place.texts,
        strict=False,
    )
    texts = [
        f"{header!r} ({text!r}, {another!r})"
        for header, text, another in columns
        if text != another
        and not observation.locator.endswith(f" {header}")
        and not other.locator.endswith(f" {header}")
    ]
    if not texts:
        return "nothing in their rows tells them apart"
    return f"what differs is {', '.join(texts[:_SHOWN])[:_BASIS_LIMIT]}"


def _bad(observation: Observation, why: str) -> BadLine:
    return building.bad(
        why, line=observation.line, locator=observation.locator, raw=observation.raw
    )


def _records(
    group: RunGroup, map_: Map, source: Source, doubts: Sequence[MappedFlag]
) -> list[Record] | list[BadLine]:
    """Return the record of a run, else why it has none, for each of its figures."""
    fields, observations = group.known.fields, group.observations
    # A run is ok where at least one cell has a figure; else the worst cell says why.
    end = min(observations, key=lambda item: _WORST.index(item.status))
    if any(item.status == "ok" for item in observations):
        end = replace(end, status="ok", value=None)
    flags = [
        Flag(
            code=it.code,
            metric=it.metric,
            detail={**it.detail, **dict.fromkeys(it.unknown)},
        )
        for it in doubts
    ]
    flags += [flag for item in observations for flag in item.flags]
    lone = [item.value for item in observations if item.value and not item.pool]
    try:
        pooled, series = _pool(observations)
        described = machine(fields, map_.machines, group.known.missing)
        record = building.record(
            run=_run(
                group, map_, device_name(str(fields.get("device")), described.chip)
            ),
            machine=described,
            environment=environment(group.known, map_.environments),
            source=source,
            values=[*lone, *pooled],
            series=series,
            status=end.status,
            reason=end.value.reason if end.value else None,
            flags=flags,
        )
    except UNDERSTANDABLE as why:
        return [_bad(item, reason(why)) for item in observations]
    return [record]


def _pool(observations: Sequence[Observation]) -> tuple[list[Value], list[Series]]:
    """Return the median of each metric's samples, and those that are times.

    Cells without a figure are left out, and counted. What is printed in several rows
    ``once`` is one figure, and refused where it is not.
    """
    pools: dict[tuple[str, str, Phase, int], list[Value]] = {}
    for item in observations:
        if item.pool is not None and item.value is not None:
            pool, metric = item.pool, item.value.metric
            key = (metric, pool.is_, pool.phase, pool.per)
            pools.setdefault(key, []).append(item.value)
    values: dict[str, Value] = {}
    series: list[Series] = []
    for (metric, is_, phase, per), figures in pools.items():
        if metric in values:
            raise RefusedError(f"two columns of samples are both {metric}")
        known = tuple(figure.value for figure in figures if figure.value is not None)
        once = is_ == "once"
        if once and len({*known}) > 1:
            raise RefusedError(f"{metric} is to be one figure, and is {known[:_SHOWN]}")
        values[metric] = figures[0] if once else _median(figures, known)
        if not once and known and metrics()[metric].unit == "s":
            series.append(Series(phase, per, known))
    return list(values.values()), series


def _median(pool: Sequence[Value], known: Sequence[float]) -> Value:
    """Return the median of *known*, the figures of *pool*, as one value."""
    first, last = (str(pool[n].locator).partition(",")[0] for n in (0, -1))
    where = first if first == last else f"{first} to {last}"
    absent = len(pool) - len(known)
    if not known:
        return replace(pool[0], locator=where)
    printed = "; ".join(str(value.printed) for value in pool)
    return Value(
        metric=pool[0].metric,
        value=float(f"{statistics.median(known):.15g}"),  # 856.85, not 856.8499999
        printed=printed if len(printed) <= _PRINTED_LIMIT else None,
        derived=f"median of {len(known)} samples"
        + (f"; {absent} cells have no figure" if absent else ""),
        locator=where,
    )


def _run(group: RunGroup, map_: Map, printed_device: str | None) -> Run:
    fields, missing = group.known.fields, dict(group.known.missing)
    names = [name for name in OF_RUNS if name not in ("framework_version", "mode")]
    facts = {name: fields[name] for name in names if name in fields}
    for name in ("framework", "device"):
        if name not in facts:
            facts[name] = "unknown"
            missing.setdefault(name, "not printed")
    if printed_device is not None:
        facts.setdefault("device_name", printed_device)
    if "started" in facts:
        facts["started"] = building.date(str(facts["started"]))
    if isinstance(facts.get("seed"), str):
        facts["seed"] = scalar("parameters.seed", str(facts["seed"]))
    under: dict[str, dict[str, Scalar]] = {"parameters": {}, "conditions": {}}
    for name, value in fields.items():
        if name != bare_name(name):
            under[name.partition(".")[0]][bare_name(name)] = value
    repeat = under["conditions"].get("repeat")
    # Numbered repetitions of one run do not contradict each other.
    facts |= {"replicate": repeat} if isinstance(repeat, int) and repeat >= 0 else {}
    # A run stands at the place that all of its figures share.
    locators = list(
        dict.fromkeys(observation.locator for observation in group.observations)
    )
    matches = (_LINE.match(locator) for locator in locators)
    lines = list(dict.fromkeys(match[0] for match in matches if match))
    if not lines and locators:  # JSON pointers
        lines = [posixpath.commonpath(locators)]
    elif any(observation.pool for observation in group.observations):
        lines = [f"{lines[0]} to {lines[-1]}"]
    return building.run(
        **facts,
        **under,
        label=map_.label,
        locator=locators[0] if len(locators) == 1 else ", ".join(lines),
        basis=dict(group.known.basis),
        missing={n: why for n, why in missing.items() if n not in _ELSEWHERE},
    )
