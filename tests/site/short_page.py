"""The short file of databases made up for tests, and of what others published."""

from collections.abc import Iterable
from pathlib import Path

from benchdb.merge import import_or_raise
from benchdb.report.language import Language, load
from benchdb.site import markdown, single
from benchdb.site.content import Site
from benchdb.site.pages import Sheet
from benchdb.store.database import open_database
from tests.page import Element, parse
from tests.site.sites import site_of, site_with
from tests.store_factory import Run

SHEET = Sheet("benchdb report", "5d" * 32)


def written(site: Site, language: Language, sheet: Sheet = SHEET) -> str:
    """Return the file as a page."""
    return single.page(site, single.single(site), language, sheet)


def text(site: Site, language: Language) -> str:
    """Return the file as Markdown with a chart beside it."""
    images = {"tokens": ("a.svg", "b.svg")}
    return markdown.render(language, single.single(site), images, SHEET)


def page_of(folder: Path, runs: Iterable[Run], code: str = "en") -> Element:
    """Return the page of *runs*."""
    with site_with(folder, runs, "me") as site:
        return parse(written(site, load(code)))


def imported(folder: Path, files: list[Path]) -> Path:
    """Return a database of exchange *files*."""
    path = folder / "results.sqlite"
    engine = open_database(str(path), create=True)
    import_or_raise(engine, files)
    engine.dispose()
    return path


def shipped(folder: Path) -> Site:
    """Return what others published and we measured."""
    files = sorted((Path(__file__).parents[2] / "published").glob("*.jsonl"))
    with site_of(imported(folder, files)) as site:
        single.single(site)  # while its database is open
        return site
