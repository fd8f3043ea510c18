"""Charts of rows: with Metal and without, ranked, and as shares of a reference."""

import math
from collections.abc import Iterator
from itertools import groupby

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Stroke,
    log_scale,
)
from benchdb.report.language import Language
from benchdb.report.sections.distance import Distance, DistanceCell
from benchdb.report.sections.metal import (
    MetalGroup,
    MetalRow,
    MetalSection,
    group_text,
)
from benchdb.report.sections.ranking import Ranking, RankRow
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording import sections, terms
from benchdb.statistics.ratios import axis_ticks

_LONGEST = 30  # characters of a label that leave room for the axis
_DEVICES: dict[str, Look] = {"cpu": "cpu", "metal": "1", "cuda": "reference"}
_OTHER_DEVICE: Look = "2"  # the label names it


def metal(report: Report, language: Language) -> Chart | None:
    """Return a dumbbell for each workload and chip, from CPU to Metal."""
    section = report.sections.get("metal")
    if section is None:
        return None
    rows: list[Row] = []
    points: list[Point] = []
    strokes: list[Stroke] = []
    for groups in bundles(section):
        rows.append(Row(_metal_heading(groups, language), heading=True))
        for row, label in _metal_labels(groups, language):
            marks = list(_metal_marks(row, len(rows), section.axis.unit))
            points += marks
            if len(marks) == 2:
                ends = tuple((mark.x, mark.y) for mark in marks)
                strokes.append(Stroke(ends, _verdict(row), dashed=_is_doubtful(row)))
            remark = _metal_remark(row, language)
            rows.append(Row(_short(language, label), remark, _verdict(row)))
    axis = log_scale(
        section.axis.ticks,
        lambda value: language.measure(
            language.number(value, _decimals(value)), section.axis.unit
        ),
    )
    panel = Panel("", axis, Rows(tuple(rows)), tuple(points), tuple(strokes))
    return _chart("metal", report, language, panel, _metal_keys(section, language))


def bundles(section: MetalSection) -> tuple[tuple[MetalGroup, ...], ...]:
    """Return neighbouring groups together where each alone would head a single row.

    They share chip, framework and metric.
    """
    keyed = groupby(enumerate(section.groups), key=_bundle_key)
    return tuple(tuple(group for _, group in same) for _, same in keyed)


def _bundle_key(numbered: tuple[int, MetalGroup]) -> tuple[object, ...]:
    index, group = numbered
    if len(group.rows) != 1:
        return (index,)
    row = group.rows[0]
    return row.chip, row.model, row.framework, group.metric


def _metal_heading(groups: tuple[MetalGroup, ...], language: Language) -> str:
    first = groups[0]
    if len(groups) > 1:
        return language.isolate(terms.chip_text(language, first.rows[0].chip))
    return group_text(language, first)


def _metal_labels(
    groups: tuple[MetalGroup, ...], language: Language
) -> Iterator[tuple[MetalRow, str]]:
    for group in groups:
        for row in group.rows:
            if len(groups) > 1:
                yield row, group_text(language, group)
            else:
                yield row, terms.chip_text(language, row.chip)


def _metal_marks(row: MetalRow, place: int, unit: str) -> Iterator[Point]:
    for side in (row.cpu, row.metal):
        if side and side.unit == unit:
            look: Look = "cpu" if side is row.cpu else _verdict(row)
            yield _point(side.value, place, look, side, hollow=side is row.cpu)


def _point(
    x: float,
    place: int,
    look: Look,
    measured: Quantity,
    ratio: Ratio | None = None,
    *,
    hollow: bool = False,
) -> Point:
    """Return a mark with the interval of *ratio*, or of what was *measured* itself."""
    source = ratio or measured
    low, high = (source.low, source.high) if measured.n > 1 else (None, None)
    return Point(
        x=x,
        y=place,
        look=look,
        run=measured.run,
        low=low,
        high=high,
        hollow=hollow,
    )


def _verdict(row: MetalRow) -> Look:
    verdict = row.ratio.verdict if row.ratio else ""
    return verdict if verdict in {"faster", "slower"} else "even"


def _is_doubtful(row: MetalRow) -> bool:
    noted = (row.ratio, row.cpu, row.metal)
    return any(part and part.notes for part in noted)


def _metal_remark(row: MetalRow, language: Language) -> str:
    if row.ratio is None:
        return terms.missing_text(language, None)
    return _noted(language, terms.verdict_text(language, row.ratio), row.ratio)


def _metal_keys(section: MetalSection, language: Language) -> Iterator[Key]:
    rows = [row for group in section.groups for row in group.rows]
    pairs = [row for row in rows if row.cpu and row.metal]
    words: dict[Look, str] = {
        "faster": language.pgettext("legend", "Metal, faster"),
        "slower": language.pgettext("legend", "Metal, slower"),
        "even": language.pgettext("legend", "even, unclear, or insufficient evidence"),
    }
    yield Key("cpu", terms.device_text(language, "cpu"), hollow=True)
    for look, text in words.items():
        if any(_verdict(row) == look for row in pairs):
            yield Key(look, text)
    if any(map(_is_doubtful, pairs)):
        text = language.pgettext("legend", "dashed: see the note")
        yield Key("even", text, dashed=True)
    if section.axis.unit == "s":
        yield Key(None, language.pgettext("legend", "shorter is better"))
    else:
        yield Key(None, language.pgettext("legend", "more is better"))


def ranking(report: Report, language: Language) -> Chart | None:
    """Return each system's geometric mean, among the workloads behind it."""
    section = report.sections.get("ranking")
    rows = [row for row in section.rows if row.mean] if section else []
    if section is None or len(rows) < 2:
        return None
    points = [
        point for n, row in enumerate(rows) for point in _rank_marks(section, row, n)
    ]
    ticks = axis_ticks(min(p.x for p in points), max(p.x for p in points))
    panel = Panel(
        title="",
        x=log_scale(
            ticks,
            lambda value: language.multiple(language.number(value, _decimals(value))),
        ),
        y=Rows(tuple(_rank_row(row, language) for row in rows)),
        points=tuple(points),
        strokes=(_at_one(len(rows), "quiet"),),
    )
    return _chart("ranking", report, language, panel, _rank_keys(section, language))


def _rank_marks(section: Ranking, row: RankRow, place: int) -> Iterator[Point]:
    for workload, cell in zip(section.workloads, row.cells, strict=True):
        if workload.name in section.common and cell.ratio and not cell.ratio.differs:
            yield Point(cell.ratio.value, place, "quiet")
    if row.mean:
        device = row.system.device
        yield Point(
            x=row.mean.value,
            y=place,
            look=_DEVICES.get(device, _OTHER_DEVICE),
            low=row.mean.low,
            high=row.mean.high,
            hollow=device == "cpu",
        )


def _rank_row(row: RankRow, language: Language) -> Row:
    label = _short(language, terms.system_text(language, row.system))
    if row.mean is None:
        return Row(label)
    factor = language.isolate(language.times(row.mean.value))
    if not row.leads:
        factor = terms.insufficient_text(language, factor)
    return Row(label, _noted(language, factor, row.mean))


def _rank_keys(section: Ranking, language: Language) -> Iterator[Key]:
    devices = {row.system.device for row in section.rows if row.mean}
    for device in sorted(devices, key=lambda name: (name not in _DEVICES, name)):
        look = _DEVICES.get(device, _OTHER_DEVICE)
        text = terms.device_text(language, device)
        yield Key(look, text, hollow=device == "cpu")
    yield Key("quiet", language.pgettext("legend", "single workloads"))
    baseline = _short(language, terms.system_text(language, section.baseline))
    text = language.pgettext("legend", "1 is %(baseline)s", baseline=baseline)
    yield Key(None, text)


def distance(report: Report, language: Language) -> Chart | None:
    """Return each system's share of the reference, workload by workload."""
    section = report.sections.get("distance")
    if section is None:
        return None
    rows = tuple(
        Row(terms.workload_text(language, row.workload.title, row.batch_size))
        for row in section.rows
    )
    points = [
        point
        for n, row in enumerate(section.rows)
        for point in (Point(1.0, n, "reference"), *_shares(row.cells, n))
    ]
    panel = Panel(
        title="",
        x=log_scale(
            section.axis.ticks,
            lambda value: language.percent(value, _decimals(value * 100)),
        ),
        y=Rows(rows),
        points=tuple(points),
        strokes=(_at_one(len(rows), "reference"),),
    )
    keys = _distance_keys(section, language)
    return _chart("distance", report, language, panel, keys)


def _shares(cells: tuple[DistanceCell, ...], place: int) -> Iterator[Point]:
    for index, cell in enumerate(cells):
        if cell.share and cell.quantity:
            yield _point(
                cell.share.value,
                place,
                SERIES[index % len(SERIES)],
                cell.quantity,
                cell.share,
                hollow=bool(cell.share.differs),
            )


def _distance_keys(section: Distance, language: Language) -> Iterator[Key]:
    unlike = any(
        cell.share and cell.share.differs for row in section.rows for cell in row.cells
    )
    for index, system in enumerate(section.systems):
        text = _short(language, terms.system_text(language, system))
        yield Key(SERIES[index % len(SERIES)], text, hollow=unlike)
    yield Key("reference", _short(language, section.reference.chip))
    if unlike:
        yield Key(None, language.pgettext("legend", "hollow: not like for like"))


def _chart(
    name: str, report: Report, language: Language, panel: Panel, keys: Iterator[Key]
) -> Chart:
    return Chart(
        name=name,
        title=sections.section_title(language, report, name),
        alt=sections.chart_alt(language, report, name),
        panels=(panel,),
        keys=tuple(keys),
    )


def _at_one(rows: int, look: Look) -> Stroke:
    return Stroke(((1.0, -0.5), (1.0, rows - 0.5)), look, guide=True)


def _decimals(value: float) -> int:
    """Return how many decimals write *value* without loss, 3 at most."""
    return next((n for n in range(3) if math.isclose(value, round(value, n))), 3)


def _noted(language: Language, text: str, ratio: Ratio) -> str:
    return f"{text} ({language.comma.join(ratio.notes)})" if ratio.notes else text


def _short(language: Language, name: str) -> str:
    cut = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
    return language.isolate(cut)
