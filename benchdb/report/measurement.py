"""Measurements: all processes of one cell together, and which of them are alike.

Two figures compare only when their conditions are equal. Where they are not, the
condition that differs is named, and the figure stays out of every headline.
"""

from collections.abc import Iterable

import msgspec

from benchdb.catalogue import workloads
from benchdb.exchange.lines import Device

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


class Conditions(msgspec.Struct, frozen=True):
    """What must be equal for two figures to compare; machine and device are not in it.

    *extent* is how many samples a time covers; a rate has none. A *smoke* run shows
    that something works, not how fast: it is like no other, and in no headline.
    *told_by* is the source of a figure of which only its author knows what was timed.
    """

    workload: str
    version: int
    setting: str
    framework: str
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    extent: float | None
    smoke: bool = False
    told_by: str | None = None


class Place(msgspec.Struct, frozen=True):
    """Where something ran: the machine with its chips, and the device that worked.

    *source* is the digest of the document that published it, *machine* that of the
    machine that stands for this one. *mine* is told from what others contributed, of
    whatever machine they say that it is.
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


class Measurement(msgspec.Struct, frozen=True):
    """The processes of one cell: one value each, in the unit of the metric.

    *runs* are their digests in the same order; *printed* are the source's characters
    where there is a single one.
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


def differs(one: Conditions, other: Conditions) -> tuple[str, ...]:
    """Name the conditions in which two figures of one workload are not alike."""
    pairs = {
        "precision": (one.precision, other.precision),
        "compiler": (one.compiler, other.compiler),
        "batch": (one.batch_size, other.batch_size),
        "framework": (one.framework, other.framework),
        "protocol": (_protocol(one), _protocol(other)),
        "tier": (one.smoke, other.smoke),
    }
    return tuple(name for name, (left, right) in pairs.items() if left != right)


def _protocol(conditions: Conditions) -> tuple[object, ...]:
    return (
        conditions.version,
        conditions.setting,
        conditions.metric,
        conditions.extent,
        conditions.told_by,
    )


def _samples_per_value(conditions: Conditions) -> float | None:
    """Return how many samples one inverse value stands for, if that is known."""
    if conditions.metric in RATES:
        return 1.0
    return conditions.extent


def newest(measurements: Iterable[Measurement]) -> Measurement:
    """Return the measurement that was started last; the rest of the order is fixed."""
    return max(measurements, key=lambda m: (m.started or "", m.campaign or "", m.runs))


def trains(workload: str) -> bool:
    """Tell whether the work is training a model; operations are ranked nowhere."""
    known = workloads().get(workload)
    return known is not None and known.kind != "operation"
