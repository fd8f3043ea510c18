"""Sites of small databases, and of the shipped one, with their pages by address."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchdb.report import language as languages
from benchdb.report.scope import EVERYTHING
from benchdb.site.content import Site, content
from benchdb.site.pages import Frame, Page, Words, render
from benchdb.store.database import open_database, reading
from tests.store_factory import Run
from tests.written_reports import store

EN = languages.load("en")
FRAME = Frame(("en", "ar"))


@contextmanager
def site_of(path: Path, here: str | None = None) -> Iterator[Site]:
    """Give the site of the database at *path*; *here* marks a machine."""
    engine = open_database(str(path))
    with reading(engine) as connection:
        yield content(connection, EVERYTHING, here)
    engine.dispose()


@contextmanager
def site_with(
    folder: Path, runs: Iterable[Run], here: str | None = None
) -> Iterator[Site]:
    """Give the site of a new database with *runs*."""
    with site_of(store(folder, list(runs)), here) as site:
        yield site


def page_at(site: Site, address: str, pages: Callable[[Site], Iterator[Page]]) -> Page:
    """Return the page that *pages* make at an *address*."""
    return next(page for page in pages(site) if page.address == address)


def in_english(page: Page) -> Words:
    """Return the words of a page."""
    return page.words(EN)


def html_of(page: Page, code: str = "en") -> str:
    """Return a page as it is written."""
    return render(page, languages.load(code), FRAME)
