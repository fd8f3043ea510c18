"""Batch size: what a larger batch changes, on each system."""

import msgspec

from benchdb.report.view.atoms import Quantity, Ratio, System, Workload


class Level(msgspec.Struct, frozen=True):
    """One batch size: its figure, and how many times as fast as what it goes against.

    That is *cpu*, the figure of the same chip's CPU, where there is one; else the
    system's own figure at its smallest batch size, for which *ratio* is 1.
    """

    batch_size: int
    quantity: Quantity
    cpu: Quantity | None
    ratio: Ratio


class Line(msgspec.Struct, frozen=True):
    """The same work at two or more batch sizes, smallest first.

    *change* is the ratio at the largest batch divided by that at the smallest. A
    *strong* line's ratios clearly differ by more than ``Batches.strong``, and none is
    flagged.
    *apart* tells lines of one workload from each other. A *quiet* line is in no chart.
    *own* is how many times the throughput at the smallest batch that at the largest is,
    *cpu* the same of the CPU that the system is held against.
    """

    workload: Workload
    levels: tuple[Level, ...]
    change: Ratio
    strong: bool
    apart: tuple[str, ...] = ()
    quiet: bool = False
    own: float | None = None
    cpu: float | None = None

    @property
    def flagged(self) -> bool:
        """Tell whether a note hangs on any figure."""
        return bool(self.change.notes)


class BatchSystem(msgspec.Struct, frozen=True):
    """One system's lines, fastest at the largest batch first.

    *paired* is Metal against the CPU of the same chip, else the system against itself.
    A system not *charted* stands in the table only.
    """

    system: System
    paired: bool
    lines: tuple[Line, ...]
    charted: bool = True


class Batches(msgspec.Struct, frozen=True):
    """What a larger batch changes; pairs of Metal and CPU come first."""

    systems: tuple[BatchSystem, ...]
    strong: float
    sources: tuple[str, ...]
