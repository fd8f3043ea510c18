"""What is said and drawn per watt: who does more work per joule, read in which way."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Scale,
    Stroke,
    log_scale,
    mark,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.distance import Distance
from benchdb.report.sections.efficiency import (
    Efficiency,
    EfficiencyGroup,
    EfficiencyRow,
)
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
from benchdb.statistics.ticks import axis_ticks

_DESCRIBED = 8  # systems in the description of the chart; the table has all
_LABEL = 26  # letters that have room beside a mark
_GUIDES = 4  # lines of equal efficiency: more of them hide the marks


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


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return throughput against power, a mark for each work."""
    section = sections["efficiency"]
    looks = _looks(section, sections.get("distance"))
    rows = [row for group in section.groups for row in group.rows]

    def scale(quantities: Iterable[Quantity], title: str) -> Scale:
        ticks = axis_ticks(*_extent(quantities))
        return log_scale(ticks, lambda value: language.significant(value, 1), title)

    watts = language.pgettext("axis", "Power in %(unit)s", unit=language.unit("W"))
    power = scale((row.power for row in rows), watts)
    panels = []
    for unit in dict.fromkeys(row.rate.unit for row in rows):
        name = language.unit(unit)
        rates = language.pgettext("axis", "Throughput in %(unit)s", unit=name)
        rate = scale((row.rate for row in rows), rates)
        points: list[Point] = []
        for group in section.groups:
            same = [row for row in group.rows if row.rate.unit == unit]
            first = max((row.rate.value for row in same), default=0.0)
            chip = language.isolate(chip_text(language, group.system.chip))
            for row in same:
                label = workload_text(language, row.workload.title, None)
                both = f"{chip} · {label}"
                if row.rate.value == first and len(both) <= _LABEL:
                    label = both
                place = row.power.value, row.rate.value
                unlike = bool(row.ratio and row.ratio.differs)
                points.append(
                    mark(
                        *place,
                        looks[group.system],
                        row.rate,
                        label=label,
                        hollow=unlike,
                    )
                )
        same = [row for row in rows if row.rate.unit == unit]
        guides = tuple(_guides(power, rate, same, language))
        panels.append(Panel("", power, rate, tuple(points), guides))
    return Chart(
        name="efficiency",
        title=title(language, section),
        alt=alt(language, section),
        panels=tuple(panels),
        keys=tuple(_keys(section, looks, language)),
    )


def _looks(section: Efficiency, distance: Distance | None) -> dict[System, Look]:
    """Tell systems apart; where the section on distance shows one, as it does there."""
    systems = dict.fromkeys(group.system for group in section.groups)
    looks: dict[System, Look] = {}
    if section.reference:
        looks[section.reference] = "reference"
    here = next((system for system in systems if system.here), None)
    if here:
        looks.setdefault(here, "mine")
    distant = distance.systems if distance else ()
    usual = dict(zip(map(_identity, distant), SERIES, strict=False))
    for system in systems:
        look = usual.get(_identity(system))
        if look and system not in looks and look not in looks.values():
            looks[system] = look
    free = [look for look in SERIES if look not in looks.values()]
    for system in systems:
        if system not in looks:
            looks[system] = free.pop(0) if free else "quiet"
    return looks


def _identity(system: System) -> tuple[object, ...]:
    origin = system.measured, system.here, system.mine
    return system.chip, system.device, system.framework, *origin


def _extent(quantities: Iterable[Quantity]) -> tuple[float, float]:
    ends = [
        end
        for quantity in quantities
        for end in (quantity.value, quantity.low, quantity.high)
        if end is not None and end > 0
    ]
    return min(ends), max(ends)


def _guides(
    power: Scale, rate: Scale, rows: Sequence[EfficiencyRow], language: Language
) -> Iterator[Stroke]:
    """Yield lines along which a joule does the same, as far as they cross the panel."""
    ticks = axis_ticks(*_extent(row.per_joule for row in rows))
    decades = [tick for tick in ticks if f"{tick:e}".startswith("1.0")]
    for ratio in (
        decades if 1 < len(decades) <= _GUIDES else ticks[:: 1 + len(ticks) // 5]
    ):
        start = max(power.low, rate.low / ratio)
        end = min(power.high, rate.high / ratio)
        if start < end:
            text = language.significant(ratio, 1)
            yield Stroke(
                through=((start, ratio * start), (end, ratio * end)),
                look="quiet",
                label=language.measure(text, rows[0].per_joule.unit),
                guide=True,
            )


def _keys(
    section: Efficiency, looks: dict[System, Look], language: Language
) -> Iterator[Key]:
    for group in section.groups:
        look = looks[group.system]
        if look != "quiet":
            unlike = any(row.ratio and row.ratio.differs for row in group.rows)
            yield Key(look, group_text(language, group), hollow=unlike)
    if "quiet" in looks.values():
        yield Key("quiet", language.pgettext("legend", "other systems"))
