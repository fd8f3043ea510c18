"""The style of a page, which is ours without what only its readers need."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchdb import resources
from benchdb.report import page_assets
from tests.browser import chromium

ASSETS = resources.folder("reports") / "assets"
STYLES = sorted(path.name for path in ASSETS.glob("*.css"))


def tight(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "some.css"
) -> str:
    (folder / "assets").mkdir(exist_ok=True)
    (folder / "assets" / name).write_text(text, "utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: folder)
    return page_assets.stylesheet([name])


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("a { color: red; }\n", "a{color:red}"),
        ("a > b , c :hover { margin: 0 auto }", "a>b,c :hover{margin:0 auto}"),
        ("/* don't; } */ a { b: c; /* x */ d: e; }", "a{b:c;d:e}"),
        (
            "a { width: calc(1px + 2 * (3px - 1px)); }",
            "a{width:calc(1px + 2 * (3px - 1px))}",
        ),
        (
            'a::after { content: " ↓ /* ; } */ " / ""; }',
            'a::after{content:" ↓ /* ; } */ " / ""}',
        ),
        (
            "@media (min-width: 1px) and (max-width: 2px) {\n  a { b: c; }\n}",
            "@media (min-width:1px) and (max-width:2px){a{b:c}}",
        ),
    ],
)
def test_only_what_says_nothing_is_left_out(
    written: str, kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert tight(written, tmp_path, monkeypatch) == kept


def test_a_browser_reads_the_same_rules():
    raw = "\n".join(map(page_assets.asset, STYLES))
    made = page_assets.stylesheet(STYLES)

    with chromium() as browser:
        written, shown = (_rules(browser, text) for text in (raw, made))

    assert len(written) > 200
    assert shown == written
    assert len(made) < 0.9 * len(raw)


def test_a_dark_scheme_changes_colours_and_nothing_else():
    """So of the rules of axe only those about colours are asked again in the dark."""
    styles = "".join(map(page_assets.asset, STYLES))
    opening = "@media (prefers-color-scheme: dark) {"
    _, *blocks = styles.split(opening)
    (rules,) = (re.match(r"\s*:root \{([^{}]*)\}\s*\}", block) for block in blocks)

    assert rules
    texts = [text.strip() for text in rules[1].split(";") if text.strip()]
    assert len(texts) > 20
    assert [
        text for text in texts if not re.fullmatch("--[a-z0-9-]+: #[0-9a-f]+", text)
    ] == []
    assert styles.count("prefers-color-scheme") == len(blocks)


def _rules(browser: Browser, style: str) -> list[str]:
    page = browser.new_page()
    page.add_style_tag(content=style)
    texts: list[str] = page.evaluate(
        "[...document.styleSheets[0].cssRules].map(rule => rule.cssText)"
    )
    page.close()
    # A value with a variable keeps the white space that it was written with.
    return [" ".join(rule.replace(",", ", ").split()) for rule in texts]
