"""Samples of a run as one value: an index of series, then their float64 numbers.

Layout: 4 bytes little-endian length of the index; the index as JSON,
``[[phase, per, count], …]``; all numbers as little-endian IEEE 754 doubles. Nothing is
compressed: timings do not compress, and compressors differ between builds.
"""

import struct
import sys
from array import array
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

import msgspec

from benchdb.exchange.messages import Phase, Samples

_LENGTH = struct.Struct("<I")
_DOUBLE = 8  # bytes

Index = tuple[tuple[Phase, int, int], ...]


class Series(msgspec.Struct, frozen=True):
    """Times in seconds of one phase, in the order taken, each over *per* steps."""

    phase: Phase
    per: int
    values: tuple[float, ...]


def joined(lines: Iterable[Samples]) -> tuple[Series, ...]:
    """Join adjacent lines of one phase: how a collector flushed carries no meaning."""
    lines = tuple(lines)
    if len(lines) == 1 and lines[0].values:
        (line,) = lines
        return (Series(line.phase, line.per, line.values),)
    series: list[tuple[Phase, int, list[float]]] = []
    for line in lines:
        if not line.values:
            continue
        if not series or series[-1][:2] != (line.phase, line.per):
            series.append((line.phase, line.per, []))
        series[-1][2].extend(line.values)
    return tuple(Series(phase, per, tuple(values)) for phase, per, values in series)


def pack(series: Iterable[Series]) -> bytes:
    """Return *series* as one byte string; ``unpack`` is its inverse."""
    series = tuple(series)
    index = msgspec.json.encode([(s.phase, s.per, len(s.values)) for s in series])
    numbers = array("d", chain.from_iterable(item.values for item in series))
    if sys.byteorder == "big":
        numbers.byteswap()
    return _LENGTH.pack(len(index)) + index + numbers.tobytes()


def opened(packed: bytes) -> tuple[Index, memoryview]:
    """Return the index of *packed*, and its numbers as they lie there.

    Raise ``ValueError`` when it is cut short.
    """
    try:
        (length,) = struct.unpack_from("<I", packed)
    except struct.error as error:
        raise ValueError(f"packed samples are damaged: {error}") from error
    index = _index(packed[4 : 4 + length])
    numbers = memoryview(packed)[4 + length :]
    if len(numbers) != _DOUBLE * sum(count for _, _, count in index):
        raise ValueError("packed samples are damaged: cut short, or longer than told")
    return index, numbers


@lru_cache(maxsize=256)
def _index(raw: bytes) -> Index:
    """Return what an index says; the runs of a campaign have the same."""
    try:
        return msgspec.json.decode(raw, type=Index)
    except msgspec.DecodeError as error:
        raise ValueError(f"packed samples are damaged: {error}") from error


def readable(packed: bytes | None) -> tuple[Series, ...]:
    """Return the series in *packed*, none where it is damaged: a check tells that."""
    try:
        return () if packed is None else unpack(packed)
    except ValueError:
        return ()


def unpack(packed: bytes) -> tuple[Series, ...]:
    """Return the series in *packed*; raise ``ValueError`` when it is cut short."""
    index, raw = opened(packed)
    numbers = struct.unpack(f"<{len(raw) // _DOUBLE}d", raw)
    series, start = [], 0
    for phase, per, count in index:
        series.append(Series(phase, per, numbers[start : start + count]))
        start += count
    return tuple(series)
