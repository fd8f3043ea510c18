"""The page of comparisons in a browser, opened from a disk."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchdb.report import language as languages
from benchdb.report.scope import EVERYTHING
from benchdb.site import compare
from benchdb.site.build import Plan, build
from benchdb.site.content import content
from benchdb.site.pages import Frame, asset_files
from benchdb.store.database import open_database, reading
from tests.browser import Visit, chromium, meetings
from tests.browser import visit as browser_visit
from tests.compared import campaign, stored
from tests.report.axe import violations
from tests.store_factory import Machine, Run
from tests.summary_page import WALL

CODES = languages.available()
EVIL = '<img src="x" onerror="alert(1)">'
# What stands for a pair, without the links that the frame adds to headings.
SHOWN = """() => document.querySelector("#pair").innerHTML
  .replace(/<a class="perm".*?<.a>/g, "").replace(/>\\s+</g, "><").trim()"""
DIGITS = ("0.50", "1", "999", "1000", "1100", "9999", "10000", "12345.6", "1234567.89")
# The page's own way of writing digits, as the counts beside the systems of B show it.
COUNTS = """async counts => {
  const [a, b] = ["a", "b"].map(id => document.getElementById(id)), found = [];
  for (const n of counts) {
    self.benchdb[a.value].shared[b.value] = n;
    dispatchEvent(new Event("hashchange"));
    await new Promise(done => setTimeout(done));
    found.push(b.selectedOptions[0].text);
  }
  return found;
}"""


def runs() -> list[Run]:
    """Return results of five systems: like and unlike, repeated and single."""
    made = []
    for n, chip in enumerate(("M1", "M1 Max", "M1 Ultra")):
        machine = Machine(chip, ours=f"{n}" * 16, gpu_cores=8 * 2**n)
        made += campaign(chip, 100.0 * 1.9**n, machine=machine)
        made += campaign(chip, 300.0 / 1.2**n, machine=machine, workload="lstm")
        made.append(Run("distilbert", "metal", machine, values={WALL: 200.0 - 50 * n}))
        for name in ("llm-decode", "llm-prefill"):
            model = {
                "model": "Llama 3.1 8B",
                "quantization": "Q4_K_M",
                "prompt_tokens": 512,
            }
            columns = {"parameters": model, "batch_size": None}
            values = {"tokens_per_second": 20.0 + 1500 * n}
            made.append(Run(name, "metal", machine, values=values, columns=columns))
        made.append(
            Run(
                "mobilenetv2",
                "metal",
                machine,
                values={WALL: 90.0 - 20 * n},
                columns={"compiler": ("eager", "graph", "eager")[n]},
            )
        )
    made.append(Run("resnet18", machine=Machine(EVIL), values={WALL: 55.0}))
    return made


@pytest.fixture(scope="module", name="site")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    stored(path, runs())
    with reading(open_database(str(path))) as connection:
        pages = list(compare.pages(content(connection, EVERYTHING)))
        data = [pair for page in pages for pair in page.files.items()]
        plan = Plan(pages, [*asset_files(), *data])
        build([plan], Frame(CODES), folder)
    return folder


@pytest.fixture(scope="module", name="browser")
def started() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(name="context")
def opened(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


def visit(
    context: BrowserContext, site: Path, fragment: str = "", code: str = "en"
) -> Visit:
    folder = site if code == CODES[0] else site / code
    return browser_visit(context, folder / "compare.html", fragment)


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_a_pair_is_chosen_swapped_and_kept_in_the_address(context, site):
    page = visit(context, site).page
    heading(page, "M1 Ultra against M1 Max")
    page.get_by_label("A", exact=True).select_option("m1-metal")
    heading(page, "M1 Ultra against M1")
    page.get_by_role("button", name="Swap A and B").click()
    heading(page, "M1 against M1 Ultra")

    assert page.url.endswith("#a=m1-ultra-metal&b=m1-metal")
    assert page.title() == "M1 against M1 Ultra – benchdb"
    page.reload()
    heading(page, "M1 against M1 Ultra")
    page.go_back()
    heading(page, "M1 Ultra against M1")
    page.go_back()
    heading(page, "M1 Ultra against M1 Max")
    assert page.get_by_label("B", exact=True).input_value() == "m1-ultra-metal"


def test_another_language_has_the_same_pair(context, site):
    page = visit(context, site, "#a=m1-metal&b=m1-max-metal&like=1").page
    heading(page, "M1 Max against M1")
    page.locator(".tongues summary").click()
    page.locator('.tongues a[lang="de"]').click()
    page.wait_for_url(re.compile("/de/compare.html#a=m1-metal&b=m1-max-metal&like=1"))

    assert page.get_by_label("A", exact=True).input_value() == "m1-metal"
    assert page.locator("#like").is_checked()


def test_only_like_for_like_hides_the_others(context, site):
    page = visit(context, site).page
    rows = page.locator("#cells tbody tr:not(.sub)")
    assert rows.filter(has_text="MobileNetV2").is_visible()
    page.get_by_label("only like for like").check()
    expect(rows.filter(has_text="MobileNetV2")).to_be_hidden()
    expect(rows.filter(has_text="LSTM")).to_be_visible()
    page.reload()

    expect(rows.filter(has_text="MobileNetV2")).to_be_hidden()
    assert page.get_by_label("only like for like").is_checked()


@pytest.mark.parametrize("code", CODES)
def test_the_script_writes_what_the_page_has_without_it(context, site, code):
    """Words, digits and marks: of the same pair, and of counts of any size."""
    page = visit(context, site, code=code).page
    first, title = page.evaluate(SHOWN), page.locator("h1").inner_text()
    for _ in range(2):
        before = page.locator("h1").inner_text()
        page.locator("#swap").click()
        expect(page.locator("h1")).not_to_have_text(before)

    assert page.evaluate(SHOWN) == first
    assert page.locator("h1").inner_text() == title
    spoken = languages.load(code)
    assert page.evaluate(COUNTS, DIGITS) == [
        f"M1 Ultra · Metal ({languages.fixed(spoken.locale, text)})" for text in DIGITS
    ]


def test_parameters_stand_in_words_in_every_pair(context, site):
    page = visit(context, site).page
    row = page.locator("#cells tr", has_text="Llama 3.1 8B").first
    expect(row.locator("th small").first).to_have_text("Q4_K_M · prompt 512")
    page.locator("#swap").click()
    heading(page, "M1 Max against M1 Ultra")
    expect(row.locator("th small").first).to_have_text("Q4_K_M · prompt 512")


def test_a_pair_without_a_common_cell_says_so(context, site):
    slug = json.loads((site / "compare.json").read_text())["systems"][-1]["slug"]
    made = visit(context, site, f"#a=m1-metal&b={slug}")
    expect(made.page.locator("#pair .empty")).to_contain_text("no cell in common")

    assert EVIL in made.page.locator("h1").inner_text()
    assert made.page.locator("#pair img").count() == 0
    assert made.complaints == []


def test_a_system_that_the_page_does_not_have_is_said(context, site):
    page = visit(context, site, "#a=m1-metal&b=z80-cpu").page
    expect(page.locator("#unknown")).to_be_visible()
    heading(page, "M1 Ultra against M1 Max")


def test_a_way_to_a_section_keeps_the_pair(context, site):
    page = visit(context, site, "#a=m1-metal&b=m1-max-metal").page
    heading(page, "M1 Max against M1")
    page.locator(".toc a").last.click()
    expect(page.locator("#rest")).to_be_in_viewport()

    assert page.url.endswith("#a=m1-metal&b=m1-max-metal")


def test_without_scripts_there_is_one_pair_and_the_command(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = visit(context, site).page
    heading(page, "M1 Ultra against M1 Max")

    assert page.locator("#pick").is_hidden()
    assert page.locator("#cells tbody tr:not(.sub)").count() == 6
    assert page.get_by_text(
        "benchdb compare 'chip:M1 Max' 'chip:M1 Ultra'"
    ).is_visible()
    assert page.locator("noscript > p").is_visible()
    page.locator("noscript summary", has_text="Metal").click()
    links = page.locator("noscript a:visible")
    assert links.all_inner_texts() == ["M1", "M1 Max", "M1 Ultra"]
    assert links.first.get_attribute("href") == "chip/m1.html"
    context.close()


def test_nothing_but_files_of_the_site_is_asked_for_and_nothing_complains(
    context, site
):
    made = visit(context, site)
    made.page.locator("#swap").click()
    heading(made.page, "M1 Max against M1 Ultra")

    assert made.complaints == []
    assert {url.startswith(site.as_uri()) for url in made.requests} == {True}
    assert sum("/assets/compare/" in url for url in made.requests) == 2


@pytest.mark.parametrize(("code", "width"), [("en", 1280), ("ar", 320), ("ja", 320)])
def test_no_pair_breaks_a_rule_of_access_or_leaves_the_screen(
    browser, site, code, width
):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, bypass_csp=True
    )
    page = visit(context, site, "#a=m1-metal&b=m1-ultra-metal", code).page
    expect(page.locator("#b option:checked")).to_contain_text("(")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert meetings(page) == []
    assert violations(page) == []
    context.close()
