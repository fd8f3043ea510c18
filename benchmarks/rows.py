"""What a row of the table is, and what its turns come to: numbers in, numbers out."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple, Protocol

import msgspec

MIB = 2**20

Kind = Literal["ratio", "seconds", "peak_bytes"]


class Cost(msgspec.Struct, frozen=True):
    """What a command took: wall time, and the most memory that it ever held."""

    seconds: float
    peak_bytes: int


class Turn(msgspec.Struct, frozen=True):
    """Both sides, one straight after the other."""

    what: Cost
    yardstick: Cost


class Limit(msgspec.Struct, frozen=True):
    """A figure to reach: *least* or *most* of the medians; of memory, the most seen."""

    kind: Kind
    least: float | None = None
    most: float | None = None


class Row(msgspec.Struct, frozen=True):
    """What is compared with what, and what is to be reached.

    The ratio is of times, what over yardstick, so that less is better; of *speed* it is
    the other way round.
    """

    name: str
    title: str
    yardstick: str
    limits: tuple[Limit, ...] = ()
    speed: bool = False


class Seen(msgspec.Struct, frozen=True):
    """A row with its turns; *runs* is the size of what was imported or reported."""

    row: Row
    runs: int | None
    turns: tuple[Turn, ...]


class Extent(msgspec.Struct, frozen=True):
    """How much is measured: runs of a file or database, and rounds."""

    runs: int | None
    rounds: int


@dataclass(frozen=True)
class Place:
    """Where it is measured: files in *room*, databases on the server *postgres*.

    What stands in *room* already, of an earlier time, is used as it is.
    """

    room: Path
    postgres: str | None = None


class Named(NamedTuple):
    """A turn of the row *name*."""

    name: str
    turn: Turn


class Benchmark(Protocol):
    """What a module of this folder offers, to be named in ``suite.BENCHMARKS``."""

    ROWS: tuple[Row, ...]
    USUAL: Extent
    QUICK: Extent

    def turns(
        self, wanted: Collection[str], extent: Extent, place: Place
    ) -> Iterator[Named]:
        """Yield each turn of the *wanted* rows as soon as it is measured."""


class Spread(NamedTuple):
    """The median of a figure over the turns, and its ends."""

    middle: float
    low: float
    high: float


def spread(figures: Collection[float]) -> Spread:
    """Return the median of *figures*, the least and the most."""
    return Spread(median(figures), min(figures), max(figures))


def ratios(seen: Seen) -> list[float]:
    """Return the ratio of each turn: its sides saw the same weather."""
    pairs = [(turn.what.seconds, turn.yardstick.seconds) for turn in seen.turns]
    if seen.row.speed:
        return [yardstick / what for what, yardstick in pairs]
    return [what / yardstick for what, yardstick in pairs]


def measured(seen: Seen, kind: Kind) -> float:
    """Return the figure that a limit is about."""
    if kind == "ratio":
        return median(ratios(seen))
    if kind == "seconds":
        return median(turn.what.seconds for turn in seen.turns)
    return max(turn.what.peak_bytes for turn in seen.turns)


def reached(seen: Seen, limit: Limit) -> bool:
    """Tell whether the figure is one that satisfies."""
    figure = measured(seen, limit.kind)
    enough = limit.least is None or figure >= limit.least
    return enough and (limit.most is None or figure <= limit.most)


def missed(seen: Seen) -> list[Limit]:
    """Return the limits that are not reached."""
    return [limit for limit in seen.row.limits if not reached(seen, limit)]
