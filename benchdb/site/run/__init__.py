"""The page of a run: one figure, down to its samples or the characters of its source.

All processes of a cell on a machine share a page.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec

from benchdb.collecting.again import PUBLISHED, Why, command, compiled
from benchdb.exchange.messages import Device
from benchdb.exchange.record import Record, content
from benchdb.grading import Grade
from benchdb.metric_kinds import STAYS, listed, scaled, unit_of
from benchdb.report import untrusted
from benchdb.report.value_table import runs_of
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.listed import Note, ValueRow
from benchdb.report.workloads import workload_of
from benchdb.site.content import Line, Site
from benchdb.site.pages import Page
from benchdb.site.system_pairs import BASELINE, Worker
from benchdb.steps import Step
from benchdb.store.read import records_of
from benchdb.store.replications import Replication
from benchdb.store.retractions import Known

_AT_ONCE = 250  # records held in memory
_MOST_SAMPLES = 400  # of a process that a page draws and lists
# What stands on the page in a place of its own.
_TOLD = ("type", "key", "machine", "environment", "source", "chip", "missing")


class Printed(msgspec.Struct, frozen=True):
    """A figure of the first process: as stored, and as its source *printed* it."""

    metric: str
    value: float
    unit: str
    printed: str | None = None
    locator: str | None = None
    derived: str | None = None


class Series(msgspec.Struct, frozen=True):
    """Seconds of each block of a *phase*, in the order measured, over *per* steps.

    *count* is how many there are where a page has no room for all.
    """

    phase: str
    per: int
    seconds: tuple[float, ...]
    count: int


class Process(msgspec.Struct, frozen=True):
    """One process: its digest, when it began, its figure, and its samples."""

    run: str
    started: str | None
    value: float | None
    series: tuple[Series, ...] = ()


class Gate(msgspec.Struct, frozen=True):
    """A check of the first process: passed, failed or not-applicable, and its facts."""

    name: str
    status: str
    facts: Mapping[str, Any] = {}


class Origin(msgspec.Struct, frozen=True):
    """The document that a figure was published in."""

    slug: str
    title: str
    authors: tuple[str, ...]
    url: str | None
    licence: str | None
    published: str | None
    document: str | None
    sha256: str | None
    importer: str | None
    locator: str | None


class Beside(msgspec.Struct, frozen=True):
    """How many times as fast as another system it is, like for like, and that one."""

    chip: str
    device: Device
    ratio: Ratio
    quantity: Quantity


class RunFacts(msgspec.Struct, frozen=True):
    """All that the page shows. *again* measures it anew; else *why_not* it cannot.

    *over_time* are clock, power and heat from the burst on, *unsettled* is why there is
    no sustained rate, *path* what computed inside. *counterpart* measures the same with
    a compiler that has the host start less. It may have been started because it
    *reproduces* another run; *replication* is what measured it again, *retractions* are
    what anybody says of it.
    """

    run: str
    workload: str
    title: str
    version: int
    setting: str
    protocol: str | None
    chip: str
    device: Device
    framework: str
    metric: str
    quantity: Quantity | None
    trust: Step | None
    status: str
    reason: str | None
    retractions: tuple[Known, ...]
    label: str
    mine: bool
    tier: str | None
    campaign: str | None
    seed: int | None
    grade: Grade | None
    processes: tuple[Process, ...]
    figures: tuple[Printed, ...]
    gates: tuple[Gate, ...]
    notes: tuple[Note, ...]
    parameters: Mapping[str, Any]
    how: Mapping[str, Any]  # precision, compiler
    environment: Mapping[str, Any]
    machine: Mapping[str, Any]
    beside: tuple[Beside, ...]
    before: Mapping[str, Any]
    during: Mapping[str, Any]
    after: Mapping[str, Any]
    steady: Mapping[str, Any]
    over_time: Mapping[str, Any]
    unsettled: str | None
    path: Mapping[str, Any]
    counterpart: str | None
    unknown: Mapping[str, str]  # what is not known of machine and software, and why
    collector: str | None
    collector_sha256: str | None
    origin: Origin | None
    again: str | None
    program: str | None
    why_not: Why | None
    reproduces: str | None
    replication: Replication | None


def addresses(site: Site) -> Mapping[str, str]:
    """Return the address of each page, with a digest of what it shows.

    A run never changes: what is stored of it follows from its name. Its figure, grade,
    notes, what it is held against and where it leads depend on others.
    """
    given = {site.runs[line[0].run]: _given(site, line) for line in site.lines}

    def keys(wanted: Iterable[str]) -> Iterator[str]:
        for line, _, *more in (given[address] for address in wanted):
            shown = line, runs_of(line), site.notes_of([line]), *more
            beside = [*_beside(site, line[0])]
            yield sha256(msgspec.msgpack.encode((shown, beside))).hexdigest()

    return dict(
        zip(given, site.inputs.memo.each("runs' pages", given, keys), strict=True)
    )


def _given(site: Site, line: Line) -> tuple[Any, ...]:
    """Return what the page of a line follows from, the line first, then its systems."""
    row = line[0]
    name, sides = row.run, site.systems.sides
    own = Worker(row.system.chip, row.system.device)
    return (
        *(line, (site.common, *map(sides.get, (own, *_bases(own))))),
        *(site.grades.get(name), site.machines.get(site.places[name].machine)),
        *(site.chips.get(own.chip), site.workloads.get(row.workload.name)),
        *(site.retractions.get(name), site.replications.get(name)),
    )


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of each cell on each machine."""
    for address, facts in facts_at(site, addresses(site)):
        yield page_of(site, address, facts)


def facts_at(site: Site, wanted: Collection[str]) -> Iterator[tuple[str, RunFacts]]:
    """Yield the address and the facts of each page at one of the *wanted* addresses."""
    lines = [line for line in site.lines if site.runs[line[0].run] in wanted]
    for facts in all_facts(site, lines):
        yield site.runs[facts.run], facts


def page_of(site: Site, address: str, facts: RunFacts) -> Page:
    """Return the page of *facts*."""
    from benchdb.site.run.words import words  # noqa: PLC0415  it knows the facts

    result = partial(words, site, facts, site.rows[facts.run])
    return Page(address, "runs", "run", facts, result, local=True)


def all_facts(site: Site, lines: Sequence[Line]) -> Iterator[RunFacts]:
    """Yield the facts of the page of each of *lines*."""
    for start in range(0, len(lines), _AT_ONCE):
        some = lines[start : start + _AT_ONCE]
        wanted = sorted({name for line in some for name in runs_of(line)})
        records = records_of(site.inputs.connection, wanted)
        known = {record.run.key: record for record in records}
        for line in some:
            own = [known[name] for name in runs_of(line) if name in known]
            yield _facts(site, line, own)


def _facts(site: Site, line: Line, records: Sequence[Record]) -> RunFacts:
    row, first = line[0], records[0]
    run, end = first.run, first.end
    words = command(run, first.environment)
    checks, program, counterpart = dict(end.checks), run.collector, compiled(first)
    facts = RunFacts(
        run=row.run,
        workload=row.workload.name,
        title=workload_of(row.workload.name).title,
        version=run.workload_version,
        setting=run.setting,
        protocol=_protocol(_mapping(checks.get("seed_protocol"))),
        chip=row.system.chip,
        device=row.system.device,
        framework=row.system.framework,
        metric=row.metric,
        quantity=row.quantity,
        trust=row.quantity.trust if row.quantity else None,
        status=row.status,
        reason=row.reason,
        retractions=tuple(site.retractions.get(row.run, ())),
        label=row.label,
        mine=row.system.mine,
        tier=run.tier,
        campaign=run.campaign,
        seed=run.seed,
        grade=site.grades.get(row.run),
        processes=tuple(_process(record, row.metric) for record in records),
        figures=tuple(_printed(first, row.metric)),
        gates=tuple(_gates(checks.get("gates"))),
        notes=site.notes_of([line]),
        parameters=dict(run.parameters),
        how={"precision": run.precision, "compiler": run.compiler},
        environment=content(first.environment, drop=_TOLD),
        machine=_machine(first),
        beside=tuple(_beside(site, row)),
        before=dict(run.conditions),
        during=_mapping(checks.get("during")),
        after=dict(end.conditions),
        steady=_mapping(checks.get("steady")),
        over_time=_mapping(checks.get("over_time")),
        unsettled=next((v.reason for v in end.values if v.metric == STAYS), None),
        path=_mapping(checks.get("path")),
        counterpart=shlex.join(counterpart) if counterpart else None,
        unknown={**first.machine.missing, **first.environment.missing},
        collector=f"{program.name}.py {program.version}" if program else None,
        collector_sha256=program.sha256 if program else None,
        origin=_origin(first),
        again=shlex.join(words) if isinstance(words, list) else None,
        program=_program(first) if isinstance(words, list) else None,
        why_not=words if isinstance(words, Why) and words != PUBLISHED else None,
        reproduces=run.reproduces,
        replication=site.replications.get(row.run),
    )
    return untrusted.cleaned(facts)


def _beside(site: Site, row: ValueRow) -> Iterator[Beside]:
    """Yield its own CPU and the site's baseline, as far as they did the same."""
    own = Worker(row.system.chip, row.system.device)
    for base in _bases(own):
        if cell_row := site.systems.ratio_of(row.run, own, base):
            chip, device = base
            yield Beside(chip, device, cell_row.ratio, cell_row.base.quantity)


def _bases(own: Worker) -> tuple[Worker, Worker]:
    return Worker(own.chip, "cpu"), BASELINE


def _process(record: Record, metric: str) -> Process:
    values = {value.metric: value.value for value in record.end.values}
    return Process(
        run=record.run.key,
        started=record.run.started,
        value=values.get(metric),
        series=tuple(
            Series(
                series.phase,
                series.per,
                series.values[:_MOST_SAMPLES],
                len(series.values),
            )
            for series in record.series
        ),
    )


def _printed(record: Record, headline: str) -> Iterator[Printed]:
    """Yield the figures of a run, the headline first, then as tables list them."""

    def turn(name: str) -> tuple[bool, int, str]:
        place = listed().index(name) if name in listed() else len(listed())
        return name != headline, place, name

    for value in sorted(record.end.values, key=lambda it: turn(it.metric)):
        if value.value is not None:
            size, unit = scaled(value.value, unit_of(value.metric, record.run.workload))
            yield Printed(
                value.metric,
                value.value / size,
                unit,
                value.printed,
                value.locator,
                value.derived,
            )


def _gates(gates: object) -> Iterator[Gate]:
    for name, gate in sorted(_mapping(gates).items()):
        facts = dict(_mapping(gate))
        yield Gate(name, str(facts.pop("status", "")), facts)


def _protocol(plan: Mapping[str, Any]) -> str | None:
    """Return whose protocol was followed, in which version and whether in part."""
    if not plan:
        return None
    part = ", scaled" if plan.get("scaled") is True else ""
    return f"{plan.get('name', 'source')} protocol v{plan.get('version', 1)}{part}"


def _mapping(fact: object) -> dict[str, Any]:
    return dict(fact) if isinstance(fact, Mapping) else {}


def _machine(record: Record) -> dict[str, Any]:
    own = content(record.machine, drop=(*_TOLD, "anonymous_id"))
    chip = content(record.machine.chip)
    return {**chip, **own}


def _origin(record: Record) -> Origin | None:
    own = record.source
    if own is None:
        return None
    return Origin(
        slug=own.slug,
        title=own.title,
        authors=tuple(own.authors),
        url=untrusted.link(own.url),
        licence=own.licence,
        published=own.published,
        document=own.document,
        sha256=own.document_sha256,
        importer=own.importer
        and f"{own.importer} {own.importer_version or ''}".strip(),
        locator=record.run.locator,
    )


def _program(record: Record) -> str:
    """Return the command that measures one process without benchdb."""
    run = record.run
    words = ["python", f"collectors/with_{run.framework}.py", run.workload]
    words += ["--device", run.device]
    if run.precision:
        words += ["--precision", run.precision]
    if size := run.parameters.get("batch_size"):
        words += ["--batch-size", str(size)]
    return f"{shlex.join(words)} > run.jsonl"
