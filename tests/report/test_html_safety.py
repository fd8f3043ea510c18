import base64
import hashlib
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb import resources
from benchdb.report import html, language
from benchdb.report.view.page import Report
from tests.page import Element, parse
from tests.page_fixture import report
from tests.view_fixture import HOSTILE, hostile

ENGLISH = language.load("en")


def page(shown: Report) -> str:
    return html.render(
        shown, ENGLISH, languages=("en", "de"), files={"CSV": "values.csv"}
    )


@pytest.fixture(scope="module")
def tree() -> Element:
    return parse(page(report()))


def test_the_policy_comes_first_and_allows_only_our_script(tree: Element):
    (top,) = tree.all("head")
    head = [child for child in top.children if isinstance(child, Element)]
    assert head[0].attributes == {"charset": "utf-8"}
    assert head[1].attributes["http-equiv"] == "Content-Security-Policy"
    (script,) = tree.all("script")
    seal = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert head[1].attributes["content"] == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{seal}'; base-uri 'none'; form-action 'none'"
    )
    assert head[2].attributes == {"name": "referrer", "content": "no-referrer"}


def test_the_page_asks_nothing_of_any_server(tree: Element):
    assert tree.having("src") == []
    outside = [e for e in tree.having("href") if ":" in e.attributes["href"]]
    assert {e.attributes["href"] for e in outside} == {
        source.url for source in report().sources
    }
    assert all(e.attributes["rel"] == "noreferrer nofollow" for e in outside)
    assert "url(" not in tree.all("style")[0].text
    assert "@import" not in tree.all("style")[0].text


def test_files_beside_the_page_are_linked_by_name_only():
    odd = {"CSV": "values.csv", "Evil": "javascript:alert(1)", "Up": "../x"}
    tree = parse(html.render(report(), ENGLISH, files=odd))
    links = [e.attributes["href"] for e in tree.having("download")]
    assert links == ["values.csv"]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_strangers_is_inert(text: str):
    shown = page(hostile(text))
    tree = parse(shown)
    assert len(tree.all("script")) == 1
    assert tree.all("img") == []
    assert not [e for e in tree.walk() if any(k.startswith("on") for k in e.attributes)]
    outside = [e.attributes["href"] for e in tree.having("href")]
    allowed = ("#", "https://example.org/", "report.", "values.")
    assert all(link.startswith((*allowed, text.strip() or "#")) for link in outside)
    assert not any(link.startswith("javascript:") for link in outside)
    assert not {"\u202e", "\u2066", "\x00", "\x1b"} & set(shown)
    assert "x" * 500 not in shown


def test_a_message_with_markup_stays_text():
    class Sly:
        def gettext(self, message: str) -> str:
            return f"<b onclick=x>{message}"

        def ngettext(self, one: str, many: str, n: int) -> str:
            return self.gettext(one if n == 1 else many)

        def pgettext(self, context: str, message: str) -> str:
            return self.gettext(message)

        def npgettext(self, context: str, one: str, many: str, n: int) -> str:
            return self.ngettext(one, many, n)

    odd = replace(ENGLISH, catalogue=Sly())
    tree = parse(html.render(report(), odd))
    assert not [e for e in tree.walk() if "onclick" in e.attributes]


def test_no_template_trusts_text():
    templates = resources.folder("reports") / "templates"
    for path in templates.rglob("*.j2"):
        text = path.read_text("utf-8")
        assert not re.search(r"\|\s*safe\b|Markup|autoescape", text), path
    code = Path(html.__file__).parent.glob("*.py")
    trusting = {p.name for p in code if "Markup(" in p.read_text("utf-8")}
    assert trusting == {"html.py"}
    assert Path(html.__file__).read_text("utf-8").count("Markup(") == 1


def test_the_script_is_small():
    script = resources.folder("reports") / "assets" / "report.js"
    assert len(script.read_bytes()) <= 4250
