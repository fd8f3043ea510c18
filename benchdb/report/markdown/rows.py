"""The tables of a Markdown report, at most eight columns wide."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from benchdb.report.language import Language
from benchdb.report.likeness import unlike_sets
from benchdb.report.markdown import (
    batches,
    cells,
    efficiency,
    normal,
    scaling,
    sweep,
)
from benchdb.report.markdown.escape import code
from benchdb.report.markdown.tables import Table
from benchdb.report.view.atoms import System
from benchdb.report.view.compared import Distance, MetalSection, Ranking
from benchdb.report.view.listed import MachineRow, ValueRow
from benchdb.report.view.page import Report
from benchdb.report.wording import sentences as wording

_COLUMNS = 8
_RUN_LETTERS = 12


def tables(language: Language, report: Report) -> dict[str, list[Table]]:
    """Return the tables of every section that has any."""
    return {
        "metal": [metal(language, report.metal)] if report.metal else [],
        "ranking": ranking(language, report.ranking) if report.ranking else [],
        "distance": distance(language, report.distance) if report.distance else [],
        **_on_planes(language, report),
        "values": [values(language, report.values)] if report.values else [],
        "machines": [machines(language, report.machines)] if report.machines else [],
    }


def _on_planes(language: Language, report: Report) -> dict[str, list[Table]]:
    found: dict[str, list[Table]] = {}
    if report.efficiency:
        found["efficiency"] = efficiency.tables(language, report.efficiency)
    if report.batches:
        found["batches"] = batches.tables(language, report.batches)
    if report.scaling:
        found["scaling"] = scaling.tables(language, report.scaling)
    if report.sweep:
        found["sweep"] = sweep.tables(language, report.sweep)
    if report.normal:
        found["normal"] = normal.tables(language, report.normal)
    return found


def metal(language: Language, section: MetalSection) -> Table:
    """Return a row for each workload and chip, without and with Metal."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "Measured"),
        language.isolate("CPU"),
        language.isolate("Metal"),
        language.pgettext("table header", "With Metal"),
    )
    known, sets = wording.grades(section), unlike_sets(section)
    rows = [
        (
            wording.group_text(language, group),
            language.isolate(wording.chip_text(language, row.chip)),
            cells.measured(language, row.framework, group.metric),
            cells.figure(language, row.cpu, known),
            cells.figure(language, row.metal, known),
            cells.verdict(language, row, sets),
        )
        for group in section.groups
        for row in group.rows
    ]
    return Table(head, rows, frozenset({3, 4}))


def ranking(language: Language, section: Ranking) -> list[Table]:
    """Return the ratios to the baseline; many workloads take several tables."""
    places = range(len(section.workloads))
    return [_ranked(language, section, part) for part in _parts(places, _COLUMNS - 2)]


def _ranked(language: Language, section: Ranking, part: range) -> Table:
    head = [
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Geometric mean"),
        *(language.isolate(section.workloads[place].title) for place in part),
    ]
    mixed = _several_frameworks(row.system for row in section.rows)
    sets, known = unlike_sets(section), wording.grades(section)
    rows = [
        [
            cells.system(language, row.system, framework=mixed),
            cells.mean(language, section, row),
            *(cells.rank(language, row.cells[place], sets, known) for place in part),
        ]
        for row in section.rows
    ]
    return Table(head, rows, frozenset(range(1, len(head))))


def distance(language: Language, section: Distance) -> list[Table]:
    """Return shares of the reference; many systems take several tables."""
    places = range(len(section.systems))
    return [_distant(language, section, part) for part in _parts(places, _COLUMNS - 2)]


def _distant(language: Language, section: Distance, part: range) -> Table:
    mixed = _several_frameworks((*section.systems, section.reference))
    named = partial(cells.system, language, framework=mixed)
    sets, known = unlike_sets(section), wording.grades(section)
    head = [
        language.pgettext("table header", "Workload"),
        *(named(section.systems[place]) for place in part),
        named(section.reference),
    ]
    rows = [
        [
            wording.workload_text(language, row.workload.title, row.batch_size),
            *(cells.share(language, row.cells[place], sets, known) for place in part),
            cells.precise(
                language, cells.figure(language, row.reference, known), row.precision
            ),
        ]
        for row in section.rows
    ]
    return Table(head, rows, frozenset(range(1, len(head))))


def values(language: Language, rows: Sequence[ValueRow]) -> Table:
    """Return one row for each figure, as printed, with its place and its runs."""
    head = (
        language.pgettext("table header", "Run"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Conditions"),
        language.pgettext("table header", "Measured"),
        language.pgettext("table header", "Value"),
        language.pgettext("table header", "n"),
        language.pgettext("table header", "Source"),
    )
    written = map(partial(_value_row, language), rows)
    return Table(head, list(written), frozenset({5, 6}))


def _value_row(language: Language, row: ValueRow) -> Sequence[str]:
    return (
        code(" ".join(run[:_RUN_LETTERS] for run in row.runs or (row.run,))),
        cells.workload(language, row),
        cells.system(language, row.system),
        cells.conditions(language, row),
        wording.metric_text(language, row.metric),
        cells.value(language, row),
        cells.repeats(language, row),
        cells.place(language, row),
    )


def machines(language: Language, rows: Sequence[MachineRow]) -> Table:
    """Return one row for each machine."""
    head = (
        language.pgettext("table header", "Machine"),
        language.pgettext("table header", "CPU cores"),
        language.pgettext("table header", "GPU cores"),
        language.pgettext("table header", "Memory"),
        language.pgettext("table header", "Operating system"),
        language.pgettext("table header", "Frameworks"),
        language.comma.join(
            (
                language.pgettext("table header", "Runs"),
                language.pgettext("table header", "Sessions"),
            )
        ),
        language.pgettext("table header", "Source"),
    )
    written = map(partial(_machine_row, language), rows)
    return Table(head, list(written), frozenset({1, 2, 3, 6}))


def _machine_row(language: Language, row: MachineRow) -> Sequence[str]:
    named = partial(wording.framework_text, language)
    return (
        cells.machine(language, row),
        cells.count(language, row.cpu_cores),
        cells.count(language, row.gpu_cores),
        language.isolate(language.bytes(row.ram_bytes))
        if row.ram_bytes
        else cells.DASH,
        language.isolate(row.os) if row.os else cells.DASH,
        cells.beside(language, map(named, row.frameworks)),
        cells.beside(language, _amounts(language, row)),
        cells.beside(language, row.sources or _whose(language, row)),
    )


def _amounts(language: Language, row: MachineRow) -> Sequence[str]:
    """Return how many runs, and how many sessions where that is known."""
    known = (number for number in (row.runs, row.sessions) if number is not None)
    return [language.number(number) for number in known]


def _whose(language: Language, row: MachineRow) -> Sequence[str]:
    """Say whose measurements those of a machine without a source are."""
    if not row.measured:
        return ()
    return (wording.label_text(language, "measured", mine=row.mine),)


def unlike(language: Language, report: Report) -> dict[str, list[str]]:
    """Return what the signs of each section mean."""
    sections = {
        "metal": report.metal,
        "ranking": report.ranking,
        "distance": report.distance,
        "efficiency": report.efficiency,
    }
    found = {name: unlike_sets(section) for name, section in sections.items()}
    if report.sweep:
        found["sweep"] = list(report.sweep.unlike)
    return {
        name: [
            cells.sign(one, sets) + wording.differs_text(language, one) for one in sets
        ]
        for name, sets in found.items()
    }


def _several_frameworks(systems: Iterable[System]) -> bool:
    return len({system.framework for system in systems}) > 1


def _parts(places: range, size: int) -> Iterator[range]:
    return (places[start : start + size] for start in range(0, len(places), size))
