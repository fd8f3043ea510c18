"""What axe-core finds in an open page; it comes with axe-playwright-python."""

from importlib.resources import files
from typing import Any, Literal, get_args

from playwright.sync_api import Page

Scheme = Literal["light", "dark"]
_PROGRAM = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL = {"type": "tag", "values": _LEVELS}
# All that depends on a scheme: tests/report/test_page_style.py says it is colours.
_OF_COLOURS: dict[str, Any] = {
    "type": "rule",
    "values": ["color-contrast", "link-in-text-block"],
}
_ALL_BUT_THOSE = {
    "runOnly": _ALL,
    "rules": {rule: {"enabled": False} for rule in _OF_COLOURS["values"]},
}
_RUN = "options => axe.run({...options, resultTypes: ['violations']})"


_WIDTHS = (1280, 390)
# Of each element once, for all the texts in it: what is behind it, nearest first. Large
# texts need less contrast.
_COLOURS = """() => {
  const found = new Set(), known = new Map(), texts = document.createTreeWalker(
    document.body, NodeFilter.SHOW_TEXT);
  const behind = e => {
    if (!e) return "";
    if (!known.has(e)) {
      const {opacity, backgroundColor} = getComputedStyle(e);
      const own = opacity == 1 ? [] : [opacity];
      if (!/, 0\\)$/.test(backgroundColor)) own.push(backgroundColor);
      const rest = behind(e.parentElement);
      // The same colour twice is that colour.
      known.set(e, rest.startsWith(own.join(" ")) ? rest : [...own, rest].join(" "));
    }
    return known.get(e);
  };
  const parents = new Set();
  while (texts.nextNode())
    if (texts.currentNode.data.trim()) parents.add(texts.currentNode.parentElement);
  for (const e of parents) {
    if (!e.checkVisibility()) continue;
    const {color, fill, fontSize, fontWeight} = getComputedStyle(e);
    const isLarge = parseFloat(fontSize) >= (fontWeight < 700 ? 24 : 18.66);
    const own = [color, e.closest("svg") ? fill : "", isLarge];
    found.add([...own, behind(e)].join(" "));
  }
  return [...found];
}"""


def violations(page: Page) -> list[tuple[str, str]]:
    """Return rules and markup, wide and narrow, light and dark; changes the page.

    Colours are judged again where texts stand in others than they did before.
    """
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(content=_PROGRAM)
    result = []
    for scheme in get_args(Scheme):
        page.emulate_media(color_scheme=scheme)
        judged: set[str] = set()
        for width in _WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            seen = set(page.evaluate(_COLOURS))
            is_new, judged = not seen <= judged, judged | seen
            options: dict[str, Any] = {"runOnly": _OF_COLOURS}
            if scheme == "light":
                options = {"runOnly": _ALL} if is_new else _ALL_BUT_THOSE
            if scheme == "light" or is_new:
                result += page.evaluate(_RUN, options)["violations"]
    return [(item["id"], node["html"]) for item in result for node in item["nodes"]]
