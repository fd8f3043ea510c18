"""Titles and leads of the sections, said only as far as the rows say so."""

from collections.abc import Callable, Mapping, Sequence

from benchdb.catalogue import workloads
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Quantity, Ratio, parts
from benchdb.report.view.compared import MetalGroup, RankCell, Ranking, RankRow
from benchdb.report.view.page import Report
from benchdb.report.wording import batches, efficiency, normal, scaling, sweep
from benchdb.report.wording.answers import answer_big, answer_text, names
from benchdb.report.wording.grades import grades, grades_text
from benchdb.report.wording.terms import (
    differs_text,
    hosts_text,
    mean_text,
    one_class_text,
    sentence,
    system_text,
    unstated_text,
)

Say = Callable[[Language, Report], str]
Figures = Sequence[tuple[Quantity, Ratio | None]]

_SIZES = ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"))
OWN = {
    "efficiency": efficiency,
    "batches": batches,
    "scaling": scaling,
    "sweep": sweep,
    "normal": normal,
}  # sections whose words have a module of their own
_TITLES: Mapping[str, Say] = {name: words.title for name, words in OWN.items()}
_LEADS: Mapping[str, Say] = {name: words.lead for name, words in OWN.items()}
_ALTS: Mapping[str, Say] = {
    "efficiency": efficiency.alt,
    "batches": batches.alt,
    "scaling": scaling.alt,
    "sweep": sweep.alt,
    "normal": normal.alt,
}
_REMARKS: Mapping[str, Say] = {
    "batches": batches.remarks,
    "scaling": scaling.remarks,
    "sweep": sweep.remarks,
    "normal": normal.remarks,
    "machines": lambda language, report: hosts_text(language, report.machines),
}


def section_title(language: Language, report: Report, section: str) -> str:
    """Return the heading of *section*, one of ``glance``, ``metal``, ``ranking``,
    ``distance``, ``efficiency``, ``batches``, ``scaling``, ``sweep``, ``normal``,
    ``values``, ``machines``, ``notes``, ``how``, ``sources``.
    """
    derived: Mapping[str, Say] = {
        "metal": _metal_title,
        "ranking": _ranking_title,
        **_TITLES,
    }
    if section in derived:
        return derived[section](language, report)
    if section == "distance" and report.distance:
        return language.gettext(
            "How far away is a %(reference)s?",
            reference=Name(report.distance.reference.chip),
        )
    return _fixed_title(language, section)


def section_lead(language: Language, report: Report, section: str) -> str:
    """Return the sentence or two under the heading of *section*, or nothing."""
    leads = {
        "metal": _metal_lead,
        "ranking": _ranking_lead,
        "distance": _distance_lead,
        "values": _values_lead,
        **_LEADS,
    }
    return leads[section](language, report) if section in leads else ""


def runs_text(language: Language, report: Report, section: str) -> str:
    """Say how often the figures of a comparison were measured, and what marks mean.

    Their grades and labels as well: what all of them share stands beside none.
    """
    said = _repeats_text(language, report, section)
    graded = grades(getattr(report, section)) if said else {}
    classes = {"distance": _one_class, "ranking": _one_class_ranked}
    say = {**_REMARKS, **classes}.get(section)
    more = say(language, report) if say else ""
    unstated = _unstated(language, report, section)
    return language.sentences([said, grades_text(language, graded), more, unstated])


def _one_class(language: Language, report: Report) -> str:
    """Name the precisions that meet in the distance as if they were one."""
    pairs = [
        (cell.way.precision, row.way.precision)
        for row in (report.distance.rows if report.distance else ())
        for cell in row.cells
        if cell.way and row.way
        if cell.share and "precision" not in cell.share.differs
    ]
    return one_class_text(language, pairs)


def _one_class_ranked(language: Language, report: Report) -> str:
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


def _unstated(language: Language, report: Report, section: str) -> str:
    """Name once what the sources of a comparison leave out."""
    ratios = parts(getattr(report, section, None), Ratio)
    names = dict.fromkeys(name for ratio in ratios for name in ratio.unstated)
    return unstated_text(language, sorted(names))


def _repeats_text(language: Language, report: Report, section: str) -> str:
    known: Mapping[str, Callable[[Report], Figures]] = {
        "metal": _metal_figures,
        "ranking": _ranking_figures,
        "distance": _distance_figures,
        "efficiency": efficiency.figures,
        "batches": batches.figures,
        "scaling": scaling.figures,
        "sweep": sweep.figures,
        "normal": normal.figures,
    }
    found = known[section](report) if section in known else ()
    if not found:
        return ""
    if not any(quantity.n > 1 for quantity, _ in found):
        return language.gettext(
            "One run per figure (n = 1): without repeats, small differences cannot be "
            "told from chance."
        )
    like = [quantity.n > 1 for quantity, ratio in found if not _differs(ratio)]
    single = language.gettext(
        "What is like for like was run once (n = 1): small differences cannot be told "
        "from chance."
    )
    ranges = language.gettext(
        "Ranges are %(level)s%% intervals over repeated runs; a figure without a range "
        "comes from a single run.",
        level=95,
    )
    said = [single if like and not any(like) else "", ranges]
    return language.sentences([*said, _sessions_text(language, found)])


def _sessions_text(language: Language, figures: Figures) -> str:
    """Say which ranges hold within one session alone."""
    several = [quantity.sessions > 1 for quantity, _ in figures if quantity.n > 1]
    if not any(several):
        return language.gettext(
            "All ranges hold within one session: another day, or another machine of "
            "the kind, may differ by more."
        )
    if all(several):
        return ""
    return language.gettext(
        "The range of a figure from several sessions spans them; the others hold "
        "within one session."
    )


def _differs(ratio: Ratio | None) -> bool:
    return ratio is not None and bool(ratio.differs)


def _metal_figures(report: Report) -> Figures:
    rows = [r for g in report.metal.groups for r in g.rows] if report.metal else []
    return [(side, row.ratio) for row in rows for side in (row.cpu, row.metal) if side]


def _ranking_figures(report: Report) -> Figures:
    rows = report.ranking.rows if report.ranking else ()
    cells = [cell for row in rows for cell in row.cells]
    return [(cell.quantity, cell.ratio) for cell in cells if cell.quantity]


def _distance_figures(report: Report) -> Figures:
    rows = report.distance.rows if report.distance else ()
    own = [(c.quantity, c.share) for row in rows for c in row.cells if c.quantity]
    like = any(not _differs(share) for _, share in own)
    # Where nothing is like the reference, neither is it.
    unlike = next((share for _, share in own if share), None)
    return [*own, *((row.reference, None if like else unlike) for row in rows)]


def _fixed_title(language: Language, section: str) -> str:
    return {
        "glance": language.pgettext("heading", "At a glance"),
        "metal": language.pgettext("heading", "With and without Metal"),
        "ranking": language.pgettext("heading", "Ranking"),
        "distance": language.pgettext("heading", "Distance to a reference GPU"),
        "values": language.pgettext("heading", "Values"),
        "machines": language.pgettext("heading", "Machines and software"),
        "notes": language.pgettext("heading", "Notes on single values"),
        "how": language.pgettext("heading", "How to read this report"),
        "sources": language.pgettext("heading", "Sources"),
    }[section]


def _metal_title(language: Language, report: Report) -> str:
    facts = next((a.facts for a in report.answers if a.kind == "metal"), {})
    pays = names(facts, "pays")
    loses, unsure = (
        [name for key in keys for name in names(facts, key)]
        for keys in (("even", "hurts"), ("unclear", "mixed"))
    )
    if report.metal is None or not (pays or (loses and not unsure)):
        return _fixed_title(language, "metal")
    if not (loses or unsure):
        return language.gettext("Metal pays off for every workload measured")
    if not pays:
        return language.gettext("Metal pays off for none of the workloads measured")
    if not loses:
        return language.gettext("Metal pays off for some workloads")
    return _by_work(language, report.metal.groups) or language.gettext(
        "Metal pays off for some workloads, not for others"
    )


def _by_work(language: Language, groups: Sequence[MetalGroup]) -> str:
    """Say from how much work in a step Metal pays off, where the work decides."""
    loses: list[float] = []
    unsure: list[float] = []
    pays: list[float] = []
    for group in groups:
        verdicts = _verdicts(group)
        gains = pays if verdicts == {"faster"} else unsure
        if verdicts:
            (loses if verdicts <= {"even", "slower"} else gains).append(_work(group))
    if not (pays and loses and all((*pays, *loses, *unsure))):
        return ""
    if max(loses) >= min(unsure + pays) or min(pays) <= max(loses + unsure):
        return ""
    return language.gettext(
        "Metal pays off where a training step takes %(much)s or more, not at "
        "%(little)s or less",
        much=Name(_operations(language, min(pays))),
        little=Name(_operations(language, max(loses))),
    )


def _verdicts(group: MetalGroup) -> set[str]:
    """Return the verdicts of the rows that may be in a headline."""
    ratios = (row.ratio for row in group.rows)
    return {
        ratio.verdict
        for ratio in ratios
        if ratio and ratio.leads and not ratio.differs and not ratio.notes
    }


def _work(group: MetalGroup) -> float:
    """Return the floating-point operations in a step, 0 where they are not known."""
    known = workloads().get(group.workload.name)
    flops = known.train_flops_per_sample if known else {}
    if not isinstance(flops, Mapping):
        return 0.0
    frameworks = {row.framework for row in group.rows}
    least = min(float(flops.get(name, 0)) for name in frameworks)
    return least * (group.batch_size or 0)


def _operations(language: Language, count: float) -> str:
    size, unit = next(one for one in _SIZES if count >= one[0] or one[0] == 1e6)
    return language.measure(language.significant(count / size, 2), unit)


def _ranking_title(language: Language, report: Report) -> str:
    ranking = report.ranking
    ranked = [row for row in ranking.rows if row.mean] if ranking else []
    if ranking is None or len(ranked) < 2 or not _is_fastest(ranking, ranked):
        return _fixed_title(language, "ranking")
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
        baseline=Name(system_text(language, ranking.baseline)),
    )
    mean = language.gettext(
        "The geometric mean covers what all ranked systems have: %(workloads)s.",
        workloads=common,
    )
    return language.sentences([said, mean if common else ""])


def _distance_lead(language: Language, report: Report) -> str:
    if report.distance is None:
        return ""
    cells = [cell for row in report.distance.rows for cell in row.cells]
    names = sorted({name for c in cells if c.share for name in c.share.differs})
    said = language.gettext(
        "Training throughput as a share of the %(reference)s at the same batch size.",
        reference=Name(report.distance.reference.chip),
    )
    return language.sentences([said, differs_text(language, names)])


def _values_lead(language: Language, report: Report) -> str:
    n = report.values_count
    return language.ngettext(
        "%(n)s figure, with the digits of its source.",
        "%(n)s figures, with the digits of their sources.",
        n,
    )


def taken_from(language: Language, sources: Sequence[str]) -> str:
    """Name the numbers of the sources that a section rests on."""
    return language.ngettext(
        "Source: %(numbers)s.", "Sources: %(numbers)s.", len(sources), numbers=sources
    )


def chart_alt(language: Language, report: Report, section: str) -> str:
    """Describe a chart in words: its finding, with the numbers of the headline."""
    if section in _ALTS:
        return _ALTS[section](language, report)
    title = sentence(language, section_title(language, report, section))
    if section == "ranking":
        return language.sentences([title, _means(language, report)])
    said = [
        f"{language.isolate(answer_big(language, answer))} "
        f"{answer_text(language, answer)}"
        for answer in report.answers
        if answer.kind == section
    ]
    return language.sentences([title, *said])


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
