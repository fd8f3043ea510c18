"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.sweep import Sweep, SweepLine, words
from benchdb.report.wording.grades import grades

_SIZES = 6  # in one table, beside the system and its precision


def tables(language: Language, section: Sweep) -> list[Table]:
    """Return the tables of the section, at most eight columns wide."""
    sizes = section.sizes
    parts = [sizes[at : at + _SIZES] for at in range(0, len(sizes), _SIZES)]
    rates = [_rates(language, section, part) for part in parts]
    peaks = _peaks(language, section)
    return [*rates, peaks] if peaks.rows else rates


def _rates(language: Language, section: Sweep, sizes: Sequence[int]) -> Table:
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Precision"),
        *(words.size_text(language, size) for size in sizes),
    )
    rows = [
        _row(language, section, line, sizes)
        for line in section.lines
        if {point.size for point in line.points} & set(sizes)
    ]
    return Table(head, rows, frozenset(range(2, len(head))))


def _row(
    language: Language, section: Sweep, line: SweepLine, sizes: Sequence[int]
) -> Sequence[str]:
    there = {point.size: point.quantity for point in line.points}
    named, known = words.name(language, section, line), grades(section)
    unlike = cells.sign(line.differs, section.unlike) if line.differs else ""
    return (
        unlike + cells.here(language, named, marked=line.system.here),
        words.precision(language, line.precision),
        *(cells.figure(language, there.get(size), known) for size in sizes),
    )


def _peaks(language: Language, section: Sweep) -> Table:
    """Return the peaks of all chips at work, each with what it rests on."""
    found = {
        (
            language.isolate(line.peak.chip),
            words.precision(language, line.precision),
            language.isolate(words.rate_text(language, line.peak.teraflops)),
            words.basis_text(language, line.peak),
        ): None
        for line in section.lines
        if line.peak
    }
    head = (
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "Precision"),
        language.pgettext("table header", "Peak"),
        language.pgettext("table header", "Basis"),
    )
    return Table(head, list(found), frozenset({2}))


def unlike(section: Sweep | None) -> Sequence[tuple[str, ...]]:
    """Return the sets of conditions in which lines are unlike others."""
    return section.unlike if section else ()
