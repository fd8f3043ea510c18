"""Charts on two axes on a page and as files, read as a reader would: off the ticks."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchdb.report import html, language
from benchdb.report.figures.plane import svg
from benchdb.report.planes import Panel, Plane, Scale
from benchdb.report.sealed import stylesheet
from tests.page import Element, parse

_PAGE = """<!DOCTYPE html>
<html lang="{{ language.code }}" dir="{{ language.direction }}">
<head><meta charset="utf-8"><title>Charts</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{{ style }}</style></head>
<body><main class="sheet"><h1>Charts</h1>
{% from "parts/plane.j2" import draw, shapes with context %}
{% for plane in planes %}<figure>{{ draw(plane) }}</figure>{% endfor %}
{{ shapes() }}</main></body></html>"""
_PATH, _USE = (f"{{http://www.w3.org/2000/svg}}{name}" for name in ("path", "use"))
_HREF = "{http://www.w3.org/1999/xlink}href"

Reading = tuple[float, float]


@dataclass(frozen=True)
class Ruler:
    """An axis as it is drawn: where two of its values are."""

    scale: Scale
    first: tuple[float, float]  # value and place
    last: tuple[float, float]

    def read(self, place: float) -> float:
        """Return the value at *place*."""
        (a, start), (b, end) = self.first, self.last
        share = (place - start) / (end - start)
        if self.scale.log:
            return math.exp(math.log(a) + share * math.log(b / a))
        return a + share * (b - a)


def ruler(scale: Scale, places: Iterable[float], *, falling: bool = False) -> Ruler:
    """Return the axis with ticks at *places*; a *falling* one counts from below."""
    values = sorted(tick.value for tick in scale.ticks)
    found = sorted(places, reverse=falling)
    assert len(found) == len(values)
    return Ruler(scale, (values[0], found[0]), (values[-1], found[-1]))


def page(planes: Sequence[Plane], code: str = "en") -> str:
    """Return a page with *planes*, in the templates and the style of a report."""
    spoken = language.load(code)
    style = stylesheet(("report.css", "plane.css"))
    template = html.environment(spoken).from_string(_PAGE)
    return template.render(planes=planes, language=spoken, style=html.verbatim(style))


def shown(plane: Plane) -> Element:
    """Return the element of *plane* on a page."""
    (found,) = parse(page([plane])).all("div", role="img")
    return found


def readings_on_page(plane: Plane) -> list[list[Reading]]:
    """Return what the marks of every panel on a page say."""
    panels = [e for e in shown(plane).walk() if "panel" in e.classes]
    return [
        _on_page(element, panel)
        for element, panel in zip(panels, plane.panels, strict=True)
    ]


def _on_page(element: Element, panel: Panel) -> list[Reading]:
    (strokes,) = [e for e in element.walk() if "strokes" in e.classes]
    grid = strokes.all("path")[0].attributes["d"]
    across = ruler(panel.x, map(float, re.findall(r"M([\d.]+) 0V", grid)))
    rows = map(float, re.findall(r"M0 ([\d.]+)H100", grid))
    upwards = ruler(panel.y, rows, falling=True)
    return [
        (
            across.read(float(mark.attributes["x"].removesuffix("%"))),
            upwards.read(float(mark.attributes["y"])),
        )
        for mark in element.all("use")
    ]


def readings_in_file(plane: Plane) -> list[list[Reading]]:
    """Return what the marks of every panel in an SVG file say."""
    image = svg(plane, "en")
    return [_in_file(image, n, panel) for n, panel in enumerate(plane.panels)]


def _in_file(image: bytes, n: int, panel: Panel) -> list[Reading]:
    across = ruler(panel.x, (x for x, _ in in_file(image, f"panel-{n}-x-")))
    rows = (y for _, y in in_file(image, f"panel-{n}-y-"))
    upwards = ruler(panel.y, rows, falling=True)
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
