"""What bypasses the catalogues, and what breaks where words are longer or mirrored."""

import re
from collections.abc import Callable, Iterator, Sequence
from gettext import GNUTranslations
from pathlib import Path
from typing import Literal

import pytest
from babel import Locale
from playwright.sync_api import Browser, Page

from benchdb.catalogue import workloads
from benchdb.report.language import Language
from benchdb.site.pages import Sheet
from tests.browser import chromium
from tests.page import Element, parse
from tests.site import short_page
from tests.site.short_page import Short
from tests.store_factory import Run
from tests.written_reports import mixed

OPEN, CLOSE = "⟦", "⟧"
OVERRIDE, POP, MARK = "\u202e", "\u202c", "\u200f"

_ACCENTS = str.maketrans(
    "aceghijklnorsuwyzACEGHIJKLNORSUWYZ", "åçéĝĥîĵķļñöŕšûŵýžÅÇÉĜĤÎĴĶĻÑÖŔŠÛŴÝŽ"
)
_PARTS = re.compile(r"(%\(\w+\)s|%%)")
_WORD = re.compile(r"[^\W\d_]+")
_LONGER = 0.4
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def accented(message: str) -> str:
    """Return ``⟦Šöûŕçé one⟧`` for ``Source``: longer, and still full of words."""
    parts = _PARTS.split(message)
    texts = [
        part if place % 2 else part.translate(_ACCENTS)
        for place, part in enumerate(parts)
    ]
    letters = sum(map(len, _WORD.findall("".join(parts[::2]))))
    return f"{OPEN}{''.join(texts)}{_padding(round(letters * _LONGER))}{CLOSE}"


def _padding(length: int) -> str:
    text = " ".join(_WORDS * (length // 40 + 1))[: max(0, length - 1)].strip()
    return f" {text}" if text else ""


def reversed_words(message: str) -> str:
    """Return *message* with each word shown from right to left."""
    parts = _PARTS.split(message)
    return "".join(
        part if place % 2 else _WORD.sub(_override, part)
        for place, part in enumerate(parts)
    )


def _override(word: re.Match[str]) -> str:
    return f"{MARK}{OVERRIDE}{word[0]}{POP}{MARK}"


class Made(GNUTranslations):
    """Every message of ours, changed by one function."""

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self._change = change

    def gettext(self, message: str) -> str:
        return self._change(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._change(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self._change(message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.ngettext(msgid1, msgid2, n)


class Accented(Language, frozen=True):
    """English in brackets; what CLDR writes around our messages is in them too."""

    def listing(self, items: Sequence[str]) -> str:
        return f"{OPEN}{super().listing(items)}{CLOSE}"

    def date(self, iso: str) -> str:
        return f"{OPEN}{super().date(iso)}{CLOSE}"

    def _cldr(self, value: float, unit: str) -> str:
        return f"{OPEN}{super()._cldr(value, unit)}{CLOSE}"


def en_xa(direction: Literal["ltr", "rtl"] = "ltr") -> Language:
    """Return the accented language, for reports that show their isolates if *rtl*."""
    return Accented("en-XA", "Åççéñţš", direction, Locale("en"), Made(accented))


def ar_xb() -> Language:
    """Return English that runs from right to left, with the figures of Arabic."""
    return Language("ar-XB", "XB", "rtl", Locale("ar"), Made(reversed_words))


_TOLD = ("title", "aria-label", "alt", "placeholder", "data-text")
_BLOCKS = {"p", "td", "th", "li", "h1", "h2", "h3", "caption", "option", "summary"}
_BLOCKS |= {"article", "body", "div", "figcaption", "label", "nav", "section", "title"}
_BLOCKS |= {"text"}  # of a chart
_SKIPPED = {"style", "script", "code"}
_BRAND = "benchdb"


def leaks(page: Element, code: str) -> list[str]:
    """Return the words of *page* that no catalogue gave, with where they stand.

    Data say that they are data: by ``translate="no"``, ``bdi`` or another language.
    Names on charts are those of the tables.
    """
    result: list[str] = []
    names = _names(page)
    for element, data in _with_data(page):
        row = () if element.name == "code" else _TOLD
        texts = [element.attributes.get(name, "") for name in row]
        if element.name in _BLOCKS and not data:
            texts.append(_ours(element, code))
        words = [word for text in texts for word in unbracketed(text)]
        result += [f"<{element.name}> {it}" for it in words if not _is_name(it, names)]
    return result


def _is_name(word: str, names: set[str]) -> bool:
    """Tell whether *word* is one of *names*, or the start of one, cut on a chart."""
    text = _bare(word)
    start = text.removesuffix("…")
    cut = start and start != text
    return text in names or bool(cut and any(it.startswith(start) for it in names))


def _names(page: Element) -> set[str]:
    result = (
        child
        for element, data in _with_data(page)
        for child in element.children
        if data and isinstance(child, str)
    )
    networks = (it for it in workloads().values() if it.kind != "operation")
    texts = (*result, *(it.title for it in networks))
    return {_bare(word) for text in texts for word in text.split()}


def _bare(word: str) -> str:
    return word.strip("\u2066\u2067\u2068\u2069,.:;()")


def _with_data(
    element: Element, *, inside: bool = False
) -> Iterator[tuple[Element, bool]]:
    """Yield every element, and whether it or what it stands in says it is data."""
    ours = element.attributes.get("translate") in ("", "yes")
    data = is_data(element) or (inside and not ours)
    yield element, data
    for child in element.children:
        if isinstance(child, Element):
            yield from _with_data(child, inside=data)


def _ours(element: Element, code: str) -> str:
    return "".join(
        child if isinstance(child, str) else _shown(child, code)
        for child in element.children
    )


def _shown(element: Element, code: str) -> str:
    foreign = element.attributes.get("lang", code) != code
    holds = element.name in _SKIPPED | _BLOCKS
    key = "note" in element.classes  # a letter; its label tells it in words
    return " " if foreign or is_data(element) or holds or key else _ours(element, code)


def is_data(element: Element) -> bool:
    """Tell whether *element* says that no translator is to touch it."""
    return element.name == "bdi" or element.attributes.get("translate") == "no"


def unbracketed(text: str) -> list[str]:
    """Return the words outside brackets, which may be nested, or cut with an …"""
    if _bare(text.strip()).endswith("…"):
        text += CLOSE * (text.count(OPEN) - text.count(CLOSE))
    while (rest := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = rest
    words = (word for word in text.split() if any(map(str.isalpha, word)))
    return [word for word in words if word != _BRAND]


BESIDE = Sheet("benchdb report", "5d" * 32, ("en", "de"), (("CSV", "report.csv"),))
PAGES = {"en-XA": en_xa(), "ar-XB": ar_xb()}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Short:
    return short_page.shipped(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def files(shipped: Short, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    written = {code: folder / f"report.{code}.html" for code in PAGES}
    for code, file in written.items():
        file.write_text(shipped.page(PAGES[code], BESIDE), "utf-8")
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
    "text",
    [
        "<p>Plain words</p>",
        '<p title="words">–</p>',
        "<p><bdi>pytorch-in-m1</bdi></p><text>tensorflow-in-…</text>",
        "<td>⟦å⟧ words <b>⟦b⟧</b></td>",
        '<tr translate="no"><td translate>words</td></tr>',
    ],
)
def test_a_word_outside_brackets_is_a_leak(text: str):
    assert leaks(parse(text), "en-XA")


@pytest.mark.parametrize(
    "text",
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
def test_data_and_bracketed_words_are_no_leaks(text: str):
    assert leaks(parse(text), "en-XA") == []


def test_no_word_of_the_shipped_page_bypasses_the_catalogues(files: dict[str, Path]):
    assert leaks(parse(files["en-XA"].read_text("utf-8")), "en-XA") == []


@pytest.mark.parametrize("runs", [mixed(), []], ids=["some", "none"])
def test_no_word_of_another_page_bypasses_the_catalogues(
    tmp_path: Path, runs: list[Run]
):
    text = short_page.of(tmp_path, runs).page(en_xa(), BESIDE)

    assert leaks(parse(text), "en-XA") == []


def test_no_word_of_markdown_bypasses_the_catalogues(shipped: Short):
    assert list(_words(shipped.text(en_xa("rtl")))) == []


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
def test_no_text_leaves_the_screen_or_its_box(
    opened: dict[str, Page], code: str, width: int
):
    shown = opened[code]
    shown.set_viewport_size({"width": width, "height": 800})

    assert shown.evaluate("document.documentElement.scrollWidth") <= width
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
