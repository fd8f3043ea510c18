"""From a cell to figures of metrics, in the units of the catalogue."""

import math
import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.exchange.lines import Flag, Value
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.language import Column
from benchdb.importing.quantities import cell
from benchdb.importing.quantities.quantity import Convention, Missing, Quantity

APPROXIMATE = "approximate"  # the code of a flag
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


class Figure(msgspec.Struct, frozen=True):
    """A figure of a run. *absent* is set where the cell has none."""

    value: Value
    absent: Missing | None = None
    flags: tuple[Flag, ...] = ()


class Place(msgspec.Struct, frozen=True):
    """How the cells of a column are read, and where the one at hand stands."""

    column: Column
    metric: str | None
    locator: str
    convention: Convention | None = None
    unit: str | None = None


def figures(text: str, place: Place) -> Iterator[Figure]:
    """Yield the figures in *text*, in the order printed.

    Raise ``RefusedError`` or ``ValueError`` where it is not clear what it says.
    """
    names = place.column.parts
    absent = cell.missing_of(text, place.column.missing)
    if not names:
        read = absent or cell.parsed(text, convention=place.convention, unit=place.unit)
        yield _figure(read, place.metric or "", text.strip(), place)
    elif absent is not None:
        for metric in dict.fromkeys(names.values()):
            if metric:
                yield _figure(absent, metric, text.strip(), place)
    else:
        yield from _parts(text, place)


def _parts(text: str, place: Place) -> Iterator[Figure]:
    names = place.column.parts
    found: set[str] = set()
    for one in cell.parts(text, convention=place.convention):
        name = next((name for name in _names(one) if name in names), None)
        if name is None:
            called = next(_names(one))
            raise RefusedError(f"{one.printed!r} is a part ({called}) without a metric")
        if name in found:
            raise RefusedError(f"two parts are {name!r}")
        found.add(name)
        if names[name]:
            yield _figure(one, names[name], one.printed, place)
    if absent := [name for name in names if name not in found]:
        raise RefusedError(f"no part is {absent[0]!r}")


def _names(one: Quantity) -> Iterator[str]:
    """Yield what a map may call a part by, the clearest first."""
    yield from (name for name in (one.role, one.per) if name)
    yield one.unit


def _figure(
    read: Quantity | Missing, metric: str, printed: str, place: Place
) -> Figure:
    stands = Value(metric=metric, printed=printed, locator=place.locator)
    if isinstance(read, Missing):
        return Figure(replace(stands, reason=read.reason), read)
    if read.bound in ("<", ">"):
        return Figure(replace(stands, reason="only a bound is printed"))
    times, by = _conversion(read, metric, place.unit)
    uncertainty = None if read.uncertainty is None else read.uncertainty * times / by
    derived = None if read.low is None else "middle of the printed range"
    if not math.isfinite(read.value * times / by):
        raise RefusedError(f"{read.printed!r} is too large for a number")
    value = replace(
        stands,
        value=_whole(read.value * times / by, metric),
        uncertainty=uncertainty,
        derived=derived,
    )
    about = Flag(code=APPROXIMATE, metric=metric, detail={"printed": printed})
    return Figure(value, flags=(about,) if read.bound == "~" else ())


def _whole(value: float, metric: str) -> float:
    """Return *value*, bytes as whole ones: half a byte is never meant."""
    return float(round(value)) if metrics()[metric].unit == "B" else value


def _conversion(read: Quantity, metric: str, unit: str | None) -> tuple[float, float]:
    """Return what a figure in base units is multiplied with, and divided by.

    Refuse a unit that cannot be that of *metric*.
    """
    wanted = metrics()[metric].unit
    counted = _COUNTS.get(metric)
    if read.per is not None and counted is not None and read.per not in counted:
        raise RefusedError(f"{read.printed!r} counts {read.per}, {metric} does not")
    if read.unit == wanted:
        return _binary(read.printed, unit) if wanted == "B" else _AS_IT_IS
    if (read.unit, wanted) in _SCALES:
        return 1.0, _SCALES[read.unit, wanted]
    if (read.unit, wanted, unit) == ("1", "%", "1"):
        return 100.0, 1.0
    if read.unit == "1":
        raise RefusedError(
            f"{read.printed!r} has no unit; the map must say it (unit = …), "
            f"{metric} is in {wanted}"
        )
    raise RefusedError(
        f"unit contradiction: {read.printed!r} is in {read.unit}, {metric} in {wanted}"
    )


def _binary(printed: str, unit: str | None) -> tuple[float, float]:
    """Return what turns ``GB`` into 2**30 bytes, where the map's unit says so."""
    found = _BYTES.search(printed)
    if unit is None or not _BINARY.fullmatch(unit) or found is None or found[2]:
        return _AS_IT_IS
    power = _POWERS[found[1].upper()]
    return 1024.0**power, 1000.0**power


def binary_bytes(printed: str, value: float) -> int:
    """Return *value*, decimal bytes, as what *printed* means where ``GB`` is 2**30."""
    times, by = _binary(printed, "GiB")
    return round(value * times / by)
