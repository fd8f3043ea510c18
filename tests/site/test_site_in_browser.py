"""A small site in a browser, opened from disk: its search, tables, keys and print."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import chromium, visit
from tests.site.sites import built, runs

DECODE = "workload/llm-decode.html"
TABLE = "table.figures"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"), runs(), ("en", "ar"))


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(5000)
    opened.grant_permissions(["clipboard-read", "clipboard-write"])
    yield opened
    opened.close()


def column(page: Page, key: str) -> list[str]:
    """Return the texts of a column of the table of figures, in the order shown."""
    heads = page.locator(f"{TABLE} thead th")
    keys = heads.evaluate_all("them => them.map(it => it.dataset.key)")
    cells = page.locator(
        f"{TABLE} tbody tr:not([hidden]) > :nth-child({keys.index(key) + 1})"
    )
    return [text.split("\n")[0].strip() for text in cells.all_inner_texts()]


def copied(page: Page, form: str) -> str:
    page.get_by_role("button", name=f"Copy {form}").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_every_way_leads_to_a_file(site):
    broken = set()
    for file in site.rglob("*.html"):
        for way in re.findall(r"(?:href|src)=\"?([^\s\">]+)", file.read_text("utf-8")):
            target = way.partition("#")[0]
            if "://" not in way and target and not (file.parent / target).exists():
                broken.add((str(file.relative_to(site)), way))
    assert broken == set()


def test_the_first_stop_leads_to_the_content(context, site):
    made = visit(context, site / "index.html").page

    made.keyboard.press("Tab")
    made.keyboard.press("Enter")
    assert made.evaluate("document.activeElement.id") == "content"


def test_search_forgives_how_a_chip_is_written(context, site):
    page = visit(context, site / "ar" / DECODE).page
    box = page.get_by_role("search").get_by_role("combobox")
    box.fill("m1-max")
    expect(page.locator("#hits [role=option]")).to_have_count(1)
    box.press("Enter")

    page.wait_for_url("**/ar/chip/m1-max.html")


def test_search_wants_all_words_and_says_when_nothing_has_them(context, site):
    page = visit(context, site / "index.html").page
    box = page.get_by_role("search").get_by_role("combobox")
    box.fill("decode llm")
    expect(page.locator("#hits [role=option]")).to_have_text([re.compile("LLM decode")])
    box.fill("decode m1")
    expect(page.locator("#hits [role=option]")).to_have_text(["Nothing is called so."])
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_search_finds_a_run_by_the_first_letters_of_its_id(context, site):
    run = next(item.stem for item in (site / "run").glob("*.html"))
    page = visit(context, site / "ar" / "index.html").page
    page.get_by_role("search").get_by_role("combobox").fill(run[:8])
    page.locator("#hits [role=option]").click()

    page.wait_for_url(f"**/site/run/{run}.html")


def test_rows_have_all_words_however_they_are_written(context, site):
    page = visit(context, site / DECODE).page
    page.get_by_label("Filter rows").fill("m1max llama-3.1")

    assert sorted(column(page, "figure")) == ["32.5", "33.5"]
    expect(page.locator(".tool output")).to_have_text("2 of 5 rows")
    page.get_by_label("Filter rows").fill("m1 bert")
    expect(page.locator(".tool output")).to_contain_text("Nothing is left.")


def test_what_was_chosen_survives_reload_back_and_another_language(context, site):
    page = visit(context, site / DECODE).page
    page.get_by_role("group", name="Chip").get_by_text("M1 Max").click()
    page.get_by_role("button", name="Figure").click()
    chosen = ["1,032", "33.5", "32.5"]
    assert column(page, "figure") == chosen
    assert "#figures.chip=m1-max&figures.sort=figure.d" in page.url

    page.reload()
    assert column(page, "figure") == chosen

    page.locator(f"{TABLE} td a").first.click()
    page.wait_for_url("**/run/*.html")
    page.go_back()
    page.wait_for_url(f"**/{DECODE}#*")
    assert column(page, "figure") == chosen

    page.locator(".tongues summary").click()
    page.get_by_text("العربية").last.click()
    page.wait_for_url(f"**/ar/{DECODE}#*")
    assert len(column(page, "figure")) == 3
    assert "1,032" in column(page, "figure")[0]


def test_sorting_says_its_way_and_leaves_what_is_missing_at_the_end(context, site):
    page = visit(context, site / DECODE).page
    button = page.get_by_role("button", name="Figure")
    button.focus()
    button.press("Enter")
    head = page.locator(f"{TABLE} th", has=button)

    expect(head).to_have_attribute("aria-sort", "descending")
    assert column(page, "figure") == ["1,032", "33.5", "32.5", "9.50", "–"]
    button.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert column(page, "figure") == ["9.50", "32.5", "33.5", "1,032", "–"]


def test_what_is_shown_can_be_copied_and_no_spreadsheet_calculates_it(context, site):
    page = visit(context, site / DECODE, "#figures.chip=m1-max").page
    head, *rows = csv.reader(io.StringIO(copied(page, "CSV")))

    assert head == ["Chip", "Model", "Figure", "Unit", "n", "Remarks"]
    assert ["M1 Max", "'=1+1 · Q4_K_M", "1,032", "tokens/s", "1", ""] in rows
    assert len(rows) == 3

    page.reload()
    lines = copied(page, "Markdown").splitlines()
    assert lines[:2] == [
        "| Chip | Model | Figure | Unit | n | Remarks |",
        "| --- | --- | ---: | --- | ---: | --- |",
    ]
    assert len(lines) == 5


def test_a_figure_of_ones_own_stands_among_all_of_its_kind(context, site):
    page = visit(context, site / "chip/m1-max.html").page
    row = page.locator("#normal-table tr", has_text="Llama 3.1 8B")
    row.get_by_role("spinbutton").fill("33")

    expect(row.locator("output")).to_contain_text("faster than 1 of 2, percentile 50")
    expect(row.locator("output")).to_contain_text("1.00× the median, normal")
    row.get_by_role("spinbutton").fill("99")
    expect(row.locator("output")).to_contain_text("faster than 2 of 2, percentile 100")
    expect(row.locator("output")).to_contain_text("3.00× the median, fast")
    assert row.locator("line.here").get_attribute("x1") == "100%"

    page.reload()
    expect(row.locator("output")).to_contain_text("3.00×")
    page.locator(".tongues summary").click()
    page.get_by_text("العربية").last.click()
    page.wait_for_url("**/ar/chip/m1-max.html#*")
    expect(row.get_by_role("spinbutton")).to_have_value("99")
    row.get_by_role("spinbutton").fill("")
    assert "#" not in page.url
    expect(row.locator("line.here")).to_have_count(0)


def test_machines_stand_in_a_list_and_in_the_search(context, site):
    page = visit(context, site / "runs.html").page
    page.get_by_role("link", name="Machines that benchdb measured").click()
    link = page.locator("table tbody th a").first
    name, machine = link.inner_text(), page.locator("table tbody th small").first
    digits = machine.inner_text()
    link.click()
    page.wait_for_url(f"**/machine/{digits}.html")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)

    page.get_by_role("search").get_by_role("combobox").fill(digits)
    expect(page.locator("#hits [role=option]").first).to_contain_text(digits)


def test_without_scripts_a_page_is_whole_and_offers_nothing_dead(browser, site):
    opened = browser.new_context(java_script_enabled=False)
    page = opened.new_page()
    page.goto((site / DECODE).as_uri())

    expect(page.locator(f"{TABLE} tbody tr")).to_have_count(5)
    expect(page.locator(".find")).to_be_hidden()
    expect(page.locator("button")).to_have_count(0)
    page.locator(".tongues summary").click()
    expect(page.locator(".tongues a")).to_have_count(2)
    opened.close()


def test_paper_shows_tables_and_no_controls(context, site):
    page = visit(context, site / DECODE).page
    page.emulate_media(media="print")

    for control in (".mast nav", ".find", ".tongues summary", ".toc", ".tool"):
        expect(page.locator(control).first).to_be_hidden()
    expect(page.locator(f"{TABLE} tbody tr").last).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )


def test_an_injected_script_does_not_run(context, site, tmp_path):
    source = (site / "chips.html").read_text("utf-8")
    evil = "<script>document.title = 'owned'</script><img src='https://evil.example/x'>"
    injected = site / "injected.html"
    injected.write_text(source.replace("<main", f"{evil}<main"), "utf-8")
    made = visit(context, injected)

    assert made.page.title() != "owned"
    assert any("Content Security Policy" in complaint for complaint in made.complaints)
    expect(made.page.locator(".tool").first).to_be_visible()
    injected.unlink()
