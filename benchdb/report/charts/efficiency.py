"""Per watt: throughput against power, and samples per joule."""

from collections.abc import Iterable, Iterator, Sequence

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
from benchdb.report.sections.efficiency import words
from benchdb.report.sections.efficiency.data import (
    Efficiency,
    EfficiencyRow,
)
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.page import Report
from benchdb.report.wording.terms import chip_text, workload_text
from benchdb.statistics.ticks import axis_ticks

_LABEL = 26  # letters that have room beside a mark
_GUIDES = 4  # lines of equal efficiency: more of them hide the marks


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("efficiency")
    if section is None:
        return None
    looks = _looks(section, report)
    rows = [row for group in section.groups for row in group.rows]

    def scale(quantities: Iterable[Quantity], title: str) -> Scale:
        ticks = axis_ticks(*_extent(quantities))
        return log_scale(ticks, lambda value: language.significant(value, 1), title)

    watts = language.pgettext("axis", "Power in %(unit)s", unit=language.unit("W"))
    power = scale((row.power for row in rows), watts)
    panels = []
    for unit in dict.fromkeys(row.rate.unit for row in rows):
        name = language.unit(unit)
        title = language.pgettext("axis", "Throughput in %(unit)s", unit=name)
        rate = scale((row.rate for row in rows), title)
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
        title=words.title(language, section),
        alt=words.alt(language, section),
        panels=tuple(panels),
        keys=tuple(_keys(section, looks, language)),
    )


def _looks(section: Efficiency, report: Report) -> dict[System, Look]:
    """Tell systems apart; where the section on distance shows one, as it does there."""
    systems = dict.fromkeys(group.system for group in section.groups)
    looks: dict[System, Look] = {}
    if section.reference:
        looks[section.reference] = "reference"
    here = next((system for system in systems if system.here), None)
    if here:
        looks.setdefault(here, "mine")
    distance = report.sections.get("distance")
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
            yield Key(look, words.group_text(language, group), hollow=unlike)
    if "quiet" in looks.values():
        yield Key("quiet", language.pgettext("legend", "other systems"))
