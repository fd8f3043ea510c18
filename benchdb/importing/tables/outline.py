"""What stands above a place in a document: headings, bold lines, a paragraph."""

import re
from collections.abc import Sequence

import msgspec

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


_LEVELS = 6
_DEPTH_LIMIT = 32  # levels of details; deeper ones are read as if they were not there
_LENGTH_LIMIT = 2000  # characters; a longer paragraph is no caption


class _Scope(msgspec.Struct):
    """What is told inside one ``<details>``, or in the document itself."""

    summary: str = ""
    headings: dict[int, str] = {}
    bold: str = ""
    lead: str = ""

    def told(self) -> list[str]:
        return [
            self.summary,
            *(self.headings[level] for level in sorted(self.headings)),
            self.bold,
            self.lead,
        ]


class Outline:
    """What was read so far and still holds; every table asks for its ``context``."""

    def __init__(self) -> None:
        """Begin where nothing was read yet."""
        self._scopes = [_Scope()]
        self._above = ""
        self._too_deep = 0

    def context(self, *nearer: str) -> tuple[str, ...]:
        """Return what holds here, outermost first; *nearer* comes before what is right
        above.
        """
        told = [text for scope in self._scopes for text in scope.told()]
        told += [*nearer, self._above]
        kept = [text for text in told if 0 < len(text) <= _LENGTH_LIMIT]
        return tuple(dict.fromkeys(kept))

    def heading(self, level: int, text: str) -> None:
        """Take a heading: what was under its peers holds no more."""
        scope = self._scopes[-1]
        scope.headings = {
            higher: said for higher, said in scope.headings.items() if higher < level
        }
        scope.headings[min(level, _LEVELS)] = text
        scope.bold = scope.lead = self._above = ""

    def bold(self, text: str) -> None:
        """Take a line that is bold as a whole: a heading below all others."""
        self._scopes[-1].bold = text
        self._scopes[-1].lead = self._above = ""

    def lead(self, text: str) -> None:
        """Take a line that begins in bold; it holds beside the one bold as a whole.

        It may be another heading (``**M3** (16 GB)``) or a note on what is above it.
        """
        self._scopes[-1].lead = text

    def above(self, text: str) -> None:
        """Take the paragraph or caption that now is right above; ``""`` for none."""
        self._above = text

    def open_details(self) -> None:
        """Take the begin of ``<details>``."""
        if len(self._scopes) < _DEPTH_LIMIT:
            self._scopes.append(_Scope())
        else:
            self._too_deep += 1
        self._above = ""

    def summary(self, text: str) -> None:
        """Take the summary of the details that are open."""
        self._scopes[-1].summary = text
        self._above = ""

    def close_details(self) -> None:
        """Take the end of ``<details>``; one too many closes nothing."""
        if self._too_deep:
            self._too_deep -= 1
        elif len(self._scopes) > 1:
            self._scopes.pop()
        self._above = ""

    def close_all_details(self) -> None:
        """Take the end of a part that nothing inside it can outlast."""
        del self._scopes[1:]
        self._too_deep = 0
        self._above = ""
