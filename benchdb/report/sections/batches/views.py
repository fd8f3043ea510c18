"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.language import Language
from benchdb.report.language.arguments import Times
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.batches import Batches, words
from benchdb.report.view.atoms import Ratio
from benchdb.report.wording.grades import grades


def tables(language: Language, section: Batches) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Batch size"),
        language.pgettext("table header", "Figure"),
        language.isolate("CPU"),
        language.pgettext("table header", "Ratio"),
    )
    known = grades(section)
    rows = [
        (
            cells.here(
                language, words.named(language, one, section), marked=one.system.here
            ),
            language.isolate(words.work(line)),
            language.written(level.batch_size),
            cells.figure(language, level.quantity, known),
            cells.figure(language, level.cpu, known),
            _ratio(language, level.ratio),
        )
        for one in section.systems
        for line in one.lines
        for level in line.levels
    ]
    return [Table(head, rows, frozenset({2, 3, 4, 5}))]


def _ratio(language: Language, ratio: Ratio) -> str:
    said = language.written(Times(ratio.value))
    if ratio.low is None or ratio.high is None:
        return said
    return f"{said} ({language.written(Times(ratio.low, ratio.high))})"
