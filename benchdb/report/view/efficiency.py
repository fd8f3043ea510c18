"""Per watt: throughput against power, and samples per joule."""

from dataclasses import dataclass
from typing import Literal

from benchdb.report.view.atoms import Quantity, Ratio, System, Workload


@dataclass(frozen=True)
class Reading:
    """What a figure of power is: over which time, and of what.

    *scope* is ``board``, ``module``, ``package``, ``chip``, ``soc_model`` or ``gpu``;
    ``None`` where nobody says it. Then it is like no other reading.
    """

    kind: Literal["mean", "peak"]
    scope: str | None


@dataclass(frozen=True)
class EfficiencyRow:
    """A workload on one system: samples per second, watts, and samples per joule.

    *ratio* is how many times the reference's samples per joule these are; ``None``
    where the reference has none, or is this. Among what differs may be ``power``.
    """

    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    rate: Quantity
    power: Quantity
    per_joule: Quantity
    ratio: Ratio | None = None


@dataclass(frozen=True)
class EfficiencyColumn:
    """A workload at the batch size that most systems ran."""

    workload: Workload
    batch_size: int | None


@dataclass(frozen=True)
class EfficiencyGroup:
    """What one system did while its power was read in one way, a row for a workload.

    *notes* are those that all of its rows share; the rows have the others.
    """

    system: System
    reading: Reading
    rows: tuple[EfficiencyRow, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Efficiency:
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
