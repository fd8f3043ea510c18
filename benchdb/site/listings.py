"""Pages that list what there is: chips, workloads, machines, runs, sources."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import msgspec
from sqlalchemy import func, select

from benchdb import catalogue
from benchdb.report import untrusted
from benchdb.report.language import Language
from benchdb.report.view.atoms import Workload
from benchdb.report.wording import terms
from benchdb.report.wording.cells import DASH
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.content import Line, Site
from benchdb.site.figure_table import (
    MOST,
    FigureTable,
    Head,
    figure_table,
    place_of_chip,
    table_words,
)
from benchdb.site.machine_page import (
    lines_by_machine,
    machine_name,
    runs_by_machine,
)
from benchdb.site.pages import Page, Words
from benchdb.store.tables import source

Work = Literal["training", "language", "inference", "operation"]
WORK: tuple[Work, ...] = ("training", "language", "inference", "operation")
# From how many figures on a cell of the map is shaded darker.
_SHADES = (1, 10, 30, 100)


class Extent(msgspec.Struct, frozen=True):
    """How much there is of something: *machines* at least, if not all *identified*.

    The *newest* is the month of the last run; of one that does not say when it ran,
    that in which its source last published something.
    """

    figures: int
    machines: int
    identified: bool
    newest: str | None


class ChipEntry(msgspec.Struct, frozen=True):
    """A chip, and how many of its figures are of each kind of work."""

    name: str
    page: str
    vendor: str
    gpu_cores: tuple[int, ...]
    bandwidth: float | None
    extent: Extent
    work: Mapping[Work, int]


class WorkEntry(msgspec.Struct, frozen=True):
    """A workload, on how many chips it ran, and who measured it."""

    workload: Workload
    page: str
    work: Work
    chips: int
    sources: int
    extent: Extent


class SourceEntry(msgspec.Struct, frozen=True):
    """A source, and what it gave."""

    name: str
    page: str
    title: str
    documents: int
    chips: int
    workloads: int
    extent: Extent


class MachineEntry(msgspec.Struct, frozen=True):
    """A machine that benchdb measured; *machine* begins its digest."""

    machine: str
    page: str
    name: str
    mine: bool
    extent: Extent


class Cell(NamedTuple):
    """A cell of a list: its text, perhaps a link to a *page*, and its class."""

    text: str
    page: str = ""
    kind: str = ""
    more: str = ""


Rows = tuple[tuple[Cell, ...], ...]
Days = Mapping[str, str]  # by slug


def work_of(workload: Workload) -> Work:
    """Return the kind of work that a workload is."""
    if workload.name.startswith("llm-") and workload.name != "llm-train":
        return "language"
    if workload.kind in ("inference", "operation"):
        return "inference" if workload.kind == "inference" else "operation"
    return "training"


def pages(site: Site) -> Iterator[Page]:
    """Yield the lists of chips, workloads, machines, runs and sources."""
    days = _published(site)
    ordered = sorted(site.chips, key=place_of_chip)
    chips = tuple(_chip(site, name, days) for name in ordered)
    yield Page("chips", "chips", "list", chips, partial(_chip_words, chips))
    entries = (_work(site, name, days) for name in site.workloads)
    works = tuple(sorted(entries, key=lambda entry: WORK.index(entry.work)))
    yield Page("workloads", "workloads", "list", works, partial(_work_words, works))
    if machines := _machines(site, days):
        kept = machines[:MOST]
        words = partial(_machine_words, kept, len(machines))
        yield Page("machines", "runs", "list", kept, words)
    newest = figure_table(site, site.lines, "benchdb list")
    words = partial(_run_words, newest, "machines" if machines else "")
    yield Page("runs", "runs", "runs", newest, words)
    sources = tuple(_source(site, name, days) for name in sorted(site.sources))
    yield Page("sources", "sources", "list", sources, partial(_source_words, sources))


def _published(site: Site) -> Days:
    """Return when each source last published something, by its slug."""
    query = select(source.c.slug, func.max(source.c.published)).group_by(source.c.slug)
    return {slug: day for slug, day in site.inputs.connection.execute(query) if day}


def _chip(site: Site, name: str, published: Days) -> ChipEntry:
    lines = site.by_chip[name]
    variants = [chip for chip in catalogue.chips() if chip.name == name]
    cores = {chip.gpu_cores for chip in variants if chip.gpu_cores}
    rates = {chip.memory_bandwidth_bytes_per_second for chip in variants}
    work = Counter[Work]()
    for line in lines:
        work[work_of(line[0].workload)] += len(line)
    return ChipEntry(
        name=name,
        page=site.chips[name],
        vendor=variants[0].vendor if variants else _vendor(site, lines),
        gpu_cores=tuple(sorted(cores)),
        bandwidth=max((rate for rate in rates if rate), default=None),
        extent=_extent(site, lines, published),
        work={kind: work[kind] for kind in WORK},
    )


def _vendor(site: Site, lines: Sequence[Line]) -> str:
    """Return who made the chip of *lines*, which may be a card in a machine."""
    places = (site.places[line[0].run] for line in lines)
    makers = {it.vendor for it in places if it.chip == lines[0][0].system.chip}
    return makers.pop() if len(makers) == 1 else ""


def _work(site: Site, name: str, published: Days) -> WorkEntry:
    lines = site.by_workload[name]
    workload = lines[0][0].workload
    return WorkEntry(
        workload=workload,
        page=site.workloads[name],
        work=work_of(workload),
        chips=len({line[0].system.chip for line in lines}),
        sources=len({site.source_of(line[0]) for line in lines} - {""}),
        extent=_extent(site, lines, published),
    )


def _source(site: Site, slug: str, published: Days) -> SourceEntry:
    documents = [row for row in site.report.sources if row.slug == slug]
    lines = site.by_source.get(slug, [])
    return SourceEntry(
        name=slug,
        page=site.sources[slug],
        title=documents[0].title,
        documents=len(documents),
        chips=len({line[0].system.chip for line in lines}),
        workloads=len({line[0].workload.name for line in lines}),
        extent=_extent(site, lines, published),
    )


def _machines(site: Site, published: Days) -> tuple[MachineEntry, ...]:
    """Return the machines that benchdb measured, those that ran last first."""
    runs, lines = runs_by_machine(site), lines_by_machine(site)
    entries = [
        MachineEntry(
            machine=machine[:RUN_LETTERS],
            page=address,
            name=machine_name(runs[machine]),
            mine=any(run.place.mine for run in runs[machine]),
            extent=_extent(site, lines.get(machine, []), published),
        )
        for machine, address in site.machines.items()
    ]
    entries.sort(key=lambda entry: entry.extent.newest or "", reverse=True)
    return tuple(untrusted.cleaned(entries))


def _extent(site: Site, lines: Sequence[Line], published: Days) -> Extent:
    places = {site.places[line[0].run] for line in lines}
    known = (it[0].started or published.get(site.source_of(it[0])) for it in lines)
    days = sorted(filter(None, known))
    return Extent(
        figures=sum(map(len, lines)),
        machines=len({place.machine for place in places}),
        identified=all(place.anonymous_id is not None for place in places),
        newest=days[-1][: len("2026-11")] if days else None,
    )


def _chip_words(chips: Sequence[ChipEntry], language: Language) -> Words:
    pgettext = language.pgettext
    heads = (
        Head("chip", pgettext("table header", "Chip")),
        Head("vendor", pgettext("table header", "Vendor"), few=True),
        Head("cores", pgettext("table header", "GPU cores"), "num"),
        Head("bandwidth", pgettext("table header", "Memory bandwidth"), "num"),
        *(Head(kind, work_text(language, kind), "num") for kind in WORK),
        *_heads_of_extent(language),
    )
    rows = tuple(
        (
            Cell(terms.chip_text(language, chip.name), chip.page),
            Cell(chip.vendor or DASH),
            Cell(_ends(chip.gpu_cores) or DASH, kind="num"),
            Cell(_bandwidth(language, chip.bandwidth), kind="num"),
            *(_shaded(language, chip.work[kind]) for kind in WORK),
            *_extent_cells(language, chip.extent),
        )
        for chip in chips
    )
    lead = language.ngettext(
        "%(n)s chip has figures here. The shade of a cell grows with their number: "
        "what is empty nobody has measured.",
        "%(n)s chips have figures here. The shade of a cell grows with their number: "
        "what is empty nobody has measured.",
        len(chips),
    )
    return _words(language.pgettext("page", "Chips"), lead, heads, rows)


def _work_words(works: Sequence[WorkEntry], language: Language) -> Words:
    pgettext = language.pgettext
    heads = (
        Head("work", pgettext("table header", "Workload")),
        Head("kind", pgettext("table header", "Kind"), few=True, words=True),
        Head("chips", pgettext("table header", "Chips"), "num"),
        Head("sources", pgettext("table header", "Sources"), "num"),
        *_heads_of_extent(language),
    )
    rows = tuple(
        (
            Cell(terms.title_text(language, work.workload), work.page),
            Cell(work_text(language, work.work)),
            Cell(language.number(work.chips), kind="num"),
            Cell(language.number(work.sources), kind="num"),
            *_extent_cells(language, work.extent),
        )
        for work in works
    )
    lead = language.ngettext(
        "%(n)s workload has figures here.",
        "%(n)s workloads have figures here, from a single matrix product to answers "
        "of language models.",
        len(works),
    )
    return _words(language.pgettext("page", "Workloads"), lead, heads, rows)


def _source_words(sources: Sequence[SourceEntry], language: Language) -> Words:
    pgettext = language.pgettext
    heads = (
        Head("source", pgettext("table header", "Source")),
        Head("documents", pgettext("table header", "Documents"), "num"),
        Head("chips", pgettext("table header", "Chips"), "num"),
        Head("works", pgettext("table header", "Workloads"), "num"),
        *_heads_of_extent(language),
    )
    rows = tuple(
        (
            Cell(entry.name, entry.page, more=entry.title),
            Cell(language.number(entry.documents), kind="num"),
            Cell(language.number(entry.chips), kind="num"),
            Cell(language.number(entry.workloads), kind="num"),
            *_extent_cells(language, entry.extent),
        )
        for entry in sources
    )
    lead = language.ngettext(
        "%(n)s source published figures that are in this database; each leads to its "
        "documents.",
        "%(n)s sources published figures that are in this database; each leads to its "
        "documents.",
        len(sources),
    )
    return _words(language.pgettext("page", "Sources"), lead, heads, rows)


def _machine_words(
    machines: Sequence[MachineEntry], total: int, language: Language
) -> Words:
    pgettext = language.pgettext
    heads = (
        Head("machine", pgettext("run", "Machine")),
        Head("trust", pgettext("table header", "Trust"), few=True, words=True),
        Head("figures", pgettext("table header", "Figures"), "num"),
        Head("newest", pgettext("table header", "Newest"), "num"),
    )
    rows = tuple(
        (
            Cell(machine.name or machine.machine, machine.page, more=machine.machine),
            Cell(terms.label_text(language, "measured", mine=machine.mine)),
            Cell(language.number(machine.extent.figures), kind="num"),
            Cell(machine.extent.newest or DASH, kind="num"),
        )
        for machine in machines
    )
    lead = language.ngettext(
        "%(n)s machine measured by benchdb itself; those of published figures are on "
        "the pages of their chips and sources.",
        "%(n)s machines measured by benchdb itself; those of published figures are on "
        "the pages of their chips and sources.",
        total,
    )
    beyond = language.ngettext(
        "%(n)s more is found by the search alone.",
        "%(n)s more are found by the search alone.",
        total - len(machines),
    )
    parts = [lead, beyond if total > len(machines) else ""]
    return _words(
        language.gettext("Machines that benchdb measured"),
        language.sentences(parts),
        heads,
        rows,
    )


def _run_words(newest: FigureTable, machines: str, language: Language) -> Words:
    lead = language.gettext(
        "Every figure leads to its run: samples, grade, conditions, origin. A run that "
        "is not in this table is found by its id, and on the pages of its chip, its "
        "workload and its source."
    )
    return Words(
        title=language.pgettext("page", "Runs"),
        description=lead,
        parts={
            "lead": lead,
            "machines": machines,
            "table": table_words(language, newest),
        },
    )


def _words(title: str, lead: str, heads: tuple[Head, ...], rows: Rows) -> Words:
    parts = {"lead": lead, "heads": heads, "rows": rows}
    return Words(title=title, description=lead, parts=parts)


def work_text(language: Language, work: Work) -> str:
    """Name a kind of work."""
    known = {
        "training": language.pgettext("kind of work", "Training"),
        "language": language.pgettext("kind of work", "Language models"),
        "inference": language.pgettext("kind of work", "Inference"),
        "operation": language.pgettext("kind of work", "Single operations"),
    }
    return known[work]


def _heads_of_extent(language: Language) -> tuple[Head, ...]:
    pgettext = language.pgettext
    return (
        Head("figures", pgettext("table header", "Figures"), "num"),
        Head("machines", pgettext("table header", "Machines"), "num"),
        Head("newest", pgettext("table header", "Newest"), "num"),
    )


def _extent_cells(language: Language, extent: Extent) -> tuple[Cell, ...]:
    machines = language.number(extent.machines)
    if not extent.identified:
        machines = language.pgettext("count", "≥ %(n)s", n=machines)
    return (
        Cell(language.number(extent.figures), kind="num"),
        Cell(machines, kind="num"),
        Cell(extent.newest or DASH, kind="num"),
    )


def _ends(values: Sequence[object]) -> str:
    """Return the first and the last of *values*, or the only one."""
    return "–".join(dict.fromkeys(map(str, (*values[:1], *values[-1:]))))


def _bandwidth(language: Language, rate: float | None) -> str:
    if rate is None:
        return DASH
    digits = language.significant(rate / 1e9)
    return language.figure(language.measure(digits, "GB/s"))


def _shaded(language: Language, count: int) -> Cell:
    shade = sum(count >= least for least in _SHADES)
    return Cell(
        language.number(count) if count else DASH,
        kind=f"num u{shade}" if shade else "num l0",
    )
