"""The rows that google/benchmark prints for one benchmark, as figures of a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchdb.exchange.lines import Value
from benchdb.exchange.packing import Series
from benchdb.exchange.validation import RefusedError
from benchdb.importing.tools.json_numbers import (
    amount,
    median,
    number,
    series,
    value,
)
from benchdb.importing.tools.outcome import require_few

# How many of a unit of time make a second: dividing by them is exact where it can be.
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
_TIMES = {"real_time": "operation_seconds", "cpu_time": "operation_cpu_seconds"}
_RATES = {
    "items_per_second": ("operations_per_second", 1.0),
    "bytes_per_second": ("gigabytes_per_second", 1e9),
    "max_bytes_used": ("peak_memory_reported_bytes", 1.0),
}
# What is no counter of the author's.
READ = (
    *("name", "run_name", "run_type", "iterations", "real_time", "cpu_time"),
    *("time_unit", "repetition_index", "repetitions", "threads", "label"),
    *("family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit"),
    *("error_occurred", "error_message", "skipped", "skip_message"),
    *_RATES,
)
# Before 1.5 an aggregate was told by the end of its name only.
_ENDS = ("mean", "median", "stddev", "cv")


class Row(msgspec.Struct, frozen=True):
    """A row with its place. *aggregate* is what it is of the repetitions, or blank."""

    place: int
    facts: Mapping[str, Any]
    benchmark: str
    aggregate: str | None = None

    def at(self, name: str) -> str:
        """Return the JSON pointer to a column."""
        return f"/benchmarks/{self.place}/{name}"

    def per_second(self) -> float:
        """Return how many of the row's units of time make a second."""
        unit = self.facts.get("time_unit", "ns")
        if not isinstance(unit, str) or unit not in _PER_SECOND:
            raise RefusedError(f"the time unit {str(unit)[:40]!r} is not known")
        return _PER_SECOND[unit]


def rows(found: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield the rows, each with the benchmark it belongs to."""
    names = {str(row["name"]) for row in found}
    for place, row in enumerate(found):
        name = str(row["name"])
        base, _, end = name.rpartition("_")
        if row.get("run_type") == "aggregate":
            kind = row.get("aggregate_name")
            kind = kind if isinstance(kind, str) and kind else "unnamed"
            yield Row(place, row, str(row.get("run_name") or name), kind)
        elif "run_type" not in row and _told_by_name(base, end, names):
            yield Row(place, row, base, end)
        else:
            yield Row(place, row, str(row.get("run_name") or name))


def _told_by_name(base: str, end: str, names: set[str]) -> bool:
    others = (f"{base}_{one}" for one in _ENDS if one != end)
    return end in _ENDS and bool(base) and any(one in names for one in (base, *others))


def repeated(found: Sequence[Row]) -> tuple[list[Value], tuple[Series, ...]]:
    """Return the medians of repetitions, and their real times."""
    real = _column(found, "real_time")
    place = found[0]
    values = []
    for name, metric in _TIMES.items():
        if name in place.facts:
            times = _column(found, name)
            values.append(_middle(metric, place, name, times, place.per_second()))
    for name, (metric, per) in _RATES.items():
        if name in place.facts:
            numbers = _column(found, name, per=per)
            values.append(_middle(metric, place, name, numbers, per))
    return values, series([("measure", real)])


def _middle(
    metric: str, row: Row, name: str, numbers: Sequence[float], per: float
) -> Value:
    """Return the only number as it is printed, or the median of several."""
    if len(numbers) == 1:
        return value(metric, row.facts[name], row.at(name), per=per)
    return median(metric, numbers, row.at(name), of="repetition")


def _column(
    found: Sequence[Row], name: str, per: float | None = None
) -> tuple[float, ...]:
    return tuple(
        amount(row.facts.get(name), row.at(name), per or row.per_second())
        for row in found
    )


def middle(found: Sequence[Row]) -> Row:
    """Return the row of the median, or of the mean; or refuse the aggregates."""
    by_kind = {row.aggregate: row for row in found}
    if len(by_kind) != len(found):
        raise RefusedError("an aggregate appears twice")
    row = by_kind.get("median") or by_kind.get("mean") or by_kind.get("unnamed")
    if row is None:
        raise RefusedError("the aggregates have neither a median nor a mean")
    return row


def aggregated(found: Sequence[Row]) -> list[Value]:
    """Return the median, or the mean, of repetitions that are not there."""
    row = middle(found)
    spread = next((one for one in found if one.aggregate == "stddev"), None)
    return [
        value(
            metric,
            row.facts.get(name),
            row.at(name),
            per=row.per_second(),
            uncertainty=_spread(spread, name),
        )
        for name, metric in _TIMES.items()
        if name in row.facts
    ]


def _spread(row: Row | None, name: str) -> float | None:
    if row is None or name not in row.facts:
        return None
    return amount(row.facts[name], row.at(name), row.per_second())


def counters(found: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the counters that the author of a benchmark added.

    A row with hundreds of them is refused.
    """
    names = tuple(
        name
        for name, one in found[0].facts.items()
        if name not in READ
        and isinstance(one, int | float)
        and not isinstance(one, bool)
    )
    require_few(len(names), "counters")
    return names


def counted(found: Sequence[Row], name: str) -> Value:
    """Return what the counter *name* says over all repetitions."""
    numbers = [number(row.facts.get(name), row.at(name)) for row in found]
    return _middle("reported_value", found[0], name, numbers, 1.0)
