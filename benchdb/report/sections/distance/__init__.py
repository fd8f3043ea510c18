"""How far is a reference GPU? Shares of its throughput at the same batch size."""

import msgspec

from benchdb.report.view.atoms import Axis, Quantity, Ratio, System, Way, Workload


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
