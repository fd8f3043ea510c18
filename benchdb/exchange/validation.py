"""Where lines of an exchange file begin, and what they must not hold, types aside."""

import codecs
import json
import re
import unicodedata
from collections.abc import Iterator
from operator import attrgetter
from typing import IO, Any

import msgspec
import rfc8785
from msgspec import structs

from benchdb.catalogue import metrics
from benchdb.errors import ExchangeError
from benchdb.exchange.advice import near_metrics
from benchdb.exchange.messages import (
    FORMAT_VERSION,
    Claim,
    End,
    Environment,
    Header,
    Line,
    Retraction,
    Run,
    Samples,
    Source,
)
from benchdb.exchange.record import content
from benchdb.identity import EXACT, canonical, undisputed

LINE_LIMIT = 64 * 2**20  # bytes; the longest honest line is one series of samples
TOO_LONG = "longer than 64 MiB"
# Ten times the longest line that we write; in memory a value takes up to 40 times its
# characters.
VALUES_LIMIT = 2**20


def numbered(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that are not blank with their numbers; ``None`` for TOO_LONG."""
    number = 0
    while raw := stream.readline(LINE_LIMIT + 1):
        number += 1
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if len(raw) > LINE_LIMIT:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(2**20)
            yield number, None
        elif raw.strip():
            yield number, raw


def require_header(raw: bytes | None) -> None:
    """Raise ``ExchangeError`` unless *raw* is the header of a format that we read."""
    about = {} if raw is None else named(raw)
    version = about.get("format") if about.get("type") == "header" else None
    if type(version) is not int:
        raise ExchangeError(
            "not a benchdb exchange file: its first line is no header; "
            "collectors and 'benchdb export' write such files"
        )
    if why := unreadable(version, about.get("producer_version")):
        raise ExchangeError(why)


def unreadable(version: object, producer_version: object = None) -> str | None:
    """Return why a file of format *version* cannot be read, ``None`` if it can.

    Collectors and benchdb have one version: that of the producer reads the format.
    """
    if type(version) is int and 1 <= version <= FORMAT_VERSION:
        return None
    why = f"written in format {version}, this benchdb reads 1 to {FORMAT_VERSION}"
    if type(version) is not int or version < 1:
        return f"{why}; no benchdb has written that"
    if isinstance(producer_version, str) and _VERSION.fullmatch(producer_version):
        return f"{why}; install benchdb {producer_version} or later"
    return f"{why}; upgrade benchdb"


_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}", re.ASCII)
_END_OF_INPUT = re.compile(r"truncated|invalid number \(byte (\d+)\)")


def is_cut_off(raw: bytes, why: Exception) -> bool:
    """Tell whether *raw*, refused because of *why*, is the start of a line.

    Its writer was killed, and never got to the end of the line. ``1e`` at the very end
    is the start of a number; the decoder calls it invalid, not truncated.
    """
    if raw.endswith(b"\n") or isinstance(why, msgspec.ValidationError):
        return False
    if not isinstance(why, msgspec.DecodeError):
        return False
    match = _END_OF_INPUT.search(str(why))
    if not match or (match[1] and int(match[1]) != len(raw)):
        return False
    # Half a surrogate pair is "truncated" as well, in a line that is all there.
    return not named(raw)


class DoubledKeyError(ValueError):
    """An object has a key twice, so what it says depends on who reads it."""


def without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as an object (``object_pairs_hook``); refuse a key told twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise DoubledKeyError(f"the key {doubled!r} appears twice")
    return members


def require_few_values(raw: bytes) -> None:
    """Raise ``RefusedError`` for a line that would take far more memory than it has."""
    values = raw.count(b",") + raw.count(b"[") + raw.count(b"{")
    if values > VALUES_LIMIT:
        raise RefusedError(f"more than {VALUES_LIMIT:,} values in a line")


def named(raw: bytes) -> dict[str, object]:
    """Return what a refused line says about itself; ``{}`` if that is not certain."""
    try:
        require_few_values(raw)
        line = json.loads(
            raw.decode(),
            object_pairs_hook=without_doubles,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError, RefusedError):
        return {}
    return line if isinstance(line, dict) else {}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


DEPTH_LIMIT = 64  # levels; the deepest that we write is 4
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
    plain, escaped = _generic.decode(raw), b"\\" in raw
    brackets = raw.count(b"[") + raw.count(b"{")
    if brackets > DEPTH_LIMIT or (escaped and b"\\u0000" in raw):
        _survey(plain)
    # An escaped colon (\u003a) would be in a string, and is none in the raw line.
    if (escaped and b"\\u003" in raw) or _colons(plain) != colons:
        json.loads(raw.decode(), object_pairs_hook=without_doubles)


def _free(line: Line) -> list[Any]:
    """Return what no type says how large its numbers may be."""
    free: list[Any] = []
    match line:
        case End():
            free = [line.checks, line.conditions, *[flag.detail for flag in line.flags]]
        case Run():
            free = [line.parameters, line.conditions]
        case Environment():
            free = [*line.devices, line.math]
        case Source():
            free = [line.protocol]
        case Claim():
            free = [line.about, *[flag.detail for flag in line.flags]]
        case Header():
            free = [line.format]
        case Retraction():
            _require_sayable(line)
    return free


REASON_LIMIT = 1000  # characters
_NO_TEXT = ("Cc", "Zl", "Zp")  # control characters, and what breaks a line


def unsayable(reason: str) -> str | None:
    """Return why nobody could be told this *reason*, ``None`` if they can."""
    if not reason.strip():
        return "a reason says in words why the run is withdrawn"
    if len(reason) > REASON_LIMIT:
        return f"a reason has at most {REASON_LIMIT:,} characters, not {len(reason):,}"
    if any(unicodedata.category(letter) in _NO_TEXT for letter in reason):
        return "a reason is one line without control characters"
    return None


def _require_sayable(line: Retraction) -> None:
    """Refuse a reason that nobody could be told, and half a signature."""
    if why := unsayable(line.reason):
        raise RefusedError(why)
    if (line.key is None) != (line.signature is None):
        raise RefusedError(
            "a retraction with a key needs its signature, and conversely"
        )


def _colons(plain: Any) -> int:
    """Return how many colons *plain* takes, every key being told once.

    Each key is followed by one, and all others are inside strings.
    """
    try:
        return msgspec.json.encode(plain).count(b":")
    except OverflowError:  # an integer where a float is meant
        return -1


def _survey(top: Any) -> None:
    """Raise if *top* is nested too deeply, or has text that cannot be kept.

    Level by level instead of recursively: that is quick, and counts the levels.
    """
    level = [top]
    for _ in range(DEPTH_LIMIT):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += value
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, str) and "\0" in value:
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
    seen: dict[str, str] = {}
    for value in end.values:
        if value.metric not in metrics():
            near = near_metrics(value.metric, metrics())
            raise RefusedError(
                f"unknown metric {value.metric!r}{near}; a newer benchdb may know it, "
                "one of your own belongs into catalogue.toml"
            )
        if value.metric in seen:
            places = " and ".join(filter(None, (seen[value.metric], value.locator)))
            where = f": at {places}" if places else ""
            raise RefusedError(f"metric {value.metric!r} appears twice{where}")
        if value.value is None and not value.reason:
            raise RefusedError(f"{value.metric!r} is null without a reason")
        seen[value.metric] = value.locator or ""


def same(struct: msgspec.Struct, other: msgspec.Struct) -> bool:
    """Tell whether two lines say the same, whatever their keys."""
    return canonical(content(struct)) == canonical(content(other))


def reason(why: Exception) -> str:
    """Return *why* in words."""
    if isinstance(why, RecursionError):
        return "nested too deeply"
    if isinstance(why, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(why, rfc8785.IntegerDomainError):
        return f"an integer is beyond ±{EXACT}, where numbers are not exact"
    return str(why)
