"""The sections that compare systems: with Metal and without, ranked, from afar."""

import math

import msgspec

from benchdb.report.view.atoms import Axis, Quantity, Ratio, System, Workload
from benchdb.statistics.ratios import REPEATED_THRESHOLD, SINGLE_THRESHOLD


class MetalRow(msgspec.Struct, frozen=True):
    """The same work on one chip with and without Metal; a side may be missing."""

    chip: str
    framework: str
    model: str | None
    cpu: Quantity | None
    metal: Quantity | None
    ratio: Ratio | None
    missing: str | None = None  # reason, as the source or collector gave it


class MetalGroup(msgspec.Struct, frozen=True):
    """All chips for one workload, batch size and protocol, slowest chip first.

    *apart* tells its work from that of others with the same name and batch size.
    """

    workload: Workload
    batch_size: int | None
    metric: str
    rows: tuple[MetalRow, ...]
    apart: tuple[str, ...] = ()


class MetalSection(msgspec.Struct, frozen=True):
    """Does Metal help? All groups share one axis."""

    groups: tuple[MetalGroup, ...]
    axis: Axis
    sources: tuple[str, ...]


class Way(msgspec.Struct, frozen=True):
    """How a figure was computed, as far as its source says: *limit* in watts."""

    precision: str | None
    compiler: str | None
    framework: str
    limit: float | None = None


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


class DistanceCell(msgspec.Struct, frozen=True):
    """One system's share of the reference on one workload and batch size.

    *precision* is told where the system's figures here have several.
    """

    system: System
    quantity: Quantity | None
    share: Ratio | None  # throughput / reference throughput
    precision: str | None = None
    way: Way | None = None


class DistanceRow(msgspec.Struct, frozen=True):
    """A workload at the reference's batch size.

    *precision* is the reference's, told where its figures here have several.
    """

    workload: Workload
    batch_size: int | None
    reference: Quantity
    cells: tuple[DistanceCell, ...]
    precision: str | None = None
    way: Way | None = None


class Distance(msgspec.Struct, frozen=True):
    """How far is a reference GPU? Shares up to 1 and beyond."""

    reference: System
    systems: tuple[System, ...]
    rows: tuple[DistanceRow, ...]
    axis: Axis
    sources: tuple[str, ...]
