"""``report --site``: all languages on a static host."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchdb.report.language import available
from tests.browser import chromium
from tests.page import Element, parse
from tests.written_reports import mixed, report, store


@pytest.fixture(scope="module", name="site")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    database = store(tmp_path_factory.mktemp("store"), mixed())
    done = report(database, "--site", folder, "--format", "html,csv", "--lang", "all")
    assert done.status == 0, done.err
    return folder


@pytest.fixture(scope="module", name="index")
def parsed(site: Path) -> Element:
    return parse((site / "index.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", name="browser")
def started() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_a_site_has_all_languages_and_an_index(site):
    pages = {f"report.{code}.html" for code in available()}

    assert {path.name for path in site.iterdir()} == {
        "index.html",
        "report.csv",
        *pages,
    }


def test_a_site_without_lang_has_all_languages(tmp_path):
    done = report(store(tmp_path, []), "--site", tmp_path / "s", "--format", "html")

    assert done.status == 0, done.err
    assert len(list((tmp_path / "s").iterdir())) == len(available()) + 1


def test_charts_are_in_a_folder_and_the_data_are_there_once(tmp_path):
    options = ("--lang", "en", "--format", "html,markdown,csv")
    report(store(tmp_path, mixed()), "--site", tmp_path / "s", *options)
    text = (tmp_path / "s" / "report.en.md").read_text()
    charts = re.findall(r"!\[.*?\]\(<(.*?)>\)", text)

    assert charts
    assert all(name.startswith("charts/report.en.") for name in charts)
    assert all((tmp_path / "s" / name).is_file() for name in charts)
    assert [path.name for path in (tmp_path / "s").glob("*.csv")] == ["report.csv"]


def test_every_link_of_the_index_leads_to_a_file_of_the_site(site, index):
    links = [e.attributes["href"] for e in index.having("href")]

    assert {f"report.{code}.html" for code in available()} < set(links)
    assert all((site / link).is_file() for link in links)
    assert index.having("src") == []


def test_the_index_tells_the_alternates(index):
    told = {
        e.attributes["hreflang"]: e.attributes["href"]
        for e in index.all("link")
        if e.attributes["rel"] == "alternate"
    }

    pages = {code: f"report.{code}.html" for code in available()}
    assert told == pages | {"x-default": "index.html"}


def metas(page: Element) -> dict[str, str]:
    kinds = ("name", "http-equiv")
    return {
        e.attributes[kind]: e.attributes["content"]
        for e in page.all("meta")
        for kind in kinds
        if kind in e.attributes
    }


def test_the_index_has_the_policy_of_a_page_and_says_nothing_to_robots(site, index):
    page = metas(parse((site / "report.en.html").read_text()))
    rules = re.compile("'sha256-.*?'")

    assert metas(index).keys() == page.keys()
    assert "robots" not in page
    name = "Content-Security-Policy"
    assert rules.sub("", metas(index)[name]) == rules.sub("", page[name])


def test_each_language_names_itself_in_its_own_script(index):
    links = {e.attributes["hreflang"]: e for e in index.all("a")}

    assert links["de"].text == "Deutsch"
    assert links["ar"].attributes["dir"] == "rtl"
    assert all(e.attributes["lang"] == code for code, e in links.items())


@pytest.mark.parametrize(
    ("reader", "page"),
    [
        ("de-AT", "report.de.html"),
        ("pt-PT", "report.pt-BR.html"),
        ("zh-CN", "report.zh-Hans.html"),
        ("ar-EG", "report.ar.html"),
        ("en-GB", "report.en.html"),
        ("zh-TW", "index.html"),
        ("fi", "index.html"),
    ],
)
def test_the_index_opens_the_readers_language(site, browser, reader, page):
    context = browser.new_context(locale=reader)
    opened, said = context.new_page(), []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.goto((site / "index.html").as_uri())
    opened.wait_for_load_state()

    assert opened.url == (site / page).as_uri()
    assert said == []
    context.close()


def test_without_javascript_the_index_is_a_list_that_fits(site, browser):
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 320, "height": 600}
    )
    opened = context.new_page()
    opened.goto((site / "index.html").as_uri())

    assert opened.get_by_role("link").count() == len(available())
    box = opened.locator("main").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 320
    opened.get_by_role("link", name="Deutsch").click()
    assert opened.url.endswith("report.de.html")
    context.close()


def test_the_list_can_be_asked_for(site, browser):
    context = browser.new_context(locale="de")
    opened = context.new_page()
    opened.goto((site / "index.html").as_uri() + "#languages")

    assert opened.url.endswith("index.html#languages")
    context.close()


def test_the_script_of_the_index_is_small():
    script = Path(__file__).parents[2] / "reports" / "assets" / "index.js"
    assert len(script.read_bytes()) <= 2048
