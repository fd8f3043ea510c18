"""Is a result normal? All runs of the same work on the same chip, one marked."""

from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.normal import Normal, Strip, words
from benchdb.report.wording.grades import Grades, grades


def tables(language: Language, section: Normal) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Measured"),
        language.pgettext("table header", "Machines"),
        language.pgettext("table header", "Slowest"),
        language.pgettext("table header", "Median"),
        language.pgettext("table header", "Fastest"),
        language.pgettext("table header", "This machine"),
    )
    known = grades(section)
    rows = [
        (
            words.work(language, strip),
            language.isolate(words.place(language, strip)),
            words.conditions(language, strip),
            cells.count(language, strip.machines),
            cells.figure(language, strip.slowest, known),
            cells.figure(language, strip.median, known),
            cells.figure(language, strip.fastest, known),
            _mine(language, strip, known),
        )
        for strip in (*section.strips, *section.rest)
    ]
    return [Table(head, rows, frozenset({3, 4, 5, 6}))]


def _mine(language: Language, strip: Strip, known: Grades) -> str:
    if strip.mine is None:
        return cells.DASH
    figure = cells.figure(language, strip.mine.quantity, known)
    return f"{figure}{language.comma}{words.standing(language, strip)}"
