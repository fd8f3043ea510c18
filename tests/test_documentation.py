"""The documentation as a site: complete, without a dead link, and of one host."""

import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from benchdb.cli import COMMANDS
from benchdb.report.data_files import COLUMNS
from benchdb.store import tables, views
from tests.browser import chromium, visit
from tests.manual import CHECKOUT

# Made beside the pages by "make docs", of the shipped database.
RESULTS = "results/index.html"
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src"}


class Site:
    """What ``mkdocs build`` wrote into *folder*."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages = {path: Anchors(path) for path in folder.rglob("*.html")}

    def text(self, page: str) -> str:
        return (self.folder / page).read_text(encoding="utf-8")


class Anchors(HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.ids |= {named[name] or "" for name in ("id", "name") if name in named}
        if tag == "a" and (place := named.get("href")):
            self.links.append(place)
        if place := named.get(LOADED.get(tag, "")):
            self.loaded.append(place)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(place)],
        cwd=CHECKOUT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return Site(place)


def dead(site: Site) -> Iterator[str]:
    """Yield the links that lead to no page, or to no place on it."""
    for page, anchors in site.pages.items():
        for link in (*anchors.links, *anchors.loaded):
            parts = urlsplit(link)
            if parts.scheme or link.endswith(RESULTS) or page.name == "404.html":
                continue
            target = page.parent / unquote(parts.path) if parts.path else page
            target = target.resolve()
            known = site.pages.get(target)
            fragment = unquote(parts.fragment)
            if not target.is_file() or (
                known and fragment and fragment not in known.ids
            ):
                yield f"{page.relative_to(site.folder)}: {link}"


def test_no_link_inside_is_dead(site: Site):
    assert len(site.pages) > 40
    assert sum(len(page.links) for page in site.pages.values()) > 2000
    assert [*dead(site)] == []


def test_the_results_are_made_where_the_first_page_leads_to(site: Site):
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")

    assert f'<a href="{RESULTS}"' in site.text("index.html")
    assert "--site dist/docs/results " in makefile
    assert "site_dir: dist/docs\n" in (CHECKOUT / "mkdocs.yml").read_text()


def test_pages_load_nothing_from_elsewhere(site: Site):
    named = [it for page in site.pages.values() for it in page.loaded]
    styles = [path.read_text() for path in site.folder.rglob("*.css")]

    assert [it for it in named if urlsplit(it).netloc] == []
    assert [it for it in styles if "url(http" in it or "@import" in it] == []
    with chromium() as browser:
        for page in ("index.html", "reference/sql.html"):
            seen = visit(browser, site.folder / page)
            seen.page.wait_for_load_state("networkidle")
            assert [it for it in seen.requests if not it.startswith("file:")] == []


def test_the_reference_has_every_command_and_every_column(site: Site):
    commands = site.text("reference/commands.html")
    sql = site.text("reference/sql.html")

    assert [it for it in COMMANDS if f">benchdb {it}" not in commands] == []
    assert [it for it in tables.metadata.tables if f">Table {it}<" not in sql] == []
    for table in views.TABLES.values():
        assert [it.name for it in table if f"<code>{it.name}</code>" not in sql] == []
    csv = site.text("reference/csv.html")
    assert [it for it in COLUMNS if f"<code>{it}</code>" not in csv] == []


def test_every_column_of_a_table_is_explained(site: Site):
    empty = "<td></td>\n</tr>"

    assert empty not in site.text("reference/sql.html")


def test_the_glossary_has_each_word_once_with_an_address(site: Site):
    text = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    words = text.partition("\n## Words\n")[2].count("\n| ") - 1  # its head
    page = site.text("glossary.html")

    assert page.count("<h3 id=") == words
    assert 'id="agreement"' in page
