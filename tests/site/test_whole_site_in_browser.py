"""Every kind of page, of tame and of hostile results, in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Visit, chromium, meetings
from tests.report.axe import violations
from tests.site.sites import built, runs
from tests.store_factory import Machine, Run
from tests.summary_page import WALL

PAPER = 710  # pixels: A4 between its margins
STOPS = 40  # that a reader passes with Tab before the content, at most
TARGET = 24  # pixels: the least that a finger hits
# A page of each template, and further ones that have another content in one of them.
TEMPLATES = (
    *("index", "chips", "runs", "compare"),
    *("chip/m1-max", "workload/llm-decode", "source/reports"),
)
KINDS = (*TEMPLATES, "workloads", "machines", "sources", "workload/resnet50")
LONG = "x" * 10_000
# Each is a chip, a model, a framework and a source; two have the same slug.
NAMES = (
    *("../../etc", "..//..//ETC", "<img src=x onerror=alert(1)>", "\u202egnp.exe"),
    *("=cmd|' /C calc'!A0", "</script><script>alert(1)</script>", LONG),
)
_STOPS = """() => [...document.querySelectorAll("a[href], button, input, summary")]
  .filter(e => e.checkVisibility() && !document.querySelector("main").contains(e)
    && e.compareDocumentPosition(document.querySelector("main")) & 4).length"""
_SHIFT = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => list.getEntries().map(it => sum += it.value))
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 60);
})"""
# Around the middle of a target is a circle as wide as a finger that meets no other;
# links in the middle of a sentence are as high as its lines.
_CROWDED = """size => {
  const targets = [...document.querySelectorAll("a[href], button, input, select")]
    .filter(e => e.checkVisibility() && !e.matches(".skip, .perm, [type=checkbox]"))
    .filter(e => !(getComputedStyle(e).display == "inline"
      && [...e.parentElement.childNodes].some(n => n.nodeType == 3
        && n.data.trim()[3])))
    .map(e => [e.getBoundingClientRect(), e]);
  const small = r => r.width < size || r.height < size;
  const middle = r => [(r.left + r.right) / 2, (r.top + r.bottom) / 2];
  return targets.filter(([r, e]) => small(r) && targets.some(([other, it]) => {
    if (it == e) return false;
    const [x, y] = middle(r), [to, down] = middle(other);
    const off = [Math.max(other.left - x, 0, x - other.right),
      Math.max(other.top - y, 0, y - other.bottom)];
    return Math.hypot(...off) < size / 2
      || small(other) && Math.hypot(to - x, down - y) < size;
  })).map(([, e]) => e.textContent.trim());
}"""


@pytest.fixture(scope="module", name="browser")
def a_browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"), runs(), ("en", "ar"))


@pytest.fixture(scope="module", name="evil")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("evil"), hostile_runs(), ("en", "ar"))


def hostile_runs() -> list[Run]:
    """Return results whose every name is chosen by an enemy."""
    made = []
    for n, text in enumerate(NAMES):
        machine = Machine(text, model=text)
        columns = {
            "batch_size": None,
            "parameters": {"model": text, "quantization": text},
            "locator": text,
        }
        rate = {"tokens_per_second": 10.0 + n}
        facts = {"title": text, "authors": [text], "url": "javascript:alert(1)"}
        for workload, values in (("resnet50", {WALL: 60.0 + n}), ("llm-decode", rate)):
            made.append(
                Run(
                    workload,
                    "metal" if n % 2 else "cpu",
                    machine,
                    text,
                    values=values,
                    printed=dict.fromkeys(values, text),
                    source=f"s{n % 3}",
                    source_columns=facts,
                    columns=columns if values is rate else {},
                )
            )
    return made


def every(site: Path, code: str = "") -> list[Path]:
    """Return pages of *site* in a language: in English two of each kind, else one."""
    folder, most = site / code, 1 if code else 2
    # The longest names make the longest page.
    longest = sorted((folder / "run").glob("*.html"), key=lambda it: it.stat().st_size)
    files = [*folder.glob("*.html"), *longest[-most:]]
    for kind in ("chip", "workload", "machine", "source"):
        files += sorted((folder / kind).glob("*.html"))[::-3][:most]
    return files


def one_of(site: Path, kind: str) -> Path:
    return sorted((site / kind).glob("*.html"))[0]


def shown(page: Page, width: int) -> list[str]:
    """Return what is wrong with a page on a screen or paper of that *width*."""
    page.set_viewport_size({"width": width, "height": 900})
    wide: int = page.evaluate("document.documentElement.scrollWidth")
    wrong = [f"{wide} wide"] if wide > width else []
    return wrong + meetings(page)


def faults(browser: Browser, site: Path, files: list[Path]) -> dict[str, list[str]]:
    """Return what is wrong with the pages in *files*, by their names."""
    groups, made = {}, Visit(browser.new_page())
    page = made.page
    for file in files:
        made.requests.clear()
        made.complaints.clear()
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(file.as_uri())
        moved = page.evaluate(_SHIFT)
        wrong = ["many stops"] if page.evaluate(_STOPS) > STOPS else []
        wrong += shown_and_hit(page, 1280)
        # A telephone's width from the first moment on.
        page.set_viewport_size({"width": 390, "height": 900})
        page.reload()
        if moved or page.evaluate(_SHIFT):
            wrong.append("moves")
        wrong += shown_and_hit(page, 390) + shown_and_hit(page, 320)
        page.emulate_media(media="print")
        wrong += [f"{it} on paper" for it in shown(page, PAPER)]
        wrong += made.complaints
        wrong += [it for it in made.requests if not it.startswith(site.as_uri())]
        if wrong:
            groups[str(file.relative_to(site))] = wrong
    page.close()
    return groups


def shown_and_hit(page: Page, width: int) -> list[str]:
    """Return what is wrong on a screen of that *width* for eyes and fingers."""
    wrong = [f"{it} at {width}" for it in shown(page, width)]
    crowded = page.evaluate(_CROWDED, TARGET)
    return wrong + [f"{it} is small at {width}" for it in crowded]


@pytest.mark.parametrize(("folder", "names"), [("", KINDS), ("ar", TEMPLATES)])
def test_a_page_keeps_to_itself_fits_and_its_words_keep_apart(
    browser, site, folder, names
):
    files = [site / folder / f"{name}.html" for name in names]
    files.append(one_of(site / folder, "machine"))
    files += [] if folder else [one_of(site, "run")]

    assert faults(browser, site, files) == {}


@pytest.mark.parametrize("folder", ["", "ar"])
def test_hostile_names_spoil_no_page(browser, evil, folder):
    files = every(evil, folder)

    assert {it.parent.name for it in files} >= {"chip", "workload", "source"}
    assert faults(browser, evil, files) == {}


@pytest.fixture(scope="module")
def bare(browser: Browser) -> Page:
    # The policy of a page lets no script of axe run in it.
    return browser.new_page(bypass_csp=True)


@pytest.mark.parametrize("name", [*TEMPLATES, "run", "machine"])
def test_everybody_can_read_a_page(bare, site, name):
    page = site / f"{name}.html"
    bare.goto((one_of(site, name) if (site / name).is_dir() else page).as_uri())

    assert violations(bare) == []


def test_hostile_names_make_no_markup_no_way_out_and_no_second_file(evil):
    files = [*evil.rglob("*.html")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    ways = re.findall(r"(?:href|src)=\"?([^\s\">]+)", text)
    chips = [file.stem for file in (evil / "chip").glob("*.html")]

    assert len(chips) == len(NAMES)
    assert {"etc", "etc-2"} <= {*chips}
    assert [it for it in ways if re.match(r"\w+:", it)] == []
    assert not re.search(r"<(img|script(?! src| type| id))", text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", text)
    assert "x" * 500 not in text
    assert {it.parent for it in evil.parent.iterdir()} == {evil.parent}
