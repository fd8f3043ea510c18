"""The table of what Metal does."""

from benchdb.report.differences import unlike_sets as unlike
from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.metal import MetalRow, MetalSection
from benchdb.report.wording import grades, metrics, terms


def tables(language: Language, section: MetalSection) -> list[Table]:
    """Return a row for each workload and chip, without and with Metal."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "Measured"),
        language.isolate("CPU"),
        language.isolate("Metal"),
        language.pgettext("table header", "With Metal"),
    )
    known, sets = grades.grades(section), unlike(section)
    rows = [
        (
            terms.group_text(language, group),
            language.isolate(terms.chip_text(language, row.chip)),
            _measured(language, row.framework, group.metric),
            cells.figure(language, row.cpu, known),
            cells.figure(language, row.metal, known),
            _verdict(language, row, sets),
        )
        for group in section.groups
        for row in group.rows
    ]
    return [Table(head, rows, frozenset({3, 4}))]


def _verdict(language: Language, row: MetalRow, sets: cells.Sets) -> str:
    """Say what Metal does for one chip."""
    if row.ratio is None:
        return terms.missing_text(language, row.missing)
    said = terms.verdict_text(language, row.ratio)
    numbered = said.replace("≠ ", cells.sign(row.ratio.differs, sets), 1)
    return cells.noted(numbered, row.ratio.notes)


def _measured(language: Language, framework: str, metric: str) -> str:
    """Say what was measured with which framework."""
    name = terms.framework_text(language, framework)
    said = metrics.metric_text(language, metric)
    return f"{language.isolate(name)}{language.comma}{said}"
