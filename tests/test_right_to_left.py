"""The report in Arabic: what is mirrored, and what never is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page

from benchdb.report import figures, html
from benchdb.report.figures import fonts
from benchdb.report.language import available, load
from benchdb.report.language.direction import mixed_order
from benchdb.report.markdown import page as markdown
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
from tests.browser import chromium
from tests.page import Element, parse
from tests.page_fixture import report as example
from tests.published_page import TRANSCRIBED, page
from tests.view_fixture import empty

AR = load("ar")
SHIPPED = sorted(TRANSCRIBED[0].parent.glob("*.jsonl"))
AXE = files("axe_playwright_python") / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LRI, RLI, PDI = "\u2066", "\u2067", "\u2069"
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


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 مصدر"),
        (1, "مصدر واحد (1)"),
        (2, "مصدران (2)"),
        (3, "3 مصادر"),
        (10, "10 مصادر"),
        (11, "11 مصدرًا"),
        (99, "99 مصدرًا"),
        (100, "100 مصدر"),
        (102, "102 مصدر"),
        (103, "103 مصادر"),
        (111, "111 مصدرًا"),
        (200, "200 مصدر"),
        (1000, "1,000 مصدر"),
        (1003, "1,003 مصادر"),
    ],
)
def test_arabic_counts_in_six_forms(count: int, said: str):
    assert AR.ngettext("%(n)s source", "%(n)s sources", count, n=AR.number(count)) == (
        said
    )


@pytest.mark.parametrize(
    ("plain", "ordered"),
    [
        ("M1 Pro", "M1 Pro"),
        ("3.5×", "3.5×"),
        ("12%", "12%"),
        ("", ""),
        ("دفعة 128", f"{RLI}دفعة 128{PDI}"),
        ("579\u00a0ث", f"{RLI}{LRI}579{PDI}\u00a0ث{PDI}"),
        ("570–588\u00a0ث", f"{RLI}{LRI}570–588{PDI}\u00a0ث{PDI}"),
        ("2.4 ± 0.1 صورة/ث", f"{RLI}{LRI}2.4 ± 0.1{PDI} صورة/ث{PDI}"),
        ("-3 ث", f"{RLI}{LRI}-3{PDI} ث{PDI}"),
        ("M1 · شريحة", "M1 · شريحة"),
    ],
)
def test_figures_run_left_to_right_and_their_words_follow(plain: str, ordered: str):
    assert mixed_order(plain) == ordered
    assert AR.isolate(plain) == f"{LRI}{ordered}{PDI}"
    assert load("de").isolate(plain) == load("de").ordered(plain) == plain


def test_arabic_punctuation_stands_between_what_is_listed():
    assert (AR.comma, AR.semicolon) == ("، ", "؛ ")
    assert (load("fr").comma, load("fr").semicolon) == (", ", "; ")


def test_units_are_those_that_arabic_readers_write():
    assert AR.quantity(Quantity(1140, "img/s", "r")) == "1,140\u00a0صورة/ث"
    assert AR.quantity(Quantity(579.18, "s", "r", printed="579.18")) == (
        "579.18\u00a0ث"
    )
    assert AR.measure("35", "W") == "35\u00a0" + "واط"


def test_digits_are_latin_everywhere(tree: Element, text: str):
    assert not NATIVE_DIGITS.search(tree.text)
    assert not NATIVE_DIGITS.search(text)


def test_a_page_says_that_it_runs_from_right_to_left(tree: Element):
    assert tree.all("html")[0].attributes == {"lang": "ar", "dir": "rtl"}
    assert tree.all("a", hreflang="en")[0].attributes["dir"] == "ltr"


def test_every_quantity_is_a_left_to_right_isolate(tree: Element):
    amounts = [e for e in tree.all("bdi") if "amount" in e.classes]
    cells = [e.text for e in tree.by_id("table-values").having("data-value")]

    assert len(amounts) > 100
    assert {e.attributes.get("dir") for e in amounts} == {"ltr"}
    assert len(cells) > 100
    assert [cell for cell in cells if LRI not in cell] == []


def test_ratios_stay_ratios(tree: Element, text: str):
    table = tree.by_id("table-metal")
    verdicts = {e.text for e in table.walk() if "words" in e.classes}

    assert verdicts == {"ضعف السرعة", "ضعف الزمن", "لا فرق واضح"}
    assert not re.search(r"أسرع ب(ـ|نسبة)", text.replace("«أسرع بنسبة", ""))


@pytest.mark.parametrize("sample", [example(), empty()], ids=["example", "empty"])
def test_other_reports_are_written_too(sample: Report):
    assert parse(html.render(sample, AR)).by_id("content")
    assert _unbalanced(markdown.render(sample, AR, {})) == []


def test_markdown_runs_from_right_to_left_with_balanced_isolates(text: str):
    assert text.startswith('<div dir="rtl" lang="ar">\n\n# ')
    assert text.endswith("\n\n</div>\n")
    assert f"{LRI}3.5×{PDI} ضعف السرعة" in text
    assert _unbalanced(text) == []


def _unbalanced(text: str) -> list[str]:
    """Return the lines whose isolates do not nest, as they must in a cell."""
    found = []
    for line in text.splitlines():
        for cell in line.split("|"):
            rest = re.sub(f"[^{LRI}{RLI}{PDI}]", "", cell)
            while (shorter := re.sub(f"[{LRI}{RLI}]{PDI}", "", rest)) != rest:
                rest = shorter
            found += [cell] if rest else []
    return found


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
    places = visit.page.locator("#table-ranking small .amount").evaluate_all(_PLACES)

    assert len(places) > 5
    assert [one for one in places if not one["low"] < one["high"]] == []
    assert [one for one in places if not one["unit"] < one["low"]] == []


# Where the first and the last digit of a range stand, and the unit, in pixels.
_PLACES = """all => all.filter(e => /\\d–\\d/.test(e.textContent)).map(e => {
  e.style.whiteSpace = "nowrap";
  const text = e.firstChild, said = text.data, at = i => {
    const r = document.createRange();
    r.setStart(text, i); r.setEnd(text, i + 1);
    return r.getBoundingClientRect().left;
  };
  const dash = said.indexOf("–");
  const unit = said.search(/[\\u0600-\\u06ff]/);
  return {low: at(dash - 1), high: at(dash + 1), unit: at(unit)};
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, scheme: Any, width: int):
    # Every kind of row is there; axe needs a minute for all rows that are shipped.
    sample = replace(example(), values=example().values[::8])
    file = tmp_path / "report.ar.html"
    file.write_text(html.render(sample, AR, languages=("en", "ar")), "utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    shown = context.new_page()
    shown.goto(file.as_uri())
    shown.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    shown.add_script_tag(content=AXE.read_text("utf-8"))
    found = shown.evaluate(
        "rules => axe.run({runOnly: rules, resultTypes: ['violations']})", RULES
    )
    context.close()

    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []


def test_without_fonts_one_warning_names_the_packages(monkeypatch: pytest.MonkeyPatch):
    nothing = dict.fromkeys(("ar", "ja", "ko", "zh-Hans"), ("No Such Font",))
    monkeypatch.setattr(fonts, "_FAMILIES", nothing)
    before = html.render(example(), AR)

    said = fonts.missing_fonts(("en", "ar", "ja", "ko"))

    assert said.count("fonts-noto-core") == said.count("fonts-noto-cjk") == 1
    assert "ar, ja, ko" in said
    assert "\n" not in said
    assert fonts.missing_fonts(("en", "de", "fr")) == ""
    assert "ضعف السرعة" in (figures.metal(example(), AR) or b"").decode()
    assert html.render(example(), AR) == before


def test_fonts_are_there_for_every_language_of_the_reports():
    assert fonts.missing_fonts(available()) == ""
