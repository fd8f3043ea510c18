"""What all sections of a report are made of: figures, systems, ratios.

Every figure carries its run, so a reader can walk from it to its source.
"""

from collections.abc import Iterator
from typing import Literal, TypeVar

import msgspec

from benchdb.catalogue import Kind
from benchdb.exchange.messages import Device
from benchdb.statistics.comparison import Word
from benchdb.steps import Step

Part = TypeVar("Part")
Verdict = Word
BASELINE = "M1"  # the chip of every ratio that names no other, with Metal
WIDEST = 10  # as a factor from end to end of an interval: its ends say nothing beyond


class Interval(msgspec.Struct, frozen=True):
    """A 95 % interval as it is shown.

    One *wide* of more than a factor of ten is shown as just that: it tells that the
    runs were unlike, or too few, and its ends are as good as any.
    """

    low: float
    high: float

    @classmethod
    def of(cls, low: float | None, high: float | None) -> "Interval | None":
        """Return the interval between these ends, if there are any."""
        return None if low is None or high is None else cls(low, high)

    @property
    def wide(self) -> bool:
        """Tell whether its ends say nothing."""
        return self.low <= 0 or self.high / self.low > WIDEST


class Quantity(msgspec.Struct, frozen=True):
    """One displayed figure.

    *unit* is a token such as ``s``, ``img/s``, ``GB``, ``TFLOPS``. *printed* keeps the
    digits of the source (``91.80``), with a point as decimal mark, when the figure is
    shown as published; so does *uncertainty*, what the source gives after ±. *low* and
    *high* bound an interval only where n >= 2, within one of *sessions* or over all.
    *notes* are keys of ``Report.notes``. *grade* and *label* say how far to trust it:
    a letter, and how it came here; *mine* is told from what others contributed, and
    *trust* is the lowest step of the ladder that its runs reach.
    """

    value: float
    unit: str
    run: str
    n: int = 1
    printed: str | None = None
    low: float | None = None
    high: float | None = None
    notes: tuple[str, ...] = ()
    derived: bool = False
    uncertainty: str | None = None
    grade: str | None = None
    label: str | None = None
    sessions: int = 1
    mine: bool = False
    trust: Step | None = None

    @property
    def interval(self) -> "Interval | None":
        """Return what bounds the figure; one run has nothing that does."""
        return Interval.of(self.low, self.high) if self.n > 1 else None


class System(msgspec.Struct, frozen=True, cache_hash=True):
    """A chip at work on one device with one framework: a row of a comparison."""

    key: str
    chip: str  # "M1 Max", "Core i7", "GeForce RTX 3090", "H200"
    device: Device
    framework: str
    model: str | None  # "Mac Studio"
    ram_bytes: int | None
    here: bool = False  # marked: what is mine, or the machine asked for
    measured: bool = False  # by a benchdb collector, here or elsewhere
    mine: bool = False  # measured or planned here; what others say they did is not


class Workload(msgspec.Struct, frozen=True):
    """A column or group: the catalogue's name and title, and its kind."""

    name: str
    title: str
    kind: Kind


class Ratio(msgspec.Struct, frozen=True):
    """*value* times as fast (>= 1) or, below 1, 1/value times as long.

    *low* and *high* bound a 95 % interval where both sides were repeated.
    *differs* names the conditions that are not alike (``precision``, ``compiler``,
    ``batch``, ``framework``, ``protocol``, ``tier`` …): such a ratio is in no headline.
    *unstated* are conditions that a side does not tell, and that may differ. A ratio
    that does not *lead* has a side without the evidence that a headline needs.
    """

    value: float
    verdict: Verdict
    low: float | None = None
    high: float | None = None
    differs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    leads: bool = True

    @property
    def interval(self) -> "Interval | None":
        """Return what bounds the ratio."""
        return Interval.of(self.low, self.high)


class Way(msgspec.Struct, frozen=True):
    """How a figure was computed, as far as its source says: *limit* in watts."""

    precision: str | None
    compiler: str | None
    framework: str
    limit: float | None = None


class Reading(msgspec.Struct, frozen=True):
    """What a figure of power is: over which time, and of what.

    *scope* is ``board``, ``module``, ``package``, ``chip``, ``soc_model`` or ``gpu``;
    ``None`` where nobody says it. Then it is like no other reading.
    """

    kind: Literal["mean", "peak"]
    scope: str | None


class Axis(msgspec.Struct, frozen=True):
    """A logarithmic axis."""

    low: float
    high: float
    ticks: tuple[float, ...]
    unit: str


class Filter(msgspec.Struct, frozen=True):
    """An option of ``benchdb report`` without its dashes, and names for it."""

    option: str
    names: tuple[str, ...]


class Room(msgspec.Struct, frozen=True):
    """How many runs a report is made of, of how many there are."""

    runs: int
    of_runs: int


def field_names(kind: type) -> tuple[str, ...]:
    """Return the fields of a *kind* of part; what is no part has none."""
    names: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    return names


def parts(value: object, kind: type[Part]) -> Iterator[Part]:
    """Yield every *kind* of part inside a tree of parts and tuples, from its top."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(reversed(value))
        elif names := field_names(type(value)):
            if isinstance(value, kind):
                yield value
            waiting.extend(getattr(value, name) for name in reversed(names))
