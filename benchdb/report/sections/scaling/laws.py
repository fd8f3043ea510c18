"""What language models do with more: prefill by GPU cores, decode by bandwidth.

A law is the least squares line through the logs of the medians of bins: one for each
model, weights, protocol and length, never over unlike ones.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Literal

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Device
from benchdb.report.bins import Bin, Bins, likeness, named_differences, reports
from benchdb.report.measurement import Measurement
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.systems import is_here
from benchdb.report.view.atoms import Workload
from benchdb.report.workloads import workload_of
from benchdb.statistics.student import t_quantile
from benchdb.store.places import is_known

Against = Literal["cores", "bandwidth"]
_OF: Mapping[str, Against] = {"llm-prefill": "cores", "llm-decode": "bandwidth"}
_BINS = 5  # through fewer a line may lead anywhere
_PLACES = 3  # different amounts of cores, or of bandwidth
_DRAWN = 3  # laws of a panel, told apart by their marks
_LISTED = 6  # of a workload, in the table
_GIGA = 1e9


class Mean(msgspec.Struct, frozen=True):
    """A bin on a law: the *median* of so many *results* in tokens per second."""

    chip: str
    gpu_cores: int | None
    amount: float
    median: float
    results: int
    here: bool


class Law(msgspec.Struct, frozen=True):
    """How the speed of one work grows with cores, or with GB/s of bandwidth.

    *exponent* is the slope in logs over the *bins*, *low* and *high* its 95 % interval
    by Student's t; *fit* are the ends of the line. *differs* names what the figures of
    one law may differ in. A *quiet* one is in no chart.
    """

    workload: Workload
    against: Against
    device: Device
    framework: str
    setting: str
    batch_size: int | None
    precision: str | None
    facts: tuple[tuple[str, str], ...]
    bins: tuple[Mean, ...]
    exponent: float
    low: float
    high: float
    fit: tuple[tuple[float, float], ...]
    differs: tuple[str, ...] = ()
    quiet: bool = False


class Laws(msgspec.Struct, frozen=True):
    """The laws with the most bins; *more* of them have no room."""

    shown: tuple[Law, ...]
    more: int
    sources: tuple[str | None, ...]

    def of(self, against: Against) -> list[Law]:
        """Return those that are drawn in one panel."""
        return [one for one in self.shown if one.against == against and not one.quiet]


# With the measurements behind it.
_Made = tuple[Law, Sequence[Measurement]]


def laws(inputs: SectionInput, bins: Bins) -> Laws:
    """Return the laws of all work that enough bins did."""
    works: defaultdict[object, defaultdict[Bin, list[Measurement]]]
    works = defaultdict(lambda: defaultdict(list))
    for one in inputs.tokens:
        where = bins.of(one.place)
        amount = _amount(where, one, bins)
        if amount is not None and is_known(one.place):
            work = likeness(one), one.place.device
            works[work][replace(where, memory=None)].append(one)
    found = [
        (law, used)
        for _, work in sorted(works.items(), key=lambda pair: repr(pair[0]))
        if (made := _law(work, inputs, bins))
        for law, used in [made]
    ]
    found = _in_turn(found)
    shown: list[_Made] = []
    for against in _OF.values():
        same = [pair for pair in found if pair[0].against == against][:_LISTED]
        shown += (
            (replace(law, quiet=place >= _DRAWN), used)
            for place, (law, used) in enumerate(same)
        )
    used = [one.place.source for _, every in shown for one in every]
    return Laws(tuple(law for law, _ in shown), len(found) - len(shown), tuple(used))


def _in_turn(found: Sequence[_Made]) -> list[_Made]:
    """Put first the law of each model and protocol with most bins, then the second."""
    order, ran = [], Counter[object]()
    for made in sorted(found, key=lambda made: -len(made[0].bins)):
        law = made[0]
        same = law.against, law.setting, dict(law.facts).get("model")
        order.append((ran[same], made))
        ran[same] += 1
    return [made for _, made in sorted(order, key=lambda pair: pair[0])]


def _amount(where: Bin, one: Measurement, bins: Bins) -> float | None:
    """Return what the work of *one* grows with, as much of it as its bin has."""
    against = _OF.get(one.conditions.workload)
    if against == "cores":
        return where.gpu_cores
    known = bins.bandwidth(where) if against and one.place.device != "cpu" else None
    return known and known / _GIGA


def _law(
    work: Mapping[Bin, Sequence[Measurement]], inputs: SectionInput, bins: Bins
) -> _Made | None:
    means, used = [], list[Measurement]()
    for where, every in work.items():
        sound = _sound(every, inputs.notes)
        amount = _amount(where, sound[0], bins) if sound else None
        if amount:
            speeds = [value for one in sound for value in one.speeds]
            here = any(is_here(one.place, inputs.here) for one in sound)
            means.append(
                Mean(
                    where.chip,
                    where.gpu_cores,
                    amount,
                    median(speeds),
                    len(speeds),
                    here,
                )
            )
            used += sound
    means.sort(key=lambda one: (one.amount, one.chip))
    points = [(one.amount, one.median) for one in means]
    if len(points) < _BINS or len({x for x, _ in points}) < _PLACES:
        return None
    own = used[0].conditions
    exponent, half, fit = fitted(points)
    return (
        Law(
            workload=workload_of(own.workload),
            against=_OF[own.workload],
            device=used[0].place.device,
            framework=own.framework,
            setting=own.setting,
            batch_size=own.batch_size,
            precision=own.precision,
            facts=(*own.facts.items(), *own.choices),
            bins=tuple(means),
            exponent=exponent,
            low=exponent - half,
            high=exponent + half,
            fit=fit,
            differs=named_differences(used),
        ),
        used,
    )


def _sound(every: Iterable[Measurement], notes: Notes) -> list[Measurement]:
    told = [it for one in every for it in reports(one)]
    return [one for one in told if not notes.on(one.runs, one.conditions.metric)]


def fitted(
    points: Sequence[tuple[float, float]],
) -> tuple[float, float, tuple[tuple[float, float], ...]]:
    """Return the least squares slope in logs, half of its 95 % interval, and the line.

    The interval is Student's, of n - 2 degrees of freedom: no number for two points.
    """
    xs, ys = ([math.log(one) for one in axis] for axis in zip(*points, strict=True))
    middle, height = fmean(xs), fmean(ys)
    across = math.fsum((x - middle) ** 2 for x in xs)
    both = zip(xs, ys, strict=True)
    slope = math.fsum((x - middle) * (y - height) for x, y in both) / across
    both = zip(xs, ys, strict=True)
    left = math.fsum((y - height - slope * (x - middle)) ** 2 for x, y in both)
    free = len(points) - 2
    half = math.inf
    if free > 0:
        half = t_quantile(0.975, free) * math.sqrt(left / free / across)
    ends = (min(points)[0], max(points)[0])
    line = ((x, math.exp(height + slope * (math.log(x) - middle))) for x in ends)
    return slope, half, tuple(line)
