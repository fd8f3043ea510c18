"""Per watt: throughput against power, and samples per joule."""

from typing import Literal

import msgspec

from benchdb.report.view.atoms import Quantity, Ratio, System, Workload


class Reading(msgspec.Struct, frozen=True):
    """What a figure of power is: over which time, and of what.

    *scope* is ``board``, ``module``, ``package``, ``chip``, ``soc_model`` or ``gpu``;
    ``None`` where nobody says it. Then it is like no other reading.
    """

    kind: Literal["mean", "peak"]
    scope: str | None


class EfficiencyRow(msgspec.Struct, frozen=True):
    """A workload on one system: samples per second, watts, and samples per joule.

    *ratio* is how many times the reference's samples per joule these are; ``None``
    where the reference has none, or is this. Among what differs may be ``power``.
    *limit* are the watts that the card may draw.
    """

    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    rate: Quantity
    power: Quantity
    per_joule: Quantity
    ratio: Ratio | None = None
    limit: float | None = None


class EfficiencyColumn(msgspec.Struct, frozen=True):
    """A workload at the batch size that most systems ran."""

    workload: Workload
    batch_size: int | None


class EfficiencyGroup(msgspec.Struct, frozen=True):
    """What one system did while its power was read in one way, a row for a workload.

    *notes* are those that all of its rows share; the rows have the others.
    """

    system: System
    reading: Reading
    rows: tuple[EfficiencyRow, ...]
    notes: tuple[str, ...] = ()


class Efficiency(msgspec.Struct, frozen=True):
    """The section's content, the most efficient system first.

    *compared* is held against the *reference*; ``None`` where no two systems did the
    same work. *more* figures are shown elsewhere only.
    """

    columns: tuple[EfficiencyColumn, ...]
    groups: tuple[EfficiencyGroup, ...]
    sources: tuple[str, ...]
    reference: System | None = None
    compared: System | None = None
    more: int = 0
