"""What axe-core finds in an open page; it comes with axe-playwright-python."""

from importlib.resources import files

from playwright.sync_api import Page

_PROGRAM = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL = {"type": "tag", "values": _LEVELS}
# All that depends on a scheme: tests/test_page_style.py says that it is only colours.
_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_RUN = "rules => axe.run({runOnly: rules, resultTypes: ['violations']})"


def violations(page: Page) -> list[tuple[str, str]]:
    """Return rules and markup, wide and narrow, light and dark; changes the page."""
    page.add_script_tag(content=_PROGRAM)
    told = []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="light")
        told += page.evaluate(_RUN, _ALL)["violations"]
        page.emulate_media(color_scheme="dark")
        told += page.evaluate(_RUN, _OF_COLOURS)["violations"]
    return [(one["id"], node["html"]) for one in told for node in one["nodes"]]
