"""Scaling: throughput against GPU cores within one generation of chips."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.view.scaling import Curve, Generation, Scaling, Step
from benchdb.report.wording import scaling as wording
from benchdb.report.wording import sentences as words
from benchdb.report.wording.grades import Grades, grades


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
        _row(language, one, (curve, step), known)
        for one in section.generations
        for curve in one.curves
        for step in curve.steps
    ]
    return [Table(head, rows, frozenset({2, 3}))]


def _row(
    language: Language, one: Generation, part: tuple[Curve, Step], known: Grades
) -> Sequence[str]:
    curve, step = part
    chip = words.chip_text(language, step.system.chip)
    slope = curve.exponent
    return (
        language.isolate(wording.work(language, curve, one)),
        cells.here(language, chip, marked=step.system.here),
        language.isolate(language.number(step.gpu_cores)),
        cells.figure(language, step.quantity, known),
        cells.DASH if slope is None else wording.power(language, slope),
    )
