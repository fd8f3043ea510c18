"""The page of the shipped database, in every language, in a real browser."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, BrowserContext, Page

from benchdb.report.bounds import fitted
from benchdb.report.data_files import json_document
from benchdb.report.language import Language, available, load
from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
from benchdb.store.database import open_database, reading
from tests.browser import chromium
from tests.in_process import benchdb
from tests.report.axe import Scheme, colours, violations, violations_but_of_colours
from tests.report.right_to_left import bare

DATABASE = Path(__file__).parents[2] / "results.sqlite"
COMPARED = ("metal", "ranking", "distance", "efficiency", "batches", "scaling")
SECTIONS = (*COMPARED, "sweep", "normal", "values")
JUDGED = ("en", "ar")  # by all rules; others by all but those of colours
A4 = 703  # what a page of 210 mm leaves between its margins, in CSS pixels
OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
# axe looks at everything; of cells, items and marks made of the same parts in the same
# place, one tells the same as all. A row stays where it has a cell of a new kind.
ONE_OF_A_KIND = """() => {
  const seen = new Set(), part = e => e.tagName + (e.className.baseVal ?? e.className);
  const parts = e => [...new Set([...e.querySelectorAll("*")].map(part))].sort();
  const isNew = (...facts) => seen.size < seen.add(JSON.stringify(facts)).size;
  for (const e of document.querySelectorAll("tbody tr, li, .plane *, svg text")) {
    if (!e.isConnected) continue;
    const place = [e.closest("section, main, body").id, part(e.parentElement), part(e)];
    const told = [...(e.cells ?? [e])].map((one, i) =>
      isNew(...place, i, part(one), parts(one)));
    if (!told.some(Boolean)) e.remove();
  }
  return seen.size;
}"""
TEXTS = """name => {
  const found = [], part = document.getElementById(name);
  const all = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) found.push(all.currentNode.data);
  return found.join(" ");
}"""
CUT = """width => [...document.querySelectorAll("table, figure > svg, .scroller")]
  .map(e => [e.id || e.className, e.getBoundingClientRect(), e])
  .filter(([, r, e]) => r.left < -4 || r.right > width + 4
    || (e.matches(".scroller") && e.scrollWidth > e.clientWidth + 4))
  .map(([name]) => name)"""


@dataclass
class Visit:
    """The page in one language, and what it did beside showing itself."""

    language: Language
    file: Path
    context: BrowserContext
    requests: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)

    def open(self, fragment: str = "") -> Page:
        page = self.context.new_page()
        page.on("request", lambda request: self.requests.add(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.file.as_uri() + fragment)
        return page

    def did_nothing_else(self) -> bool:
        """Tell whether its own file is all that the page asked for, in silence."""
        return (self.requests, self.complaints) == ({self.file.as_uri()}, [])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("shipped")
    options = ("--lang", "all", "--format", "html,json")
    assert benchdb("report", *options, "--db", DATABASE, "-o", room).status == 0
    return room


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module", params=available())
def visit(
    request: pytest.FixtureRequest, browser: Browser, folder: Path
) -> Iterator[Visit]:
    code = request.param
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Visit(load(code), folder / f"report.{code}.html", context)
    context.close()


@pytest.fixture(scope="module")
def page(visit: Visit) -> Page:
    return visit.open()


def test_nothing_is_cut_on_paper_or_wider_than_the_screen(visit: Visit, page: Page):
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4, "height": 1000})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.locator("table:visible").count() >= 6
    assert page.evaluate(CUT, A4) == []

    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.evaluate(OPEN)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.did_nothing_else()


def test_a_baseline_and_a_filter_are_kept_in_the_address(visit: Visit, page: Page):
    table = page.locator("#table-ranking tbody")
    first = table.inner_text()
    page.locator("#baseline").select_option(index=1)
    page.locator("#find").fill("m1 ultra")
    rows = page.locator("#table-values tbody tr")
    shown = page.locator("#table-values tbody tr:visible")
    own = page.locator("#table-ranking tr.baseline .cell b").all_inner_texts()
    again = visit.open("#" + page.url.partition("#")[2])
    again.evaluate(OPEN)

    assert {*map(bare, own)} - {"–"} == {bare(visit.language.times(1))}
    assert table.inner_text() != first
    assert 0 < shown.count() < rows.count()
    assert visit.language.number(shown.count()) in page.locator("#found").inner_text()
    assert again.locator("#table-ranking tbody").inner_text() == table.inner_text()
    kept = again.locator("#table-values tbody tr:visible")
    assert kept.all_inner_texts() == shown.all_inner_texts()
    assert visit.did_nothing_else()


@pytest.fixture(scope="module")
def shown() -> Report:
    """The report of the shipped database as far as a page has room for it."""
    with reading(open_database(str(DATABASE))) as connection:
        return fitted(summarise(connection))


def test_without_scripts_all_figures_are_there(
    visit: Visit, browser: Browser, shown: Report
):
    told = json.loads(json_document(shown))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(visit.file.as_uri())
    checked = 0
    for name in SECTIONS:
        part = without_marks(told[name]) if name == "normal" else told[name]
        figures = list(quantities(part))
        said = bare(page.evaluate(TEXTS, name)) if figures else ""
        lost = [one for one in figures if not is_told(visit.language, one, said)]
        checked += len(figures)
        assert lost == [], name
    marks = sum(len(strip["dots"]) for strip in told["normal"]["strips"])
    assert page.locator("#normal g.marks use").count() == marks > 0
    assert {"normal", "values"} <= shown.more.keys()
    for name, count in shown.more.items():
        left = bare(visit.language.number(count))
        texts = page.locator(f"#{name} .fine").all_text_contents()
        assert left in bare(" ".join(texts)), name
    folded = page.locator("#values details")
    folded.locator("summary").click()

    assert checked > 300
    assert folded.locator("tbody tr").last.is_visible()
    assert page.locator("#baseline, #find").filter(visible=True).count() == 0
    context.close()


def without_marks(normal: dict[str, Any]) -> list[dict[str, Any]]:
    """Return strips as their table has them: median and ends; others are marks."""
    strips = (*normal["strips"], *normal["rest"])
    return [{**one, "dots": [it for it in one["dots"] if it["mine"]]} for one in strips]


def quantities(part: Any) -> Iterator[Quantity]:
    """Return all figures inside *part* of a report as JSON."""
    if isinstance(part, dict):
        if {"value", "unit", "run", "printed"} <= part.keys():
            yield Quantity(**{**part, "notes": tuple(part["notes"])})
        else:
            for one in part.values():
                yield from quantities(one)
    elif isinstance(part, list):
        for one in part:
            yield from quantities(one)


def is_told(language: Language, figure: Quantity, said: str) -> bool:
    """Tell whether *figure* is in the text, as printed or rounded, or its digits."""
    forms = (form(figure) for form in (language.quantity, language.compact))
    if any(bare(form) in said for form in forms):
        return True
    digits = re.escape(bare(language.compact(replace(figure, unit=""))))
    return bool(re.search(rf"(?<!\d){digits}(?!\d)", said))


@pytest.fixture(scope="module")
def judged(browser: Browser, folder: Path) -> set[tuple[Scheme, str]]:
    """Colours of texts that axe finds no fault with, in both directions."""
    shown: set[tuple[Scheme, str]] = set()
    for code in JUDGED:
        page = laid_open(browser, folder / f"report.{code}.html")
        shown |= colours(page)
        assert page.evaluate(ONE_OF_A_KIND) > 100
        assert violations(page) == []
        page.context.close()
    return shown


def laid_open(browser: Browser, file: Path) -> Page:
    # The page's own policy would keep axe out; the page itself is as users get it.
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(file.as_uri())
    page.evaluate(OPEN)
    return page


def test_axe_finds_nothing(
    visit: Visit, browser: Browser, judged: set[tuple[Scheme, str]]
):
    """Colours take it longest; it has judged the same ones in two languages."""
    assert len(judged) > 20
    if visit.language.code in JUDGED:
        return
    page = laid_open(browser, visit.file)
    shown = colours(page)
    assert page.evaluate(ONE_OF_A_KIND) > 100
    found = violations_but_of_colours(page)
    page.context.close()

    assert found == []
    assert shown <= judged
    assert len(shown) > 20
