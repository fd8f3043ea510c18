"""The short file of databases made up for tests, and of what others published."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchdb.report.language import Language, load
from benchdb.site import short_facts, short_markdown, single
from benchdb.site.content import Site
from benchdb.site.pages import Sheet
from benchdb.site.single import Single
from tests import published_runs
from tests.page import Element, parse
from tests.site.sites import site_of, site_with
from tests.store_factory import Run

SHEET = Sheet("benchdb report", "5d" * 32)


class Short(NamedTuple):
    """A short file: what it is made of, and what it shows."""

    site: Site
    facts: Single

    def page(self, language: Language, sheet: Sheet = SHEET) -> str:
        """Return it as a page."""
        return single.page(self.facts, language, sheet)

    def text(self, language: Language) -> str:
        """Return it as Markdown with a chart beside it."""
        named = (chart.name for chart in short_markdown.charts(language, self.facts))
        images = {name: (f"{name}.svg", f"{name}.dark.svg") for name in named}
        return short_markdown.render(language, self.facts, images, SHEET)


def short(site: Site) -> Short:
    return Short(site, short_facts.single(site))


def of(folder: Path, runs: Iterable[Run]) -> Short:
    """Return the short file of *runs*; the machine ``me`` is marked."""
    with site_with(folder, runs, "me") as site:
        return short(site)


def page_of(folder: Path, runs: Iterable[Run], code: str = "en") -> Element:
    """Return the page of *runs*."""
    return parse(of(folder, runs).page(load(code)))


def shipped(folder: Path) -> Short:
    """Return what others published, and what we measured."""
    with site_of(published_runs.imported(folder)) as site:
        return short(site)
