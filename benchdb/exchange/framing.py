"""Where a line of an exchange file begins and ends, before anything is understood."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO

import msgspec

from benchdb.errors import ExchangeError
from benchdb.exchange.lines import FORMAT_VERSION

LINE_LIMIT = 64 * 2**20  # bytes; the longest honest line is one series of samples
TOO_LONG = "longer than 64 MiB"


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
    found = _END_OF_INPUT.search(str(why))
    if not found or (found[1] and int(found[1]) != len(raw)):
        return False
    # Half a surrogate pair is "truncated" as well, in a line that is all there.
    return not named(raw)


class DoubledKeyError(ValueError):
    """An object has a key twice, so what it says depends on who reads it."""


def without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as an object (``object_pairs_hook``); refuse a key told twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise DoubledKeyError(f"the key {doubled!r} appears twice")
    return found


def named(raw: bytes) -> dict[str, object]:
    """Return what a refused line says about itself; ``{}`` if that is not certain."""
    try:
        found = json.loads(
            raw.decode(),
            object_pairs_hook=without_doubles,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
