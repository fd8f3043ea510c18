"""Titles and leads of the sections, said only as far as the rows say so."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.view import MetalSection, Quantity, Ranking, RankRow, Report
from benchdb.report.wording_answers import answer_big, answer_text, names
from benchdb.report.wording_terms import differs_text, sentence, system_text

_LARGE = {"cnn", "transformer"}


def section_title(language: Language, report: Report, section: str) -> str:
    """Return the heading of *section*, one of ``glance``, ``metal``, ``ranking``,
    ``distance``, ``values``, ``machines``, ``notes``, ``how``, ``sources``.
    """
    derived = {"metal": _metal_title, "ranking": _ranking_title}
    if section in derived:
        return derived[section](language, report)
    if section == "distance" and report.distance:
        return language.gettext(
            "How far away is a %(reference)s?",
            reference=language.isolate(report.distance.reference.chip),
        )
    return _fixed_title(language, section)


def section_lead(language: Language, report: Report, section: str) -> str:
    """Return the sentence or two under the heading of *section*, or nothing."""
    leads = {
        "metal": _metal_lead,
        "ranking": _ranking_lead,
        "distance": _distance_lead,
        "values": _values_lead,
    }
    return leads[section](language, report) if section in leads else ""


def runs_text(language: Language, report: Report, section: str) -> str:
    """Say that a section rests on single runs, if it does."""
    sides = {"metal": _metal_figures, "ranking": _ranking_figures}.get(section)
    found = sides(report) if sides else []
    if not found or any(quantity.n > 1 for quantity in found):
        return ""
    return language.gettext(
        "One run per figure (n = 1): without repeats, small differences cannot be "
        "told from chance."
    )


def _metal_figures(report: Report) -> list[Quantity]:
    rows = [r for g in report.metal.groups for r in g.rows] if report.metal else []
    return [side for row in rows for side in (row.cpu, row.metal) if side]


def _ranking_figures(report: Report) -> list[Quantity]:
    rows = report.ranking.rows if report.ranking else ()
    return [cell.quantity for row in rows for cell in row.cells if cell.quantity]


def _fixed_title(language: Language, section: str) -> str:
    return {
        "glance": language.pgettext("heading", "At a glance"),
        "metal": language.pgettext("heading", "With and without Metal"),
        "ranking": language.pgettext("heading", "Ranking"),
        "distance": language.pgettext("heading", "Distance to a reference GPU"),
        "values": language.pgettext("heading", "All values"),
        "machines": language.pgettext("heading", "Machines and software"),
        "notes": language.pgettext("heading", "Notes on single values"),
        "how": language.pgettext("heading", "How to read this report"),
        "sources": language.pgettext("heading", "Sources"),
    }[section]


def _metal_title(language: Language, report: Report) -> str:
    facts = next((a.facts for a in report.answers if a.kind == "metal"), {})
    pays, even, hurts = (names(facts, key) for key in ("pays", "even", "hurts"))
    if report.metal is None or not (pays or even or hurts):
        return _fixed_title(language, "metal")
    if not even and not hurts:
        return language.gettext("Metal pays off for every workload measured")
    if not pays:
        return language.gettext("Metal pays off for none of the workloads measured")
    if _are_large(report.metal, pays) and not _any_large(report.metal, even + hurts):
        return language.gettext("Metal pays off for large networks, not for small ones")
    return language.gettext("Metal pays off for some workloads, not for others")


def _are_large(metal: MetalSection, titles: Sequence[str]) -> bool:
    return set(titles) <= _large(metal)


def _any_large(metal: MetalSection, titles: Sequence[str]) -> bool:
    return bool(set(titles) & _large(metal))


def _large(metal: MetalSection) -> set[str]:
    workloads = (group.workload for group in metal.groups)
    return {workload.title for workload in workloads if workload.kind in _LARGE}


def _ranking_title(language: Language, report: Report) -> str:
    rows = report.ranking.rows if report.ranking else ()
    ranked = [row for row in rows if row.mean]
    if report.ranking is None or len(ranked) < 2 or _flagged(report.ranking, ranked[0]):
        return _fixed_title(language, "ranking")
    return language.gettext(
        "%(best)s trains fastest of %(n)s systems under like conditions",
        n=language.isolate(language.number(len(ranked))),
        best=language.isolate(system_text(language, ranked[0].system)),
    )


def _flagged(ranking: Ranking, row: RankRow) -> bool:
    """Tell whether a note hangs on any figure in the row's mean."""
    cells = zip(ranking.workloads, row.cells, strict=True)
    return any(
        cell.quantity and cell.quantity.notes
        for workload, cell in cells
        if workload.name in ranking.common
    )


def _metal_lead(language: Language, report: Report) -> str:
    del report
    return language.gettext(
        "The same work on the same chip, without and with Metal. On the logarithmic "
        "axis, equal distances are equal factors."
    )


def _ranking_lead(language: Language, report: Report) -> str:
    if report.ranking is None:
        return ""
    ranking = report.ranking
    titles = {item.name: item.title for item in ranking.workloads}
    common = [titles[name] for name in ranking.common if name in titles]
    said = language.gettext(
        "How many times as fast as %(baseline)s; the measured figure stands below.",
        baseline=language.isolate(system_text(language, ranking.baseline)),
    )
    mean = language.gettext(
        "The geometric mean covers what all systems have: %(workloads)s.",
        workloads=language.listing(common),
    )
    return language.sentences([said, mean if common else ""])


def _distance_lead(language: Language, report: Report) -> str:
    if report.distance is None:
        return ""
    cells = [cell for row in report.distance.rows for cell in row.cells]
    names = sorted({name for c in cells if c.share for name in c.share.differs})
    said = language.gettext(
        "Training throughput as a share of the %(reference)s at the same batch size.",
        reference=language.isolate(report.distance.reference.chip),
    )
    return language.sentences([said, differs_text(language, names)])


def _values_lead(language: Language, report: Report) -> str:
    n = len(report.values)
    return language.ngettext(
        "%(n)s row, one for each figure, digits as in its source.",
        "%(n)s rows, one for each figure, digits as in its source.",
        n,
        n=language.isolate(language.number(n)),
    )


def taken_from(language: Language, sources: Sequence[str]) -> str:
    """Name the numbers of the sources that a section rests on."""
    return language.ngettext(
        "Source: %(numbers)s.",
        "Sources: %(numbers)s.",
        len(sources),
        numbers=language.listing(sources),
    )


def chart_alt(language: Language, report: Report, section: str) -> str:
    """Describe a chart in words: its finding, with the numbers of the headline."""
    title = sentence(language, section_title(language, report, section))
    kind = {"metal": "metal", "ranking": "mac", "distance": "distance"}[section]
    said = [
        f"{answer_big(language, answer)} {answer_text(language, answer)}"
        for answer in report.answers
        if answer.kind == kind
    ]
    return language.sentences([title, *said])
