"""How soon a reader sees something: a file of its own, for it needs a browser.

The heaviest pages of the site, in Chromium.
"""

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.costs import BENCHDB, ROOT, NotHereError, cost
from benchmarks.rows import Cost, Extent, Limit, Named, Place, Row, Turn

_HEAVIEST = 5  # pages, one after the other in each turn
_LEAST = "<!DOCTYPE html><title>word</title><p>word"
_PAINT = """() => new Promise(done => new PerformanceObserver(list => list.getEntries()
  .filter(it => it.name == "first-contentful-paint").map(it => done(it.startTime)))
  .observe({type: "paint", buffered: true}))"""
ROWS: tuple[Row, ...] = (
    Row(
        "paint",
        "first contentful paint of the site's heaviest page",
        "a page of one word",
        (Limit("seconds", most=0.5),),
    ),
)
USUAL = Extent(None, 5)
QUICK = Extent(None, 1)


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn: the slowest of the heaviest pages beside the least one."""
    if "paint" not in wanted:
        return
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415

        from tools.machine_needs import browser as installed  # noqa: PLC0415
    except ImportError as error:
        raise NotHereError(f"Playwright is not installed: {error}") from error
    with (
        tempfile.TemporaryDirectory(dir=place.room) as room,
        sync_playwright() as playwright,
    ):
        site, least = Path(room) / "site", Path(room) / "least.html"
        least.write_text(_LEAST)
        database = ("--db", ROOT / "results.sqlite")
        cost(*BENCHDB, "report", "--site", site, "--lang", "en", *database)
        pages = sorted(site.rglob("*.html"), key=lambda it: -it.stat().st_size)
        browser = playwright.chromium.launch(executable_path=installed())

        def paint(page: Path) -> float:
            with browser.new_context() as context:  # nothing of another is cached
                shown = context.new_page()
                shown.goto(page.as_uri())
                return float(shown.evaluate(_PAINT)) / 1000

        paint(least)  # the first page starts what later ones have
        for _ in range(extent.rounds):
            slowest = max(paint(page) for page in pages[:_HEAVIEST])
            yield Named("paint", Turn(Cost(slowest, 0), Cost(paint(least), 0)))
        browser.close()
