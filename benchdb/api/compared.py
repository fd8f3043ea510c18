"""Two sides held against each other, as a data frame of cells and a summary."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Engine

from benchdb.api.frames import frame
from benchdb.compare.cell_rows import compare
from benchdb.compare.rendering import COLUMNS, flat
from benchdb.compare.sides import sides
from benchdb.store.views import Column

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = {"batch_size", "base_n", "other_n", "base_machines", "other_machines"}
_FIGURES = {
    f"{side}_{name}" for side in ("base", "other") for name in ("value", "low", "high")
}
_RATIOS = {"ratio", "low", "high"}


class Summary(msgspec.Struct, frozen=True):
    """What a comparison comes to: *other* is *ratio* times as fast as *base*.

    *ratio* is the geometric mean over the *cells* that count, with its 95 % interval
    from *low* to *high* where both sides were repeated; *least* and *greatest* are the
    ratios of single cells. *verdict* is ``faster``, ``slower``, ``even`` or ``unclear``
    as in a report. Where no cell counts, all of these are ``None`` and *reason* says
    why. *differs* has what the sides do not have in common: both of each, by name.
    """

    base: str
    other: str
    cells: int
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str | None
    least: float | None
    greatest: float | None
    differs: Mapping[str, tuple[str, str]]
    reason: str | None


class Compared(msgspec.Struct, frozen=True):
    """A comparison: *cells*, a row for each that both sides have, and a *summary*.

    ``ratio`` of a cell says how many times as fast ``other`` is, ``low`` and ``high``
    bound it where both sides were repeated; ``base_value`` is in ``base_unit``. A cell
    whose ``verdict`` is ``not comparable`` or ``insufficient`` does not count.
    """

    cells: "pd.DataFrame"
    summary: Summary


def compared(
    engine: Engine,
    names: tuple[str, str],
    workloads: Collection[str],
    threshold: float | None,
    accept: Collection[str],
) -> Compared:
    """Return what the second of the sides with these *names* does beside the first."""
    base, other = sides(engine, names, workloads=list(workloads))
    comparison_ = compare(base, other, threshold=threshold, accepted=accept)
    cells = [list(row.values()) for row in flat(comparison_)]
    mean, (least, greatest) = comparison_.mean, comparison_.spread or (None, None)
    summary = Summary(
        base=comparison_.base,
        other=comparison_.other,
        cells=sum(row.counts for row in comparison_.cells),
        ratio=None if mean is None else mean.value,
        low=None if mean is None else mean.low,
        high=None if mean is None else mean.high,
        verdict=None if mean is None else mean.verdict,
        least=least,
        greatest=greatest,
        differs={fact.name: (fact.base, fact.other) for fact in comparison_.facts},
        reason=comparison_.reason,
    )
    return Compared(frame([_column(name) for name in COLUMNS], cells), summary)


def _column(name: str) -> Column:
    if name in _RATIOS:
        return Column(name, "times as fast", "real")
    if name in _FIGURES:
        return Column(
            name, "its figure", "real", f"column {name.split('_', maxsplit=1)[0]}_unit"
        )
    return Column(name, "", "integer" if name in _NUMBERS else "text")
