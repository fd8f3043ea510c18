"""Keep text that others wrote from becoming markup in a Markdown report.

Every string is escaped unless it is an ``MdSafe``, so a forgotten escape is visible
text, never a link, an image or a broken table. Plain prose stays readable as it is.
"""

import re
from collections.abc import Iterable

from benchdb.report import untrusted


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


def code(text: str) -> MdSafe:
    """Return *text* as code; a backtick in it would end the code."""
    if not re.fullmatch(r"[A-Za-z0-9 ._/-]+", text):
        return escape(text)
    return MdSafe(f"`{text}`")


def _entity(match: re.Match[str]) -> str:
    return "".join(
        _ENTITIES.get(sign, sign if sign.isdigit() else f"&#{ord(sign)};")
        for sign in match[0]
    )


def _address(url: str) -> str:
    return re.sub(r"[<>\\`|\s*_$\[\]]", lambda match: f"%{ord(match[0]):02X}", url)
