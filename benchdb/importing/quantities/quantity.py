"""What a cell can say: a quantity in its base unit, or why there is none."""

from typing import Literal

import msgspec

Bound = Literal["<", ">", "~"]
Mark = Literal[".", ","]


class UnreadableError(ValueError):
    """A text is no figure, or none whose unit is known: one line that says why."""


class AmbiguousError(ValueError):
    """A text can be read in two ways that nothing settles: one line, which two."""


class Quantity(msgspec.Struct, frozen=True):
    """A figure as printed, in the base unit of its kind.

    *unit* is ``s``, ``B``, ``W``, ``J``, ``Hz``, ``%``, ``1/s``, ``1/h``, ``FLOP/s``,
    ``B/s``, ``1/J``, ``x`` (a ratio) or ``1`` (a bare number); *per* is what a rate or
    a time counts: ``img``, ``seq``, ``token``, ``sample``, ``step``, ``epoch``, ``it``,
    ``batch`` … (``units.NOUNS``). *role* is a word beside it (``user``, ``system``,
    ``cpu``, ``total``). *uncertainty* is what stands after ``±``, in the same unit. A
    range has *low* and *high*, its value is the middle. *bound* says that the figure is
    only a limit, or rounded (``~``).
    """

    value: float
    unit: str
    printed: str
    per: str | None = None
    role: str | None = None
    uncertainty: float | None = None
    low: float | None = None
    high: float | None = None
    bound: Bound | None = None


class Missing(msgspec.Struct, frozen=True):
    """No figure, and why: ``not printed``, ``out of memory`` or ``failed``."""

    reason: str
    printed: str


class Convention(msgspec.Struct, frozen=True):
    """How a column writes numbers: its decimal mark; the other one groups digits."""

    decimal: Mark


def shown(text: str) -> str:
    """Return *text* for a message: quoted, in one line, and short."""
    return repr(text if len(text) <= 60 else text[:59] + "…")
