"""Batch size: what a larger batch changes, on each system."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.batches import Batches, BatchSystem, Level, Line
from benchdb.report.wording import batches as wording
from benchdb.report.wording.grades import Grades, grades


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
        _row(language, section, (one, line, level), known)
        for one in section.systems
        for line in one.lines
        for level in line.levels
    ]
    return [Table(head, rows, frozenset({2, 3, 4, 5}))]


def _row(
    language: Language,
    section: Batches,
    part: tuple[BatchSystem, Line, Level],
    known: Grades,
) -> Sequence[str]:
    one, line, level = part
    name = wording.named(language, one, section)
    return (
        cells.here(language, name, marked=one.system.here),
        language.isolate(wording.work(line)),
        language.isolate(language.number(level.batch_size)),
        cells.figure(language, level.quantity, known),
        cells.figure(language, level.cpu, known),
        _ratio(language, level.ratio),
    )


def _ratio(language: Language, ratio: Ratio) -> str:
    said = language.isolate(language.times(ratio.value))
    if ratio.low is None or ratio.high is None:
        return said
    return f"{said} ({language.isolate(language.times_range(ratio.low, ratio.high))})"
