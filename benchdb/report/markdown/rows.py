"""The tables of a Markdown report, at most eight columns wide."""

from collections.abc import Sequence
from functools import partial

from benchdb.report.language import Language
from benchdb.report.markdown.escape import code
from benchdb.report.sections import module
from benchdb.report.view.atoms import unlike_sets
from benchdb.report.view.listed import MachineRow, ValueRow
from benchdb.report.view.page import Report
from benchdb.report.wording import cells, metrics, terms
from benchdb.report.wording.cells import Table

_RUN_LETTERS = 12


def tables(language: Language, report: Report) -> dict[str, list[Table]]:
    """Return the tables of every section that has any."""
    found = {
        name: module(name, "words").tables(language, part)
        for name, part in report.sections.items()
        if part
    }
    if report.values:
        found["values"] = [values(language, report.values)]
    if report.machines:
        found["machines"] = [machines(language, report.machines)]
    return found


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
        metrics.metric_text(language, row.metric),
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
    named = partial(terms.framework_text, language)
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
    return (terms.label_text(language, "measured", mine=row.mine),)


def unlike(language: Language, report: Report) -> dict[str, list[str]]:
    """Return what the signs of each section mean."""
    found = {}
    for name, part in report.sections.items():
        sets = unlike_sets(part)
        found[name] = [
            cells.sign(one, sets) + terms.differs_text(language, one) for one in sets
        ]
    return found
