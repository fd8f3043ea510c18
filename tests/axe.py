"""What axe-core finds in an open page; it comes with axe-playwright-python."""

from importlib.resources import files
from typing import Literal

from playwright.sync_api import Page

Scheme = Literal["light", "dark"]
_PROGRAM = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL = {"type": "tag", "values": _LEVELS}
# All that depends on a scheme: tests/test_page_style.py says that it is only colours.
_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_RUN = "rules => axe.run({runOnly: rules, resultTypes: ['violations']})"


_WIDTHS = (1280, 390)
_COLOURS = """() => {
  const found = new Set(), texts = document.createTreeWalker(
    document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (!texts.currentNode.data.trim()) continue;
    const said = [];
    for (let e = texts.currentNode.parentElement; e; e = e.parentElement) {
      const {color, fill, opacity, backgroundColor} = getComputedStyle(e);
      if (!said.length) said.push(color, e.closest("svg") ? fill : "");
      if (opacity != 1) said.push(opacity);
      if (!/, 0\\)$/.test(backgroundColor)) said.push(backgroundColor);
    }
    found.add(said.join(" "));
  }
  return [...found];
}"""


def violations(page: Page) -> list[tuple[str, str]]:
    """Return rules and markup, wide and narrow, light and dark; changes the page."""
    return [*_found(page, "light", _ALL), *_found(page, "dark", _OF_COLOURS)]


def violations_by_day(page: Page) -> list[tuple[str, str]]:
    """Return rules and markup, wide and narrow; changes the page."""
    return _found(page, "light", _ALL)


def colours_by_night(page: Page) -> set[str]:
    """Return in which colours texts stand, each before all that is behind it."""
    page.emulate_media(color_scheme="dark")
    return set(page.evaluate(_COLOURS))


def _found(page: Page, scheme: Scheme, rules: object) -> list[tuple[str, str]]:
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(content=_PROGRAM)
    page.emulate_media(color_scheme=scheme)
    told = []
    for width in _WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        told += page.evaluate(_RUN, rules)["violations"]
    return [(one["id"], node["html"]) for one in told for node in one["nodes"]]
