"""How long a speed lasts: burst beside sustained rate, of a chip or of a workload."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from benchdb.metric_kinds import LASTING, STAYS
from benchdb.report.language import Language
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording import cells, terms
from benchdb.report.wording.parameters import distinction_text
from benchdb.site import wording
from benchdb.site.plots import Axis, Mark, Plot, axis, tick
from benchdb.site.wording import FigureCell

if TYPE_CHECKING:  # words of kept facts need no database
    from benchdb.site.content import Line, Site

_MOST = 30  # rows
_FADES = 97.0  # per cent of the burst, below which a speed does not last


class Lasting(msgspec.Struct, frozen=True):
    """What a system holds of its first seconds at one work: *stays*, in per cent.

    *head* is the headline of its runs.
    """

    head: ValueRow
    burst: Quantity
    sustained: Quantity
    stays: Quantity


class LastingRow(msgspec.Struct, frozen=True):
    """A row as the table shows it."""

    chip: str
    badge: str
    device: str
    work: str
    details: str
    plot: Plot
    burst: FigureCell
    sustained: FigureCell
    stays: str


class LastingTable(msgspec.Struct, frozen=True):
    """The table, and the axis that its plots share."""

    lead: str
    axis: Axis
    rows: tuple[LastingRow, ...]


def stays_of(line: "Line") -> Quantity | None:
    """Return what stays of the first seconds' speed, where both rates are known."""
    return next((row.quantity for row in line if row.metric == STAYS), None)


def lasting(lines: "Iterable[Line]") -> tuple[Lasting, ...]:
    """Return the lines with both rates, those that fade most first."""
    rows = sorted(_known(lines), key=lambda it: (it.stays.value, it.head.run))
    return tuple(rows[:_MOST])


def _known(lines: "Iterable[Line]") -> Iterator[Lasting]:
    for line in lines:
        stays, known = stays_of(line), {row.metric: row.quantity for row in line}
        rates = [known[name] for name in LASTING if name != STAYS and known.get(name)]
        # Of a metric that both are told in: its burst first, as the names stand.
        if stays is not None and len(rates) == 2 and rates[0] and rates[1]:
            yield Lasting(line[0], rates[0], rates[1], stays)


def table(
    language: Language, site: "Site", known: Sequence[Lasting]
) -> LastingTable | None:
    """Return what the section shows; nothing where no rate is known."""
    if not known:
        return None
    values = [item.stays.value for item in known]
    label = partial(_percent, language)
    scale = axis("lasting", [*values, 100.0], label)
    fading = sum(value < _FADES for value in values)
    lead = language.ngettext(
        "%(fading)s of %(n)s figure is of a speed that fades: the sustained rate, once "
        "rate, clock and power have settled, is below 97 %% of the first two seconds "
        "after a rest.",
        "%(fading)s of %(n)s figures are of a speed that fades: the sustained rate, "
        "once rate, clock and power have settled, is below 97 %% of the first two "
        "seconds after a rest.",
        len(known),
        fading=fading,
    )
    return LastingTable(lead, scale, tuple(_rows(language, site, scale, known)))


def _rows(
    language: Language, site: "Site", scale: Axis, known: Sequence[Lasting]
) -> Iterator[LastingRow]:
    for item in known:
        row, stays = item.head, item.stays.value
        first, held = scale.at(100.0), scale.at(stays)
        look = "level" if stays >= _FADES else "down"
        text = distinction_text(language, row.distinction) if row.distinction else ""
        details = [row.precision, row.compiler, text]
        yield LastingRow(
            chip=row.system.chip,
            badge=wording.badge(row.system.device),
            device=terms.device_text(language, row.system.device),
            work=cells.workload(language, row),
            details=" · ".join(filter(None, details)),
            plot=Plot((Mark(first, "cpu"), Mark(held, look)), (held, first), look=look),
            burst=wording.quantity_cell(language, site.runs, item.burst),
            sustained=wording.quantity_cell(language, site.runs, item.sustained),
            stays=language.compact(item.stays),
        )


def _percent(language: Language, value: float) -> str:
    return language.measure(tick(language, value), "%")
