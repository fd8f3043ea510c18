"""What a cell or a line says once its markup is taken off: Markdown, HTML, entities.

What is struck out was withdrawn, so it says nothing. Marks of footnotes are kept apart.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from benchdb.importing.quantities.characters import SIGNS

if TYPE_CHECKING:  # most files that are imported are no Markdown
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_TAG = re.compile(SIGNS["tags"]["any"])


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
        match = re.search(number, self.attributes, re.IGNORECASE)
        return int(match[1]) if match else 1


class Lines:
    """The lines of a text, by the places of their characters."""

    def __init__(self, text: str, first: int = 1) -> None:
        """Look for the lines of *text*, which begins in line *first*."""
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._first = first

    def line(self, at: int) -> int:
        """Return the line of the character at *at*."""
        return self._first + bisect_left(self._breaks, at)


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of *text* in order; what is no tag is left out."""
    return map(_tag_of, _TAG.finditer(text))


def _tag_of(match: re.Match[str]) -> Tag:
    name = (match["name"] or match["held"] or "!").lower()
    return Tag(name, *match.span(), bool(match["end"]), match["attributes"] or "")


LENGTH_LIMIT = 4000  # characters of Markdown; a longer text is no cell and no caption
MARK_LIMIT = 400  # characters of markup; a text with more of them stays as it is

_WORD = r"[^\\`<\[\]!*_~&†★‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹\u00ad\u200b\u2060\ufeff\s]+"
_PLAIN = re.compile(f"{_WORD}(?: {_WORD})*")

_STRUCK = re.compile(SIGNS["tags"]["struck"])
_BREAKING = re.compile("br|p|div|li|ul|ol|tr|td|th|hr|table|thead|tbody")
# Others, such as <none> or <unknown>, are what the author wanted to say.
_SILENT = re.compile(SIGNS["tags"]["silent"])
_RAISED_TAG = re.compile(SIGNS["tags"]["raised"])
_SPANS = re.compile(SIGNS["tags"]["spans"])
_CODE = re.compile(r"(?<!`)(`{1,9})(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_ENTITY = re.compile(r"&#?\w{1,31};")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_NOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")
# It opens and closes beside any letter, as authors who write without spaces between
# words mean it; a star between letters or digits is a star: 224*224*3.
_STRONG = re.compile(r"\*\*(?=\S)((?:[^*]|\*(?!\*))+?)(?<=\S)\*\*")
_STAR = re.compile(r"(?<=[^\W_])\*(?=[^\W_])")
_NOTE_LENGTH = 12

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
# A narrow or unbreakable space that groups digits belongs to the number.
_SPACES = re.compile(r"((?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d)))|\s+")
_MARK = re.compile("[*†★‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹]")
_LAST = re.compile(r" ?([*]{1,3}|[†‡§¶]{1,3}|(?<=[\w)] )★)$")  # Q6_K ★, the best
_INSIDE = re.compile(r"(?<=[^\s*])([*]{1,3}|[†‡§¶]{1,3})(?=[\s,;)])")
_FIRST = re.compile(r"^([*]{1,3}(?=[^\s*.])|[†‡§¶]{1,3}) ?")
_RAISED = re.compile("(?<=[^⁰¹²³⁴⁵⁶⁷⁸⁹⁻]) ?([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$")
# 10⁹, 2³², m², and of sizes 1024² and 1024³: powers, and no footnotes.
_POWER = re.compile(r"(?:(?<![\d.,])(?:10|2)|(?<![^\W\d])[mck]?m|s⁻)$")
_SIZE = re.compile(r"(?<![\d.,])(?:64|128|256|512|1024|2048|4096|8192|16384|32768)$")
_RAISE = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def words(raw: str, *, markdown: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return what *raw* says, without markup, and the marks of footnotes taken off.

    Without *markdown* only HTML is markup, and so it is in texts of more than
    ``LENGTH_LIMIT`` characters. One with more than ``MARK_LIMIT`` characters of
    Markdown is no text for people.
    """
    if not raw or _PLAIN.fullmatch(raw):
        return raw, ()
    if markdown and sum(map(raw.count, "*_`~[<&\\")) > MARK_LIMIT:
        return spaced(raw), ()
    notes: list[str] = []
    if markdown and len(raw) <= LENGTH_LIMIT:
        seen, at = "", 0
        for code in _CODE.finditer(raw):
            seen += _prepared(raw[at : code.start()], notes) + code[0]
            at = code.end()
        seen += _prepared(raw[at:], notes)
        seen = _seen(_parser().parseInline(seen)[0].children or [])
    else:
        text = _without_tags(raw, notes)
        seen = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text, marks = without_marks(spaced(seen), stars="`" not in raw)
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
    if raised and not _is_power(text[: raised.start()], raised[1].translate(LOWER)):
        text = _RAISED.sub(take, text)
    return text, tuple(notes)


def _is_power(before: str, raised: str) -> bool:
    of_size = raised in ("2", "3") and _SIZE.search(before[-8:])
    return bool(of_size or _POWER.search(before[-8:]))


def _prepared(text: str, notes: list[str]) -> str:
    """Return Markdown outside of code for the parser; add marks to *notes*."""
    text = _without_tags(text, notes)
    notes += _NOTE.findall(text)
    return _STAR.sub(r"\\*", _STRONG.sub(r"\1", _NOTE.sub("", text)))


def _without_tags(text: str, notes: list[str]) -> str:
    """Return *text* without tags, and what is struck out; add marks to *notes*."""

    def raised(tag: re.Match[str]) -> str:
        inner = _LINK.sub(r"\1", _TAG.sub("", tag[1])).strip()
        exponent = inner.strip("-−").isdecimal()
        power = _is_power(text[: tag.start()], inner) or inner[:1] in ("-", "−")
        if exponent and power:
            return inner.translate(_RAISE)
        if len(inner) > _NOTE_LENGTH:
            return f" {inner}"
        notes.extend(filter(None, re.split(r"[\s,;\[\]()]+", inner)))
        return ""

    def shown(tag: re.Match[str]) -> str:
        name = _tag_of(tag).name
        if _BREAKING.fullmatch(name):
            return " "
        return "" if _SILENT.fullmatch(name) else tag[0]

    text = _SPANS.sub(" ", text)
    return _STRUCK.sub("", _TAG.sub(shown, _RAISED_TAG.sub(raised, text)))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return MarkdownIt("commonmark").enable("strikethrough").disable("html_inline")


def _seen(tokens: "list[Token]") -> str:
    """Return the text of *tokens*, but for what is struck out."""
    pieces: list[str] = []
    struck: list[int] = []
    for token in tokens:
        if token.type == "image":
            pieces.append(_seen(token.children or []))
        elif token.type == "s_open":
            struck.append(len(pieces))
        elif token.type == "s_close":
            del pieces[struck.pop() if struck else len(pieces) :]
        else:
            broken = token.type in ("softbreak", "hardbreak")
            pieces.append(" " if broken else token.content)
    return "".join(pieces)
