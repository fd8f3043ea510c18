"""The short report: one file that needs nothing else, and what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from benchdb.report import page_assets
from benchdb.report.language import available, load
from benchdb.site import short_facts, single
from tests.browser import chromium
from tests.page import Element, parse
from tests.report.axe import violations
from tests.site.short_page import SHEET, page_of
from tests.site.sites import shipped
from tests.store_factory import Machine, Run
from tests.summary_page import WALL, measured, three_published
from tests.written_reports import mixed, report, store

MOST, SHEETS = 100_000, 2
OUTSIDE = ("#", "https://", "data:,")


@pytest.fixture(scope="module", name="pages")
def of_the_shipped_database(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """Return the file of the shipped database in every language."""
    folder = tmp_path_factory.mktemp("pages")
    site = shipped()
    facts = short_facts.single(site)
    for code in available():
        written = single.page(facts, load(code), SHEET)
        (folder / f"{code}.html").write_text(written, "utf-8")
    return {code: folder / f"{code}.html" for code in available()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def paper(browser: Browser) -> Page:
    return browser.new_page()


@pytest.mark.parametrize("code", available())
def test_the_file_is_short_and_needs_nothing_else(pages: dict[str, Path], code: str):
    page = parse(pages[code].read_text("utf-8"))
    links = {element.attributes["href"] for element in page.having("href")}

    assert pages[code].stat().st_size <= MOST
    assert page.all("script") == page.having("src") == page.all("form") == []
    assert {link for link in links if not link.startswith(OUTSIDE)} == set()
    inside = {link.removeprefix("#") for link in links if link.startswith("#")}
    assert inside <= {element.attributes["id"] for element in page.having("id")}


@pytest.mark.parametrize("code", available())
def test_it_prints_on_two_sheets(pages: dict[str, Path], paper: Page, code: str):
    paper.goto(pages[code].as_uri())
    printed = paper.pdf(format="A4", prefer_css_page_size=True)

    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= SHEETS


@pytest.mark.parametrize("code", ["en", "ar", "ja"])
def test_it_asks_for_nothing_and_fits_a_small_screen(
    pages: dict[str, Path], browser: Browser, code: str
):
    page = browser.new_page(viewport={"width": 320, "height": 800})
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(pages[code].as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()

    assert heard == [pages[code].as_uri()]
    assert wide == 320


@pytest.mark.parametrize("code", ["en", "ar"])
def test_everybody_can_read_it(pages: dict[str, Path], browser: Browser, code: str):
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(pages[code].as_uri())

    assert violations(page) == []
    context.close()


def test_six_answers_stand_above_a_row_for_each_chip(pages: dict[str, Path]):
    page = parse(pages["en"].read_text("utf-8"))
    cards = [element for element in page.all("article") if "card" in element.classes]
    chips = page.by_id("chips-table").all("tbody")[0].all("tr")

    assert len(cards) == 6
    assert len(chips) >= 15
    ids = [
        element.attributes["id"]
        for element in page.all("h2")
        if "id" in element.attributes
    ]
    assert ids == ["chips", "metal", "gpu", "watt", "know", "sources"]


def test_the_same_database_gives_the_same_bytes(tmp_path: Path):
    database = store(tmp_path, mixed())
    for name in ("a", "b"):
        report(database, "-o", tmp_path / name, "--format", "html,markdown,snippet")

    data, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("a", "b")
    )
    assert data == other
    assert {"report.en.html", "report.en.snippet.md", "report.en.badge.svg"} <= set(
        data
    )


def test_my_machine_is_marked(tmp_path: Path):
    runs = [*three_published(), *measured([{"samples_per_second": 90.0}], "metal")]
    page = page_of(tmp_path, runs)

    (row,) = (
        row for row in page.by_id("chips-table").all("tr") if "current" in row.classes
    )
    assert row.all("bdi")[0].text == "M4 Max"
    assert row.all("mark")[0].text == "yours"
    assert page.by_id("yours").text == "Your machine"


def test_a_flagged_pair_is_outlined_and_explained(tmp_path: Path):
    runs = three_published()
    flagged = replace(runs[4], flags=[("outlier", WALL)])
    page = page_of(tmp_path, [*runs[:4], flagged, *runs[5:]])

    cells = [
        element
        for element in page.by_id("metal-table").all("td")
        if "flagged" in element.classes
    ]
    assert len(cells) == 1
    assert "⚑" in page.by_id("know-list").text


def test_what_no_mac_did_is_listed(tmp_path: Path):
    card = Machine("Core i7", "Intel", None, 32, gpu="NVIDIA H200")
    page = page_of(tmp_path, [Run(device="cuda", machine=card, values={WALL: 9.0})])

    assert page.all("h1")[0].text == "Benchmark results and their sources"
    assert "H200" in page.by_id("figures").text


def test_filters_list_what_they_leave(tmp_path: Path):
    done = report(
        store(tmp_path, mixed()), "-o", "-", "--format", "html", "--chip", "M1"
    )
    page = parse(done.out)

    assert "--chip M1" in page.text
    assert len(page.by_id("figures").all("tbody")[0].all("tr")) == 4


def test_an_empty_database_has_a_page(tmp_path: Path):
    page = page_of(tmp_path, [])

    assert page.all("h1")[0].text == "How fast is a Mac at machine learning?"
    assert page.by_id("chips").text


def run_page(database: Path, run: str, *options: object) -> Element:
    done = report(database, "--run", run, "-o", "-", *options)
    assert (done.status, done.err) == (0, "")
    return parse(done.out)


def test_the_page_of_a_run_is_one_file(tmp_path: Path):
    database = store(tmp_path, mixed())
    done = report(database, "-o", "-", "--format", "json", "--chip", "M2")
    (run,) = set(re.findall(r'"run": "(\w{64})"', done.out))
    page = run_page(database, run[:12])

    assert "91.80" in page.all("mark")[0].text
    assert page.all("script") == page.having("src") == page.all("nav") == []
    links = [element.attributes["href"] for element in page.having("href")]
    assert [
        link for link in links if not link.startswith(("#", "https://", "data:,"))
    ] == []
    assert f"benchdb report --run {run[:12]}" in page.text
    assert (
        run_page(database, run[:12], "--lang", "de").all("html")[0].attributes["lang"]
        == "de"
    )


@pytest.mark.parametrize(
    ("style", "kept"),
    [
        (".a{x:y}.b{x:y}", ".a{x:y}"),
        ("p{x:y}", "p{x:y}"),
        (".b .a{x:y}:is(.b,#c){x:y}", ".b .a{x:y}"),
        ("@media print{.b{x:y}}", ""),
        ("@media print{.a{x:y}.b{x:y}}", "@media print{.a{x:y}}"),
    ],
)
def test_style_of_what_is_not_there_is_left_out(style: str, kept: str):
    assert page_assets.needed(style, "<p class=a>") == kept
