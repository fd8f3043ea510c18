"""The characters of a cell: what a reader sees, and the plain ones they stand for."""

import re
import tomllib
import unicodedata

from benchdb.resources import folder


class UnreadableError(ValueError):
    """A text is no figure, or none whose unit is known: one line that says why."""


class AmbiguousError(ValueError):
    """A text can be read in two ways that nothing settles: one line, which two."""


# They change how text joins and runs, not what it says, and locales print them: the
# Arabic minus comes with a mark before it.
_SILENT = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"
_UNSEEN = dict.fromkeys(map(ord, _SILENT))
_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs")
_BREAKS = re.compile(r"[ \t\r\n\v\f]*[\t\r\n\v\f\x85\u2028\u2029][ \t\r\n\v\f]*")
_EMPHASIS = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__|`([^`]+)`")
_MARKED = re.compile("[\"'*_`]")
_WRAPPERS = ('"', "'", "**", "__", "`", "*", "_")


class _PlainCharacters(dict[int, str]):
    """Plain characters by the codes of others: what ``str.translate`` asks for."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category == "Nd":
            return str(unicodedata.decimal(char))
        if category == "Zs":
            return "\u00a0"
        if "\uff01" <= char <= "\uff5e":
            return self[code - 0xFEE0]
        return char


# Raised and circled digits stay, for they are powers or footnotes; and so do the
# Arabic decimal and group marks, which say more than a comma.
SIGNS = tomllib.loads((folder("schema") / "words" / "figures.toml").read_text("utf-8"))
PLAIN = _PlainCharacters(
    {code: chr(code) for code in range(128)}
    | {ord(char): plain for plain, chars in SIGNS["like"].items() for char in chars}
)


def visible(text: str, limit: int) -> str:
    """Return what is seen of *text*; raise ``UnreadableError`` where it hides more."""
    if len(text) > limit:
        raise UnreadableError(f"it has more than {limit} characters")
    seen = text.strip()
    if not (seen.isascii() and seen.isprintable()):
        seen = _BREAKS.sub(" ", seen.translate(_UNSEEN))
        for char in seen:
            if char < " " or (char > "~" and unicodedata.category(char) in _HIDDEN):
                raise UnreadableError(
                    f"it contains U+{ord(char):04X}, a character that is not text"
                )
    if not _MARKED.search(seen):  # so are most cells
        return seen
    seen = _EMPHASIS.sub(r"\1\2\3", seen).strip()
    while size := next((len(mark) for mark in _WRAPPERS if _wraps(mark, seen)), 0):
        seen = seen[size:-size].strip()
    return seen


def _wraps(mark: str, text: str) -> bool:
    inner = text[len(mark) : -len(mark)]
    around = text.startswith(mark) and text.endswith(mark) and mark not in inner
    return around and bool(inner.strip())


def shown(text: str) -> str:
    """Return *text* for a message: quoted, in one line, and short."""
    return repr(text if len(text) <= 60 else text[:59] + "…")
