"""Rows as arrays of Arrow, one for each column."""

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
import pyarrow as pa

from benchdb.errors import DatabaseError
from benchdb.exchange.packing import Index

LOT = 2**15  # samples of a batch at most
_DOUBLE = 8  # bytes

T = TypeVar("T")


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
        for start in range(first, end, LOT):
            some = numbers[_DOUBLE * start : _DOUBLE * min(start + LOT, end)]
            yield Piece(place, phase, steps, start, some)
        first = end


def together(
    items: Iterable[T], size: Callable[[T], int], enough: int = LOT
) -> Iterator[list[T]]:
    """Yield *items* in few lists, each as long as it needs to be of *enough* size."""
    held: list[T] = []
    total = 0
    for item in items:
        held.append(item)
        total += size(item)
        if total >= enough:
            yield held
            held, total = [], 0
    if held:
        yield held


def unpacked(context: Sequence[Any], lot: Sequence[Piece]) -> list[Any]:
    """Return the columns of the samples in *lot*: what *context* has, and their own."""
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
    own = [phase, _array(index), _array(steps), _array(seconds)]
    return [*(column.take(_array(places)) for column in context), *own]


def _array(numbers: "array[Any]") -> pa.Array:
    """Return *numbers* as they lie in memory."""
    kind = pa.float64() if numbers.typecode == "d" else pa.int32()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
