"""The characters of a cell: what a reader sees, and the plain ones they stand for."""

import re
import unicodedata
from functools import lru_cache

from benchdb.importing.quantities.quantity import UnreadableError

# They change how text joins and runs, not what it says, and locales print them: the
# Arabic minus comes with a mark before it.
_SILENT = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"
_UNSEEN = dict.fromkeys(map(ord, _SILENT))
_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs")
_BREAKS = re.compile(r"[ \t\r\n\v\f]*[\t\r\n\v\f\x85\u2028\u2029][ \t\r\n\v\f]*")

_PLAIN = {
    char: plain
    for chars, plain in {
        "−﹣\u2010\u2011\u2012–—―\ufe58": "-",
        "’\u2018\u02bc\u2032`\u00b4": "'",
        "″“”„": '"',
        "≤≦⩽≲": "<",
        "≥≧⩾≳": ">",
        "≈≃≅\u223c〜≒": "~",
        "\u2044\u2215÷": "/",
        "\u2236": ":",
        "μ": "µ",
        "٪﹪": "%",
        "،、": ",",
        "⋅∙・": "·",
        "✕✖": "×",
    }.items()
    for char in chars
}
_EMPHASIS = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__|`([^`]+)`")
_WRAPPERS = ('"', "'", "**", "__", "`", "*", "_")


def visible(text: str) -> str:
    """Return what a reader sees of *text*, in one line; markup of emphasis is off.

    Raise ``UnreadableError`` where a character hides or reorders what is there.
    """
    seen = text.strip()
    if not (seen.isascii() and seen.isprintable()):
        seen = _BREAKS.sub(" ", seen.translate(_UNSEEN))
        for char in seen:
            if char < " " or (char > "~" and unicodedata.category(char) in _HIDDEN):
                raise UnreadableError(
                    f"it contains U+{ord(char):04X}, a character that is not text"
                )
    return unwrapped(_EMPHASIS.sub(r"\1\2\3", seen).strip())


def unwrapped(text: str) -> str:
    """Return *text* without quotes and emphasis around all of it."""
    for mark in _WRAPPERS:
        inner = text[len(mark) : -len(mark)]
        if (
            inner.strip()
            and text.startswith(mark)
            and text.endswith(mark)
            and mark not in inner
        ):
            return unwrapped(inner.strip())
    return text


def plain(text: str) -> str:
    """Return *text* in plain characters, one for each: digits, signs and marks.

    Raised and circled digits stay, for they are powers or footnotes; and so do the
    Arabic decimal and group marks, which say more than a comma.
    """
    return text if text.isascii() else "".join(map(_plain, text))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    if char in _PLAIN:
        return _PLAIN[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category == "Zs":
        return " " if char == " " else "\u00a0"
    if "\uff01" <= char <= "\uff5e":
        narrow = chr(ord(char) - 0xFEE0)
        return _PLAIN.get(narrow, narrow)
    return char
