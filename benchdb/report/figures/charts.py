"""What stands on each chart: rows, marks and words, computed from the view."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from benchdb.report.figures.drawing import Chart, Line
from benchdb.report.figures.legend import Bar, Key
from benchdb.report.figures.sheet import (
    BLUE,
    BLUE_TEXT,
    GREEN,
    INK,
    OLIVE,
    ORANGE,
    ORANGE_TEXT,
    PURPLE,
    QUIET,
    Mark,
    Shape,
)
from benchdb.report.language import Language
from benchdb.report.sections.distance import Distance, DistanceRow
from benchdb.report.sections.metal import MetalRow, MetalSection
from benchdb.report.sections.ranking import Ranking, RankRow
from benchdb.report.view.atoms import Axis, Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording import sections, terms
from benchdb.stats import axis_ticks

Look = tuple[Shape, str]

_LONGEST = 30  # characters of a label that leave room for the axis
_MOST_LINES = 60  # more would be no picture; the tables have everything
_FAINT = "#8a939c"
_DEVICES: Mapping[str, Look] = {
    "cpu": ("circle", INK),
    "metal": ("square", BLUE),
    "cuda": ("diamond", PURPLE),
}
_OTHER_DEVICE: Look = ("triangle", ORANGE)  # the label names it
_SYSTEMS: tuple[Look, ...] = (
    ("circle", GREEN),
    ("square", BLUE),
    ("triangle", ORANGE),
    ("down", OLIVE),
    ("diamond", QUIET),
)


def metal_chart(report: Report, language: Language) -> Chart | None:
    """Return one dumbbell for each workload and chip."""
    section = report.metal
    if section is None:
        return None
    unit = section.axis.unit
    return Chart(
        title=sections.section_title(language, report, "metal"),
        keys=_metal_keys(section, language),
        lines=tuple(_metal_lines(section, language))[:_MOST_LINES],
        low=section.axis.low,
        high=section.axis.high,
        ticks=_ticks(
            section.axis,
            lambda v: language.isolate(
                language.measure(language.significant(v, 1), unit)
            ),
        ),
    )


def _metal_lines(section: MetalSection, language: Language) -> Iterator[Line]:
    for group in section.groups:
        yield Line(terms.group_text(language, group), heading=True)
        for row in group.rows:
            yield _metal_line(row, section.axis, language)


def _metal_line(row: MetalRow, axis: Axis, language: Language) -> Line:
    sides = [(q, _metal_look(row, q)) for q in (row.cpu, row.metal) if q]
    placed = [(q, look) for q, look in sides if q.unit == axis.unit]
    marks = tuple(Mark(q.value, *look, hollow=q is row.cpu) for q, look in placed)
    bars = tuple(bar for q, _ in placed for bar in _whisker(q.low, q.high, q.n))
    if len(placed) == 2:
        flagged = any(q.notes for q, _ in placed)
        ends = (placed[0][0].value, placed[1][0].value)
        bars = (Bar(*ends, _verdict_look(row.ratio)[1], dashed=flagged), *bars)
    return Line(
        label=_short(language, terms.chip_text(language, row.chip)),
        marks=marks,
        bars=bars,
        remark=_metal_remark(row, language),
        colour=_verdict_text_colour(row.ratio),
    )


def _metal_look(row: MetalRow, side: Quantity) -> Look:
    return ("circle", INK) if side is row.cpu else _verdict_look(row.ratio)


def _verdict_look(ratio: Ratio | None) -> Look:
    verdict = ratio.verdict if ratio else "unclear"
    if verdict == "faster":
        return "circle", BLUE
    return ("diamond", ORANGE) if verdict == "slower" else ("circle", QUIET)


def _verdict_text_colour(ratio: Ratio | None) -> str:
    verdict = ratio.verdict if ratio else "unclear"
    return {"faster": BLUE_TEXT, "slower": ORANGE_TEXT}.get(verdict, QUIET)


def _metal_remark(row: MetalRow, language: Language) -> str:
    if row.ratio is None:
        return terms.missing_text(language, None)
    notes = language.comma.join(row.ratio.notes)
    said = terms.verdict_text(language, row.ratio)
    return f"{said} ({notes})" if notes else said


def _metal_keys(section: MetalSection, language: Language) -> tuple[Key, ...]:
    rows = [row for group in section.groups for row in group.rows]
    found = {row.ratio.verdict for row in rows if row.ratio}
    faster = language.pgettext("legend", "Metal, faster")
    slower = language.pgettext("legend", "Metal, slower")
    flagged = any(q and q.notes for row in rows for q in (row.cpu, row.metal))
    dashed = language.pgettext("legend", "dashed: see the note")
    return (
        Key(terms.device_text(language, "cpu"), Mark(1, "circle", INK, hollow=True)),
        *((Key(faster, Mark(1, "circle", BLUE)),) if "faster" in found else ()),
        *((Key(slower, Mark(1, "diamond", ORANGE)),) if "slower" in found else ()),
        *((Key(dashed, bar=Bar(1, 1, QUIET, dashed=True)),) if flagged else ()),
        Key(_direction(section.axis.unit, language)),
    )


def _direction(unit: str, language: Language) -> str:
    if unit == "s":
        return language.pgettext("legend", "shorter is better")
    return language.pgettext("legend", "more is better")


def ranking_chart(report: Report, language: Language) -> Chart | None:
    """Return each system's mean, and faintly its ratio on every common workload."""
    section = report.ranking
    rows = [row for row in section.rows if row.mean] if section else []
    if section is None or len(rows) < 2:
        return None
    lines = tuple(_ranking_line(section, row, language) for row in rows[:_MOST_LINES])
    values = [mark.x for line in lines for mark in line.marks]
    ticks = axis_ticks(min(values), max(values))
    axis = Axis(ticks[0], ticks[-1], ticks, "")
    return Chart(
        title=sections.section_title(language, report, "ranking"),
        keys=_ranking_keys(section, rows, language),
        lines=lines,
        low=axis.low,
        high=axis.high,
        ticks=_ticks(axis, lambda v: _tick_factor(v, language)),
        unity=1.0,
    )


def _ranking_line(section: Ranking, row: RankRow, language: Language) -> Line:
    shape, colour = _DEVICES.get(row.system.device, _OTHER_DEVICE)
    cells = zip(section.workloads, row.cells, strict=True)
    single = [
        cell.ratio.value
        for workload, cell in cells
        if workload.name in section.common and cell.ratio and not cell.ratio.differs
    ]
    if row.mean is None:
        return Line(terms.system_text(language, row.system))
    mean = Mark(row.mean.value, shape, colour, hollow=row.system.device == "cpu")
    notes = language.comma.join(row.mean.notes)
    factor = language.isolate(language.times(row.mean.value))
    if not row.leads:
        factor = terms.insufficient_text(language, factor)
    return Line(
        label=_short(language, terms.system_text(language, row.system)),
        marks=(
            *(Mark(value, "circle", _FAINT, small=True) for value in single),
            mean,
        ),
        bars=_whisker(row.mean.low, row.mean.high, 2),
        remark=f"{factor} ({notes})" if notes else factor,
    )


def _ranking_keys(
    section: Ranking, rows: Iterable[RankRow], language: Language
) -> tuple[Key, ...]:
    found: set[str] = {row.system.device for row in rows}
    others: dict[str, Look] = dict.fromkeys(
        sorted(found - set(_DEVICES)), _OTHER_DEVICE
    )
    looks = {**_DEVICES, **others}
    devices = tuple(
        Key(
            terms.device_text(language, device),
            Mark(1, *look, hollow=device == "cpu"),
        )
        for device, look in looks.items()
        if device in found
    )
    single = Mark(1, "circle", _FAINT, small=True)
    baseline = _short(language, terms.system_text(language, section.baseline))
    return (
        *devices,
        Key(language.pgettext("legend", "single workloads"), single),
        Key(language.pgettext("legend", "1 is %(baseline)s", baseline=baseline)),
    )


def _tick_factor(value: float, language: Language) -> str:
    decimals = 0 if value >= 1 else 2 if value < 0.1 else 1
    return language.isolate(language.multiple(language.number(value, decimals)))


def _tick_share(value: float, language: Language) -> str:
    return language.isolate(language.percent(value, 1 if value < 0.01 else 0))


def distance_chart(report: Report, language: Language) -> Chart | None:
    """Return the shares of the reference, one row for each workload."""
    section = report.distance
    if section is None:
        return None
    return Chart(
        title=sections.section_title(language, report, "distance"),
        keys=_distance_keys(section, language),
        lines=tuple(
            _distance_line(row, language) for row in section.rows[:_MOST_LINES]
        ),
        low=min(section.axis.low, 1.0),
        high=max(section.axis.high, 1.0),
        ticks=_ticks(section.axis, lambda v: _tick_share(v, language)),
        unity=1.0,
    )


def _distance_line(row: DistanceRow, language: Language) -> Line:
    shares = [
        (cell.share, _SYSTEMS[index % len(_SYSTEMS)])
        for index, cell in enumerate(row.cells)
        if cell.share
    ]
    marks = [
        Mark(share.value, *look, hollow=bool(share.differs)) for share, look in shares
    ]
    return Line(
        label=terms.workload_text(language, row.workload.title, row.batch_size),
        marks=(*marks, Mark(1.0, "diamond", PURPLE)),
        bars=tuple(
            bar for share, _ in shares for bar in _whisker(share.low, share.high, 2)
        ),
    )


def _distance_keys(section: Distance, language: Language) -> tuple[Key, ...]:
    unlike = [
        cell.share.differs
        for row in section.rows
        for cell in row.cells
        if cell.share and cell.share.differs
    ]
    systems = tuple(
        Key(
            _short(language, terms.system_text(language, system)),
            Mark(1, *_SYSTEMS[index % len(_SYSTEMS)], hollow=bool(unlike)),
        )
        for index, system in enumerate(section.systems)
    )
    reference = Mark(1, "diamond", PURPLE)
    hollow = language.pgettext("legend", "hollow: not like for like")
    return (
        *systems,
        Key(_short(language, section.reference.chip), reference),
        *((Key(hollow),) if unlike else ()),
    )


def _short(language: Language, name: str) -> str:
    cut = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
    return language.isolate(cut)


def _whisker(low: float | None, high: float | None, n: int) -> tuple[Bar, ...]:
    if low is None or high is None or n < 2:
        return ()
    return (Bar(low, high, INK, thin=True),)


def _ticks(axis: Axis, label: Callable[[float], str]) -> tuple[tuple[float, str], ...]:
    return tuple((value, label(value)) for value in axis.ticks)
