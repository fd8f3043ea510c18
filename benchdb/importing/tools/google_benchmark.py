"""JSON of google/benchmark: rows of single repetitions, and of aggregates over them.

Repetitions of one benchmark are the samples of one run. Aggregates beside them say
nothing new and are kept as claims; alone they are a run whose samples are not there.
A counter that the author of a benchmark added is a run of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.lines import Environment, Run, Scalar, Status, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import outcome
from benchdb.importing.tools.google_benchmark_rows import (
    READ,
    Row,
    aggregated,
    counted,
    counters,
    middle,
    repeated,
    rows,
)
from benchdb.importing.tools.json_numbers import glimpse, no_value, told, whole
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import (
    line,
    named,
    others,
    plain,
    scalars,
    told_text,
    words,
)

_TIMER_MHZ = 100  # arm64 macOS gives the frequency of its timer, 24 MHz
_CONTEXT = (
    *("date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches"),
    *("cpu_scaling_enabled", "load_avg", "library_version", "json_schema_version"),
)
_CLAIMED = ("real_time", "cpu_time", "real_coefficient", "cpu_coefficient", "rms")


def recognises(document: Document) -> bool:
    """Tell whether this is a report of google/benchmark."""
    found = glimpse(document)
    return (
        isinstance(found, dict)
        and isinstance(context := found.get("context"), dict)
        and ("num_cpus" in context or "library_build_type" in context)
        and isinstance(benchmarks := found.get("benchmarks"), list)
        and all(isinstance(one, dict) and "name" in one for one in benchmarks)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark and counter, and what aggregates claim."""
    report = told(document)
    origin = outcome.origin(document, about, "google-benchmark")
    context = report["context"]
    outcome.require_modest(context=context)
    for group in _groups(report["benchmarks"]):
        measured = [row for row in group if row.aggregate is None]
        derived = [row for row in group if row.aggregate is not None]
        if measured or not _complexity(derived):
            yield from _records(origin, context, measured or derived)
        if measured or _complexity(derived):
            yield from _claims(origin, derived)


def _groups(found: Sequence[Mapping[str, Any]]) -> Iterator[list[Row]]:
    """Yield the rows of each benchmark; an aggregate that names no kind is alone."""
    groups: dict[str, list[Row]] = {}
    for row in rows(found):
        facts = row.facts
        key = repr(plain([row.benchmark, facts.get("threads"), facts.get("label")]))
        if row.aggregate == "unnamed":
            key = f"{key} {row.place}"
        groups.setdefault(key, []).append(row)
    yield from groups.values()


def _complexity(found: Sequence[Row]) -> bool:
    return all(row.aggregate in {"BigO", "RMS"} for row in found)


def _claims(origin: outcome.Origin, found: Sequence[Row]) -> Iterator[Item]:
    for row in found:
        unit = "%" if row.facts.get("aggregate_unit") == "percentage" else None
        unit = unit or told_text(row.facts, "time_unit") or "1"
        for name in _CLAIMED:
            if name in row.facts:
                statement = f"{row.benchmark}: {row.aggregate} of {name}"
                yield outcome.claim(
                    origin, statement, row.facts[name], row.at(name), unit
                )


class _Result(msgspec.Struct, frozen=True):
    """What rows of one benchmark come to."""

    rows: Sequence[Row]
    values: list[Value]
    series: tuple[Series, ...] = ()
    counter: str | None = None
    failure: str | None = None
    skipped: bool = False


def _records(
    origin: outcome.Origin, context: Mapping[str, Any], found: Sequence[Row]
) -> Iterator[Item]:
    raw = [row.facts for row in found]
    at = outcome.pointer("benchmarks", found[0].place)
    whole = outcome.attempt(
        lambda _, at: _record(origin, context, _result(found), at), raw, at
    )
    yield whole
    if isinstance(whole, Record) and whole.end.status == "ok":
        for name in counters(found):
            make = partial(_counter, origin, context, found, name)
            one = found[0].facts[name]
            yield outcome.attempt(make, one, f"{at}{outcome.pointer(name)}")


def _counter(
    origin: outcome.Origin,
    context: Mapping[str, Any],
    found: Sequence[Row],
    name: str,
    *place: Any,
) -> Record:
    result = _Result(found, [counted(found, name)], counter=name)
    return _record(origin, context, result, place[-1])


def _result(found: Sequence[Row]) -> _Result:
    if (failure := _failure(found)) is not None:
        skipped = not any(row.facts.get("error_occurred") for row in found)
        values = [no_value("operation_seconds", failure)]
        return _Result(found, values, failure=failure, skipped=skipped)
    if found[0].aggregate is not None:
        return _Result(found, aggregated(found))
    return _Result(found, *repeated(found))


def _failure(found: Sequence[Row]) -> str | None:
    """Return why a repetition of it failed, or was skipped."""
    for row in found:
        for mark, message in (
            ("error_occurred", "error_message"),
            ("skipped", "skip_message"),
        ):
            if row.facts.get(mark):
                return told_text(row.facts, message, "skip_message") or mark
    return None


def _record(
    origin: outcome.Origin, context: Mapping[str, Any], result: _Result, at: str
) -> Record:
    status: Status = "failed" if result.failure else "ok"
    return building.record(
        run=_run(origin, context, result, at),
        machine=machine(Told(threads=context.get("num_cpus"))),
        environment=_environment(context),
        source=origin.source,
        values=result.values,
        series=result.series,
        status="not-measured" if result.skipped else status,
        reason=result.failure,
    )


def _run(
    origin: outcome.Origin, context: Mapping[str, Any], result: _Result, at: str
) -> Run:
    row = result.rows[0]
    name = named("google-benchmark", row.benchmark)
    parameters = others({k: row.facts.get(k) for k in ("threads", "label")}, ())
    parameters |= others(row.facts, (*READ, *counters(result.rows)))
    missing = {"device": "not in the file"}
    basis = {"operation_seconds": f"real_time in {row.facts.get('time_unit', 'ns')}"}
    if result.counter is not None:
        parameters["counter"] = line(result.counter)
        missing["unit"] = "a counter of the author's"
        basis = {}
    if row.aggregate is not None:
        kind = middle(result.rows).aggregate
        basis["aggregate"] = f"{kind} over repetitions that are not in the file"
    return building.run(
        workload=name.workload,
        framework="google-benchmark",
        device="unknown",
        parameters=name.parameters | parameters,
        conditions=_conditions(context, row),
        started=outcome.started(context.get("date"), missing),
        label=origin.label(row.aggregate is None),
        locator=at,
        basis=name.basis | basis,
        missing=missing | _timer(context),
    )


def _conditions(context: Mapping[str, Any], row: Row) -> dict[str, Scalar]:
    found = {name: context.get(name) for name in ("cpu_scaling_enabled", "load_avg")}
    if not _timer(context):
        found["mhz_per_cpu"] = context.get("mhz_per_cpu")
    return scalars({**found, "iterations": row.facts.get("iterations")})


def _timer(context: Mapping[str, Any]) -> dict[str, str]:
    mhz = whole(context.get("mhz_per_cpu"))
    if mhz is None or mhz >= _TIMER_MHZ:
        return {}
    return {"mhz_per_cpu": f"{mhz} MHz is the frequency of the timer"}


def _environment(context: Mapping[str, Any]) -> Environment:
    """Return the library and what people added; the host and its folders stay out."""
    version = told_text(context, "library_version")
    caches = context.get("caches")
    return Environment(
        key="-",
        framework="google-benchmark",
        framework_version=version,
        variables=words({k: v for k, v in context.items() if k not in _CONTEXT}),
        devices=tuple(
            {"kind": "cache", **scalars(one)}
            for one in (caches if isinstance(caches, list) else ())
            if isinstance(one, dict)
        ),
        missing={"os_name": "not in the file"},
    )
