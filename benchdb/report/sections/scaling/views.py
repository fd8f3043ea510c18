"""Scaling: throughput against GPU cores within one generation of chips."""

from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.scaling import Scaling, words
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import chip_text


def tables(language: Language, section: Scaling) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "GPU cores"),
        language.pgettext("table header", "Throughput"),
        language.pgettext("table header", "Scaling"),
    )
    known = grades(section)
    rows = [
        (
            language.isolate(words.work(language, curve, one)),
            cells.here(
                language,
                chip_text(language, step.system.chip),
                marked=step.system.here,
            ),
            language.written(step.gpu_cores),
            cells.figure(language, step.quantity, known),
            cells.DASH
            if curve.exponent is None
            else words.power(language, curve.exponent),
        )
        for one in section.generations
        for curve in one.curves
        for step in curve.steps
    ]
    return [Table(head, rows, frozenset({2, 3}))]
