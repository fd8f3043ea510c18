"""What a line must not hold although its types are right, told where the line is."""

import json
from typing import Any

import msgspec
import rfc8785

from benchdb.catalogue import metrics
from benchdb.exchange.framing import DoubledKeyError, without_doubles
from benchdb.exchange.lines import End, Line, Samples
from benchdb.exchange.record import content
from benchdb.identity import canonical

DEPTH_LIMIT = 64  # levels; the deepest that we write is 4
_EXACT = 2**53 - 1  # larger integers have no canonical form
_FIELDS_OF_SAMPLES = 5

_generic = msgspec.json.Decoder()


class RefusedError(Exception):
    """The line is well-formed, but cannot be taken."""


UNDERSTANDABLE = (
    msgspec.DecodeError,
    UnicodeDecodeError,
    RecursionError,
    DoubledKeyError,
    RefusedError,
    rfc8785.CanonicalizationError,
)


def scrutinise(line: Line, raw: bytes) -> None:
    """Raise unless what *raw* says, decoded as *line*, can be stored and identified.

    Samples are nearly all of a file and, typed as they are, nothing but numbers: of
    those lines only the count of keys is looked at.
    """
    if isinstance(line, Samples) and (
        raw.count(b":") < _FIELDS_OF_SAMPLES
        or (raw.count(b":") == _FIELDS_OF_SAMPLES and b'"per":' in raw)
    ):
        return
    inexact, names = _surveyed(_generic.decode(raw))
    # Every key is followed by a colon, and all other colons are inside strings; only
    # an escaped one (\u003a) would be in a string and not in the raw line.
    if b"\\u003" in raw or raw.count(b":") != names:
        json.loads(raw.decode(), object_pairs_hook=without_doubles)
    if inexact:
        canonical(content(line))


def _surveyed(top: Any) -> tuple[bool, int]:
    """Return whether *top* has inexact integers, and how many colons it takes.

    Level by level instead of recursively: that is quick, and counts the levels.
    """
    inexact, names = False, 0
    texts: list[str] = []
    level = [top]
    for _ in range(DEPTH_LIMIT):
        below: list[Any] = []
        for one in level:
            kind = type(one)
            if kind is str:
                texts.append(one)
            elif kind is dict:
                names += len(one)
                texts.extend(one)
                below.extend(one.values())
            elif kind is list:
                below.extend(one)
            elif kind is int and not -_EXACT <= one <= _EXACT:
                inexact = True
        if not below:
            break
        level = below
    else:
        raise RefusedError("nested too deeply")
    text = "".join(texts)
    if "\0" in text:
        raise RefusedError("a string contains NUL, which PostgreSQL cannot keep")
    return inexact, names + text.count(":")


_NEED_A_REASON = ("failed", "oom", "unsupported", "not-measured")


def checked(end: End) -> End:
    """Refuse figures without a catalogue entry, doubled, or missing without reason."""
    if end.status in _NEED_A_REASON and not end.reason:
        raise RefusedError(f"status {end.status!r} without a reason")
    seen: set[str] = set()
    for value in end.values:
        if value.metric not in metrics():
            raise RefusedError(
                f"unknown metric {value.metric!r}; a newer benchdb may know it"
            )
        if value.metric in seen:
            raise RefusedError(f"metric {value.metric!r} appears twice")
        if value.value is None and not value.reason:
            raise RefusedError(f"{value.metric!r} is null without a reason")
        seen.add(value.metric)
    ordered = sorted(end.values, key=lambda value: value.metric)
    return msgspec.structs.replace(end, values=tuple(ordered))


def same(one: msgspec.Struct, other: msgspec.Struct) -> bool:
    """Tell whether two lines say the same, whatever their keys."""
    return canonical(content(one)) == canonical(content(other))


def reason(why: Exception) -> str:
    """Return *why* in words."""
    if isinstance(why, RecursionError):
        return "nested too deeply"
    if isinstance(why, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(why, rfc8785.IntegerDomainError):
        return f"an integer is beyond ±{_EXACT}, where numbers are not exact"
    return str(why)
