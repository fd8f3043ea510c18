"""Sites of small databases, and of the shipped one, with their pages by address.

The runs of the small site make every kind of page, and what tables must cope with.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from benchdb.report import language as languages
from benchdb.report.scope import EVERYTHING
from benchdb.site import whole
from benchdb.site.content import Site, content
from benchdb.site.pages import Frame, Page, Words, render
from benchdb.store.database import open_database, reading
from tests import published_runs
from tests.store_factory import Machine, Run
from tests.written_reports import mixed, store

EN = languages.load("en")
FRAME = Frame(("en", "ar"))
FORMULA = "=1+1"
_KEPT = ExitStack()


@contextmanager
def site_of(path: Path, here: str | None = None) -> Iterator[Site]:
    """Give the site of the database at *path*; *here* marks a machine."""
    engine = open_database(str(path))
    with reading(engine) as connection:
        yield content(connection, EVERYTHING, here)
    engine.dispose()


@cache
def shipped() -> Site:
    """Return the site of the shipped database: made once for all who look at it."""
    # It is read from as long as anybody may look.
    return _KEPT.enter_context(site_of(published_runs.FOLDER.parent / "results.sqlite"))


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


def built(folder: Path, some: Iterable[Run], codes: tuple[str, ...]) -> Path:
    """Write the whole site of *some* runs in the languages *codes*; return where."""
    with site_with(folder, some) as site:
        whole.write(site, Frame(codes), folder / "site")
    return folder / "site"


def runs() -> list[Run]:
    """Return training of several chips, and reports on language models."""
    reports = [
        answer("M1 Max", "Llama 3.1 8B", 32.5, "2025-03-01"),
        answer("M1 Max", "Llama 3.1 8B", 33.5, "2025-04-01"),
        answer("M1 Max", FORMULA, 1032.0),
        answer("M2", "Llama 3.1 8B", 9.5),
        answer("M2", "Llama 3.1 8B", None),
    ]
    return [*mixed(), *reports]


def answer(chip: str, model: str, rate: float | None, day: str | None = None) -> Run:
    """Return a report on how many tokens a second a language model writes."""
    return Run(
        workload="llm-decode",
        device="metal",
        machine=Machine(chip=chip),
        framework="llama.cpp",
        values={"tokens_per_second": rate},
        reasons={} if rate else {"tokens_per_second": 'printed as "out of memory"'},
        source="reports",
        columns={
            "batch_size": None,
            "precision": None,
            "compiler": None,
            "started": day,
            "parameters": {"model": model, "quantization": "Q4_K_M"},
        },
    )
