"""The table of the ranking."""

from benchdb.report.differences import unlike_sets as unlike
from benchdb.report.language import Language
from benchdb.report.markdown import cells
from benchdb.report.markdown.tables import Table
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.sections.ranking import words as ranking_words
from benchdb.report.wording import grades, terms


def tables(language: Language, section: Ranking) -> list[Table]:
    """Return the ratios to the baseline; many workloads take several tables."""
    places = range(len(section.workloads))
    return [_ranked(language, section, part) for part in cells.runs_of(places)]


def _ranked(language: Language, section: Ranking, part: range) -> Table:
    head = [
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Geometric mean"),
        *(language.isolate(section.workloads[place].title) for place in part),
    ]
    mixed = cells.several_frameworks(row.system for row in section.rows)
    sets, known = unlike(section), grades.grades(section)
    rows = [
        [
            cells.system(language, row.system, framework=mixed),
            _mean(language, section, row),
            *(_rank(language, row.cells[place], sets, known) for place in part),
        ]
        for row in section.rows
    ]
    return Table(head, rows, frozenset(range(1, len(head))))


def _mean(language: Language, section: Ranking, row: RankRow) -> str:
    """Return the geometric mean with its range, or why there is none."""
    if row.mean is None:
        return ranking_words.no_mean_text(language, section, row)
    factor = terms.mean_text(language, row.mean.value, row.spread)
    if not row.leads:
        factor = terms.insufficient_text(language, factor)
    return cells.noted(factor, row.mean.notes)


def _rank(
    language: Language, cell: RankCell, sets: cells.Sets, known: grades.Grades
) -> str:
    """Return the ratio to the baseline and the figure behind it."""
    if cell.ratio is None or cell.quantity is None:
        measured = cells.figure(language, cell.quantity, known)
        return measured if cell.quantity else terms.missing_text(language, None)
    ratio = language.isolate(language.times(cell.ratio.value))
    own = cells.figure(language, cell.quantity, known)
    return f"{cells.sign(cell.ratio.differs, sets)}{ratio} · {own}"
