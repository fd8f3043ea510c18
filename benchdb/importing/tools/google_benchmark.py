"""JSON of google/benchmark: rows of single repetitions, and of aggregates over them.

Repetitions of one benchmark are the samples of one run. Aggregates beside them say
nothing new and are kept as claims; alone they are a run whose samples are not there.
A counter that the author of a benchmark added is a run of its own.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.messages import Scalar, Status, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import ABSENT, Hardware, Origin, Result
from benchdb.importing.tools.strict import Facts

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
# What is no counter of the author's.
_READ = (
    *("name", "run_name", "run_type", "iterations", "real_time", "cpu_time"),
    *("time_unit", "repetition_index", "repetitions", "threads", "label"),
    *("family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit"),
    *("error_occurred", "error_message", "skipped", "skip_message"),
    *_RATES,
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
        return f"/benchmarks/{self.place}{''.join(f'/{name}' for name in column)}"

    def per_second(self) -> float:
        """Return how many of the row's units of time make a second."""
        unit = self.facts.get("time_unit", "ns")
        if not isinstance(unit, str) or unit not in _PER_SECOND:
            raise RefusedError(f"the time unit {str(unit)[:40]!r} is not known")
        return _PER_SECOND[unit]


def recognises(document: Document) -> bool:
    """Tell whether this is a report of google/benchmark."""
    report = strict.glimpse(document)
    return (
        strict.lists(report, "benchmarks", "name")
        and isinstance(context := report.get("context"), dict)
        and ("num_cpus" in context or "library_build_type" in context)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark and counter, and what aggregates claim."""
    report = strict.content(document)
    of = result.origin(document, about, "google-benchmark")
    context = report["context"]
    result.require_modest(context=context)
    for group in _groups(report["benchmarks"]):
        measured = [row for row in group if row.aggregate is None]
        derived = [row for row in group if row.aggregate is not None]
        complexity = all(row.aggregate in {"BigO", "RMS"} for row in derived)
        if measured or not complexity:
            yield from _records(of, context, measured or derived)
        if measured or complexity:
            yield from _claims(of, derived)


def _groups(rows: Sequence[Facts]) -> Iterator[list[_Row]]:
    """Yield the rows of each benchmark; an aggregate that names no kind is alone."""
    groups: dict[str, list[_Row]] = {}
    names = {str(row["name"]) for row in rows}
    for place, facts in enumerate(rows):
        name, kind = str(facts["name"]), None
        benchmark = str(facts.get("run_name") or name)
        base, _, end = name.rpartition("_")
        siblings = {base, *(f"{base}_{other}" for other in _ENDS if other != end)}
        if facts.get("run_type") == "aggregate":
            kind = facts.get("aggregate_name")
            kind = kind if isinstance(kind, str) and kind else "unnamed"
        elif "run_type" not in facts and base and end in _ENDS and siblings & names:
            benchmark, kind = base, end
        key = [benchmark, facts.get("threads"), facts.get("label")]
        alone = f" {place}" if kind == "unnamed" else ""
        group = groups.setdefault(f"{texts.plain(key)!r}{alone}", [])
        group.append(_Row(place, facts, benchmark, kind))
    yield from groups.values()


def _claims(of: Origin, rows: Sequence[_Row]) -> Iterator[Item]:
    for row in rows:
        unit = "%" if row.facts.get("aggregate_unit") == "percentage" else None
        unit = unit or texts.first_text(row.facts, "time_unit") or "1"
        for name in _CLAIMED:
            if name in row.facts:
                statement = f"{row.benchmark}: {row.aggregate} of {name}"
                yield result.claim(
                    of, statement, row.facts[name], row.at(name), unit=unit
                )


def _records(of: Origin, context: Facts, rows: Sequence[_Row]) -> Iterator[Item]:
    at, facts = rows[0].at(), rows[0].facts
    make = partial(_result, context, rows)
    whole = result.attempt(of, make, [row.facts for row in rows], at)
    yield whole
    if isinstance(whole, Record) and whole.end.status == "ok":
        for name in _counters(rows):
            make = partial(_counter, context, rows, name)
            yield result.attempt(of, make, facts[name], f"{at}{strict.pointer(name)}")


def _counters(rows: Sequence[_Row]) -> tuple[str, ...]:
    """Return the names of the counters that the author of a benchmark added.

    A row with hundreds of them is refused.
    """
    names = tuple(
        name
        for name, raw in rows[0].facts.items()
        if name not in _READ
        and isinstance(raw, int | float)
        and not isinstance(raw, bool)
    )
    result.require_few(len(names), "counters")
    return names


def _result(context: Facts, rows: Sequence[_Row]) -> Result:
    """Return what rows of one benchmark come to."""
    times: tuple[float, ...] = ()
    failure, status = _failure(rows)
    first = rows[0]
    if failure is not None:
        values = [result.no_value("operation_seconds", failure)]
    elif first.aggregate is not None:
        values = _aggregated(rows)
    else:
        times = _column(rows, "real_time")
        columns: list[tuple[str, str, float | None]]
        columns = [(name, metric, None) for name, metric in _TIMES.items()]
        columns += [(name, *rate) for name, rate in _RATES.items()]
        values = [
            _middle(metric, first, name, _column(rows, name, per), per)
            for name, metric, per in columns
            if name in first.facts
        ]
    run = _described(context, rows, values)
    unit = rows[0].facts.get("time_unit", "ns")
    run.basis["operation_seconds"] = f"real_time in {unit}"
    run.series = result.series(("measure", times))
    run.status, run.reason = status, failure
    return run


def _counter(context: Facts, rows: Sequence[_Row], name: str) -> Result:
    """Return what the counter *name* says over all repetitions."""
    numbers = [strict.number(row.facts.get(name), row.at(name)) for row in rows]
    figure = _middle("reported_value", rows[0], name, numbers)
    run = _described(context, rows, [figure])
    run.locator += strict.pointer(name)
    run.parameters["counter"] = texts.line(name)
    run.missing["unit"] = "a counter of the author's"
    return run


def _described(context: Facts, rows: Sequence[_Row], values: list[Value]) -> Result:
    row = rows[0]
    named = {name: row.facts.get(name) for name in ("threads", "label")}
    mhz = strict.count(context.get("mhz_per_cpu"))
    is_timer = mhz is not None and mhz < _TIMER_MHZ
    held: dict[str, Scalar | None] = {
        "cpu_scaling_enabled": context.get("cpu_scaling_enabled"),
        "load_avg": context.get("load_avg"),
        "mhz_per_cpu": None if is_timer else context.get("mhz_per_cpu"),
        "iterations": row.facts.get("iterations"),
    }
    run = Result(
        name=row.benchmark,
        locator=row.at(),
        framework="google-benchmark",
        parameters=texts.others(named, ())
        | texts.others(row.facts, (*_READ, *_counters(rows))),
        conditions=texts.scalars(held),
        started=result.started(context.get("date")),
        label="imported" if row.aggregate is None else "aggregate",
        values=values,
        machine=Hardware(threads=context.get("num_cpus")).machine(),
        environment=_environment(context),
    )
    if row.aggregate is not None:
        kind = _middle_row(rows).aggregate
        run.basis["aggregate"] = f"{kind} over repetitions that are not in the file"
    if is_timer:
        run.missing["mhz_per_cpu"] = f"{mhz} MHz is the frequency of the timer"
    return run


def _failure(rows: Sequence[_Row]) -> tuple[str | None, Status]:
    """Return why a repetition of it failed, or was skipped."""
    marks = (("error_occurred", "error_message"), ("skipped", "skip_message"))
    for row in rows:
        for mark, message in marks:
            if row.facts.get(mark):
                failed = any(one.facts.get("error_occurred") for one in rows)
                why = texts.first_text(row.facts, message, "skip_message") or mark
                return why, "failed" if failed else "not-measured"
    return None, "ok"


def _middle(
    metric: str,
    row: _Row,
    name: str,
    numbers: Sequence[float],
    per: float | None = 1.0,
) -> Value:
    """Return the only number as it is printed, or the median of several."""
    if len(numbers) == 1:
        per = per or row.per_second()
        return result.value(metric, row.facts[name], row.at(name), per=per)
    return result.median(metric, numbers, row.at(name), of="repetition")


def _column(
    rows: Sequence[_Row], name: str, per: float | None = None
) -> tuple[float, ...]:
    return tuple(
        strict.amount(row.facts.get(name), row.at(name), per or row.per_second())
        for row in rows
    )


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
    row, values = _middle_row(rows), []
    for name, metric in _TIMES.items():
        if name in row.facts:
            all_with = [other for other in rows if name in other.facts]
            spreads = [other for other in all_with if other.aggregate == "stddev"]
            uncertainty = next(iter(_column(spreads, name)), None)
            values.append(
                result.value(
                    metric,
                    row.facts[name],
                    row.at(name),
                    per=row.per_second(),
                    uncertainty=uncertainty,
                )
            )
    return values


def _environment(context: Facts) -> dict[str, Any]:
    """Return the library and what people added; the host and its folders stay out."""
    caches = context.get("caches")
    return {
        "framework": "google-benchmark",
        "framework_version": texts.first_text(context, "library_version"),
        "variables": texts.words(
            {k: v for k, v in context.items() if k not in _CONTEXT}
        ),
        "devices": tuple(
            {"kind": "cache", **texts.scalars(cache)}
            for cache in (caches if isinstance(caches, list) else ())
            if isinstance(cache, dict)
        ),
        "missing": {"os_name": ABSENT},
    }
