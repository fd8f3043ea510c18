"""JSON of google/benchmark: rows of single repetitions, and of aggregates over them.

Repetitions of one benchmark are the samples of one run. Aggregates beside them say
nothing new and are kept as claims; alone they are a run whose samples are not there.
A counter that the author of a benchmark added is a condition: its kind is not told.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.messages import Status, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.facts import Facts, first_text
from benchdb.importing.tools.result import ABSENT, Hardware, Origin, Result

_TIMER_MHZ = 100  # arm64 macOS gives the frequency of its timer, 24 MHz
_CONTEXT = (
    *("date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches"),
    *("cpu_scaling_enabled", "load_avg", "library_version", "json_schema_version"),
)
_CLAIMED = ("real_time", "cpu_time", "real_coefficient", "cpu_coefficient", "rms")
# How many of a unit of time make a second: dividing by them is exact where it can be.
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
_TIMES = {"real_time": "operation_seconds", "cpu_time": "operation_cpu_seconds"}
_RATES = {
    "items_per_second": ("operations_per_second", 1.0),
    "bytes_per_second": ("gigabytes_per_second", 1e9),
    "max_bytes_used": ("peak_memory_reported_bytes", 1.0),
}
_COLUMNS = {name: (metric, None) for name, metric in _TIMES.items()} | _RATES
_FAILURES = {"error_occurred": "error_message", "skipped": "skip_message"}
# What is no counter of the author's.
_READ = (
    *("name", "run_name", "run_type", "iterations", "real_time", "cpu_time"),
    *("time_unit", "repetition_index", "repetitions", "threads", "label"),
    *("family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit"),
    *(*_FAILURES, *_FAILURES.values(), *_RATES),
)
# Before 1.5 an aggregate had no other mark than the end of its name.
_ENDS = ("mean", "median", "stddev", "cv")


class _Row(msgspec.Struct, frozen=True):
    """A row with its place. *aggregate* is what it is of the repetitions, or blank."""

    place: int
    facts: Facts
    benchmark: str
    aggregate: str | None = None

    def at(self, *column: str) -> str:
        """Return the JSON pointer to a column, or to the row."""
        return facts.pointer("benchmarks", self.place, *column)

    def per_second(self) -> float:
        """Return how many of the row's units of time make a second."""
        unit = self.facts.get("time_unit", "ns")
        if not isinstance(unit, str) or unit not in _PER_SECOND:
            raise RefusedError(f"the time unit {str(unit)[:40]!r} is not known")
        return _PER_SECOND[unit]

    def seconds(self, column: str) -> float:
        """Return the time in a *column*."""
        time = self.facts.get(column)
        return facts.amount(time, self.at(column), self.per_second())


def recognises(document: Document) -> bool:
    """Tell whether this is a report of google/benchmark."""
    report = facts.glimpse(document)
    return (
        facts.lists(report, "benchmarks", "name")
        and isinstance(context := report.get("context"), dict)
        and ("num_cpus" in context or "library_build_type" in context)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark, and what aggregates claim."""
    report = facts.content(document)
    of = result.origin(document, about, "google-benchmark")
    context = report["context"]
    result.require_modest(context=context)
    for group in _groups(report["benchmarks"]):
        measured = [row for row in group if row.aggregate is None]
        derived = [row for row in group if row.aggregate is not None]
        complexity = all(row.aggregate in {"BigO", "RMS"} for row in derived)
        if rows := measured or (derived if not complexity else []):
            raw = [row.facts for row in rows]
            yield result.attempt(of, partial(_result, context, rows), raw, rows[0].at())
        if measured or complexity:
            yield from _claims(of, derived)


def _groups(rows: Sequence[Facts]) -> Iterator[list[_Row]]:
    """Yield the rows of each benchmark; an aggregate that names no kind is alone."""
    groups: dict[str, list[_Row]] = {}
    names = {str(row["name"]) for row in rows}
    for place, row in enumerate(rows):
        name, kind = str(row["name"]), None
        benchmark = str(row.get("run_name") or name)
        base, _, end = name.rpartition("_")
        siblings = {base, *(f"{base}_{other}" for other in _ENDS if other != end)}
        if row.get("run_type") == "aggregate":
            kind = first_text(row, "aggregate_name") or "unnamed"
        elif "run_type" not in row and base and end in _ENDS and siblings & names:
            benchmark, kind = base, end
        alone = place if kind == "unnamed" else None
        key = repr([benchmark, row.get("threads"), row.get("label"), alone])
        groups.setdefault(key, []).append(_Row(place, row, benchmark, kind))
    yield from groups.values()


def _claims(of: Origin, rows: Sequence[_Row]) -> Iterator[Item]:
    for row in rows:
        unit = "%" if row.facts.get("aggregate_unit") == "percentage" else None
        unit = unit or first_text(row.facts, "time_unit") or "1"
        for name, raw in facts.picked(row.facts, _CLAIMED).items():
            statement = f"{row.benchmark}: {row.aggregate} of {name}"
            yield result.claim(of, statement, raw, row.at(name), unit=unit)


def _result(context: Facts, rows: Sequence[_Row]) -> Result:
    """Return what rows of one benchmark come to."""
    row, times = rows[0], list[float]()
    failure, status = _failure(rows)
    basis = {"operation_seconds": f"real_time in {row.facts.get('time_unit', 'ns')}"}
    if row.aggregate is not None:
        kind = _middle_row(rows).aggregate
        basis["aggregate"] = f"{kind} over repetitions that are not in the file"
    if failure is not None:
        values = [result.no_value("operation_seconds", failure)]
    elif row.aggregate is not None:
        values = _aggregated(rows)
    else:
        times = [row.seconds("real_time") for row in rows]
        values = [
            _figure(metric, rows, name, per)
            for name, (metric, per) in _COLUMNS.items()
            if name in row.facts
        ]
    added = facts.others(row.facts, _READ)
    counters = {name: fact for name, fact in added.items() if not isinstance(fact, str)}
    held = facts.picked(context, ("cpu_scaling_enabled", "load_avg", "mhz_per_cpu"))
    mhz = facts.count(context.get("mhz_per_cpu")) or _TIMER_MHZ
    if mhz < _TIMER_MHZ:
        del held["mhz_per_cpu"]
    settings = {name: added[name] for name in added if name not in counters}
    return Result(
        name=row.benchmark,
        locator=row.at(),
        framework="google-benchmark",
        parameters=facts.others(facts.picked(row.facts, ("threads", "label")))
        | settings,
        conditions=facts.scalars(
            held | facts.picked(row.facts, ("iterations",)) | counters
        ),
        started=result.started(context.get("date")),
        label="imported" if row.aggregate is None else "aggregate",
        values=values,
        series=result.series(("measure", times)),
        machine=Hardware(threads=context.get("num_cpus")).machine(),
        environment=_environment(context),
        status=status,
        reason=failure,
        basis=basis,
        missing={"mhz_per_cpu": f"{mhz} MHz is the frequency of the timer"}
        if mhz < _TIMER_MHZ
        else {},
    )


def _failure(rows: Sequence[_Row]) -> tuple[str | None, Status]:
    """Return why a repetition of it failed, or else why it was skipped."""
    for mark, message in _FAILURES.items():
        for row in rows:
            if row.facts.get(mark):
                why = first_text(row.facts, message) or mark
                return why, "failed" if mark == "error_occurred" else "not-measured"
    return None, "ok"


def _figure(metric: str, rows: Sequence[_Row], name: str, per: float | None) -> Value:
    """Return the only number as it is printed, or the median of several.

    They are divided by *per*, or become seconds.
    """
    numbers = [
        facts.amount(row.facts.get(name), row.at(name), per or row.per_second())
        for row in rows
    ]
    row = rows[0]
    if len(numbers) == 1:
        per = per or row.per_second()
        return result.value(metric, row.facts[name], row.at(name), per=per)
    return result.median(metric, numbers, row.at(name), of="repetition")


def _middle_row(rows: Sequence[_Row]) -> _Row:
    """Return the row of the median, or of the mean; or refuse the aggregates."""
    by_kind = {row.aggregate: row for row in rows}
    if len(by_kind) != len(rows):
        raise RefusedError("an aggregate appears twice")
    row = by_kind.get("median") or by_kind.get("mean") or by_kind.get("unnamed")
    if row is None:
        raise RefusedError("the aggregates have neither a median nor a mean")
    return row


def _aggregated(rows: Sequence[_Row]) -> list[Value]:
    """Return the median, or the mean, of repetitions that are not there."""
    row = _middle_row(rows)
    spread = next((other for other in rows if other.aggregate == "stddev"), None)
    return [
        result.value(
            metric,
            row.facts[name],
            row.at(name),
            per=row.per_second(),
            uncertainty=spread.seconds(name)
            if spread and name in spread.facts
            else None,
        )
        for name, metric in _TIMES.items()
        if name in row.facts
    ]


def _environment(context: Facts) -> dict[str, Any]:
    """Return the library and what people added; the host and its folders stay out."""
    caches = context.get("caches")
    return {
        "framework": "google-benchmark",
        "framework_version": first_text(context, "library_version"),
        "variables": facts.words(facts.others(context, _CONTEXT)),
        "devices": tuple(
            {"kind": "cache", **facts.scalars(cache)}
            for cache in (caches if isinstance(caches, list) else ())
            if isinstance(cache, dict)
        ),
        "missing": {"os_name": ABSENT},
    }
