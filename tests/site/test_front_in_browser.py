"""The front page of what is shipped, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from benchdb.site import front_page, pages
from benchdb.site.build import Plan, build
from benchdb.site.pages import Frame
from tests.browser import chromium
from tests.report.axe import violations
from tests.site.sites import shipped

PRICES = {"M1": 500, "M1 Max": 2000, "M4 Max": 4000}
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
    shared = [*front_page.pages(shipped())]
    frame = Frame(("en", "ar"))
    plan = Plan(shared, pages.asset_files())
    build([plan], frame, folder / "site")
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


@pytest.mark.parametrize("path", ["index.html", "ar/index.html"])
def test_nothing_is_wider_than_the_screen_and_no_labels_meet(browser, folder, path):
    page = opened(browser, folder / path, 1280)
    for width in (320, 390, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(PAIRS) == [], width


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


def money(page: Page) -> dict[str, list[str]]:
    """Return what the columns of money say of each chip with a price, in order."""
    rows = page.locator("#chips-table tbody tr")
    groups = {}
    for row in rows.all():
        price, *work = row.locator("td.money").all()
        if typed := price.locator("input").input_value():
            groups[row.locator("th").inner_text()] = [
                typed,
                *(it.inner_text() for it in work),
            ]
    return groups


def test_prices_that_a_reader_types_make_work_per_money_and_stay_in_the_address(
    browser, folder
):
    page = opened(browser, folder / "index.html", 1280)
    expect(page.locator("td.money").first).to_be_hidden()
    page.get_by_role("button", name="Work per money").click()
    for chip, price in PRICES.items():
        page.get_by_label(f"Price of {chip}", exact=True).fill(str(price))
    page.get_by_role("button", name="decode per 1,000").first.click()
    rows = page.locator("#chips-table tr")
    decode = {
        chip: rows.filter(has=page.get_by_text(chip, exact=True))
        .locator("td.num:nth-of-type(8)")
        .evaluate("it => +it.dataset.v")
        for chip in PRICES
    }
    shown = money(page)

    assert list(shown) == [*PRICES]
    for chip, (typed, _, work) in shown.items():
        assert typed == str(PRICES[chip])
        per_money = 1000 * decode[chip] / PRICES[chip]
        assert float(work) == pytest.approx(per_money, rel=0.005)
    assert shown["M1"][1] == "2.00"
    page.reload()
    assert money(page) == shown
    page.locator(".tongues summary").click()
    page.locator('.tongues a[lang="ar"]').click()
    page.wait_for_url("**/ar/index.html#*")
    assert money(page) == shown
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_price_of_nothing_and_no_script_leave_no_work_per_money(browser, folder):
    page = opened(browser, folder / "index.html", 390)
    page.get_by_role("button", name="Work per money").click()
    page.get_by_label("Price of M1", exact=True).fill("0")
    assert money(page) == {"M1": ["0", "–", "–"]}
    page.get_by_role("button", name="Work per money").click()
    assert page.url.endswith("index.html")
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto((folder / "index.html").as_uri())
    expect(plain.locator("#prices")).to_be_hidden()
    assert plain.locator(".money").count() == 0
    context.close()


def test_everybody_can_read_and_fill_in_the_column_of_prices(browser, folder):
    page = browser.new_page(bypass_csp=True, viewport={"width": 1280, "height": 900})
    page.goto((folder / "index.html").as_uri() + "#chips.price=m1:500")
    button = page.get_by_role("button", name="Work per money")
    expect(button).to_have_attribute("aria-pressed", "true")
    pairs = violations(page)
    page.get_by_label("Price of M1", exact=True).focus()
    page.keyboard.press("End")
    page.keyboard.type("0")
    page.keyboard.press("Tab")
    next_stop = page.evaluate("document.activeElement.closest('tr').rowIndex")
    assert page.url.endswith("#chips.price=m1:5000")
    page.close()

    assert pairs == []
    assert next_stop == 2
