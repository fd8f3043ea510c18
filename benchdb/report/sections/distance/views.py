"""The table of the distance to a reference."""

from functools import partial

from benchdb.report.differences import unlike_sets as unlike
from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.distance import Distance, DistanceCell
from benchdb.report.wording import grades, terms


def tables(language: Language, section: Distance) -> list[Table]:
    """Return shares of the reference; many systems take several tables."""
    places = range(len(section.systems))
    return [_distant(language, section, part) for part in cells.runs_of(places)]


def _distant(language: Language, section: Distance, part: range) -> Table:
    mixed = cells.several_frameworks((*section.systems, section.reference))
    named = partial(cells.system, language, framework=mixed)
    sets, known = unlike(section), grades.grades(section)
    head = [
        language.pgettext("table header", "Workload"),
        *(named(section.systems[place]) for place in part),
        named(section.reference),
    ]
    rows = [
        [
            terms.workload_text(language, row.workload.title, row.batch_size),
            *(_share(language, row.cells[place], sets, known) for place in part),
            _precise(
                language, cells.figure(language, row.reference, known), row.precision
            ),
        ]
        for row in section.rows
    ]
    return Table(head, rows, frozenset(range(1, len(head))))


def _share(
    language: Language, cell: DistanceCell, sets: cells.Sets, known: grades.Grades
) -> str:
    """Return the share of the reference and the figure behind it."""
    measured = cells.figure(language, cell.quantity, known)
    if cell.share is None:
        return measured
    percent = language.isolate(language.share(cell.share.value))
    own = _precise(language, measured, cell.precision)
    return f"{cells.sign(cell.share.differs, sets)}{percent} · {own}"


def _precise(language: Language, said: str, precision: str | None) -> str:
    """Return what is *said* of a figure with its precision, where that is told."""
    return f"{said} · {language.isolate(precision)}" if precision else said
