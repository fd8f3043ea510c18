"""Does Metal help? Its heading says from how much work on."""

from collections.abc import Mapping, Sequence

from benchdb.catalogue import workloads
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.metal import MetalGroup
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.answers import headlines, names
from benchdb.report.wording.terms import sentence

Figures = Sequence[tuple[Quantity, Ratio | None]]

_SIZES = ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"))


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    facts = next((a.facts for a in report.answers if a.kind == "metal"), {})
    pays = names(facts, "pays")
    loses, unsure = (
        [name for key in keys for name in names(facts, key)]
        for keys in (("even", "hurts"), ("unclear", "mixed"))
    )
    if report.metal is None or not (pays or (loses and not unsure)):
        return language.pgettext("heading", "With and without Metal")
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


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    del report
    return language.gettext(
        "The same work on the same chip, without and with Metal. On the logarithmic "
        "axis, equal distances are equal factors."
    )


def figures(report: Report) -> Figures:
    """Return every figure of the section with its ratio."""
    rows = [r for g in report.metal.groups for r in g.rows] if report.metal else []
    return [(side, row.ratio) for row in rows for side in (row.cpu, row.metal) if side]


def alt(language: Language, report: Report) -> str:
    """Describe the chart in words: its finding, with the numbers of the headline."""
    finding = sentence(language, title(language, report))
    return language.sentences([finding, *headlines(language, report, "metal")])
