"""The marks of footnotes on what a cell says, and the characters between words."""

import re

import msgspec

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
# A narrow or unbreakable space that groups digits belongs to the number.
_SPACES = re.compile(r"((?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d)))|\s+")
_ANY = re.compile("[*†‡§¶⁰¹²³⁴⁵⁶⁷⁸⁹]")
_LAST = re.compile(r" ?([*]{1,3}|[†‡§¶]{1,3})$")
_INSIDE = re.compile(r"(?<=[^\s*])([*]{1,3}|[†‡§¶]{1,3})(?=[\s,;)])")
_FIRST = re.compile(r"^([*]{1,3}(?=[^\s*.])|[†‡§¶]{1,3}) ?")
_RAISED = re.compile("(?<=[^⁰¹²³⁴⁵⁶⁷⁸⁹⁻]) ?([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$")
# 10⁹, 2³², m²: powers, and no footnotes.
_POWER = re.compile(r"(?:(?<![\d.,])(?:10|2)|(?<![^\W\d])[mck]?m|s⁻)$")
_RAISE = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


class Words(msgspec.Struct, frozen=True):
    """What a piece of a document says, and the marks of footnotes taken off it."""

    text: str
    notes: tuple[str, ...] = ()


def spaced(text: str) -> str:
    """Return *text* in one line, with single spaces, without invisible characters."""
    if text.isascii():
        return " ".join(text.split())
    text = _INVISIBLE.sub("", text)
    return _SPACES.sub(lambda found: found[1] or " ", text).strip()


def without_marks(text: str, *, stars: bool = True) -> Words:
    """Return *text*, one line, without the marks of footnotes at its ends and words.

    *stars* says whether ``*`` is one: in code and in patterns it is a character.
    """
    if not _ANY.search(text):
        return Words(text)
    notes: list[str] = []

    def take(found: re.Match[str]) -> str:
        if "*" in found[1] and not stars:
            return found[0]
        notes.append(found[1].translate(_LOWER))
        return ""

    text = _FIRST.sub(take, text)
    text = _INSIDE.sub(take, text)
    text = _LAST.sub(take, text)
    raised = _RAISED.search(text)
    if raised and not is_power(text[: raised.start()]):
        text = _RAISED.sub(take, text)
    return Words(text, tuple(notes))


def is_power(before: str) -> bool:
    """Tell whether what is raised behind *before* is an exponent."""
    return bool(_POWER.search(before[-8:]))


def raised(before: str, text: str) -> str | None:
    """Return *text*, which is raised behind *before*, as characters of a power.

    ``None`` if it is the mark of a footnote instead.
    """
    powers = text.translate(_RAISE)
    exponent = text.strip("-−").isdecimal() and (
        is_power(before) or text[:1] in ("-", "−")
    )
    return powers if exponent else None
