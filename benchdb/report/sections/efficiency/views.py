"""Per watt: throughput against power, and samples per joule."""

from benchdb.report.differences import unlike_sets as unlike
from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.efficiency import Efficiency
from benchdb.report.sections.efficiency.words import shared_framework
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.terms import workload_text


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
    sets, known = unlike(section), grades(section)
    mixed = not shared_framework(section)
    rows = [
        (
            cells.system(language, group.system, framework=mixed),
            workload_text(language, row.workload.title, row.batch_size),
            cells.beside(language, filter(None, (row.precision, row.compiler))),
            reading_text(language, group.reading),
            cells.figure(language, row.rate, known),
            cells.figure(language, row.power, known),
            (cells.sign(row.ratio.differs, sets) if row.ratio else "")
            + cells.figure(language, row.per_joule, known),
        )
        for group in section.groups
        for row in group.rows
    ]
    return [Table(head, rows, frozenset({4, 5, 6}))]
