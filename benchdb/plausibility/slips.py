"""The numbers that somebody may have meant: one slip of a finger away."""

import re
from collections.abc import Iterator

from benchdb.plausibility.printed import numeral

_READABLE = re.compile(r"(?:\d+:){0,2}\d+(?:[.,]\d+)?")
_LONGEST = 14  # characters; longer ones were never typed by hand
_DIGITS = "0123456789"


def slips(value: float, printed: str | None) -> set[float]:
    """Return what *printed* would mean with one digit changed, missing or too many.

    Two neighbouring digits that changed places count as well. *value* is what it does
    mean; a numeral that cannot be read so simply is taken as the value spelled out.
    """
    text = _spelled(value, printed)
    if len(text) > _LONGEST:
        return set()
    return {meant for one in _variants(text) if (meant := _read(one)) is not None}


def _spelled(value: float, printed: str | None) -> str:
    text = numeral(printed or "")
    meant = _read(text)
    if meant is not None and abs(meant - value) <= 1e-9 * abs(value):
        return text
    return f"{value:.10g}"


def _read(text: str) -> float | None:
    if not _READABLE.fullmatch(text):
        return None
    meant = 0.0
    for part in text.replace(",", ".").split(":"):
        meant = 60 * meant + float(part)
    return meant


def _variants(text: str) -> Iterator[str]:
    for place in range(len(text) + 1):
        before, after = text[:place], text[place:]
        for digit in _DIGITS:
            yield before + digit + after
        if after[:1].isdecimal():
            yield before + after[1:]
            for digit in set(_DIGITS) - {after[0]}:
                yield before + digit + after[1:]
        if after[:2].isdecimal() and len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]
