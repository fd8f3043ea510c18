"""What bypasses the catalogues, and what breaks where words are longer or mirrored."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from benchdb.report import html
from benchdb.report.markdown import page as markdown
from benchdb.report.view.page import Report
from tests import view_fixture
from tests.browser import chromium
from tests.page import parse
from tests.page_fixture import report as example
from tests.published_page import TRANSCRIBED, page
from tests.report.language.pseudo_locales import (
    accented,
    ar_xb,
    en_xa,
    leaks,
    reversed_words,
    unbracketed,
)

SHIPPED = sorted(TRANSCRIBED[0].parent.glob("*.jsonl"))
PAGES = {"en-XA": en_xa(), "ar-XB": ar_xb()}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return page(tmp_path_factory.mktemp("store"), SHIPPED)


@pytest.fixture(scope="module")
def files(shipped: Report, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    written = {code: folder / f"report.{code}.html" for code in PAGES}
    for code, file in written.items():
        text = html.render(shipped, PAGES[code], languages=("en", "de"))
        file.write_text(text, "utf-8")
    return written


@pytest.fixture(scope="module")
def opened(files: dict[str, Path]) -> Iterator[dict[str, Page]]:
    with chromium() as browser:
        yield {code: _open(browser, file) for code, file in files.items()}


def _open(browser: Browser, file: Path) -> Page:
    shown = browser.new_page()
    shown.goto(file.as_uri())
    shown.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    return shown


def test_made_messages_are_longer_bracketed_and_keep_their_placeholders():
    message = "%(n)s%% of the workloads that all compared systems have"

    assert accented(message).startswith("⟦%(n)s%% öƒ"[:8])
    assert accented(message).endswith("⟧")
    assert len(accented(message)) >= 1.3 * len(message)
    assert accented("%(value)s×") == "⟦%(value)s×⟧"
    assert reversed_words("%(n)s runs") == "%(n)s \u200f\u202eruns\u202c\u200f"


@pytest.mark.parametrize(
    "said",
    [
        "<p>Plain words</p>",
        '<p title="words">–</p>',
        "<p><bdi>pytorch-in-m1</bdi></p><text>tensorflow-in-…</text>",
        "<td>⟦å⟧ words <b>⟦b⟧</b></td>",
        '<tr translate="no"><td translate>words</td></tr>',
    ],
)
def test_a_word_outside_brackets_is_a_leak(said: str):
    assert leaks(parse(said), "en-XA")


@pytest.mark.parametrize(
    "said",
    [
        "<p>⟦Åñ ⟦nested⟧ one⟧ 3.5×</p>",
        "<p>⟦split <b>3×</b> by markup⟧</p>",
        '<td translate="no">fp32</td>',
        '<tr translate="no"><td>fp32</td></tr>',
        "<p><bdi>M1 Pro</bdi></p>",
        "<p><bdi>pytorch-in-m1</bdi></p><text>pytorch-in-…</text>",
        '<p><span lang="en">As printed</span></p>',
    ],
)
def test_data_and_bracketed_words_are_no_leaks(said: str):
    assert leaks(parse(said), "en-XA") == []


def test_no_word_of_the_shipped_page_bypasses_the_catalogues(files: dict[str, Path]):
    assert leaks(parse(files["en-XA"].read_text("utf-8")), "en-XA") == []


@pytest.mark.parametrize("kind", ["example", "empty"])
def test_no_word_of_another_page_bypasses_the_catalogues(kind: str):
    shown = {"example": example(), "empty": view_fixture.empty()}[kind]
    text = html.render(shown, en_xa(), languages=("en",), files={"CSV": "report.csv"})

    assert leaks(parse(text), "en-XA") == []


def test_no_word_of_markdown_bypasses_the_catalogues(shipped: Report):
    for shown in (shipped, example()):
        text = markdown.render(shown, en_xa("rtl"), {"metal": "metal.svg"})

        assert list(_words(text)) == []


_NOTE_KEYS = re.compile(r"\((\w{1,2}(, )?)+\)|\*\*\w{1,2}\*\*")
_ISOLATED = re.compile("[\u2066\u2067][^\u2066-\u2069]*\u2069")


def _words(text: str) -> Iterator[str]:
    """Yield our words in Markdown: not in isolates, code, links or cells of data."""
    for line in text.splitlines():
        bare = re.sub(r"<[^>]*>|`[^`]*`|\[[^\]]*\]\(|&#?\w+;", " ", line)
        bare = _NOTE_KEYS.sub(" ", bare)
        while (rest := _ISOLATED.sub(" ", bare)) != bare:
            bare = rest
        yield from unbracketed(bare)


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("code", PAGES)
def test_nothing_is_wider_than_the_screen(
    opened: dict[str, Page], code: str, width: int
):
    shown = opened[code]
    shown.set_viewport_size({"width": width, "height": 800})

    assert shown.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("code", PAGES)
def test_no_text_leaves_the_screen_or_its_box(
    opened: dict[str, Page], code: str, width: int
):
    shown = opened[code]
    shown.set_viewport_size({"width": width, "height": 800})

    assert shown.evaluate(_OUTSIDE, width) == []


# What lies beyond the edge without a region of its own that scrolls.
_OUTSIDE = """width => [...document.querySelectorAll('main *, header *, footer *')]
  .filter(e => !e.closest('.scroller, .unseen, svg, [hidden], template, option'))
  .filter(e => e.getClientRects().length)
  .map(e => [e, e.getBoundingClientRect()])
  .filter(([, r]) => r.width && (r.left < -1 || r.right > width + 1))
  .map(([e]) => e.outerHTML.slice(0, 120))"""


def test_reversed_words_stand_on_the_other_side(opened: dict[str, Page]):
    edges = "e => [e.left, innerWidth - e.right]"
    shown = opened["ar-XB"]
    shown.set_viewport_size({"width": 1280, "height": 800})
    brand = shown.locator(".brand").evaluate(
        f"e => ({edges})(e.getBoundingClientRect())"
    )

    assert brand[1] < brand[0]
