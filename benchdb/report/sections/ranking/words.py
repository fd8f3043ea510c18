"""Which system trains fastest? Said only where one does on every workload."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.terms import (
    mean_text,
    one_class_text,
    sentence,
    system_text,
)

Figures = Sequence[tuple[Quantity, Ratio | None]]


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    ranking = report.ranking
    ranked = [row for row in ranking.rows if row.mean] if ranking else []
    if ranking is None or len(ranked) < 2 or not _is_fastest(ranking, ranked):
        return language.pgettext("heading", "Ranking")
    return language.gettext(
        "%(best)s trains fastest of %(n)s systems under like conditions",
        n=len(ranked),
        best=Name(system_text(language, ranked[0].system)),
    )


def _is_fastest(ranking: Ranking, ranked: Sequence[RankRow]) -> bool:
    """Tell whether the first row may lead, and does on every common workload."""
    best, *others = ([cell.ratio for cell in _common(ranking, row)] for row in ranked)
    noted = any(
        cell.quantity and cell.quantity.notes for cell in _common(ranking, ranked[0])
    )
    return (
        ranked[0].leads
        and not noted
        and all(ranking.faster(ranked[0], row) for row in ranked[1:])
        and all(
            mine is not None and (theirs is None or mine.value > theirs.value)
            for other in others
            for mine, theirs in zip(best, other, strict=True)
        )
    )


def _common(ranking: Ranking, row: RankRow) -> list[RankCell]:
    cells = zip(ranking.workloads, row.cells, strict=True)
    return [cell for workload, cell in cells if workload.name in ranking.common]


def no_mean_text(language: Language, ranking: Ranking, row: RankRow) -> str:
    """Say why *row* has no geometric mean; nothing if it has one."""
    if row.mean is not None:
        return ""
    if row.covered < len(row.cells):
        return language.gettext(
            "%(k)s of %(n)s workloads", k=row.covered, n=len(row.cells)
        )
    if not ranking.common:
        return language.gettext("no mean: no workload that all systems share")
    cells = _common(ranking, row)
    if any(cell.ratio is None for cell in cells):
        return language.gettext("no mean: a workload is missing")
    if any(cell.ratio and cell.ratio.differs for cell in cells):
        return language.gettext("no mean: unlike conditions")
    return language.gettext("no mean: a value is flagged")


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.ranking is None:
        return ""
    ranking = report.ranking
    titles = {item.name: item.title for item in ranking.workloads}
    common = [titles[name] for name in ranking.common if name in titles]
    said = language.gettext(
        "How many times as fast as %(baseline)s; the measured figure stands below.",
        baseline=Name(system_text(language, ranking.baseline)),
    )
    mean = language.gettext(
        "The geometric mean covers what all ranked systems have: %(workloads)s.",
        workloads=common,
    )
    return language.sentences([said, mean if common else ""])


def _means(language: Language, report: Report) -> str:
    rows = report.ranking.rows if report.ranking else ()
    pairs = [
        language.pgettext(
            "chip and factor",
            "%(chip)s %(times)s",
            chip=Name(system_text(language, row.system)),
            times=mean_text(language, row.mean.value, row.spread),
        )
        for row in rows
        if row.mean
    ]
    if report.ranking is None or not pairs:
        return ""
    return language.gettext(
        "How many times as fast as %(baseline)s: %(pairs)s.",
        baseline=Name(system_text(language, report.ranking.baseline)),
        pairs=pairs,
    )


def figures(report: Report) -> Figures:
    """Return every figure of the section with its ratio."""
    rows = report.ranking.rows if report.ranking else ()
    cells = [cell for row in rows for cell in row.cells]
    return [(cell.quantity, cell.ratio) for cell in cells if cell.quantity]


def remarks(language: Language, report: Report) -> str:
    """Name the precisions that meet in the ranking as if they were one."""
    rows = report.ranking.rows if report.ranking else ()
    base = [
        row for row in rows if report.ranking and row.system == report.ranking.baseline
    ]
    pairs = [
        (cell.way.precision, other.way.precision)
        for row in rows
        for own in base
        for cell, other in zip(row.cells, own.cells, strict=True)
        if cell.way and other.way
        if cell.ratio and "precision" not in cell.ratio.differs
    ]
    return one_class_text(language, pairs)


def alt(language: Language, report: Report) -> str:
    """Describe the table in words: its finding, with all means."""
    finding = sentence(language, title(language, report))
    return language.sentences([finding, _means(language, report)])
