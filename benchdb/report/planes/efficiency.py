"""Per watt: throughput against power, and samples per joule."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchdb.report.language import Language
from benchdb.report.planes import (
    Key,
    Look,
    Panel,
    Plane,
    Point,
    Scale,
    Stroke,
    Tick,
)
from benchdb.report.sections.efficiency import (
    Efficiency,
    EfficiencyGroup,
    EfficiencyRow,
    words,
)
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.view.page import Report
from benchdb.report.wording.terms import chip_text, workload_text
from benchdb.stats import axis_ticks

_SERIES: Sequence[Look] = ("0", "1", "2", "3", "4")
_LABEL = 26  # letters that have room beside a mark
_GUIDES = 4  # lines of equal efficiency: more of them hide the marks


class _Box(msgspec.Struct, frozen=True):
    """The range of both axes, the same on all panels."""

    x: tuple[float, ...]
    y: tuple[float, ...]


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    section = report.efficiency
    if section is None:
        return None
    looks = _looks(section, report)
    rows = [row for group in section.groups for row in group.rows]
    box = _Box(
        axis_ticks(*_extent(row.power for row in rows)),
        axis_ticks(*_extent(row.rate for row in rows)),
    )
    units = list(dict.fromkeys(row.rate.unit for row in rows))
    return Plane(
        name="efficiency",
        title=words.title(language, report),
        alt=words.alt(language, report),
        panels=tuple(_panel(section, looks, box, unit, language) for unit in units),
        keys=tuple(_keys(section, looks, language)),
    )


def _looks(section: Efficiency, report: Report) -> dict[System, Look]:
    """Tell systems apart; where the section on distance shows one, as it does there."""
    systems = list(dict.fromkeys(group.system for group in section.groups))
    looks: dict[System, Look] = {}
    if section.reference:
        looks[section.reference] = "reference"
    mine = next((one for one in systems if one.here), None)
    if mine and mine not in looks:
        looks[mine] = "mine"
    afar = [_who(one) for one in report.distance.systems] if report.distance else []
    left = list(_SERIES)
    for one in systems:
        place = afar.index(_who(one)) if _who(one) in afar else len(left)
        if one not in looks and place < len(_SERIES) and _SERIES[place] in left:
            looks[one] = _SERIES[place]
            left.remove(_SERIES[place])
    for one in systems:
        if one not in looks:
            looks[one] = left.pop(0) if left else "quiet"
    return looks


def _who(system: System) -> tuple[object, ...]:
    whose = system.measured, system.here, system.mine
    return system.chip, system.device, system.framework, *whose


def _extent(quantities: Iterable[Quantity]) -> tuple[float, float]:
    ends = [
        end
        for one in quantities
        for end in (one.value, one.low, one.high)
        if end is not None and end > 0
    ]
    return min(ends), max(ends)


def _panel(
    section: Efficiency,
    looks: dict[System, Look],
    box: _Box,
    unit: str,
    language: Language,
) -> Panel:
    groups = [
        (group, [row for row in group.rows if row.rate.unit == unit])
        for group in section.groups
    ]
    rows = [row for _, found in groups for row in found]
    return Panel(
        title="",
        x=_scale(
            box.x,
            language.pgettext("axis", "Power in %(unit)s", unit=language.unit("W")),
            language,
        ),
        y=_scale(
            box.y,
            language.pgettext(
                "axis", "Throughput in %(unit)s", unit=language.unit(unit)
            ),
            language,
        ),
        points=tuple(
            point
            for group, found in groups
            for point in _points(group, found, looks[group.system], language)
        ),
        strokes=tuple(_guides(box, rows, language)),
    )


def _scale(ticks: Sequence[float], title: str, language: Language) -> Scale:
    return Scale(
        low=ticks[0],
        high=ticks[-1],
        ticks=tuple(
            Tick(value, language.significant(value, 1), minor=place % 2 == 1)
            for place, value in enumerate(ticks)
        ),
        title=title,
    )


def _points(
    group: EfficiencyGroup,
    rows: Sequence[EfficiencyRow],
    look: Look,
    language: Language,
) -> Iterator[Point]:
    first = max((row.rate.value for row in rows), default=0.0)
    chip = language.isolate(chip_text(language, group.system.chip))
    for row in rows:
        what = workload_text(language, row.workload.title, None)
        both = f"{chip} · {what}"
        yield Point(
            x=row.power.value,
            y=row.rate.value,
            look=look,
            label=both if row.rate.value == first and len(both) <= _LABEL else what,
            run=row.rate.run,
            low=row.rate.low,
            high=row.rate.high,
            hollow=bool(row.ratio and row.ratio.differs),
        )


def _guides(
    box: _Box, rows: Sequence[EfficiencyRow], language: Language
) -> Iterator[Stroke]:
    """Yield lines along which a joule does the same, as far as they cross the panel."""
    ticks = axis_ticks(*_extent(row.per_joule for row in rows))
    decades = [tick for tick in ticks if f"{tick:e}".startswith("1.0")]
    kept = decades if 1 < len(decades) <= _GUIDES else ticks[:: 1 + len(ticks) // 5]
    for each in kept:
        start = max(box.x[0], box.y[0] / each)
        end = min(box.x[-1], box.y[-1] / each)
        if start < end:
            text = language.significant(each, 1)
            yield Stroke(
                through=((start, each * start), (end, each * end)),
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
