"""A database full of hostile text, in every format and language."""

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser

from benchdb.report.language import available
from tests.browser import chromium
from tests.in_process import benchdb
from tests.page import Element, parse
from tests.published_runs import FOLDER
from tests.view_fixture import HOSTILE

# Its owner chose these words, and they reach every kind of section.
_FILES = ("m1tensorbench", "tf-metal-experiments", "needle-metal", "pytorch-in-m1")
# By type of line, what holds text that nobody looks up anywhere.
_FREE = {
    "source": ("title", "licence", "language", "document"),
    "machine": ("model", "label"),
    "environment": ("os_name", "os_version", "kernel", "framework_version"),
    "run": ("locator", "compiler", "device_name", "reason"),
    "end": ("reason",),
    "claim": ("statement", "printed", "locator"),
}


def files(folder: Path) -> list[Path]:
    """Write the exchange files into *folder*; each text comes around often."""
    # NUL is refused at the door.
    evil = cycle([text.replace("\0", "\1") for text in HOSTILE if text])
    return [_poisoned(FOLDER / f"{name}.jsonl", folder, evil) for name in _FILES]


def _poisoned(path: Path, folder: Path, evil: Iterator[str]) -> Path:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    texts = [json.dumps(_changed(line, evil)) for line in lines]
    written = folder / path.name
    written.write_text("\n".join(texts) + "\n", "utf-8")
    return written


def _changed(line: dict[str, Any], evil: Iterator[str]) -> dict[str, Any]:
    line |= {name: next(evil) for name in _FREE.get(line["type"], ()) if line.get(name)}
    match line["type"]:
        case "source":
            line["authors"] = [next(evil), next(evil)]
            line["url"] = "javascript:alert(1)"
            line["document_sha256"] = None
        case "machine":
            # A chip keeps its name, so that it is compared, and gains some.
            line["chip"]["name"] += f" {next(evil)}"
        case "end":
            for value in line.get("values", ()):
                value |= {
                    name: next(evil)
                    for name in ("locator", "derived")
                    if value.get(name)
                }
    return line


RUNS = 45 + 18 + 10 + 20
LANGUAGES = available()
TAME = Path(__file__).parents[1] / "results.sqlite"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]")
SVG = "{http://www.w3.org/2000/svg}"
INERT = {
    "svg",
    "title",
    "g",
    "path",
    "use",
    "defs",
    "clipPath",
    "rect",
    "style",
    "metadata",
    "text",  # of the badge
}
every_language = pytest.mark.parametrize("code", LANGUAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report in all formats and languages of what was imported."""
    room = tmp_path_factory.mktemp("hostile")
    database, report = room / "results.sqlite", room / "report"
    done = benchdb("import", *files(room), "--db", database)
    assert (done.status, done.err) == (0, "")
    done = benchdb("report", "--lang", "all", "--db", database, "-o", report)
    assert (done.status, done.err) == (0, "")
    return report


@pytest.fixture(scope="module")
def tame(tmp_path_factory: pytest.TempPathFactory) -> Element:
    room = tmp_path_factory.mktemp("tame")
    chips = "M1,M1 Pro,M1 Max,M1 Ultra"  # of some, all figures are listed
    options = ("--lang", "en,ar", "--format", "html,csv,json,sqlite", "--chip", chips)
    assert benchdb("report", *options, "--db", TAME, "-o", room).status == 0
    return parse((room / "report.ar.html").read_text("utf-8"))


def tree(folder: Path, code: str) -> Element:
    return parse((folder / f"report.{code}.html").read_text("utf-8"))


def shape(page: Element) -> set[tuple[str, str]]:
    return {(e.name, name) for e in page.walk() for name in ("", *e.attributes)}


@every_language
def test_the_page_has_no_part_that_a_tame_one_has_not(folder, tame, code):
    known = shape(tame) | {("small", "lang"), ("b", "class"), ("a", "rel")}

    assert shape(tree(folder, code)) - known == set()


@every_language
def test_all_links_of_the_page_stay_in_it_or_beside_it(folder, code):
    page = tree(folder, code)
    links = [e.attributes["href"] for e in page.having("href")]

    inside = ("#", "report.", "data:,")
    assert len(links) > 10
    assert [it for it in links if not it.startswith(inside)] == []
    assert page.having("src") == []


@every_language
def test_no_control_reaches_a_page_or_a_table(folder, code):
    for suffix in ("html", "md"):
        text = (folder / f"report.{code}.{suffix}").read_text("utf-8")
        assert CONTROLS.findall(text) == []
        assert "x" * 500 not in text


@every_language
def test_markdown_stays_headings_lists_tables_and_our_own_charts(folder, code):
    text = (folder / f"report.{code}.md").read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    parts = [part for token in tokens for part in token.children or ()]
    images = [str(part.attrs["src"]) for part in parts if part.type == "image"]
    links = [str(part.attrs["href"]) for part in parts if part.type == "link_open"]
    markup = [token.content for token in tokens if token.type == "html_block"]
    markup += [part.content for part in parts if part.type == "html_inline"]

    assert images == []
    assert {link for link in links if not link.startswith("report.")} == set()
    assert {re.sub(r"[ >].*", "", tag.strip(), flags=re.S) for tag in markup} <= {
        *("<div", "</div", "<details", "</details", "<summary", "</summary"),
        *("<picture", "<source", "<img", "</picture"),
    }
    assert not {part.type for part in parts} & {"s_open", "em_open"}


@every_language
def test_charts_are_shapes_and_nothing_else(folder, code):
    charts = sorted(folder.glob(f"report.{code}.*.svg"))

    assert charts
    for chart in charts:
        root = Xml.parse(chart).getroot()  # noqa: S314 - our own file
        drawn = {e.tag.removeprefix(SVG) for e in root.iter() if SVG in e.tag}
        links = [
            e.get(name) for e in root.iter() for name in e.attrib if "href" in name
        ]
        assert drawn <= INERT
        assert [link for link in links if not str(link).startswith("#")] == []


def test_no_cell_of_the_csv_is_a_formula(folder):
    text = (folder / "report.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    cells = [cell for row in rows for cell in row.values()]

    assert len({row["runs"] for row in rows}) == RUNS
    assert any(cell.startswith("'=cmd") for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "@", "+"))] == []
    assert CONTROLS.findall(text.replace("\r\n", "\n")) == []


def test_the_json_is_strict_and_the_database_whole(folder):
    def refuse(text: str) -> None:
        raise AssertionError(text)

    result = json.loads((folder / "report.json").read_bytes(), parse_constant=refuse)
    with sqlite3.connect(folder / "report.sqlite") as connection:
        (stored,) = connection.execute("SELECT count(*) FROM run").fetchone()
        (whole,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()

    assert result["values_count"] > 0
    assert (stored, whole) == (RUNS, "ok")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_runs_and_nothing_breaks_the_layout(browser, folder, width):
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("dialog", lambda dialog: heard.append(dialog.message))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for code in LANGUAGES:
        address = (folder / f"report.{code}.html").as_uri()
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = 1)")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert (code, wide) == (code, width)
        assert (heard, asked) == ([], [address])
        asked.clear()
    context.close()
