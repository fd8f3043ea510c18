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
    mark,
)
from benchdb.report.language import Language
from benchdb.report.sections.distance import Distance
from benchdb.report.sections.metal import (
    MetalGroup,
    MetalRow,
    MetalSection,
    group_text,
)
from benchdb.report.sections.ranking import Ranking
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording import sections, terms
from benchdb.statistics.ticks import axis_ticks

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
        first, single = groups[0], len(groups) == 1
        heading = language.isolate(terms.chip_text(language, first.rows[0].chip))
        if single:
            heading = group_text(language, first)
        rows.append(Row(heading, heading=True))
        pairs = [(row, group) for group in groups for row in group.rows]
        for row, group in pairs:
            look, n = _verdict(row), len(rows)
            marks = [
                mark(side.value, n, "cpu" if is_cpu else look, side, hollow=is_cpu)
                for side, is_cpu in ((row.cpu, True), (row.metal, False))
                if side and side.unit == section.axis.unit
            ]
            points += marks
            if len(marks) == 2:
                ends = tuple((end.x, end.y) for end in marks)
                strokes.append(Stroke(ends, look, dashed=_is_doubtful(row)))
            label = group_text(language, group)
            if single:
                label = terms.chip_text(language, row.chip)
            remark = terms.missing_text(language, None)
            if row.ratio:
                verdict = terms.verdict_text(language, row.ratio)
                remark = _noted(language, verdict, row.ratio)
            rows.append(Row(_short(language, label), remark, look))
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

    def key(numbered: tuple[int, MetalGroup]) -> tuple[object, ...]:
        index, group = numbered
        if len(group.rows) != 1:
            return (index,)
        row = group.rows[0]
        return row.chip, row.model, row.framework, group.metric

    keyed = groupby(enumerate(section.groups), key=key)
    return tuple(tuple(group for _, group in same) for _, same in keyed)


def _verdict(row: MetalRow) -> Look:
    verdict = row.ratio.verdict if row.ratio else ""
    return verdict if verdict in {"faster", "slower"} else "even"


def _is_doubtful(row: MetalRow) -> bool:
    return any(part and part.notes for part in (row.ratio, row.cpu, row.metal))


def _metal_keys(section: MetalSection, language: Language) -> Iterator[Key]:
    rows = [row for group in section.groups for row in group.rows]
    pairs = [row for row in rows if row.cpu and row.metal]
    words: dict[Look, str] = {
        "faster": language.pgettext("legend", "Metal, faster"),
        "slower": language.pgettext("legend", "Metal, slower"),
        "even": language.pgettext("legend", "even, unclear, or insufficient evidence"),
    }
    yield Key("cpu", terms.device_text(language, "cpu"), hollow=True)
    looks = {_verdict(row) for row in pairs}
    yield from (Key(look, text) for look, text in words.items() if look in looks)
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
    ranked = [row for row in section.rows if row.mean] if section else []
    if section is None or len(ranked) < 2:
        return None
    points: list[Point] = []
    rows: list[Row] = []
    for n, row in enumerate(ranked):
        points += (
            Point(cell.ratio.value, n, "quiet")
            for workload, cell in zip(section.workloads, row.cells, strict=True)
            if workload.name in section.common and cell.ratio and not cell.ratio.differs
        )
        label = _short(language, terms.system_text(language, row.system))
        if row.mean:
            device, mean = row.system.device, row.mean
            points.append(
                Point(
                    x=mean.value,
                    y=n,
                    look=_DEVICES.get(device, _OTHER_DEVICE),
                    low=mean.low,
                    high=mean.high,
                    hollow=device == "cpu",
                )
            )
            factor = language.isolate(language.times(mean.value))
            if not row.leads:
                factor = terms.insufficient_text(language, factor)
            rows.append(Row(label, _noted(language, factor, mean)))
    axis = log_scale(
        axis_ticks(min(p.x for p in points), max(p.x for p in points)),
        lambda value: language.multiple(language.number(value, _decimals(value))),
    )
    strokes = (_at_one(len(rows), "quiet"),)
    panel = Panel("", axis, Rows(tuple(rows)), tuple(points), strokes)
    return _chart("ranking", report, language, panel, _rank_keys(section, language))


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
    points: list[Point] = []
    for n, row in enumerate(section.rows):
        points.append(Point(1.0, n, "reference"))
        for index, cell in enumerate(row.cells):
            if (share := cell.share) and cell.quantity:
                look, unlike = SERIES[index % len(SERIES)], bool(share.differs)
                points.append(
                    mark(share.value, n, look, cell.quantity, share, hollow=unlike)
                )
    axis = log_scale(
        section.axis.ticks,
        lambda value: language.percent(value, _decimals(value * 100)),
    )
    strokes = (_at_one(len(rows), "reference"),)
    panel = Panel("", axis, Rows(rows), tuple(points), strokes)
    keys = _distance_keys(section, language)
    return _chart("distance", report, language, panel, keys)


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
    title = sections.section_title(language, report, name)
    alt = sections.chart_alt(language, report, name)
    return Chart(name, title, alt, (panel,), tuple(keys))


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
