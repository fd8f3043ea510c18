"""The blocks of a document, line by line: quotes, fences, headings, front matter.

Tables and running text are found among them in the same way. Not the block parser of
markdown-it-py: it keeps all of a document as objects, some kilobytes a line of a log.
"""

import re
from collections.abc import Sequence

import msgspec

_FRONT_MATTER = 100  # lines in which it must end
_FRONT_KEYS = ("title:", "layout:", "date:", "author", "slug:", "tags:", "description:")
_QUOTES = re.compile(r"(?:[ \t]{0,9}>)+ ?")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`]*)$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)")
_LEAD_LIMIT = 200  # characters; a longer line is prose
_LEAD = re.compile(r"\*\*[^*\s][^*]{0,100}\*\*|__[^_\s][^_]{0,100}__")
_BOLD = re.compile(
    r"(?:\*\*(?=\S)[^*]+\*\*|\*\*\*(?=\S)[^*]+\*\*\*|__(?=\S)[^_]+__"
    r"|<b>[^<]+</b>|<strong>[^<]+</strong>)[ \t]*:?"
)


class Line(msgspec.Struct, frozen=True):
    """A line: how many quotes it is in, how far *text* is indented, and *text*."""

    quotes: int
    indent: int
    text: str


class Fence(msgspec.Struct, frozen=True):
    """The first line of a code block: what closes it, and its language."""

    mark: str
    language: str


def unquoted(raw: str) -> Line:
    """Return the line without the marks of block quotes."""
    quotes = 0
    if ">" in raw[:80] and (found := _QUOTES.match(raw)):
        quotes = found[0].count(">")
        raw = raw[found.end() :]
    text = raw.lstrip(" \t")
    indent = len(raw[: len(raw) - len(text)].expandtabs(4))
    return Line(quotes, indent, text.rstrip())


def item(text: str) -> str | None:
    """Return what a list item says in its first line, if *text* begins one."""
    found = _ITEM.match(text)
    return text[found.end() :] if found else None


def fence(text: str) -> Fence | None:
    """Return the fence that *text* is, if it is one."""
    found = _FENCE.match(text) if text[:1] in ("`", "~") else None
    if found is None:
        return None
    language = found[2].split()[:1]
    return Fence(found[1], language[0].lower() if language else "")


def closes(text: str, opened: Fence) -> bool:
    """Tell whether *text* is the end of the code block *opened*."""
    return text.startswith(opened.mark) and not text.strip(opened.mark[0])


def closing(lines: Sequence[str], at: int, end: int) -> int:
    """Return the place of the line that closes the fence at *at*; *end* if none does.

    The end of the quote that it stands in closes it as well.
    """
    first = unquoted(lines[at])
    opened = fence(first.text)
    for place in range(at + 1, end):
        line = unquoted(lines[place])
        if line.quotes < first.quotes or (opened and closes(line.text, opened)):
            return place
    return end


def front_matter(lines: Sequence[str]) -> int:
    """Return how many lines of front matter *lines* begin with.

    Logs may begin with a line of dashes too: a key that front matter has must follow.
    """
    if not lines or lines[0].rstrip() != "---":
        return 0
    keyed = False
    for place, line in enumerate(lines[1:_FRONT_MATTER], start=1):
        if line.rstrip() in ("---", "..."):
            return place + 1 if keyed else 0
        keyed = keyed or line.startswith(_FRONT_KEYS)
    return 0


def heading(text: str) -> tuple[int, str] | None:
    """Return the level and the words of an ATX heading, if *text* is one."""
    found = _HEADING.match(text) if text.startswith("#") else None
    if found is None:
        return None
    words = found[2].rstrip()
    bare = words.rstrip("#")
    if not bare or bare[-1:] in (" ", "\t"):
        words = bare.rstrip()
    return len(found[1]), words


def underline(text: str) -> int | None:
    """Return the level of the heading that *text* underlines: ``===`` or ``---``."""
    if text and not text.strip("="):
        return 1
    return 2 if text and not text.strip("-") else None


def is_bold(text: str) -> bool:
    """Tell whether *text* is bold from its beginning to its end."""
    return bool(_BOLD.fullmatch(text))


def begins_bold(paragraph: Sequence[str]) -> bool:
    """Tell whether *paragraph* is one short line with bold words at its beginning."""
    if len(paragraph) != 1 or len(paragraph[0]) > _LEAD_LIMIT:
        return False
    return _LEAD.match(paragraph[0]) is not None


def is_break(text: str) -> bool:
    """Tell whether *text* is a line across the page: ``***`` or ``- - -``."""
    signs = set(text) - {" ", "\t"}
    return len(signs) == 1 and signs <= set("*-_") and len(text.replace(" ", "")) >= 3
