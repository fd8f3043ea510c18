"""out-of-bin: a figure far outside those of all other machines of its kind.

A bin is a card, or a chip with as many GPU cores; a cell is the same work by the same
way of timing. Memory is left out: as long as the work fits it changes nothing, and
where it does not, that is what is found. In such cells of public results the largest
figure of all machines is seldom twice the least; beyond twice the extremes of several
others it is seldom the chip's own: a model that pages, another quantisation, a cache.
It is a doubt and no more: the figure counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from benchdb.plausibility.figures import figure
from benchdb.plausibility.observed import Finding

CODE = "out-of-bin"
MACHINES = 4  # other machines at least: of fewer, nobody knows how far they differ
_FAR = 2.0


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
    for one in placed:
        bins[one.metric, one.cell][one.machine].append(one)
    for machines in bins.values():
        if len(machines) <= MACHINES:
            continue
        lows = sorted(
            (min(one.value for one in own), name) for name, own in machines.items()
        )
        highs = sorted(
            (max(one.value for one in own), name) for name, own in machines.items()
        )
        for name, own in machines.items():
            low = next(value for value, other in lows if other != name)
            high = next(value for value, other in reversed(highs) if other != name)
            for one in own:
                if not low / _FAR <= one.value <= high * _FAR:
                    detail = {
                        "stated": figure(one.value),
                        "low": figure(low),
                        "high": figure(high),
                        "machines": len(machines) - 1,
                    }
                    yield Finding(one.run, CODE, one.metric, detail)
