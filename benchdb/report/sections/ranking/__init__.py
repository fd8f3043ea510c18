"""Which system trains fastest? Each against a baseline, workload by workload."""

import math

import msgspec

from benchdb.report.view.atoms import Quantity, Ratio, System, Way, Workload
from benchdb.statistics.comparison import REPEATED_THRESHOLD, SINGLE_THRESHOLD


class RankCell(msgspec.Struct, frozen=True):
    """One system on one workload, relative to the baseline; ratio 1 for itself.

    *unlike* are the values of the conditions in which the ratio differs, as far as a
    run chooses them or names its surroundings. *chance* is how far chance may have
    moved the log of its own figure, as ``stats.chance`` has it.
    """

    quantity: Quantity | None
    ratio: Ratio | None
    missing: str | None = None
    way: Way | None = None
    unlike: tuple[tuple[str, str], ...] = ()
    chance: float | None = None


class RankRow(msgspec.Struct, frozen=True):
    """One system: its geometric mean over the common workloads, and its cells.

    *mean* is ``None`` unless every common workload has a like cell; what is noted on
    those is noted on it. *spread* are the least and the greatest ratio that it is the
    mean of. *covered* of ``len(Ranking.workloads)`` have any figure. A row *leads* if
    all of its own figures in the mean may be in a headline. *chance* is that of the
    mean, as cells have it.
    """

    system: System
    mean: Ratio | None
    covered: int
    cells: tuple[RankCell, ...]
    spread: tuple[float, float] | None = None
    leads: bool = True
    chance: float | None = None


class Ranking(msgspec.Struct, frozen=True):
    """Which system trains fastest? Rows best first; *common* enter the mean."""

    baseline: System
    workloads: tuple[Workload, ...]
    common: tuple[str, ...]
    rows: tuple[RankRow, ...]
    sources: tuple[str, ...]

    def faster(self, one: RankRow, other: RankRow) -> bool:
        """Tell whether the mean of *one* exceeds the other's by more than chance."""
        if not (one.mean and other.mean) or one.chance is None or other.chance is None:
            return False
        counts = [
            cell.quantity.n
            for row in (one, other)
            for workload, cell in zip(self.workloads, row.cells, strict=True)
            if workload.name in self.common and cell.quantity
        ]
        single = min(counts, default=1) == 1
        least = math.log1p(SINGLE_THRESHOLD if single else REPEATED_THRESHOLD)
        apart = math.log(one.mean.value / other.mean.value)
        return apart > max(least, math.hypot(one.chance, other.chance))
