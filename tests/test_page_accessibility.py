"""axe-core on the page; it comes with the package axe-playwright-python.

``test_right_to_left`` looks at the same page in Arabic, and
``test_shipped_page_in_browser`` at the shipped one in every language.
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from benchdb.report import html, language
from tests.browser import chromium
from tests.page_fixture import report
from tests.view_fixture import empty

AXE = files("axe_playwright_python") / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
REPORTS = {
    "english": html.render(report(), language.load("en"), languages=("en", "de")),
    "empty": html.render(empty(), language.load("en")),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("name", list(REPORTS))
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(
    browser: Browser, tmp_path: Path, name: str, scheme: Any, width: int
):
    file = tmp_path / "report.html"
    file.write_text(REPORTS[name], "utf-8")
    # The page's own policy would keep axe out; the page itself is as users get it.
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    page.add_script_tag(content=AXE.read_text("utf-8"))
    found = page.evaluate(
        "rules => axe.run({runOnly: rules, resultTypes: ['violations']})", RULES
    )
    context.close()
    assert [_said(rule) for rule in found["violations"]] == []


def _said(rule: dict[str, Any]) -> tuple[str, list[str]]:
    return rule["id"], [f"{n['target']}: {n['failureSummary']}" for n in rule["nodes"]]
