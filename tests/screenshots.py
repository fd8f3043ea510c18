"""Pictures of the report in every language: ``python -m tests.screenshots FOLDER``.

Each page at 1280 and 390 pixels, light and dark, whole and with its details closed. A
second argument names the database; without one it is the one in the checkout.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

from benchdb.report.language import available
from tests.browser import chromium
from tests.in_process import benchdb

DATABASE = Path(__file__).parents[1] / "results.sqlite"
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def pictures(browser: Browser, pages: Path, folder: Path) -> Iterator[Path]:
    """Take a picture of each page in *pages*, for each width and colour scheme."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            for file in sorted(pages.glob("report.*.html")):
                taken = folder / f"{file.stem}-{width}-{scheme}.png"
                page.goto(file.as_uri())
                page.screenshot(path=taken, full_page=True)
                yield taken
            context.close()


def main(folder: Path, database: Path = DATABASE) -> None:
    """Write the report of *database* and its pictures to *folder*."""
    pages = folder / "pages"
    options = ("--lang", "all", "--format", "html")
    done = benchdb("report", *options, "--db", database, "-o", pages)
    if done.status != 0:
        sys.exit(done.err)
    with chromium() as browser:
        for taken in pictures(browser, pages, folder):
            print(taken)  # noqa: T201 - a developer's command
    print(f"{len(available())} languages in {folder}")  # noqa: T201


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
