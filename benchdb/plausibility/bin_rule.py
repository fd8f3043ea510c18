"""out-of-bin: a figure far outside those of all other machines of its kind.

A bin is a card, or a chip with as many GPU cores; a cell is the same work by the same
way of timing. Memory is left out: as long as the work fits it changes nothing, and
where it does not, that is what is found. In such cells of public results the largest
figure of all machines is seldom twice the least; beyond twice the extremes of several
others it is seldom the chip's own: a model that pages, another quantisation, a cache.
What collectors measured is alike in so much that the bin itself says how far machines
differ. Its *ceiling* is the fastest machine and three times that spread beyond; slower
may be anything. It moves with each machine that comes, and is nobody's to set.
It is a doubt and no more: the figure counts.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import stdev

import msgspec

from benchdb.plausibility.figures import TIMES, figure, rounded
from benchdb.plausibility.observed import Finding

CODE = "out-of-bin"
MACHINES = 4  # other machines at least: of fewer, nobody knows how far they differ
_FAR = 2.0
_SPREADS = 3.0  # standard deviations of the logarithms of what machines reach
# As a factor: a new version of a framework may be so much faster, and no ceiling lies
# further than that of what others published.
_LEAST = 1.25


class Placed(msgspec.Struct, frozen=True):
    """A figure of a run, the machine that gave it, and the bin and cell it is in."""

    run: str
    machine: str
    metric: str
    value: float
    cell: tuple[object, ...]


def findings(placed: Iterable[Placed]) -> Iterator[Finding]:
    """Yield the figures that are out of their bins."""
    bins: dict[object, dict[str, list[Placed]]]
    bins = defaultdict(lambda: defaultdict(list))
    for place in placed:
        bins[place.metric, place.cell][place.machine].append(place)
    for machines in bins.values():
        if len(machines) <= MACHINES:
            continue
        lows = sorted(
            (min(place.value for place in own), name) for name, own in machines.items()
        )
        highs = sorted(
            (max(place.value for place in own), name) for name, own in machines.items()
        )
        for name, own in machines.items():
            low = next(value for value, other in lows if other != name)
            high = next(value for value, other in reversed(highs) if other != name)
            for place in own:
                if not low / _FAR <= place.value <= high * _FAR:
                    detail = {
                        "stated": figure(place.value),
                        "low": figure(low),
                        "high": figure(high),
                        "machines": len(machines) - 1,
                    }
                    yield Finding(place.run, CODE, place.metric, detail)


class Ceiling(msgspec.Struct, frozen=True):
    """What so many *machines* of a bin have reached: the *best*, and the *limit*."""

    best: float
    limit: float
    machines: int

    def detail(self, value: float) -> dict[str, int | float]:
        """Return what a finding says of a *value* beyond it."""
        best, limit = figure(self.best), rounded(self.limit)
        values = {"stated": figure(value), "best": best, "ceiling": limit}
        return {**values, "machines": self.machines}


def ceilings(metric: str, best: Mapping[str, float]) -> dict[str, Ceiling]:
    """Return the ceiling of each machine that is beyond it, made by all others.

    *best* is the best value of *metric* on each machine of a bin, all above 0.
    """
    sign = -1 if metric in TIMES else 1
    speeds = {name: sign * math.log(value) for name, value in best.items()}
    beyond = {}
    for name, speed in speeds.items():
        others = [other for it, other in speeds.items() if it != name]
        if len(others) < MACHINES:
            break
        far = min(max(_SPREADS * stdev(others), math.log(_LEAST)), math.log(_FAR))
        if speed > max(others) + far:
            reached = math.exp(sign * max(others))
            limit = math.exp(sign * (max(others) + far))
            beyond[name] = Ceiling(reached, limit, len(others))
    return beyond
