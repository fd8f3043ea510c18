"""Many things, some at a time: a statement takes only so many."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def pieces(several: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    """Yield *several* things in their order, *size* at once, and the rest."""
    for start in range(0, len(several), size):
        yield several[start : start + size]
