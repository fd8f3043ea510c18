"""What is said per watt: who does more work per joule, and how power was read."""

from collections import defaultdict
from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.efficiency.data import Efficiency, EfficiencyGroup
from benchdb.report.view.atoms import Quantity, System, unlike_sets
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.terms import (
    chip_text,
    one_class_text,
    system_text,
    workload_text,
)

_DESCRIBED = 8  # systems in the description of the chart; the table has all


def title(language: Language, section: Efficiency | None) -> str:
    """Return the heading, with the finding where there is one."""
    rows = section.rows_of(section.compared) if section else []
    ratios = [row.ratio for row in rows if row.ratio and row.ratio.leads]
    verdicts = {it.verdict for it in ratios if not (it.differs or it.notes)}
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


def named(language: Language, system: System, other: System) -> str:
    """Name a system beside *other*: by its chip, if that tells them apart."""
    if system.chip == other.chip:
        return system_text(language, system)
    return chip_text(language, system.chip)


def shared_framework(section: Efficiency) -> str | None:
    """Return the framework of all systems, if it is one."""
    frameworks = {group.system.framework for group in section.groups}
    return frameworks.pop() if len(frameworks) == 1 else None


def lead(language: Language, _: Efficiency) -> str:
    """Return the sentences under the heading."""
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
    several = any(group.reading.kind == "peak" for group in section.groups)
    own = {row.workload.name: row for row in section.rows_of(section.reference)}
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


def alt(language: Language, section: Efficiency) -> str:
    """Describe the chart: the power of each system, and what a joule does there."""
    said = []
    for group in section.groups[:_DESCRIBED]:
        units: defaultdict[str, list[Quantity]] = defaultdict(list)
        for row in group.rows:
            units[row.per_joule.unit].append(row.per_joule)
        described = language.pgettext(
            "description of a chart",
            "%(system)s: %(power)s, %(efficiency)s.",
            system=group_text(language, group),
            power=_range(language, [row.power for row in group.rows]),
            efficiency=[_range(language, same) for same in units.values()],
        )
        said.append(described)
    return language.sentences(said)


def _range(language: Language, quantities: Sequence[Quantity]) -> str:
    values = [quantity.value for quantity in quantities]
    low, high = map(language.significant, (min(values), max(values)))
    if low != high:
        low = language.pgettext("interval", "%(low)s–%(high)s", low=low, high=high)
    return language.isolate(language.measure(low, quantities[0].unit))


def tables(language: Language, section: Efficiency) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Conditions"),
        language.pgettext("table header", "Power reading"),
        language.pgettext("table header", "Throughput"),
        language.pgettext("table header", "Power"),
        language.pgettext("table header", "Efficiency"),
    )
    sets, known = unlike_sets(section), grades(section)
    mixed = not shared_framework(section)
    rows = [
        (
            cells.system(language, group.system, framework=mixed),
            workload_text(language, row.workload.title, row.batch_size),
            cells.beside(language, filter(None, (row.precision, row.compiler))),
            reading_text(language, group.reading),
            cells.figure(language, row.rate, known),
            cells.figure(language, row.power, known),
            (cells.sign(row.ratio.differs, sets) if row.ratio else "")
            + cells.figure(language, row.per_joule, known),
        )
        for group in section.groups
        for row in group.rows
    ]
    return [cells.Table(head, rows, frozenset({4, 5, 6}))]
