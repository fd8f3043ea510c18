"""What all pages share: the head, ways between pages, the table of figures, search."""

import json
import re
from collections.abc import Iterator

import pytest

from benchdb.report import language, page_assets
from benchdb.site import listings, pages, search
from benchdb.site.addresses import relative
from benchdb.site.content import Site
from benchdb.site.figure_table import Words as Table
from benchdb.site.figure_table import figure_table, table_words
from benchdb.site.pages import Frame, Page, Words
from tests.page import Element, parse
from tests.site.sites import answer, runs, site_with

ENGLISH = language.load("en")
FRAME = Frame(("en", "de", "ar"))
ADDRESS = "https://example.org/bench/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site_with(tmp_path_factory.mktemp("small"), runs()) as made:
        yield made


def page(
    frame: Frame = FRAME, *, address: str = "chip/m1", local: bool = False
) -> Element:
    words = Words(
        title="M1",
        description="All about it.",
        crumbs=(("chips", "Chips"),),
        contents=(("figures", "Figures"),),
        parts={"lead": "", "heads": (), "rows": ()},
    )
    made_of = Page(address, "chips", "list", [], lambda _: words, local)
    return parse(pages.render(made_of, ENGLISH, frame))


def table(site: Site, workload: str = "", most: int = 400) -> Table:
    lines = site.by_workload[workload] if workload else site.lines
    return table_words(ENGLISH, figure_table(site, lines, "benchdb list", most))


def links(element: Element) -> dict[str, str]:
    return {item.attributes["href"]: item.text for item in element.all("a")}


@pytest.mark.parametrize(
    ("target", "origin", "way"),
    [
        ("index.html", "index.html", "index.html"),
        ("de/chip/m2.html", "de/chip/m1.html", "m2.html"),
        ("de/index.html", "de/chip/m1.html", "../index.html"),
        ("run/1.html", "de/chip/m1.html", "../../run/1.html"),
        ("assets/a.css", "index.html", "assets/a.css"),
    ],
)
def test_a_way_between_pages_is_the_shortest(target, origin, way):
    assert relative(target, origin) == way


def test_without_an_address_a_page_names_none():
    head = page().all("head")[0]

    assert head.all("link", rel="canonical") == []
    assert head.having("hreflang") == []
    assert [
        element for element in head.all("meta") if "property" in element.attributes
    ] == []
    groups = {it.attributes.get("name"): it.attributes for it in head.all("meta")}
    assert groups["description"]["content"] == "All about it."


def test_with_an_address_a_page_names_itself_in_every_language():
    head = page(Frame(("en", "de"), ADDRESS)).all("head")[0]
    others = {
        element.attributes["hreflang"]: element.attributes["href"]
        for element in head.having("hreflang")
    }

    (canonical,) = head.all("link", rel="canonical")
    assert canonical.attributes["href"] == f"{ADDRESS}chip/m1.html"
    assert others == {
        "en": f"{ADDRESS}chip/m1.html",
        "de": f"{ADDRESS}de/chip/m1.html",
        "x-default": f"{ADDRESS}chip/m1.html",
    }
    (title,) = head.all("meta", property="og:title")
    assert title.attributes["content"] == "M1"


def test_the_menu_of_languages_leads_to_the_same_page():
    (menu,) = page().all("details")
    ways = {element.attributes["hreflang"]: element for element in menu.all("a")}

    assert ways["de"].attributes["href"] == "../de/chip/m1.html"
    assert (ways["ar"].attributes["lang"], ways["ar"].attributes["dir"]) == (
        "ar",
        "rtl",
    )
    assert page(local=True).all("details") == []  # in one language alone


def test_a_page_says_where_it_is_and_where_its_data_are():
    shown = page()
    here, *_ = shown.all("header")[0].having("aria-current")
    (above,) = shown.all("nav", **{"class": "eyebrow"})

    assert here.text == "Chips"
    assert links(above) == {"../chips.html": "Chips"}
    assert "m1.json" in links(shown.all("footer")[0])


def test_no_page_has_a_style_or_a_script_inside():
    whole = pages.render(
        Page("a", "chips", "list", [], lambda _: Words("A", parts=PARTS)),
        ENGLISH,
        FRAME,
    )
    assert not re.search(r"\sstyle=|<style|\son\w+=", whole)
    assert re.findall(r"<script(?! src=)", whole) == []
    assert "default-src 'none'" in whole


PARTS = {"lead": "", "heads": (), "rows": ()}


@pytest.mark.parametrize("template", ["index", "chip", "list", "run", "compare"])
def test_the_scripts_of_a_page_are_small(template):
    names = pages.scripts(template)
    assert sum(len(page_assets.script(f"{it}.js").encode()) for it in names) <= 12_000


@pytest.mark.parametrize(
    ("text", "packed"),
    [
        ('const a = [ 1, 2 ] , b = "x = {";', 'const a=[1,2],b="x = {";'),
        ("f(`a = ${b ? c : d}`, /[ /] = /);", "f(`a = ${b ? c : d}`,/[ /] = /);"),
        ("x = y + +z; // no comment", "x=y + +z;// no comment"),
        ("x = y++ + a - b", "x=y++ +a-b"),
        ("  // gone\nif (a != b) { b }", "if(a!=b){b}"),
        ("f(1,\n  2);\ng()\nh()", "f(1,2);g()\nh()"),
    ],
)
def test_a_script_loses_the_spaces_that_say_nothing(monkeypatch, text, packed):
    monkeypatch.setattr(page_assets, "asset", lambda _: text)

    assert page_assets.script("any.js") == packed


def test_what_varies_is_a_column_and_what_does_not_is_said_once(site):
    models = table(site, "llm-decode")

    assert [head.key for head in models.heads] == [
        *("chip", "about", "figure", "unit", "n", "remarks")
    ]
    assert (
        "LLM decode, tokens per second, Metal, llama.cpp, and transcribed"
        in models.caption
    )
    assert models.caption.startswith("4 figures of at least 2 machines.")


def test_a_table_of_several_workloads_names_the_model_below_them(site):
    keys = [head.key for head in table(site).heads]

    assert keys[:2] == ["chip", "work"]
    assert "about" not in keys


def test_a_missing_figure_says_why_and_a_doubtful_one_what_speaks_against_it(site):
    remarks = [row.remarks for row in table(site).rows]

    assert "not measured: “out of memory” in the source" in remarks
    assert "⚑ order inverted" in remarks


def test_of_too_many_figures_the_newest_of_each_cell_stay(tmp_path):
    days = [f"2025-03-{day:02}" for day in range(1, 9)]
    old = [answer("M1", "Llama", 10.0 + n, day) for n, day in enumerate(days)]
    others = answer("M2", "Llama", 5.0), answer("M1", "Qwen", 4.0)
    with site_with(tmp_path, [*old, *others]) as site:
        shown = table(site, most=4)

    assert {row.figure for row in shown.rows} == {"17.0", "16.0", "5.00", "4.00"}
    assert shown.more == "6 more rows have no room here; benchdb list shows them."


def test_the_map_of_chips_counts_their_figures_by_kind_of_work(site):
    facts = {item.address: item.facts for item in listings.pages(site)}
    maximum = next(item for item in facts["chips"] if item.name == "M1 Max")

    assert maximum.work == {
        "training": 8,
        "language": 3,
        "inference": 0,
        "operation": 0,
    }
    assert sum(maximum.work.values()) == maximum.extent.figures


def test_search_knows_pages_by_their_names_and_every_run(site):
    files = dict(search.files(site, Frame(("en", "de"))))
    listed, _, _ = files["assets/search.en.js"].removeprefix(PAGES).partition(b";\n")
    pages_of = json.loads(listed)
    names = {kind: dict(result) for kind, result in pages_of}
    listed = json.loads(
        files["assets/search.runs.js"].removeprefix(b"var benchdbRuns=")
    )

    assert names["Chips"]["M1 Max"] == "chip/m1-max"
    assert names["Workloads"]["LLM decode"] == "workload/llm-decode"
    assert names[""]["Sources"] == "sources"
    known = {letters[:8] for line in listed.split("\n") for letters in line.split()}
    assert known == {run[:8] for run in site.runs}


PAGES = b"var benchdbPages="


def test_the_list_of_runs_stays_small(site, monkeypatch):
    monkeypatch.setattr(search, "MOST", 100)
    files = dict(search.files(site, FRAME))

    assert 50 < len(files["assets/search.runs.js"]) < 130
