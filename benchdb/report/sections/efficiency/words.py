"""Per watt: throughput against power, and samples per joule."""

from collections import defaultdict
from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.efficiency import (
    Efficiency,
    EfficiencyGroup,
    EfficiencyRow,
)
from benchdb.report.view.atoms import Quantity, Ratio, System
from benchdb.report.view.page import Report
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.terms import chip_text, one_class_text, system_text

_TOLD = 8  # systems in the description of the chart; the table has all


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    section = report.efficiency
    ratios = likes(section) if section else []
    verdicts = {ratio.verdict for ratio in ratios}
    if section and section.reference and section.compared:
        winner, loser = section.compared, section.reference
        if verdicts == {"slower"}:
            winner, loser = loser, winner
        if verdicts in ({"faster"}, {"slower"}):
            return language.gettext(
                "%(winner)s does more work per joule than %(loser)s",
                winner=Name(named(language, winner, loser)),
                loser=Name(named(language, loser, winner)),
            )
    return language.pgettext("heading", "Throughput and power")


def likes(section: Efficiency) -> list[Ratio]:
    """Return how the compared system stands, as far as it is like for like."""
    found = [row.ratio for row in rows_of(section, section.compared) if row.ratio]
    return [
        ratio
        for ratio in found
        if not ratio.differs and not ratio.notes and ratio.leads
    ]


def rows_of(section: Efficiency, system: System | None) -> list[EfficiencyRow]:
    """Return all rows of one system."""
    groups = (group for group in section.groups if group.system == system)
    return [row for group in groups for row in group.rows]


def named(language: Language, system: System, other: System) -> str:
    """Name a system beside *other*: by its chip, if that tells them apart."""
    if system.chip == other.chip:
        return system_text(language, system)
    return chip_text(language, system.chip)


def shared_framework(section: Efficiency) -> str | None:
    """Return the framework of all systems, if it is one."""
    found = {group.system.framework for group in section.groups}
    return found.pop() if len(found) == 1 else None


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.efficiency is None:
        return ""
    return language.gettext(
        "Training throughput against power. Along each dotted line a joule does the "
        "same work; further up and to the left it does more."
    )


def group_text(language: Language, group: EfficiencyGroup) -> str:
    """Name a system with the way in which its power was read."""
    return language.comma.join(
        (
            language.isolate(system_text(language, group.system)),
            reading_text(language, group.reading),
        )
    )


def chart_remarks(language: Language, section: Efficiency) -> tuple[str, ...]:
    """Return what must be known to read the chart: of peaks, and what is not on it."""
    readings = {group.reading for group in section.groups}
    peaks = language.gettext(
        "A peak lies above the mean, so out of a peak follow fewer samples per joule "
        "than out of the mean of the same reading."
    )
    more = language.ngettext(
        "%(n)s more figure, of another precision or batch size or of work that only "
        "one system did, is in the table of values.",
        "%(n)s more figures, of other precisions or batch sizes or of work that only "
        "one system did, are in the table of values.",
        section.more,
    )
    several = any(reading.kind == "peak" for reading in readings)
    own = {row.workload.name: row for row in rows_of(section, section.reference)}
    alike = one_class_text(
        language,
        [
            (row.precision, own[row.workload.name].precision)
            for group in section.groups
            for row in group.rows
            if row.ratio and "precision" not in row.ratio.differs
            if row.workload.name in own
        ],
    )
    said = (peaks if several else "", more if section.more else "", alike)
    return tuple(filter(None, said))


def figures(report: Report) -> list[tuple[Quantity, Ratio | None]]:
    """Return the throughputs with their comparison to the reference."""
    section = report.efficiency
    if section is None:
        return []
    rows = [row for group in section.groups for row in group.rows]
    # Where nothing is like the reference, neither is it.
    like = any(row.ratio and not row.ratio.differs for row in rows)
    unlike = next((row.ratio for row in rows if row.ratio), None)
    own = {id(row) for row in rows_of(section, section.reference)}
    return [
        (row.rate, unlike if id(row) in own and not like else row.ratio) for row in rows
    ]


def alt(language: Language, report: Report) -> str:
    """Describe the chart: the power of each system, and what a joule does there."""
    if report.efficiency is None:
        return ""
    groups = report.efficiency.groups
    return language.sentences([_described(language, group) for group in groups[:_TOLD]])


def _described(language: Language, group: EfficiencyGroup) -> str:
    units: defaultdict[str, list[Quantity]] = defaultdict(list)
    for row in group.rows:
        units[row.per_joule.unit].append(row.per_joule)
    return language.pgettext(
        "description of a chart",
        "%(system)s: %(power)s, %(efficiency)s.",
        system=group_text(language, group),
        power=_range(language, [row.power for row in group.rows]),
        efficiency=[_range(language, found) for found in units.values()],
    )


def _range(language: Language, found: Sequence[Quantity]) -> str:
    values = [quantity.value for quantity in found]
    low, high = map(language.significant, (min(values), max(values)))
    if low != high:
        low = language.pgettext("interval", "%(low)s–%(high)s", low=low, high=high)
    return language.isolate(language.measure(low, found[0].unit))
