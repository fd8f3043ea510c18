"""The report in Arabic: what is mirrored, and what never is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from benchdb.report.language import load
from benchdb.site.pages import Sheet
from tests.browser import chromium
from tests.page import Element, parse
from tests.report.right_to_left import unbalanced
from tests.site import short_page
from tests.site.short_page import Short

AR = load("ar")
FIGURES = ".fig, .heat td, .list td.num, .head b, bdi"
NATIVE_DIGITS = re.compile("[\u0660-\u0669\u06f0-\u06f9]")


@dataclass
class Visit:
    """A page, and what it said on its console."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Short:
    return short_page.shipped(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def file(shipped: Short, tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("pages") / "report.ar.html"
    sheet = Sheet("benchdb report", "5d" * 32, ("en", "ar"))
    written.write_text(shipped.page(AR, sheet), "utf-8")
    return written


@pytest.fixture(scope="module")
def tree(file: Path) -> Element:
    return parse(file.read_text("utf-8"))


@pytest.fixture(scope="module")
def text(shipped: Short) -> str:
    return shipped.text(AR)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def visit(browser: Browser, file: Path) -> Visit:
    made = Visit(browser.new_page(viewport={"width": 1280, "height": 900}))
    made.page.on("console", lambda message: made.complaints.append(message.text))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.goto(file.as_uri())
    made.page.evaluate("document.querySelectorAll('details').forEach(d=>d.open=true)")
    return made


def test_digits_are_latin_everywhere(tree: Element, text: str):
    assert not NATIVE_DIGITS.search(tree.text)
    assert not NATIVE_DIGITS.search(text)


def test_a_page_says_that_it_runs_from_right_to_left(tree: Element):
    assert tree.all("html")[0].attributes == {"lang": "ar", "dir": "rtl"}
    assert tree.all("a", hreflang="en")[0].attributes["dir"] == "ltr"


def test_markdown_runs_from_right_to_left_with_balanced_isolates(text: str):
    assert text.startswith('<div dir="rtl" lang="ar">\n\n# ')
    assert text.endswith("\n\n</div>\n")
    assert unbalanced(text) == []


def test_nothing_is_said_on_the_console(visit: Visit):
    assert visit.complaints == []


@pytest.mark.parametrize("column", [0, 1])
def test_axes_run_from_left_to_right(visit: Visit, column: int):
    ticks = visit.page.locator("#chips-table .axis").nth(column).locator("text")
    places = [box["x"] for box in map(Locator.bounding_box, ticks.all()) if box]
    values = [_number(content) for content in ticks.all_text_contents()]

    assert len(values) >= 3
    assert values == sorted(values)
    assert places == sorted(places)


def _number(result: str) -> float:
    match = re.search(r"[\d,.]+", result)
    assert match
    return float(match[0].replace(",", ""))


def test_every_quantity_is_an_isolate_of_its_own(visit: Visit):
    """What stands around a figure cannot turn it round: it is a box, or isolated."""
    isolated = """all => all.map(e => getComputedStyle(e))
      .map(s => ["isolate", "plaintext"].includes(s.unicodeBidi)
        || s.display == "table-cell")"""
    figures = visit.page.locator(FIGURES)

    assert figures.count() > 30
    assert set(figures.evaluate_all(isolated)) == {True}


def test_a_sign_stands_on_the_right_of_its_number(visit: Visit):
    places = visit.page.locator(".fig, .heat td b, .head b").evaluate_all(_SIGNS)

    assert len(places) > 3
    assert [place for place in places if not place["sign"] > place["number"]] == []


def test_charts_inside_tables_keep_their_direction(visit: Visit):
    directions = "all => [...new Set(all.map(e => getComputedStyle(e).direction))]"

    assert visit.page.locator("svg").evaluate_all(directions) == ["ltr"]


def test_the_first_column_is_the_rightmost(visit: Visit):
    cells = visit.page.locator("#chips-table thead th").all()
    places = [box["x"] for box in map(Locator.bounding_box, cells) if box]

    assert places == sorted(places, reverse=True)


# Where the first digit of "3.5×" stands, and its sign, in pixels.
_SIGNS = """all => all.map(e => [...e.childNodes].find(n => n.nodeType == 3))
  .filter(t => /^\\d[\\d.,]*[×%]/.test(t?.data || "")).map(t => {
    const at = i => {
      const r = document.createRange();
      r.setStart(t, i); r.setEnd(t, i + 1);
      return r.getBoundingClientRect().left;
    };
    return {number: at(0), sign: at(t.data.search(/[×%]/))};
  })"""
