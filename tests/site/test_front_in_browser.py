"""The front page of what is shipped, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from benchdb.report.scope import EVERYTHING
from benchdb.site import front, pages
from benchdb.site.build import Plan, build
from benchdb.site.content import content
from benchdb.site.pages import Frame
from benchdb.store.database import open_database, reading
from tests import published_runs
from tests.browser import chromium

CARDS = "[...document.querySelectorAll('.card')].map(it => it.getBoundingClientRect())"
PAIRS = """[...document.querySelectorAll('details[name]')].flatMap(model => {
  model.open = true;
  return [...model.querySelectorAll('svg.axes')].flatMap(plot => {
    const boxes = [...plot.querySelectorAll('text')]
      .map(it => [it.getBoundingClientRect(), it.textContent])
      .filter(([box]) => box.width);
    const air = 5;  // of a line above and below its letters
    return boxes.flatMap(([a, name], n) => boxes.slice(n + 1)
      .filter(([b]) => a.left + 1 < b.right && b.left + 1 < a.right
        && a.top + air < b.bottom && b.top + air < a.bottom)
      .map(([, other]) => name + ' on ' + other));
  });
})"""


@pytest.fixture(name="folder", scope="module")
def a_site_of_the_front_page(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("front")
    database = published_runs.database(folder)
    engine = open_database(str(database))
    with reading(engine) as connection:
        shared = [*front.pages(content(connection, EVERYTHING))]
    frame = Frame(("en", "ar"))
    plan = Plan(shared, pages.asset_files())
    build(plan, frame, folder / "site")
    return folder / "site"


@pytest.fixture(name="browser", scope="module")
def a_browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def opened(browser: Browser, path: Path, width: int, height: int = 800) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(path.as_uri())
    return page


def test_the_first_screen_has_title_coverage_pickers_and_all_six_answers(
    browser, folder
):
    page = opened(browser, folder / "index.html", 1280)
    ends = page.evaluate(f"{CARDS}.map(it => it.bottom)")

    assert len(ends) == 6
    assert max(ends) <= 800
    for part in ("h1", ".cover", ".pick"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < min(ends)


@pytest.mark.parametrize("width", [320, 390, 1000, 1280])
@pytest.mark.parametrize("path", ["index.html", "ar/index.html"])
def test_nothing_is_wider_than_the_screen_and_no_labels_meet(
    browser, folder, path, width
):
    page = opened(browser, folder / path, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(PAIRS) == []


def test_pickers_lead_to_the_answers_of_a_chip_and_to_a_pair(browser, folder):
    page = opened(browser, folder / "index.html", 1280)
    page.select_option("#mac", label="M4 Max")
    (folder / "compare.html").write_text("pair")
    (folder / "chip").mkdir(exist_ok=True)
    (folder / "chip" / "m4-max.html").write_text("chip")

    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/compare.html#a=m4-max-metal&b=geforce-rtx-3090-cuda")
    page.go_back()
    page.select_option("#mac", label="M4 Max")
    page.get_by_role("button", name="Answers of my Mac").click()
    page.wait_for_url("**/chip/m4-max.html")
