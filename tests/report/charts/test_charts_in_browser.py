"""Charts on two axes in a real browser: everything is legible at every width."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.report.charts.charts_fixture import KINDS
from tests.report.charts.charts_page import page

_SEEN = """() => {
  const sides = e => {
    const b = e.getBoundingClientRect();
    return {left: b.left, top: b.top, right: b.right, bottom: b.bottom};
  };
  const shown = e => e.getClientRects().length;
  return [...document.querySelectorAll('.panel')].map(panel => ({
    box: sides(panel),
    words: [...panel.querySelectorAll('text, p')].filter(shown)
      .map(e => ({text: e.firstChild?.data ?? '', ...sides(e)})),
    marks: [...panel.querySelectorAll('use')].map(sides),
  }));
}"""
SEEN = {"en": (320, 390, 1280), "ar": (390,)}
# A line of letters is higher than what is drawn of them, and so is a mark's corner.
LEADING, CORNER = 4.0, 4.0

Box = dict[str, Any]


@dataclass(frozen=True)
class View:
    """What is seen of all charts at one width."""

    width: int
    scrolled: int
    panels: list[dict[str, Any]]


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> dict[str, View]:
    folder = tmp_path_factory.mktemp("charts")
    with chromium() as browser:
        return {
            f"{code} {width}": view
            for code, widths in SEEN.items()
            for width, view in _views(browser, folder, code, widths)
        }


def _views(
    browser: Browser, folder: Path, code: str, widths: tuple[int, ...]
) -> list[tuple[int, View]]:
    file = folder / f"{code}.html"
    file.write_text(page(list(KINDS.values()), code), "utf-8")
    opened = browser.new_page()
    opened.goto(file.as_uri())
    pairs = []
    for width in widths:
        opened.set_viewport_size({"width": width, "height": 900})
        scrolled = opened.evaluate("document.documentElement.scrollWidth")
        pairs.append((width, View(width, scrolled, opened.evaluate(_SEEN))))
    return pairs


def all_names() -> list[str]:
    return [f"{code} {width}" for code, widths in SEEN.items() for width in widths]


@pytest.mark.parametrize("name", all_names())
def test_no_chart_is_wider_than_the_screen(views: dict[str, View], name: str):
    assert views[name].scrolled <= views[name].width
    assert len(views[name].panels) == sum(len(chart.panels) for chart in KINDS.values())


@pytest.mark.parametrize("name", all_names())
def test_no_word_leaves_its_panel(views: dict[str, View], name: str):
    for panel in views[name].panels:
        box = panel["box"]
        outside = [
            word["text"]
            for word in panel["words"]
            if word["left"] < box["left"] - 1 or word["right"] > box["right"] + 1
        ]
        assert outside == []


@pytest.mark.parametrize("name", all_names())
def test_no_word_covers_another_or_a_mark(views: dict[str, View], name: str):
    for panel in views[name].panels:
        words = panel["words"]
        pairs = [
            (a["text"], b["text"])
            for n, a in enumerate(words)
            for b in words[n + 1 :]
            if _meet(a, b, 0.5, LEADING)
        ]
        pairs += [
            (word["text"], "mark")
            for word in words
            for mark in panel["marks"]
            if _meet(word, mark, CORNER, LEADING + CORNER)
        ]
        assert pairs == []


def test_a_wide_screen_shows_every_label(views: dict[str, View]):
    panels = [panel for chart in KINDS.values() for panel in chart.panels]
    for seen, panel in zip(views["en 1280"].panels, panels, strict=True):
        texts = [word["text"] for word in seen["words"]]
        labels = {point.label for point in panel.points}
        labels |= {stroke.label for stroke in panel.strokes}
        labels |= {tick.label for tick in panel.x.ticks}
        assert labels - {""} <= set(texts)


def test_panels_stand_side_by_side_only_where_there_is_room(views: dict[str, View]):
    for name, columns in (("en 320", 1), ("en 390", 1), ("en 1280", 2)):
        sweep = views[name].panels[2:6]
        assert len({panel["box"]["left"] for panel in sweep}) == columns


def _meet(a: Box, b: Box, beside: float, over: float) -> bool:
    """Tell whether two boxes share more than these pixels in both directions."""
    wide = min(a["right"], b["right"]) - max(a["left"], b["left"])
    high = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
    return bool(wide > beside and high > over)
