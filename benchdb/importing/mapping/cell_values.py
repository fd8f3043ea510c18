"""From a cell to figures of metrics, in the units of the catalogue."""

import math
import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.exchange.lines import Flag, Scalar, Status, Value
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.fields import Known
from benchdb.importing.mapping.language import Column, Facts
from benchdb.importing.quantities.missing_values import Missing, missing_of, status_of
from benchdb.importing.quantities.quantity import Quantity, parsed, parts
from benchdb.importing.quantities.tokens import Mark

_AS_IT_IS = (1.0, 1.0)
_SCALES = {("FLOP/s", "TFLOP/s"): 1e12, ("B/s", "GB/s"): 1e9}
# What a rate or a time of a metric may count; a metric that is not here may count all.
_COUNTS = {
    "reported_samples_per_second": ("img", "seq", "sample"),
    "fit_samples_per_second": ("img", "seq", "sample"),
    "samples_per_second": ("img", "seq", "sample"),
    "tokens_per_second": ("token",),
    "reported_step_seconds": ("step", "it", "batch"),
    "step_seconds": ("step",),
    "epoch_seconds": ("epoch",),
    "epochs_per_hour": ("epoch",),
}
_BYTES = re.compile(r"(?<![A-Za-z])([KkMGTP])(i?)B", re.ASCII)
_BINARY = re.compile(r"[KMGTP]iB")
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


class Observation(msgspec.Struct, frozen=True):
    """A figure with the layers of what is known of its run, the deepest first.

    *line* is where it stands, *raw* what stands there. *status* is ``ok``, or says how
    the run ended of which the cell has no figure. Where *fault* is set it could not be
    read: the run it belongs to is not whole.
    """

    layers: tuple[Facts, ...]
    line: int
    locator: str
    raw: str
    value: Value | None = None
    status: Status = "ok"
    flags: tuple[Flag, ...] = ()
    fault: str | None = None


class RunGroup(msgspec.Struct):
    """A run in the making: what is known of it, and its figures so far."""

    known: Known
    observations: list[Observation] = []


class CellFormat(msgspec.Struct, frozen=True):
    """How the cells of a column are read, each as *metric* unless it has parts."""

    column: Column
    metric: str = ""
    unit: str | None = None
    convention: Mark | None = None


def read_cell(text: str, how: CellFormat, place: Observation) -> Iterator[Observation]:
    """Yield *place* with each figure in *text*, in the order printed.

    Raise ``RefusedError`` or ``ValueError`` where it is not clear what it says.
    """
    absent = missing_of(text, how.column.missing)
    names = how.column.parts
    reads: list[tuple[str, str, Quantity | Missing]] = []
    if names and absent is None:
        reads += _read_parts(text, how)
    else:
        amount = absent or parsed(text, decimal=how.convention, unit=how.unit)
        shown = dict.fromkeys(names.values()) if names else [how.metric]
        reads += [(metric, text.strip(), amount) for metric in shown if metric]
    for metric, printed, amount in reads:
        value = Value(metric=metric, printed=printed, locator=place.locator)
        if isinstance(amount, Missing):
            status = status_of(amount)
            value = replace(value, reason=amount.reason)
            yield replace(place, value=value, status=status)
        elif amount.bound in ("<", ">"):
            value = replace(value, reason="only a bound is printed")
            yield replace(place, value=value)
        else:
            factor, divisor = _conversion(amount, metric, how.unit)
            figure, spread = amount.value * factor / divisor, amount.uncertainty
            if not math.isfinite(figure):
                raise RefusedError(f"{amount.printed!r} is too large for a number")
            if metrics()[metric].unit == "B":  # half a byte is never meant
                figure = float(round(figure))
            value = replace(
                value,
                value=figure,
                uncertainty=None if spread is None else spread * factor / divisor,
                derived=None if amount.low is None else "middle of the printed range",
            )
            flags: tuple[Flag, ...] = ()
            if amount.bound == "~":
                detail: dict[str, Scalar] = {"printed": printed}
                flags = (Flag(code="approximate", metric=metric, detail=detail),)
            yield replace(place, value=value, flags=flags)


def _read_parts(text: str, how: CellFormat) -> Iterator[tuple[str, str, Quantity]]:
    """Yield metric, text and figure of each part of a cell that has several."""
    names = how.column.parts
    names_met: set[str] = set()
    for part in parts(text, decimal=how.convention):
        # The words a map may call it by, the clearest first.
        words = [word for word in (part.role, part.per, part.unit) if word]
        name = next((word for word in words if word in names), None)
        if name is None:
            unnamed = f"{part.printed!r} is a part ({words[0]}) without a metric"
            raise RefusedError(unnamed)
        if name in names_met:
            raise RefusedError(f"two parts are {name!r}")
        names_met.add(name)
        if names[name]:
            yield names[name], part.printed, part
    if absent := [name for name in names if name not in names_met]:
        raise RefusedError(f"no part is {absent[0]!r}")


def _conversion(amount: Quantity, metric: str, unit: str | None) -> tuple[float, float]:
    """Return what a figure in base units is multiplied with, and divided by.

    Refuse a unit that cannot be that of *metric*.
    """
    target = metrics()[metric].unit
    counted = _COUNTS.get(metric)
    if amount.per is not None and counted is not None and amount.per not in counted:
        raise RefusedError(f"{amount.printed!r} counts {amount.per}, {metric} does not")
    if amount.unit == target:
        return _binary_factor(amount.printed, unit) if target == "B" else _AS_IT_IS
    if (amount.unit, target) in _SCALES:
        return 1.0, _SCALES[amount.unit, target]
    if (amount.unit, target, unit) == ("1", "%", "1"):
        return 100.0, 1.0
    if amount.unit == "1":
        raise RefusedError(
            f"{amount.printed!r} has no unit; the map must say it (unit = …), "
            f"{metric} is in {target}"
        )
    raise RefusedError(
        f"unit contradiction: {amount.printed!r} is in {amount.unit}, "
        f"{metric} in {target}"
    )


def _binary_factor(printed: str, unit: str | None) -> tuple[float, float]:
    """Return what turns ``GB`` into 2**30 bytes, where the map's unit says so."""
    found = _BYTES.search(printed)
    if unit is None or not _BINARY.fullmatch(unit) or found is None or found[2]:
        return _AS_IT_IS
    power = _POWERS[found[1].upper()]
    return 1024.0**power, 1000.0**power


def binary_bytes(printed: str, value: float) -> int:
    """Return *value*, decimal bytes, as what *printed* means where ``GB`` is 2**30."""
    times, by = _binary_factor(printed, "GiB")
    return round(value * times / by)
