"""The page on paper: everything is open, and nothing is cut off at the side."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from benchdb.report import html, language
from tests.browser import chromium
from tests.page_fixture import report

A4 = 703  # what a page of 210 mm leaves between its margins, in CSS pixels
OUTSIDE = """width => [...document.querySelectorAll("table")]
  .map(table => [table.id, table.getBoundingClientRect()])
  .filter(([, r]) => r.left < -4 || r.right > width + 4).map(([id]) => id)"""


@pytest.fixture(scope="module", params=["en", "ar"])
def sheet(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    code = request.param
    file = tmp_path_factory.mktemp("pages") / f"report.{code}.html"
    file.write_text(html.render(report(), language.load(code)), "utf-8")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": A4, "height": 1000})
        page.goto(file.as_uri())
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        yield page


def test_no_table_is_cut_at_the_side(sheet: Page):
    assert sheet.evaluate(OUTSIDE, A4) == []


def test_what_is_folded_on_the_screen_is_there(sheet: Page):
    rows = sheet.locator("#table-values tbody tr")

    assert rows.count() > 20
    assert all(one.is_visible() for one in rows.all())
    assert sheet.locator("summary:visible").count() == 0


def test_addresses_of_sources_are_written_out(sheet: Page):
    link = sheet.locator(".sources a[href^=https]").first
    written = "e => getComputedStyle(e, '::after').content"

    assert (link.get_attribute("href") or "?") in link.evaluate(written)
