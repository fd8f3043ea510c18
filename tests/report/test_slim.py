"""A page is short of what HTML does not ask for, and of nothing else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from benchdb.report.language import load
from benchdb.report.slim import slim
from benchdb.site import pages as site_pages
from tests.browser import chromium
from tests.site.short_page import short
from tests.site.sites import shipped

# What the parser built: elements, attributes by name and value, text without the spaces
# at its ends, which a cell does not show.
BUILT = """() => {
  const built = [], walk = node => {
    if (node.nodeType == 3) {
      if (node.data.trim()) built.push(node.data.trim());
      return;
    }
    const said = [...node.attributes].flatMap(a => [a.name, a.value]);
    built.push(JSON.stringify([node.nodeName, ...said]));
    node.childNodes.forEach(walk);
    built.push("");
  };
  walk(document.documentElement);
  return built;
}"""


@pytest.mark.parametrize(
    ("page", "slimmed"),
    [
        (
            '<tr class="x">\n<td>1</td>\n<td>2</td>\n</tr>\n<tr>',
            "<tr class=x><td>1<td>2<tr>",
        ),
        ("<thead><tr><th>a</th></tr>\n</thead>\n<tbody>", "<thead><tr><th>a<tbody>"),
        ("<tr><td>1</td></tr>\n</tbody>\n</table>", "<tr><td>1</table>"),
        (
            "<select>\n<option>1</option>\n<option>2</option>\n</select>",
            "<select><option>1<option>2</select>",
        ),
        ("</a>\n</div>\n<h2>", "</a></div><h2>"),
        ("</a>\n<a>", "</a>\n<a>"),
        # A comment, say, may follow: the end tag stays.
        ("<td>1</td><!-- x --><td>", "<td>1</td><!-- x --><td>"),
        ('<a href="#run-1" title="a b">', '<a href=#run-1 title="a b">'),
        ('<a href="https://a.b/">', '<a href="https://a.b/">'),
        # Without the space, the slash would be the value's.
        ('<use href="#a" x="1"/>', "<use href=#a x=1 />"),
        ('<use href="a/"/>', '<use href="a/"/>'),
        ("<ul>\n<li>1</li>\n<li>2\n</li></ul>", "<ul><li>1<li>2</ul>"),
        ("<p>1</p>\n<div>2</div>", "<p>1<div>2</div>"),
        # What follows is text of its own, or phrasing: the end tag stays.
        ("<p>1</p>\n2", "<p>1</p>\n2"),
        ("<p>1</p>\n<a>2</a>", "<p>1</p>\n<a>2</a>"),
        ('<i a="" b="x=1" c="a&#34;b">', '<i a="" b="x=1" c=a&#34;b>'),
        ('<style>td[a="b"] {}</style><i a="b">', '<style>td[a="b"] {}</style><i a=b>'),
        (
            '<script>"<td a="b"></td><td>"</script>',
            '<script>"<td a="b"></td><td>"</script>',
        ),
        ("say &#34;a=&#34; </p>", "say &#34;a=&#34;</p>"),
    ],
)
def test_what_html_does_not_ask_for_is_left_out(page: str, slimmed: str):
    assert slim(page) == slimmed
    assert slim(slimmed) == slimmed


CODES = ("en", "ar")
# Rules of what is not there are left out of the short one.
_STYLE = re.compile("<style>.*?</style>", re.DOTALL)


@dataclass(frozen=True)
class Written:
    """A page as it was rendered, and as it is sent."""

    whole: str
    short: str


@pytest.fixture(scope="module")
def pages() -> dict[str, Written]:
    """Return the short file of the shipped results."""
    whole: list[str] = []

    def kept(page: str) -> str:
        whole.append(page)
        return slim(page)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_pages, "slim", kept)
        result = short(shipped())
        made = [result.page(load(code)) for code in CODES]
    return dict(zip(CODES, map(Written, whole, made), strict=True))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("code", CODES)
def test_a_browser_builds_the_same_page(
    pages: dict[str, Written], browser: Browser, code: str
):
    written = pages[code]
    page = browser.new_page()
    built = []
    for markup in (written.short, written.whole):
        page.set_content(_STYLE.sub("", markup))
        built.append(page.evaluate(BUILT))

    assert len(slim(written.whole)) < 0.96 * len(written.whole)
    assert len(built[0]) > 4_000
    assert built[0] == built[1]
