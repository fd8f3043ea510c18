"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

import msgspec

from benchdb.report.view.atoms import Quantity, System


class Peak(msgspec.Struct, frozen=True):
    """The most that a chip computes in one precision, in TFLOPS, by the catalogue.

    *largest*: nobody says which variant of the chip it is; this is the largest one's.
    *clock_mhz* is the clock at which it computes that much.
    """

    teraflops: float
    chip: str
    basis: str
    confidence: str
    largest: bool = False
    clock_mhz: int | None = None


class Held(msgspec.Struct, frozen=True):
    """The clock that a chip held at work, and how much of the time power limited it.

    *limit* are the watts that it may draw, where they are stored. *burst* are the
    TFLOPS of the first products, before it was limited.
    """

    clock_mhz: float
    capped: float | None = None
    limit: float | None = None
    burst: float | None = None


class SweepPoint(msgspec.Struct, frozen=True):
    """The rate at one size, the number of rows; *above* the peak of its precision.

    *held* is the clock, where it was stored. One that does not *lead* has not the
    evidence that a headline needs.
    """

    size: int
    quantity: Quantity
    above: bool = False
    held: Held | None = None
    leads: bool = True

    @property
    def doubtful(self) -> bool:
        """Tell whether it leads no headline."""
        return self.above or bool(self.quantity.notes)


class SweepLine(msgspec.Struct, frozen=True):
    """One system in one precision: its sizes in order, all under like conditions.

    *variant* are the conditions that tell it from the system's other lines, *differs*
    names those in which it is unlike the first line of its precision. *guided*: its
    peak is near enough to its figures to stand in their chart.
    """

    system: System
    precision: str | None
    points: tuple[SweepPoint, ...]
    variant: tuple[tuple[str, str], ...] = ()
    differs: tuple[str, ...] = ()
    peak: Peak | None = None
    guided: bool = False

    def at(self, size: int) -> SweepPoint | None:
        """Return the point at *size*."""
        return next((one for one in self.points if one.size == size), None)


class SweepPanel(msgspec.Struct, frozen=True):
    """The lines of one precision whose rates fit on one linear axis, fastest first."""

    precision: str | None
    lines: tuple[SweepLine, ...]


class Sweep(msgspec.Struct, frozen=True):
    """How fast are matrix products? *rest* are the lines that no panel has room for.

    *unlike* are the sets of differing conditions, in order of appearance.
    """

    panels: tuple[SweepPanel, ...]
    rest: tuple[SweepLine, ...]
    unlike: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...]

    @property
    def drawn(self) -> tuple[SweepLine, ...]:
        """Return the lines of all panels."""
        return tuple(line for panel in self.panels for line in panel.lines)

    @property
    def lines(self) -> tuple[SweepLine, ...]:
        """Return all lines, those of the panels first."""
        return (*self.drawn, *self.rest)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return every size that any line has, in order."""
        return tuple(sorted({one.size for line in self.lines for one in line.points}))
