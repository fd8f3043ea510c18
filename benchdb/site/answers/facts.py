"""What an answer says, in no language: its figure, its evidence, and what is behind it.

All six cards are made of the same parts. Words for them are in ``words``.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

Question = Literal["mac", "metal", "gpu", "watt", "fit", "tokens"]
# What a headline rests on, and with that what it may say:
# repeated: like for like, at least 3 processes or reports a side
# single: like for like, fewer
# unlike: bounded by figures that differ in conditions
# ran: that it ran, not how fast
# none: nothing
Evidence = Literal["repeated", "single", "unlike", "ran", "none"]
# Kinds of work that never meet in one mean.
Group = Literal["training", "decode", "prefill", "inference", "operations"]
Look = Literal["up", "down", "level", "unlike", "flagged", "reference"]

ENOUGH = 3  # processes or reports of a side that is repeated
EVEN = 1.1  # single figures within this factor are about even


class Point(msgspec.Struct, frozen=True):
    """A mark on the strip of a card, named by its work, model or chip."""

    value: float
    look: Look
    name: str


class Party(msgspec.Struct, frozen=True):
    """A chip at work on a device."""

    chip: str
    device: str


class Protocol(msgspec.Struct, frozen=True, order=True):
    """The program that did it, the way of timing it, and what was timed."""

    framework: str
    setting: str
    metric: str


class Held(msgspec.Struct, frozen=True):
    """What cells of one kind and protocol say of two systems held against each other.

    A ratio says how many times as fast *other* is as *base*, from *low* to *high* over
    *cells* of the works in *names*. There is a *mean* where the range is clear of 1,
    with the interval *least*–*most* where both sides of each cell were repeated. What
    is *flagged* is counted and in none of them. *differs* names what is not alike;
    then there is no mean. *unstated* is what no side tells. *processes* are the fewest
    and the most of a side. *doubts* are chips whose origin is in doubt.
    """

    base: Party
    other: Party
    group: Group
    evidence: Evidence
    low: float
    high: float
    cells: int
    names: tuple[str, ...]
    points: tuple[Point, ...]
    protocol: Protocol | None = None
    processes: tuple[int, int] = (1, 1)
    mean: float | None = None
    least: float | None = None
    most: float | None = None
    flagged: int = 0
    differs: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    years: tuple[str, ...] = ()

    @property
    def verdict(self) -> Literal["faster", "slower", "even", "unclear"]:
        """Return what may be said of the two, "unclear" where that is nothing."""
        if self.evidence == "unlike":
            return "unclear"
        low = self.low if self.least is None else min(self.low, self.least)
        high = self.high if self.most is None else max(self.high, self.most)
        margin = EVEN if self.evidence == "single" else 1.0
        if low > margin:
            return "faster"
        if high < 1 / margin:
            return "slower"
        within = low >= 1 / EVEN and high <= EVEN
        return "even" if within else "unclear"


class WorkRange(msgspec.Struct, frozen=True):
    """What Metal does to one work: the range of its ratios over *chips* chips."""

    name: str
    low: float
    high: float
    chips: int


class Ran(msgspec.Struct, frozen=True):
    """A work that ran in *memory* GiB at the least, on the chips that had so much."""

    name: str
    size: float  # parameters in thousand millions, 0 if its name does not say it
    memory: int
    chips: tuple[str, ...]
    rates: tuple[float, ...] = ()  # tokens per second there, where it was timed


class Peak(msgspec.Struct, frozen=True):
    """The most memory in use at a *batch* size, in GB, from *low* to *high*."""

    name: str
    batch: int
    low: float
    high: float


class Rates(msgspec.Struct, frozen=True):
    """Tokens per second of one model: over all *reports*, in one protocol."""

    model: str
    quantization: str
    group: Group
    low: float
    high: float
    median: float
    reports: int
    machines: int
    chips: int
    slowest: str
    fastest: str
    framework: str = ""
    first: str = ""
    last: str = ""


class Card(msgspec.Struct, frozen=True):
    """An answer: a figure or a range, what it is of, and how sure that is.

    *chip* is the one it is about, ``None`` for all Macs. *low* and *high* are the
    figure in *unit*: "x" for a ratio, "GB" or "token/s". *held* are the comparisons
    that its sentences tell, the headline's first; *works*, *ran*, *peaks* and *rates*
    are such facts of the questions that they belong to. *flagged* cells are left out.
    *measure* is the command that would measure what is missing.
    """

    question: Question
    chip: str | None
    evidence: Evidence
    low: float | None = None
    high: float | None = None
    unit: Literal["x", "GB", "token/s"] = "x"
    points: tuple[Point, ...] = ()
    held: tuple[Held, ...] = ()
    works: tuple[WorkRange, ...] = ()
    ran: tuple[Ran, ...] = ()
    peaks: tuple[Peak, ...] = ()
    rates: tuple[Rates, ...] = ()
    flagged: int = 0
    doubts: tuple[str, ...] = ()
    measure: str = ""

    @property
    def is_slower(self) -> bool:
        """Tell whether even the best of it is slower, by more than chance makes it."""
        return self.high is not None and self.high < 1 / EVEN


class Cell(msgspec.Struct, frozen=True, order=True):
    """A model as one program ran and timed it."""

    model: str
    quantization: str
    framework: str
    setting: str


class Variant(msgspec.Struct, frozen=True):
    """A chip with so many GPU cores, or so much bandwidth, and what it reached."""

    chip: str
    generation: str
    amount: float
    median: float
    reports: int
    run: str


class ModelPlot(msgspec.Struct, frozen=True):
    """One model: prefill by GPU cores and decode by bandwidth in GB/s."""

    model: str
    quantization: str
    framework: str
    prefill: tuple[Variant, ...]
    decode: tuple[Variant, ...]


class Coverage(msgspec.Struct, frozen=True):
    """How many chips of each generation have figures of a *kind*, and of which years.

    *of* are how many chips the generation has.
    """

    kind: str
    years: tuple[str, ...]
    chips: tuple[int, ...]


class Median(msgspec.Struct, frozen=True):
    """Tokens per second: the median of *reports*, their range, and one of the runs."""

    value: float
    low: float
    high: float
    reports: int
    run: str


class ChipRow(msgspec.Struct, frozen=True):
    """A chip, its size, and what is known of it.

    *training* are its works beside the baseline, *mean* that of works which all such
    chips ran, unless they cross 1. *metal* is the range of what Metal brings.
    *machines* are distinct, at the least where not all are *identified*. The origin of
    its training may be *doubted*.
    """

    chip: str
    cores: tuple[int, int] | None
    bandwidth: tuple[float, float] | None
    memory: int | None
    training: tuple[Point, ...]
    mean: float | None
    spread: tuple[float, float] | None
    metal: tuple[float, float] | None
    metal_works: int
    decode: Median | None
    rates: tuple[float, ...]
    prefill: Median | None
    figures: int
    machines: int
    identified: bool
    doubted: bool = False


class HeatCell(msgspec.Struct, frozen=True):
    """A work on a chip with and without Metal; a flagged one is not shaded."""

    chip: str
    ratio: float
    cpu: float
    metal: float
    unit: str
    run: str
    flagged: bool = False


class HeatRow(msgspec.Struct, frozen=True):
    """A work on each chip that did it with both; its *size* where it has several."""

    work: str
    batch: int | None
    cells: tuple[HeatCell, ...]
    size: str = ""


class Distance(msgspec.Struct, frozen=True):
    """How far the reference is from a chip: kinds of work, like ones first."""

    chip: str
    held: tuple[Held, ...]


class Overview(msgspec.Struct, frozen=True):
    """The tables of the front page.

    *unmeasured* are questions with the chips that nobody has answered them for.
    """

    generations: tuple[str, ...]
    coverage: tuple[Coverage, ...]
    chips: tuple[ChipRow, ...]
    common: tuple[str, ...]
    gpus: tuple[ChipRow, ...]
    heat: tuple[HeatRow, ...]
    protocol: Protocol | None
    reference: str | None
    distances: tuple[Distance, ...]
    cell: Cell | None
    absent: tuple[str, ...]
    unmeasured: Mapping[str, tuple[str, ...]]
    newest: str
