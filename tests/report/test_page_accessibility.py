"""axe-core on the page; it comes with the package axe-playwright-python.

``test_right_to_left`` looks at the same page in Arabic, and
``test_shipped_page_in_browser`` at the shipped one in every language.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchdb.report import html, language
from tests.axe import violations
from tests.browser import chromium
from tests.page_fixture import report
from tests.view_fixture import empty


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize(
    ("example", "languages"), [(report, ("en", "de")), (empty, ())]
)
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, example, languages):
    file = tmp_path / "report.html"
    written = html.render(example(), language.load("en"), languages=languages)
    file.write_text(written, "utf-8")
    # The page's own policy would keep axe out; the page itself is as users get it.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    found = violations(page)
    context.close()

    assert found == []
