"""Charts on two axes on a page and as files, read as a reader would: off the ticks."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchdb.report import html, language
from benchdb.report.charts.mpl import image
from benchdb.report.charts.spec import Chart, Panel, Rows, Scale
from benchdb.report.charts.svg import rules
from benchdb.report.page_assets import stylesheet
from tests.page import Element, parse

_PAGE = """<!DOCTYPE html>
<html lang="{{ language.code }}" dir="{{ language.direction }}">
<head><meta charset="utf-8"><title>Charts</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{{ style }}</style></head>
<body><main class="sheet"><h1>Charts</h1>
{% from "parts/chart.j2" import legend, plot with context %}
{% macro draw(chart) %}
{% if chart is not none %}
{% set drawing = lay_out(chart) %}
{% set frame = drawing.frame %}
{% set id = "chart-" ~ chart.name %}
{{ legend(drawing.signs) }}
{% set columns = [frame.columns, drawing.panels|length]|min %}
{% set room = "--columns:%s;--start:%spx;--end:%spx" %}
<div class="chart" role="img" aria-labelledby="{{ id }}-title {{ id }}-alt"
style="{{ room|format(columns, frame.start, frame.end) }}">
<span id="{{ id }}-title" hidden>{{ chart.title }}</span>
<span id="{{ id }}-alt" hidden>{{ chart.alt }}</span>
{% for axes in drawing.panels %}
<div class="panel">
{% if axes.panel.title %}<p class="of">{{ axes.panel.title }}</p>{% endif %}
{% if axes.panel.y.title %}<p class="y">{{ axes.panel.y.title }}</p>{% endif %}
{{ plot(axes, frame) }}
{% if axes.panel.x.title %}<p class="x">{{ axes.panel.x.title }}</p>{% endif %}
</div>
{% endfor %}
</div>
{% endif %}
{% endmacro %}
{% for chart in charts %}<figure>{{ draw(chart) }}</figure>{% endfor %}
<svg><defs>{{ shapes }}</defs></svg></main></body></html>"""
_PATH, _USE = (f"{{http://www.w3.org/2000/svg}}{name}" for name in ("path", "use"))
_HREF = "{http://www.w3.org/1999/xlink}href"

Reading = tuple[float, float]


@dataclass(frozen=True)
class Ruler:
    """An axis as it is drawn: where two of its values are."""

    scale: Scale | Rows
    first: tuple[float, float]  # value and place
    last: tuple[float, float]

    def read(self, place: float) -> float:
        """Return the value at *place*."""
        (a, start), (b, end) = self.first, self.last
        share = (place - start) / (end - start)
        if isinstance(self.scale, Scale) and self.scale.log:
            return math.exp(math.log(a) + share * math.log(b / a))
        return a + share * (b - a)


def ruler(scale: Scale | Rows, places: Iterable[float], *, y: bool = False) -> Ruler:
    """Return the axis with ticks at *places*; amounts on *y* count from below."""
    values = sorted(tick.value for tick in scale.ticks)
    result = sorted(places, reverse=y and isinstance(scale, Scale))
    assert len(result) == len(values)
    return Ruler(scale, (values[0], result[0]), (values[-1], result[-1]))


def page(charts: Sequence[Chart], code: str = "en") -> str:
    """Return a page with *charts*, in the templates and the style of a report."""
    spoken = language.load(code)
    style = rules() + stylesheet(("tokens.css", "site.css", "chart.css"))
    template = html.environment(spoken).from_string(_PAGE)
    return template.render(charts=charts, language=spoken, style=html.verbatim(style))


def shown(chart: Chart) -> Element:
    """Return the element of *chart* on a page."""
    (element,) = parse(page([chart])).all("div", role="img")
    return element


def readings_on_page(chart: Chart) -> list[list[Reading]]:
    """Return what the marks of every panel on a page say."""
    panels = [e for e in shown(chart).walk() if "panel" in e.classes]
    return [
        _on_page(element, panel)
        for element, panel in zip(panels, chart.panels, strict=True)
    ]


def _on_page(element: Element, panel: Panel) -> list[Reading]:
    (strokes,) = [e for e in element.walk() if "strokes" in e.classes]
    grid = strokes.all("path")[0].attributes["d"]
    across = ruler(panel.x, map(float, re.findall(r"M([\d.]+) 0V", grid)))
    rows = map(float, re.findall(r"M0 ([\d.]+)H100", grid))
    upwards = ruler(panel.y, rows, y=True)
    return [
        (
            across.read(float(mark.attributes["x"].removesuffix("%"))),
            upwards.read(float(mark.attributes["y"])),
        )
        for mark in element.all("use")
    ]


def readings_in_file(chart: Chart) -> list[list[Reading]]:
    """Return what the marks of every panel in an SVG file say."""
    drawn = image(chart, language.load("en"))
    return [_in_file(drawn, n, panel) for n, panel in enumerate(chart.panels)]


def _in_file(image: bytes, n: int, panel: Panel) -> list[Reading]:
    across = ruler(panel.x, (x for x, _ in in_file(image, f"panel-{n}-x-")))
    rows = (y for _, y in in_file(image, f"panel-{n}-y-"))
    upwards = ruler(panel.y, rows, y=True)
    marks = in_file(image, f"panel-{n}-mark-")
    return [(across.read(x), upwards.read(y)) for x, y in marks]


def in_file(image: bytes, start: str) -> list[tuple[float, float]]:
    """Return where the things stand whose ids begin with *start*, in points."""
    return [_where(group) for group in _groups(image, start)]


def shapes_in_file(image: bytes, start: str) -> set[str]:
    """Return the outlines of the marks whose ids begin with *start*."""
    root = ET.fromstring(image)  # noqa: S314  ours
    outlines = {
        e.attrib["id"]: e.attrib.get("d", "")
        for e in root.iter(_PATH)
        if "id" in e.attrib
    }
    used = [use for group in _groups(image, start) for use in group.iter(_USE)]
    return {outlines[use.attrib[_HREF][1:]] for use in used}


def _groups(image: bytes, start: str) -> list[ET.Element]:
    root = ET.fromstring(image)  # noqa: S314  ours
    return [e for e in root.iter() if e.attrib.get("id", "").startswith(start)]


def _where(element: ET.Element) -> tuple[float, float]:
    """Return where a mark stands, or a line of the grid begins."""
    used = next(element.iter(_USE), None)
    if used is not None:
        return float(used.attrib["x"]), float(used.attrib["y"])
    path = next(element.iter(_PATH))
    x, y = re.findall(r"-?[\d.]+", path.attrib["d"])[:2]
    return float(x), float(y)
