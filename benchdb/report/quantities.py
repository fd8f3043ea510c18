"""Figures and ratios as a report shows them, with their notes."""

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from benchdb.conditions import ALIKE, Difference
from benchdb.metric_kinds import unit_of
from benchdb.report.measurement import Measurement, compared
from benchdb.report.references import Notes
from benchdb.report.view.atoms import Quantity, Ratio, Verdict, Way
from benchdb.statistics import comparison
from benchdb.statistics.comparison import Fleet, Pair, Sample

_AFTER_SIGN = re.compile(r"(?:±|\+/-|\+-)\s*(\d{1,18}(?:[.,]\d{1,18})?)")
_DECIMALS = re.compile(r"\d[.,](\d+)(?!.*\d)")
_GROUPED = re.compile(r"\d[.,]\d{3}(?!.*\d)")


class Side(msgspec.Struct, frozen=True):
    """One side of a ratio: speeds of its processes, and what is noted about them.

    They may be of several machines. *session* is the only one that they are of, if
    there is one, and *span* its machine and time. A side *leads* if its evidence is
    good enough for a headline.
    """

    speeds: Sample | Fleet
    notes: tuple[str, ...] = ()
    session: str | None = None
    leads: bool = True
    span: tuple[str, str, str] | None = None


def way(measurement: Measurement) -> Way:
    """Return how a figure was computed."""
    own = measurement.conditions
    return Way(own.precision, own.compiler, own.framework, measurement.limit)


def quantity(measurement: Measurement, notes: Notes) -> Quantity:
    """Return what was measured, in the metric's own unit."""
    own = measurement.conditions
    return figure(
        measurement,
        measurement.values,
        unit_of(own.metric, own.workload),
        notes.on(measurement.runs, own.metric),
        printed=measurement.printed,
        derived=measurement.derived,
    )


def rate(measurement: Measurement, notes: Notes) -> Quantity:
    """Return the samples per second, computed where a time was measured."""
    own, rates = measurement.conditions, measurement.throughputs
    if rates is None or rates == measurement.values:
        return quantity(measurement, notes)
    unit = unit_of("samples_per_second", own.workload)
    noted = notes.on(measurement.runs, own.metric)
    return figure(measurement, rates, unit, noted, derived=True)


def figure(
    measurement: Measurement,
    values: Sequence[float],
    unit: str,
    noted: tuple[str, ...],
    *,
    derived: bool,
    printed: str | None = None,
) -> Quantity:
    """Return *values*, one for each process of *measurement*, as one figure."""
    center = comparison.estimate(measurement.sampled(values))
    return Quantity(
        value=center.value,
        unit=unit,
        run=measurement.runs[0],
        n=len(values),
        printed=as_printed(printed, center.value, derived=derived),
        low=center.low,
        high=center.high,
        notes=noted,
        derived=derived,
        grade=measurement.grade,
        label=measurement.label,
        sessions=len(measurement.sizes) or 1,
        mine=measurement.place.mine,
        trust=measurement.trust,
    )


def ratio(
    pairs: Sequence[tuple[Side, Side]],
    difference: Difference = ALIKE,
    threshold: float | None = None,
) -> Ratio:
    """Return how many times as fast the first sides are, over all *pairs*.

    A machine that was busy on one side proves nothing. *threshold* is what a verdict
    has, where it is not the usual one.
    """
    cells = [
        Pair(
            result.speeds,
            other.speeds,
            same_session=_is_shared(result, other),
        )
        for result, other in pairs
    ]
    estimate, text = comparison.judged(cells, threshold)
    notes = {note for pair in pairs for side in pair for note in side.notes}
    leads = all(side.leads for pair in pairs for side in pair)
    verdict: Verdict = "insufficient"
    if difference.unlike:
        verdict = "unclear" if difference.unlike == ("load",) else "not comparable"
    elif leads:
        verdict = text
    return Ratio(
        value=estimate.value,
        verdict=verdict,
        low=estimate.low,
        high=estimate.high,
        differs=difference.unlike,
        notes=tuple(sorted(notes, key=lambda note: (len(note), note))),
        unstated=difference.unstated,
        leads=leads,
    )


def side(measurement: Measurement, notes: Notes) -> Side:
    """Return the measurement's side of a ratio between like figures."""
    noted = notes.on(measurement.runs, measurement.conditions.metric)
    return side_of(measurement, measurement.speeds, noted)


def side_of(
    measurement: Measurement, speeds: Sequence[float], notes: tuple[str, ...]
) -> Side:
    """Return a side with other *speeds* of the processes of *measurement*."""
    session = measurement.session if len(measurement.sizes) == 1 else None
    return Side(
        measurement.sampled(speeds),
        notes,
        session,
        measurement.leads,
        measurement.span,
    )


def _is_shared(result: Side, other: Side) -> bool:
    """Tell whether both sides are of one session, or of one machine in turns.

    What a machine does to campaigns that it interleaves it does to all of them.
    """
    if result.session is not None and result.session == other.session:
        return True
    if result.span is None or other.span is None:
        return False
    machine, begin, end = result.span
    same, start, last = other.span
    return machine == same and begin < last and start < end


def compare(measurement: Measurement, other: Measurement, notes: Notes) -> Ratio | None:
    """Return how many times as fast *measurement* is as *other*.

    Unlike figures meet as samples per second; ``None`` where those are not known.
    """
    difference = compared(measurement, other)
    left, right = side(measurement, notes), side(other, notes)
    if measurement.conditions.protocol != other.conditions.protocol:
        if measurement.throughputs is None or other.throughputs is None:
            return None
        left = replace(left, speeds=measurement.sampled(measurement.throughputs))
        right = replace(right, speeds=other.sampled(other.throughputs))
    return ratio([(left, right)], difference)


def as_printed(printed: str | None, value: float, *, derived: bool) -> str | None:
    """Return *value* with as many digits as its source printed, and a point.

    ``None`` where the printed text says something else, such as another unit.
    """
    if printed is None or derived:
        return None
    text = printed.strip()
    decimals = _DECIMALS.search(text)
    places = len(decimals.group(1)) if decimals else 0
    if _GROUPED.search(text) and value >= 1000 and value == round(value):
        places = 0  # "1,100": that mark groups thousands
    shown = f"{value:.{places}f}"
    return shown if abs(float(shown) - value) <= 1e-9 * abs(value) else None


def uncertainty_printed(
    printed: str | None, uncertainty: float | None, size: float = 1
) -> str | None:
    """Return what a source gives after ±, with its digits and a point.

    Where it prints it elsewhere, or in a unit of its own, three digits stand for it.
    *size* is what figure and uncertainty are divided by.
    """
    if uncertainty is None:
        return None
    shown = _AFTER_SIGN.search(printed or "")
    value = uncertainty / size
    if shown and (same := as_printed(shown[1], value, derived=False)) is not None:
        return same
    return f"{value:.3g}" if 1e-3 <= value < 1e6 else f"{value:.2e}"
