"""Per watt: throughput against power, and samples per joule."""

from benchdb.report.language import Language
from benchdb.report.likeness import unlike_sets
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.view.efficiency import Efficiency, EfficiencyGroup, EfficiencyRow
from benchdb.report.wording.efficiency import shared_framework
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.terms import workload_text

_Row = tuple[str, ...]


def tables(language: Language, section: Efficiency) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Conditions"),
        language.pgettext("table header", "Power reading"),
        language.pgettext("table header", "Throughput"),
        language.pgettext("table header", "Power"),
        language.pgettext("table header", "Efficiency"),
    )
    sets = unlike_sets(section)
    rows = [
        _row(language, section, group, row, sets)
        for group in section.groups
        for row in group.rows
    ]
    return [Table(head, rows, frozenset({4, 5, 6}))]


def _row(
    language: Language,
    section: Efficiency,
    group: EfficiencyGroup,
    row: EfficiencyRow,
    sets: cells.Sets,
) -> _Row:
    framework, known = not shared_framework(section), grades(section)
    sign = cells.sign(row.ratio.differs, sets) if row.ratio else ""
    conditions = filter(None, (row.precision, row.compiler))
    return (
        cells.system(language, group.system, framework=framework),
        workload_text(language, row.workload.title, row.batch_size),
        cells.beside(language, conditions),
        reading_text(language, group.reading),
        cells.figure(language, row.rate, known),
        cells.figure(language, row.power, known),
        sign + cells.figure(language, row.per_joule, known),
    )
