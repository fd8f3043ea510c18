"""The report in Arabic: what is mirrored, and what never is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.markdown import page as markdown
from benchdb.report.view.page import Report
from tests.browser import chromium
from tests.page import Element, parse
from tests.published_page import TRANSCRIBED, page
from tests.report.right_to_left import LRI, PDI, unbalanced

AR = load("ar")
SHIPPED = sorted(TRANSCRIBED[0].parent.glob("*.jsonl"))
# Single figures; ranges are inside isolates that they bring with them.
FIGURES = ", ".join(
    (
        "bdi:not([translate])",
        "td:not(.cell) [href^='#run']",
        "td.verdict b",
        "#table-ranking a :is(b, small)",
        "#table-distance a :is(b, small)",
        "#table-values td:is(:nth-child(3), :nth-child(7), :nth-child(8))",
        "#table-values small:not([lang])",
    )
)
NATIVE_DIGITS = re.compile("[\u0660-\u0669\u06f0-\u06f9]")


@dataclass
class Visit:
    """A page, and what it said on its console."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return page(tmp_path_factory.mktemp("store"), SHIPPED)


@pytest.fixture(scope="module")
def file(shipped: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("pages") / "report.ar.html"
    written.write_text(html.render(shipped, AR, languages=("en", "ar")), "utf-8")
    return written


@pytest.fixture(scope="module")
def tree(file: Path) -> Element:
    return parse(file.read_text("utf-8"))


@pytest.fixture(scope="module")
def text(shipped: Report) -> str:
    return markdown.render(shipped, AR, {"metal": "report.ar.metal.svg"})


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


def test_ratios_stay_ratios(tree: Element, text: str):
    table = tree.by_id("table-metal")
    verdicts = {e.text for e in table.walk() if "words" in e.classes}
    unclear = [e.text for e in table.walk() if "غير واضح:" in e.text]

    assert unclear
    assert verdicts == {"ضعف السرعة", "ضعف الزمن"}
    assert not re.search(r"أسرع ب(ـ|نسبة)", text.replace("«أسرع بنسبة", ""))


def test_markdown_runs_from_right_to_left_with_balanced_isolates(text: str):
    assert text.startswith('<div dir="rtl" lang="ar">\n\n# ')
    assert text.endswith("\n\n</div>\n")
    assert f"{LRI}3.5×{PDI} ضعف السرعة" in text
    assert unbalanced(text) == []


def test_nothing_is_said_on_the_console(visit: Visit):
    visit.page.locator("#baseline").select_option(index=3)
    visit.page.locator("#table-ranking th button").first.click()
    visit.page.locator("#find").fill("M1 Max")

    assert visit.page.locator("#table-values tbody tr:visible").count() > 10
    assert visit.complaints == []
    ratios = visit.page.locator("#table-ranking .cell b").all_inner_texts()
    assert "1.0×" in ratios
    assert not NATIVE_DIGITS.search("".join(ratios))
    visit.page.locator("#find").fill("")


@pytest.mark.parametrize("section", ["metal", "distance"])
def test_axes_run_from_left_to_right(visit: Visit, section: str):
    ticks = visit.page.locator(f"#table-{section} .scale text")
    places = [box["x"] for box in map(Locator.bounding_box, ticks.all()) if box]
    values = [_number(said) for said in ticks.all_text_contents()]

    assert len(values) >= 4
    assert values == sorted(values)
    assert places == sorted(places)


def _number(said: str) -> float:
    found = re.search(r"[\d,.]+", said)
    assert found
    return float(found[0].replace(",", ""))


def test_every_quantity_is_an_isolate_of_its_own(visit: Visit):
    """What stands around a figure cannot turn it round: it is a box, or isolated."""
    isolated = "all => all.map(e => getComputedStyle(e)).map(s => s.unicodeBidi)"
    figures = visit.page.locator(FIGURES)

    assert figures.count() > 400
    assert set(figures.evaluate_all(isolated)) == {"plaintext"}


def test_a_unit_stands_on_the_left_of_its_number(visit: Visit):
    places = visit.page.locator(FIGURES).evaluate_all(_UNITS)

    assert len(places) > 150
    assert [one for one in places if not one["unit"] < one["number"]] == []


def test_a_sign_stands_on_the_right_of_its_number(visit: Visit):
    signed = visit.page.locator("#table-ranking b, #table-distance b, .verdict b")
    places = signed.evaluate_all(_SIGNS)

    assert len(places) > 80
    assert [one for one in places if not one["sign"] > one["number"]] == []


def test_charts_inside_tables_keep_their_direction(visit: Visit):
    directions = "all => [...new Set(all.map(e => getComputedStyle(e).direction))]"

    assert visit.page.locator("svg").evaluate_all(directions) == ["ltr"]


def test_columns_of_figures_end_on_the_right(visit: Visit):
    cells = visit.page.locator("td.number, td.cell, #table-values td:nth-child(7)")
    aligned = "all => [...new Set(all.map(e => getComputedStyle(e).textAlign))]"

    assert cells.count() > 200
    assert cells.evaluate_all(aligned) == ["right"]


def test_the_first_column_is_the_rightmost(visit: Visit):
    cells = visit.page.locator("#table-ranking thead th").all()
    places = [box["x"] for box in map(Locator.bounding_box, cells) if box]

    assert places == sorted(places, reverse=True)


def test_the_ends_of_a_range_stand_in_order(visit: Visit):
    """Low before high on the screen, and the unit on the left of both."""
    ranges = visit.page.locator(".joules td > small")
    places = ranges.evaluate_all(_PLACES)

    assert len(places) > 3
    assert [one for one in places if not one["low"] < one["high"]] == []
    assert [one for one in places if not one["unit"] < one["low"]] == []


@pytest.mark.parametrize(
    ("place", "least"),
    [
        ("#table-values small:not([lang])", 40),
        (".rates td > small:not(:last-child)", 20),
        (":is(#table-ranking, #table-distance) a small", 9),
    ],
)
def test_so_do_those_whose_unit_stands_beside_them(
    visit: Visit, place: str, least: int
):
    places = visit.page.locator(place).evaluate_all(_PLACES)

    assert len(places) > least
    assert [one for one in places if not one["low"] < one["high"]] == []
    assert {one["unit"] for one in places} == {None}


# Where a character of a text stands, in pixels.
_AT = """(text, i) => {
  const r = document.createRange();
  r.setStart(text, i); r.setEnd(text, i + 1);
  return r.getBoundingClientRect().left;
}"""

# Where the first digit of "579 ث" stands, and its unit; where "3.5×" has its sign.
_UNITS = f"""all => all.map(e => [e.lastChild, {_AT}]).filter(([t]) => t?.data)
  .filter(([t]) => /^\\d[\\d.,]*\\s[\\u0600-\\u06ff]/.test(t.data))
  .map(([t, at]) => (
    {{number: at(t, 0), unit: at(t, t.data.search(/[\\u0600-\\u06ff]/))}}))"""
_SIGNS = f"""all => all.map(e => [e.firstChild, {_AT}])
  .filter(([t]) => /^\\d[\\d.,]*[×%]/.test(t?.data || ""))
  .map(([t, at]) => (
    {{number: at(t, 0), sign: at(t, t.data.search(/[×%]/))}}))"""

# Where the first and the last digit of a range stand, and the unit, in pixels.
_PLACES = """all => all
.filter(e => /\\d–\\d/.test(e.textContent)).map(e => {
  e.style.whiteSpace = "nowrap";
  const text = e.firstChild, said = text.data, at = i => {
    const r = document.createRange();
    r.setStart(text, i); r.setEnd(text, i + 1);
    return r.getBoundingClientRect().left;
  };
  const dash = said.indexOf("–");
  const unit = said.search(/[\\u0600-\\u06ff]/);
  return {low: at(dash - 1), high: at(dash + 1), unit: unit < 0 ? null : at(unit)};
})"""
