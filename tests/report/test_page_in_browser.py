"""The example page in a browser: what its script does, and what it never does.

``test_right_to_left`` looks at the same page in Arabic, and
``test_shipped_page_in_browser`` at the shipped one in every language.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from benchdb.report import html, language
from tests.browser import chromium
from tests.page_fixture import HERE, report
from tests.report.axe import violations
from tests.view_fixture import HOSTILE, empty, hostile

LONGEST = max(HOSTILE, key=len)
OPEN = "document.querySelectorAll('details').forEach(one => one.open = true)"
FACTORS = (0.0509, 0.13, 0.994, 0.996, 1, 1.0049, 1.005, 1.0355, 1.0949, 1.095, 99.96)
# Make the first figure of the ranking so many times the baseline's.
REBASED = """factor => {
  const cells = document.querySelectorAll("#table-ranking tbody tr .mean");
  cells.forEach((cell, i) => cell.dataset.ratio = i ? 1 : factor);
  const pick = document.getElementById("baseline");
  pick.value = cells[1].closest("tr").dataset.key;
  pick.dispatchEvent(new Event("change"));
}"""


@dataclass
class Visit:
    """An open page, and what it did beside showing itself."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for code in ("en", "de"):
        page = html.render(report(), language.load(code), languages=("en", "de"))
        (folder / f"report.{code}.html").write_text(page, "utf-8")
    odd = html.render(hostile(LONGEST), language.load("en"))
    (folder / "long.html").write_text(odd, "utf-8")
    return folder


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


def visit(context: BrowserContext, file: Path, fragment: str = "") -> Visit:
    made = Visit(context.new_page())
    made.page.on("request", lambda request: made.requests.append(request.url))
    made.page.on("console", lambda message: made.complaints.append(message.text))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.goto(file.as_uri() + fragment)
    return made


@pytest.fixture
def page(context: BrowserContext, files: Path) -> Page:
    return visit(context, files / "report.en.html").page


def ratios(page: Page, chip: str, device: str) -> list[str]:
    rows = page.locator("#table-ranking tbody tr")
    row = rows.filter(has_text=chip).filter(has=page.get_by_text(device, exact=True))
    return row.first.locator(".cell b").all_inner_texts()


def pick(page: Page, label: str) -> None:
    page.get_by_label("Baseline", exact=True).select_option(label=label)


def test_an_injected_script_does_not_run(context: BrowserContext, files: Path):
    source = (files / "report.en.html").read_text("utf-8")
    evil = "<script>document.title = 'owned'</script><img src='https://evil.example/x'>"
    page = files / "injected.html"
    page.write_text(source.replace("</main>", f"{evil}</main>"), "utf-8")
    made = visit(context, page)
    assert made.page.title() != "owned"
    assert any("Content Security Policy" in said for said in made.complaints)
    assert made.page.locator("#baseline").is_visible()


@pytest.mark.parametrize(
    ("name", "widths"), [("report.en.html", (390,)), ("long.html", (320, 390, 1280))]
)
def test_nothing_is_wider_than_the_screen(
    context: BrowserContext, files: Path, name: str, widths: tuple[int, ...]
):
    page = visit(context, files / name).page
    page.evaluate(OPEN)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_every_figure_of_the_comparison_is_on_the_screen(
    context: BrowserContext, files: Path, width: int
):
    page = visit(context, files / "report.en.html").page
    page.set_viewport_size({"width": width, "height": 800})
    figures = page.locator('#table-metal [href^="#run-"]')
    assert all(one.is_visible() for one in figures.all())


def test_another_baseline_changes_the_ratios_and_the_address(page: Page):
    before = ratios(page, "M1 Max", "Metal")
    assert before[:3] == ["8.2×", "17.9×", "12.1×"]
    pick(page, "M1 · Metal · TensorFlow")
    # 579.18 / 113.65 and 225.36 / 53.277, from the printed seconds.
    assert ratios(page, "M1 Max", "Metal")[1:3] == ["5.1×", "4.2×"]
    chosen = page.locator("tr.baseline .cell b").all_inner_texts()
    assert set(chosen) == {"1.0×"}
    assert "baseline=" in page.url


def test_the_first_baseline_gives_the_same_table_again(page: Page):
    table = page.locator("#table-ranking tbody")
    before = table.inner_text()
    shades = "cells => cells.map(c => c.className)"
    classes = page.locator(".cell").evaluate_all(shades)
    pick(page, "M1 Ultra · Metal · TensorFlow")
    assert table.inner_text() != before
    pick(page, "M1 · CPU · TensorFlow")
    assert table.inner_text() == before
    assert page.locator(".cell").evaluate_all(shades) == classes


def test_what_chance_may_do_has_no_shade_beside_another_baseline(page: Page):
    cell = page.locator("#table-ranking tbody tr").first.locator(".cell").nth(1)
    marked = "c => c.classList[1] + (c.dataset.chance = 3)"
    pick(page, "M1 Max · Metal · TensorFlow")  # 113.65 s against 59.93
    assert cell.evaluate("c => c.classList[1]") == "up1"
    assert cell.evaluate(marked) == "up13"
    pick(page, "M1 · Metal · TensorFlow")
    assert cell.evaluate("c => c.classList[1]") == "level"
    cell.evaluate("c => delete c.dataset.chance")
    pick(page, "M1 Pro · Metal · TensorFlow")
    assert cell.evaluate("c => c.classList[1]") == "level"


@pytest.mark.parametrize("code", ["en", "de"])
def test_the_script_writes_a_factor_as_the_page_does(
    context: BrowserContext, files: Path, code: str
):
    page = visit(context, files / f"report.{code}.html").page
    written = []
    for factor in FACTORS:
        page.evaluate(REBASED, factor)
        written.append(
            page.locator("#table-ranking tbody tr .cell b").first.inner_text()
        )
    assert written == [language.load(code).times(factor) for factor in FACTORS]


def test_an_address_restores_what_was_seen(context: BrowserContext, files: Path):
    first = visit(context, files / "report.en.html").page
    pick(first, "M1 Max · Metal · TensorFlow")
    first.get_by_role("button", name="LSTM").click()
    again = visit(context, Path(files / "report.en.html"), first.url.partition("#")[1])
    assert again.complaints == []
    fragment = "#" + first.url.partition("#")[2]
    page = visit(context, files / "report.en.html", fragment).page
    table = "#table-ranking tbody"
    assert page.locator(table).inner_text() == first.locator(table).inner_text()
    chosen = page.locator("#baseline option:checked").inner_text()
    assert chosen == "M1 Max · Metal · TensorFlow"


def test_an_address_with_nonsense_shows_the_usual_page(
    context: BrowserContext, files: Path
):
    for odd in ("#baseline=none&ranking=99d&values=x", "#find=%3Cb%3E", "#%E0%A4%A"):
        made = visit(context, files / "report.en.html", odd)
        assert made.complaints == []
        assert ratios(made.page, "M1 Max", "Metal")[0] == "8.2×"
        assert made.page.locator("#baseline option:checked").count() == 1


def test_unlike_systems_become_like_when_one_is_the_baseline(page: Page):
    assert page.locator("#table-ranking .unlike").count() == 4
    pick(page, "GeForce RTX 3090 · CUDA · TensorFlow")
    row = page.locator("#table-ranking tr.baseline")
    assert row.locator(".unlike").count() == 0
    assert row.locator(".unlike-sign").count() == 0
    ultra = page.locator("#table-ranking tbody tr").filter(has_text="M1 Ultra").first
    sign = ultra.locator(".unlike-sign").first
    reason = page.locator(sign.get_attribute("href") or "")
    assert reason.is_visible()
    assert sign.inner_text()[0] == reason.inner_text()[0] == "≠"
    assert "Not like for like" in reason.inner_text()


def test_columns_sort_both_ways_with_missing_cells_last(page: Page):
    button = page.get_by_role("button", name="MNIST MLP")
    chips = page.locator("#table-ranking tbody th b")
    button.click()
    slow = chips.all_inner_texts()
    button.click()
    fast = chips.all_inner_texts()
    measured = page.locator("#table-ranking tbody td:last-child[data-ratio]").count()
    assert slow[:measured] == fast[:measured][::-1]
    assert page.locator("#table-ranking [aria-sort]").count() == 1
    assert "MNIST MLP" in page.locator("#spoken").inner_text()


def test_the_filter_shows_matching_rows_and_counts_them(page: Page):
    page.locator("summary").first.click()
    page.get_by_label("Filter").fill("m1 ultra")
    shown = page.locator("#table-values tbody tr:visible")
    assert shown.count() == 10
    assert page.locator("#found").inner_text().startswith("10 of ")
    assert "find=m1+ultra" in page.url


def test_a_figure_opens_its_row_in_one_click_even_when_filtered_away(page: Page):
    page.locator("summary").first.click()
    page.get_by_label("Filter").fill("nothing like this")
    page.locator("summary").first.click()
    page.locator('#table-metal [href^="#run-"]').first.click()
    row = page.locator("#table-values tr:target")
    assert row.is_visible()
    row.get_by_role("link", name="[1]").click()
    assert page.url.endswith("#source-1")


def test_the_keyboard_reaches_every_control(page: Page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    focus = "document.activeElement.id || document.activeElement.outerHTML.slice(0, 40)"
    for _ in range(page.locator("a, button, select, summary, [tabindex]").count()):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(focus))
    assert "baseline" in reached
    assert any("<summary" in one for one in reached)
    assert any("<button" in one for one in reached)
    assert any('class="scroller' in one for one in reached)


def test_printing_opens_what_is_folded(page: Page):
    folded = "[...document.querySelectorAll('details')].map(d => d.open)"
    assert not any(page.evaluate(folded))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(page.evaluate(folded))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not any(page.evaluate(folded))


def test_german_figures_stay_german_after_a_choice(
    context: BrowserContext, files: Path
):
    page = visit(context, files / "report.de.html").page
    page.locator("#baseline").select_option(HERE.key)
    page.locator("#baseline").select_option(index=3)
    texts = page.locator("#table-ranking .cell b").all_inner_texts()
    assert any("," in text for text in texts)
    assert not any("." in text for text in texts)


def test_axe_finds_nothing_on_an_empty_page(browser: Browser, tmp_path: Path):
    file = tmp_path / "report.html"
    file.write_text(html.render(empty(), language.load("en")), "utf-8")
    # The page's own policy would keep axe out; the page itself is as users get it.
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate(OPEN)
    found = violations(page)
    context.close()

    assert found == []


def test_on_paper_everything_is_open_and_addresses_are_written_out(page: Page):
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    rows = page.locator("#table-values tbody tr")
    link = page.locator(".sources a[href^=https]").first
    written = "e => getComputedStyle(e, '::after').content"

    assert rows.count() > 20
    assert all(one.is_visible() for one in rows.all())
    assert page.locator("summary:visible").count() == 0
    assert (link.get_attribute("href") or "?") in link.evaluate(written)
