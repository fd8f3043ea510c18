"""Measurements: all processes of one cell together, and which of them are alike.

Two figures compare only when their conditions are alike. Where they are not, the
condition that differs is named, and the figure stays out of every headline.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from benchdb.catalogue import workloads
from benchdb.cell import Conditions, Difference, difference
from benchdb.exchange.lines import Device
from benchdb.statistics.comparison import Sample, Spread

# The metrics that say how fast something trains, and how each becomes a rate.
_RATES = ("samples_per_second", "fit_samples_per_second")
_REPORTED_RATE, _REPORTED_STEP = "reported_samples_per_second", "reported_step_seconds"
RATES = (*_RATES, _REPORTED_RATE)
TIMES_OF_ALL_SAMPLES = ("script_wall_seconds", "epoch_seconds")
TIMES_OF_A_STEP = ("step_seconds", _REPORTED_STEP)
# What was timed in these is the author's to say, so they compare within a document.
REPORTED = (_REPORTED_RATE, _REPORTED_STEP)
# The best defined first.
SPEEDS = (*_RATES, *TIMES_OF_ALL_SAMPLES, "step_seconds", *REPORTED)
# Whoever times these steps gives their rate as well.
BESIDE_THEIR_RATE = ("step_seconds",)


class Place(msgspec.Struct, frozen=True):
    """Where something ran: the machine with its chips, and the device that worked.

    *source* is the digest of the document that published it, *machine* that of the
    machine that stands for this one. *mine* and *shipped* are told from what others
    contributed, of whatever machine they say that it is.
    """

    machine: str
    source: str | None
    vendor: str
    chip: str
    accelerator: str | None
    model: str | None
    ram_bytes: int | None
    anonymous_id: str | None
    device: Device
    device_name: str | None
    measured: bool
    mine: bool = False
    shipped: bool = False

    @property
    def known(self) -> bool:
        """Tell whether it is mine, shipped or published: nobody else's measurement."""
        return self.mine or self.shipped or not self.measured


class Measurement(msgspec.Struct, frozen=True):
    """The processes of one cell: one value each, in the unit of the metric.

    *runs* are their digests in the same order, *sizes* how many of them each session
    has; *printed* are the source's characters where there is a single one. *grade* is
    that of all processes, the worst where campaigns differ. One *leads* if it may be
    in a headline: measured with samples of its own, or published by a named source.
    It is *proven* unless gates are absent that say what it did.
    *spread* is what such work has shown elsewhere, *limit* the watts that the card may
    draw.
    """

    conditions: Conditions
    place: Place
    environment: str
    values: tuple[float, ...]
    runs: tuple[str, ...]
    campaign: str | None
    started: str | None
    printed: str | None = None
    derived: bool = False
    sizes: tuple[int, ...] = ()
    session: str = ""
    grade: str | None = None
    label: str = "measured"
    leads: bool = True
    proven: bool = True
    spread: Spread | None = None
    limit: float | None = None

    @property
    def sample(self) -> Sample:
        """Return the values by session, the newest first."""
        return self.sampled(self.values)

    def sampled(self, values: Sequence[float]) -> Sample:
        """Return *values*, one for each process, by session."""
        left = iter(values)
        sizes = self.sizes or (len(self.values),)
        sessions = tuple(tuple(islice(left, size)) for size in sizes)
        return Sample(sessions, self.spread)

    @property
    def speeds(self) -> tuple[float, ...]:
        """Return the values so that more is faster: rates, or inverse seconds."""
        if self.conditions.metric in RATES:
            return self.values
        return tuple(1 / seconds for seconds in self.values)

    @property
    def throughputs(self) -> tuple[float, ...] | None:
        """Return samples per second, or ``None`` where the samples are not known."""
        samples = _samples_per_value(self.conditions)
        if samples is None:
            return None
        return tuple(samples * speed for speed in self.speeds)


class Gap(msgspec.Struct, frozen=True):
    """A cell that was tried, or has a place in a table, but has no figure."""

    conditions: Conditions
    place: Place
    reason: str
    run: str


def compared(one: Measurement, other: Measurement) -> Difference:
    """Name the conditions in which two measurements of one workload are not alike."""
    same = one.place.source == other.place.source
    return difference(one.conditions, other.conditions, same_source=same)


def differs(one: Measurement, other: Measurement) -> tuple[str, ...]:
    """Name the conditions that keep two measurements out of one headline."""
    return compared(one, other).unlike


def _samples_per_value(conditions: Conditions) -> float | None:
    """Return how many samples one inverse value stands for, if that is known."""
    if conditions.metric in RATES:
        return 1.0
    return conditions.extent


def newest(measurements: Iterable[Measurement]) -> Measurement:
    """Return the measurement that was started last, of those that lead if any does.

    What is proven comes before what is not. The rest of the order is fixed.
    """

    def age(one: Measurement) -> tuple[object, ...]:
        started = one.started or "", one.campaign or ""
        return one.leads, one.proven, *started, one.runs

    return max(measurements, key=age)


def trains(workload: str) -> bool:
    """Tell whether the work is training a model; operations are ranked nowhere."""
    known = workloads().get(workload)
    return known is not None and known.kind != "operation"
