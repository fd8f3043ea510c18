"""Markdown: tables, and text that others wrote, kept from becoming markup.

Every string is escaped unless it is an ``MdSafe``, so a forgotten escape is visible
text, never a link, an image or a broken table. Plain prose stays readable as it is.
"""

import html
import re
from collections.abc import Iterable
from itertools import zip_longest

from wcwidth import wcswidth

from benchdb.report import untrusted
from benchdb.report.wording.cells import Table

_WIDEST = 40  # a longer cell sticks out instead of stretching every row


class MdSafe(str):
    """Markdown that we built: joining it with other text makes an unsafe string."""

    __slots__ = ()


EMPTY = MdSafe("&#8203;")  # a cell needs something to hold it open
# An e-mail address and a @mention are made after entities are read; not so with an
# invisible word joiner behind the sign.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8288;"}
_BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
# Underscores mean nothing inside a word, hyphens, plus and equals signs only where a
# line starts, a colon only before a character, parentheses only behind a bracket.
_RISKY = re.compile(
    r"[&<>\\`*{}\[\]#|~^$@]"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|^[-+=]+"
    r"|:(?!\s|$)"
    r"|(?<=\bwww)\."
    r"|^\d+[.)](?=\s|$)",
    re.IGNORECASE,
)


def escape(text: str) -> MdSafe:
    """Return *text* as one line that every Markdown reader shows as it is."""
    if isinstance(text, MdSafe):
        return text
    line = _BREAKS.sub(" ", text).strip()
    return MdSafe(_RISKY.sub(_entity, line)) if line else EMPTY


def finalize(value: object) -> object:
    """Escape what a template prints, unless it is ``MdSafe``."""
    return escape(value) if isinstance(value, str) else value


def join(parts: Iterable[str], separator: str = " ") -> MdSafe:
    """Join *parts*, each escaped unless it is safe, with our own *separator*."""
    return MdSafe(separator.join(escape(part) for part in parts if part))


def link(text: str, url: str | None) -> MdSafe:
    """Return a link if *url* is a plain https address, else only the text."""
    address = untrusted.link(url)
    if address is None:
        return escape(text)
    return MdSafe(f"[{escape(text)}](<{_address(address)}>)")


def image(text: str, file: str) -> MdSafe:
    """Return an image of the *file* beside the report, described by *text*."""
    return MdSafe(f"![{escape(text)}](<{_address(file)}>)")


def picture(text: str, light: str, dark: str) -> MdSafe:
    """Return an image described by *text*, of one file on dark paper."""
    result = html.escape(_BREAKS.sub(" ", text))
    other = f'<source media="(prefers-color-scheme: dark)" srcset="{_address(dark)}">'
    return MdSafe(
        f'<picture>{other}<img src="{_address(light)}" alt="{result}"></picture>'
    )


def code(text: str) -> MdSafe:
    """Return *text* as code; a backtick in it would end the code."""
    if not re.fullmatch(r"[A-Za-z0-9 ._/-]+", text):
        return escape(text)
    return MdSafe(f"`{text}`")


def written(table: Table) -> MdSafe:
    """Return *table* as GitHub-flavoured Markdown, every cell escaped.

    Its columns also line up when the file is read as it is.
    """
    rows = [[escape(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [
        max(3, *(wide for wide in map(_shown, column) if wide <= _WIDEST), 0)
        for column in zip_longest(*rows, fillvalue="")
    ]
    lines = []
    for row in rows:
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * max(0, width - _shown(cell))
            padded.append(space + cell if place in table.figures else cell + space)
        lines.append(f"| {' | '.join(padded)} |")
    rules = [
        "-" * (width - 1) + (":" if place in table.figures else "-")
        for place, width in enumerate(widths)
    ]
    lines.insert(1, f"| {' | '.join(rules)} |")
    return MdSafe("\n".join(lines))


def _shown(cell: str) -> int:
    # Terminals show a CJK character in two columns and an isolate in none.
    width: int = wcswidth(cell)
    return width if width >= 0 else len(cell)


def _entity(match: re.Match[str]) -> str:
    return "".join(
        _ENTITIES.get(sign, sign if sign.isdigit() else f"&#{ord(sign)};")
        for sign in match[0]
    )


def _address(url: str) -> str:
    return re.sub(r"[<>\\`|\s*_$\[\]]", lambda match: f"%{ord(match[0]):02X}", url)
