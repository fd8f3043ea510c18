"""What a cell or a line says once its markup is taken off: Markdown, HTML, entities.

What is struck out was withdrawn, so it says nothing. Marks of footnotes are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

# It reaches over no other "<", and what is never closed reaches to the end, as browsers
# have it: so no text is looked at twice.
_TAG = re.compile(
    r"""<!--.*?(?:-->|\Z) | <[!?][^>]*+(?:>|\Z)
    | <(?P<held>script|style)(?=[\s>]).*?(?:</(?P=held)[^>]*>|\Z)
    | <(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,30})(?=[\s/>])
      (?P<attributes>(?>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*))>""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


class Tag(msgspec.Struct, frozen=True):
    """A tag of *name* in lower case, from *start* up to *end*.

    Comments and declarations are tags named ``!``; a script or a style sheet is one tag
    with all that it holds.
    """

    name: str
    start: int
    end: int
    closing: bool = False
    attributes: str = ""

    def span(self, name: str) -> int:
        """Return the ``colspan`` or ``rowspan``: 1 unless it is a number."""
        number = rf"(?<![\w-]){name}\s*=\s*[\"']?\s*(\d{{1,9}})"
        found = re.search(number, self.attributes, re.IGNORECASE)
        return int(found[1]) if found else 1


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of *text* in order; what is no tag is left out."""
    return map(_tag_of, _TAG.finditer(text))


def _tag_of(match: re.Match[str]) -> Tag:
    name = (match["name"] or match["held"] or "!").lower()
    return Tag(name, *match.span(), bool(match["end"]), match["attributes"] or "")


if TYPE_CHECKING:  # most files that are imported are no Markdown
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

LENGTH_LIMIT = 4000  # characters of Markdown; a longer text is no cell and no caption
MARK_LIMIT = 400  # characters of markup; a text with more of them stays as it is

_WORD = r"[^\\`<\[\]!*_~&$†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹\u00ad\u200b\u2060\ufeff\s]+"
_PLAIN = re.compile(f"{_WORD}(?: {_WORD})*")

_STRUCK = re.compile("del|s|strike")
_BREAKING = re.compile("br|p|div|li|ul|ol|tr|td|th|hr|table|thead|tbody")
# Others, such as <none> or <unknown>, are what the author wanted to say.
_SILENT = re.compile(
    "!|a|abbr|b|big|center|cite|code|dd|details|dl|dt|em|font|h[1-6]|i|img|ins|kbd|mark"
    "|nobr|picture|pre|q|samp|script|small|source|span|strong|style|sub|summary|sup|svg"
    "|time|tt|u|var|wbr"
)
_RAISED_TAG = re.compile(
    r"<sup(?:\s[^<>]{0,200})?>((?:(?!</?sup\b).){0,200})</sup\s*>", re.I | re.DOTALL
)
_NOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")
_NOTE_LENGTH = 12

# As Pandoc has it, so that "$3-$5" stays an amount of money.
_MATH = re.compile(r"\$(?=\S)([^$]{1,200})(?<=\S)\$(?!\d)")
_STYLED = re.compile(r"\\(?:mathbf|textbf|mathrm|text|mathit)\s*\{([^{}]*)\}")
_SIGNS = {
    "\\pm": "±",
    "\\times": "×",
    "\\approx": "~",
    "\\sim": "~",
    "\\%": "%",
    "\\,": "",
    "{,}": ",",
}

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
# A narrow or unbreakable space that groups digits belongs to the number.
_SPACES = re.compile(r"((?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d)))|\s+")
_MARK = re.compile("[*†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹]")
_LAST = re.compile(r" ?([*]{1,3}|[†‡§¶]{1,3})$")
_INSIDE = re.compile(r"(?<=[^\s*])([*]{1,3}|[†‡§¶]{1,3})(?=[\s,;)])")
_FIRST = re.compile(r"^([*]{1,3}(?=[^\s*.])|[†‡§¶]{1,3}) ?")
_RAISED = re.compile("(?<=[^⁰¹²³⁴⁵⁶⁷⁸⁹⁻]) ?([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$")
# 10⁹, 2³², m²: powers, and no footnotes.
_POWER = re.compile(r"(?:(?<![\d.,])(?:10|2)|(?<![^\W\d])[mck]?m|s⁻)$")
_RAISE = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def words(raw: str, *, markdown: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return what *raw* says, without markup, and the marks of footnotes taken off.

    Without *markdown* only HTML is markup, and so it is in
    texts of more than ``LENGTH_LIMIT`` characters. One with more than ``MARK_LIMIT``
    characters of Markdown is no text for people.
    """
    if not raw or _PLAIN.fullmatch(raw):
        return raw, ()
    if markdown and sum(map(raw.count, "*_`~[<&\\")) > MARK_LIMIT:
        return spaced(raw), ()
    markdown = markdown and len(raw) <= LENGTH_LIMIT
    if markdown and "$" in raw:
        raw = _MATH.sub(_figure, raw)
    parser = _parser(markdown=markdown)
    notes: list[str] = []
    said = _said(_tokens(parser, raw), notes, parser)
    text, marks = without_marks(spaced(said), stars="`" not in raw)
    return text, (*notes, *marks)


def spaced(text: str) -> str:
    """Return *text* in one line, with single spaces, without invisible characters."""
    if text.isascii():
        return " ".join(text.split())
    text = _INVISIBLE.sub("", text)
    return _SPACES.sub(lambda space: space[1] or " ", text).strip()


def without_marks(text: str, *, stars: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return *text*, one line, without the marks of footnotes on its words; and those.

    *stars* says whether ``*`` is one: in code and in patterns it is a character.
    """
    if not _MARK.search(text):
        return text, ()
    notes: list[str] = []

    def take(mark: re.Match[str]) -> str:
        if "*" in mark[1] and not stars:
            return mark[0]
        notes.append(mark[1].translate(LOWER))
        return ""

    for pattern in (_FIRST, _INSIDE, _LAST):
        text = pattern.sub(take, text)
    raised = _RAISED.search(text)
    if raised and not _POWER.search(text[: raised.start()][-8:]):
        text = _RAISED.sub(take, text)
    return text, tuple(notes)


def _figure(formula: re.Match[str]) -> str:
    r"""Return a formula that is a figure, ``$12.3 \pm 0.4$``, as people print it."""
    text = _STYLED.sub(r"\1", formula[1])
    for command, sign in _SIGNS.items():
        text = text.replace(command, sign)
    return formula[0] if set(text) & set("\\{}^_") else text


def _tokens(parser: MarkdownIt, raw: str) -> list[Token]:
    tokens: list[Token] = []
    parser.inline.parse(raw, parser, {}, tokens)
    return tokens


def _said(tokens: list[Token], notes: list[str], parser: MarkdownIt) -> str:
    """Return the text of *tokens*; add the marks of footnotes to *notes*."""
    pieces: list[str] = []
    struck: list[int] = []
    for token in tokens:
        if token.type == "note":
            notes.append(token.content)
        elif token.type == "raised":
            raised = _said(_tokens(parser, token.content), notes, parser).strip()
            pieces.append(_raised("".join(pieces[-3:]), raised, notes))
        elif token.type == "image":
            pieces.append(_said(token.children or [], notes, parser))
        elif token.type == "s_open":
            struck.append(len(pieces))
        elif token.type == "s_close":
            del pieces[struck.pop() if struck else len(pieces) :]
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        else:
            pieces.append(token.content)
    return "".join(pieces)


def _raised(before: str, text: str, notes: list[str]) -> str:
    """Return what is raised behind *before* as a power, or add its marks to *notes*."""
    exponent = text.strip("-−").isdecimal()
    if exponent and (_POWER.search(before[-8:]) or text[:1] in ("-", "−")):
        return text.translate(_RAISE)
    if len(text) > _NOTE_LENGTH:
        return f" {text}"
    notes += filter(None, re.split(r"[\s,;\[\]()]+", text))
    return ""


@cache
def _parser(*, markdown: bool) -> MarkdownIt:
    """Return the parser of HTML alone, or of Markdown but for two habits of tables.

    A star between letters or digits is a star (``224*224*3``), and ``**`` opens and
    closes beside any letter, as authors who write without spaces between words mean it.
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415

    if markdown:
        parser = MarkdownIt("commonmark").enable("strikethrough")
        parser.inline.ruler.at("emphasis", _emphasis)
        parser.inline.ruler.before("link", "note", _note)
    else:
        parser = MarkdownIt("zero").enable(["autolink", "entity", "html_inline"])
    parser.inline.ruler.at("html_inline", _tag)
    return parser


def _emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    mark = state.src[state.pos]
    if silent or mark not in "*_":
        return False
    from markdown_it.rules_inline.state_inline import Delimiter  # noqa: PLC0415

    run = state.scanDelims(state.pos, mark == "*")
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[state.pos + run.length : state.pos + run.length + 1] or " "
    opens, closes = run.can_open, run.can_close
    if mark == "*" and run.length > 1:
        opens, closes = not after.isspace(), not before.isspace()
    elif mark == "*" and before.isalnum() and after.isalnum():
        opens = closes = False
    for _ in range(run.length):
        state.push("text", "", 0).content = mark
        token = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(mark), 0, token, -1, opens, closes))
    state.pos += run.length
    return True


def _tag(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    """Take a tag that says nothing itself; ``<none>`` is what the author says."""
    match = _TAG.match(state.src, state.pos)
    if match is None:
        return False
    tag = _tag_of(match)
    end, raised = tag.end, _RAISED_TAG.match(state.src, state.pos)
    kind, content = "text", ""
    if raised:
        kind, content, end = "raised", raised[1], raised.end()
    elif _BREAKING.fullmatch(tag.name):
        content = " "
    elif _STRUCK.fullmatch(tag.name):
        kind = "s_close" if tag.closing else "s_open"
    elif not _SILENT.fullmatch(tag.name):
        return False
    if not silent:
        state.push(kind, "", 0).content = content
    state.pos = min(end, state.posMax)
    return True


def _note(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    """Take the mark of a footnote: ``[^1]``."""
    mark = _NOTE.match(state.src, state.pos) if state.src[state.pos] == "[" else None
    if mark is None:
        return False
    if not silent:
        state.push("note", "", 0).content = mark[1]
    state.pos = mark.end()
    return True
