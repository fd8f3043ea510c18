"""What a line must not hold although its types are right, told where the line is."""

import json
from operator import attrgetter
from typing import Any

import msgspec
import rfc8785
from msgspec import structs

from benchdb.catalogue import metrics
from benchdb.exchange.canonical_content import content
from benchdb.exchange.framing import DoubledKeyError, without_doubles
from benchdb.exchange.lines import (
    Claim,
    End,
    Environment,
    Header,
    Line,
    Run,
    Samples,
    Source,
)
from benchdb.identity import canonical, undisputed

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


def validate(line: Line, raw: bytes) -> None:
    """Raise unless what *raw* says, decoded as *line*, can be stored and identified.

    Samples are nearly all of a file and, typed as they are, nothing but numbers: of
    those lines only the count of keys is looked at.
    """
    colons = raw.count(b":")
    if isinstance(line, Samples) and (
        colons < _FIELDS_OF_SAMPLES
        or (colons == _FIELDS_OF_SAMPLES and b'"per":' in raw)
    ):
        return
    free = _free(line)
    if not undisputed(*free):
        canonical(free)  # raises where integers are not exact
    said, escaped = _generic.decode(raw), b"\\" in raw
    brackets = raw.count(b"[") + raw.count(b"{")
    if brackets > DEPTH_LIMIT or (escaped and b"\\u0000" in raw):
        _survey(said)
    # An escaped colon (\u003a) would be in a string, and is none in the raw line.
    if (escaped and b"\\u003" in raw) or _colons(said) != colons:
        json.loads(raw.decode(), object_pairs_hook=without_doubles)


def _free(line: Line) -> list[Any]:
    """Return what no type says how large its numbers may be."""
    free: list[Any] = []
    match line:
        case End():
            free = [line.checks, line.conditions, *[one.detail for one in line.flags]]
        case Run():
            free = [line.parameters, line.conditions]
        case Environment():
            free = [*line.devices, line.math]
        case Source():
            free = [line.protocol]
        case Claim():
            free = [line.about, *[one.detail for one in line.flags]]
        case Header():
            free = [line.format]
    return free


def _colons(said: Any) -> int:
    """Return how many colons *said* takes, every key being told once.

    Each key is followed by one, and all others are inside strings.
    """
    try:
        return msgspec.json.encode(said).count(b":")
    except OverflowError:  # an integer where a float is meant
        return -1


def _survey(top: Any) -> None:
    """Raise if *top* is nested too deeply, or has text that cannot be kept.

    Level by level instead of recursively: that is quick, and counts the levels.
    """
    level = [top]
    for _ in range(DEPTH_LIMIT):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, str) and "\0" in one:
                raise RefusedError(
                    "a string contains NUL, which PostgreSQL cannot keep"
                )
        if not below:
            return
        level = below
    raise RefusedError("nested too deeply")


_NEED_A_REASON = ("failed", "oom", "unsupported", "not-measured")


def checked(end: End) -> End:
    """Refuse figures without a catalogue entry, doubled, or missing without reason."""
    if end.status in _NEED_A_REASON and not end.reason:
        raise RefusedError(f"status {end.status!r} without a reason")
    named = [value.metric for value in end.values]
    different = set(named)
    empty = [value for value in end.values if value.value is None and not value.reason]
    if len(different) < len(named) or empty or not metrics().keys() >= different:
        _refuse_figures(end)
    return structs.replace(end, values=tuple(sorted(end.values, key=_BY_METRIC)))


_BY_METRIC = attrgetter("metric")


def _refuse_figures(end: End) -> None:
    """Raise for the first figure that cannot be taken."""
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
