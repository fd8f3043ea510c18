"""Times in more than one unit: ``1:09:25.48``, ``2m36s``, ``1h 49m 9s``, ``5'30"``."""

import re
from fractions import Fraction

import msgspec

from benchdb.importing.quantities.quantity import UnreadableError, shown
from benchdb.importing.quantities.units import TIMES

_CLOCK = re.compile(
    r"""
    (?: (?P<days>\d{1,6}) (?: -(?=\d\d?:\d\d:) | [ ]days?,?[ ] ) )?
    (?P<first>\d{1,6}) : (?P<second>\d\d) (?: : (?P<third>\d\d) )?
    (?: [.,\u066b] (?P<fraction>\d{1,12}) )? (?! [\d:] )
    """,
    re.VERBOSE,
)
_PRIMES = re.compile(r"""(\d{1,6})'[ ]?(\d{1,2}(?:[.,\u066b]\d{1,12})?)(?:"|'')""")


def _part(seconds: str, letters: str) -> re.Pattern[str]:
    """Return the pattern of a number with a unit; case tells only among letters."""
    words = (word for word, one in TIMES.items() if one == Fraction(seconds))
    longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(
        r"(\d{1,9})([.,\u066b]\d{1,12})?[ \u00a0]?"
        rf"(?:(?i:{longest_first})|{letters})\.?(?![A-Za-zÀ-ɏµ])"
    )


_PARTS = tuple(  # the larger first
    (Fraction(seconds), _part(seconds, letters))
    for seconds, letters in (
        ("86400", "d|j"),
        ("3600", "h|H"),
        ("60", "m"),
        ("1", "s|S"),
        ("1e-3", "ms"),
        ("1e-6", "us|µs"),
        ("1e-9", "ns"),
    )
)
_JOINT = re.compile(r"[ \u00a0]*(?:,[ ]*)?(?:(?:and|und|et|y|e)[ ])?")
_PERHAPS = re.compile(r"\d{1,9}[ \u00a0]?[^\W\d_]{1,20}\D{0,8}\d")  # cheaper
_CLOSE_JOINT = re.compile(r"[ \u00a0]*")
_COUNTED = re.compile(r"[ ]*(?:/|per\b)")


class Duration(msgspec.Struct, frozen=True):
    """A time that ends at *end* of its text, in *seconds*.

    *clock* is set for ``1:53``: minutes and seconds, unless a unit says hours.
    """

    end: int
    seconds: Fraction
    clock: bool = False
    two_parts: bool = False


def duration(text: str, start: int) -> Duration | None:
    """Return the time of several units that begins at *start* of *text*.

    Raise ``UnreadableError`` for one such as ``1:75:00``.
    """
    return _clock(text, start) or _primes(text, start) or _spelt(text, start)


def _clock(text: str, start: int) -> Duration | None:
    found = _CLOCK.match(text, start)
    if found is None:
        return None
    parts = [int(part) for part in found.group("first", "second", "third") if part]
    if any(part >= 60 for part in parts[1:]):
        raise UnreadableError(
            f"{shown(found[0])} is no time: 60 and more after a colon"
        )
    if found["days"] and len(parts) < 3:
        return None
    seconds = Fraction(int(found["days"] or 0) * 86400)
    for power, part in enumerate(reversed(parts)):
        seconds += part * 60**power
    if found["fraction"]:
        seconds += Fraction(int(found["fraction"]), 10 ** len(found["fraction"]))
    plain = len(parts) == 2 and not found["fraction"]
    return Duration(found.end(), seconds, clock=True, two_parts=plain)


def _primes(text: str, start: int) -> Duration | None:
    found = _PRIMES.match(text, start)
    if found is None:
        return None
    seconds = Fraction(re.sub("[,\u066b]", ".", found[2]))
    if seconds >= 60:
        raise UnreadableError(f"{shown(found[0])} is no time: 60 seconds and more")
    return Duration(found.end(), int(found[1]) * 60 + seconds)


def _spelt(text: str, start: int) -> Duration | None:
    """Return ``1h 49m 9s``: at least two units, the larger first, the last in parts."""
    found: list[tuple[Fraction, re.Match[str]]] = []
    at = start
    if not _PERHAPS.match(text, start):
        return None
    for unit, pattern in _PARTS:
        joint = _joint(found, text, at)
        if part := pattern.match(text, joint):
            found.append((unit, part))
            at = part.end()
            if part[2]:
                break
    if len(found) < 2 or _is_a_list(found, text[at : at + 20]):
        return None
    seconds, larger = Fraction(0), None
    for unit, part in found:
        own = unit * Fraction(re.sub("[,\u066b]", ".", part[1] + (part[2] or "")))
        if larger is not None and own >= larger:
            raise UnreadableError(f"{shown(text[start:at])} is no time")
        seconds, larger = seconds + own, unit
    return Duration(at, seconds)


def _joint(found: list[tuple[Fraction, re.Match[str]]], text: str, at: int) -> int:
    """Return where the next part can begin; commas only part minutes and more."""
    if not found:
        return at
    pattern = _JOINT if found[-1][0] >= 60 else _CLOSE_JOINT
    joint = pattern.match(text, at)
    return joint.end() if joint else at


def _is_a_list(found: list[tuple[Fraction, re.Match[str]]], after: str) -> bool:
    """Tell Keras' ``15s 998us/step``, two figures, from ``2m36s/epoch``, one."""
    return found[0][0] == 1 and _COUNTED.match(after) is not None
