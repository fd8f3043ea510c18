"""Rows as arrays of Arrow, one for each column."""

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from benchdb.errors import DatabaseError
from benchdb.exchange.packing import Index

_LOT = 2**15  # samples of a batch at most
_DOUBLE = 8  # bytes


def batch(fields: Sequence[pa.Field], rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the columns of *rows*, one array for each of *fields*."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(fields)
    arrays = []
    for field, cells in zip(fields, columns, strict=True):
        try:
            arrays.append(pa.array(cells, field.type))
        except (ValueError, TypeError, OverflowError) as error:  # SQLite keeps anything
            raise DatabaseError(
                f"{field.name} is no {field.type} everywhere: {error}; "
                "'benchdb db check' tells what else is damaged"
            ) from error
    return arrays


def joined(
    context: Sequence[Any],
    fields: Sequence[pa.Field],
    rows: Sequence[tuple[Any, ...]],
) -> list[Any]:
    """Return the columns of *rows*, which begin with the place of their run.

    In its stand what *context* has of that run.
    """
    places = pa.array([row[0] for row in rows], pa.int32())
    return [*_taken(context, places), *batch(fields, [row[1:] for row in rows])]


def _taken(context: Sequence[Any], places: Any) -> list[Any]:
    return [column.take(places) for column in context]


class Piece(msgspec.Struct, frozen=True):
    """Samples that follow each other in a run: *numbers* are float64 as packed."""

    place: int
    phase: str
    steps: int
    first: int
    numbers: memoryview

    def __len__(self) -> int:
        return len(self.numbers) // _DOUBLE


def pieces(place: int, index: Index, numbers: memoryview) -> Iterator[Piece]:
    """Yield the samples of the run at *place*, no piece larger than a lot."""
    first = 0
    for phase, steps, count in index:
        end = first + count
        for start in range(first, end, _LOT):
            some = numbers[_DOUBLE * start : _DOUBLE * min(start + _LOT, end)]
            yield Piece(place, phase, steps, start, some)
        first = end


def lots(some: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Yield *some* together, two lots at most."""
    held: list[Piece] = []
    count = 0
    for piece in some:
        held.append(piece)
        count += len(piece)
        if count >= _LOT:
            yield held
            held, count = [], 0
    if held:
        yield held


def unpacked(context: Sequence[Any], lot: Sequence[Piece]) -> list[Any]:
    """Return the columns of the samples in *lot*, as ``joined`` does."""
    places, index, phases, steps = (array("i") for _ in range(4))
    seconds = array("d")
    names = sorted({piece.phase for piece in lot})
    for piece in lot:
        count = len(piece)
        places.extend(array("i", [piece.place]) * count)
        index.extend(range(piece.first, piece.first + count))
        phases.extend(array("i", [names.index(piece.phase)]) * count)
        steps.extend(array("i", [piece.steps]) * count)
        seconds.frombytes(piece.numbers)
    if sys.byteorder == "big":
        seconds.byteswap()
    phase = pa.DictionaryArray.from_arrays(_array(phases), names)
    own = [_array(index), phase, _array(steps), _array(seconds)]
    return [*_taken(context, _array(places)), *own]


def _array(numbers: "array[Any]") -> pa.Array:
    """Return *numbers* as they lie in memory."""
    kind = pa.float64() if numbers.typecode == "d" else pa.int32()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
