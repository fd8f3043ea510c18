"""Results of ClickBench: 43 queries, each run three times, the first one cold.

A null is a query that failed. Loading the data is a run of its own. Its comparison of
hardware has the machine, the time and tags, and does not name the system.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Device, Environment, Phase, Run, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    amounts,
    glimpse,
    no_value,
    series,
    told,
    value,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import line, others, scalars, told_text

_OWN = ("load_time", "cluster_size", "proprietary", "tuned")
_OF_HARDWARE = {"machine", "comment", "time", "tags", "result"}
_READ = (
    *("system", "date", "machine", "load_time", "data_size", "result", "comment"),
    *("hardware", "version", "concurrent_qps", "concurrent_error_ratio", "time"),
)
_LOADED = {"load_time": "load_seconds", "data_size": "stored_bytes"}
_FAILED = "the query failed (null in the file)"


def recognises(document: Document) -> bool:
    """Tell whether this is a result of ClickBench."""
    found = glimpse(document)
    if not isinstance(found, dict):
        return False
    system = found.keys() >= {"system", "machine", "result"}
    own = system and any(name in found for name in _OWN)
    return (
        (own or found.keys() >= _OF_HARDWARE)
        and isinstance(rows := found["result"], list)
        and all(isinstance(row, list) for row in rows)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each query, for the loading, and for concurrent queries."""
    entry = told(document)
    shared = {name: one for name, one in entry.items() if name != "result"}
    outcome.require_modest(entry=shared)
    origin = outcome.origin(document, about, "clickbench")
    for place, row in enumerate(entry["result"]):
        make = partial(_query, origin, entry, f"q{place:02}")
        yield outcome.attempt(make, row, outcome.pointer("result", place))
    if any(entry.get(name) is not None for name in _LOADED):
        raw = {name: entry.get(name) for name in _LOADED}
        yield outcome.attempt(partial(_load, origin, entry), raw, "/load_time")
    if entry.get("concurrent_qps") is not None:
        raw = entry["concurrent_qps"]
        make = partial(_concurrent, origin, entry)
        yield outcome.attempt(make, raw, "/concurrent_qps")


def _query(
    origin: outcome.Origin, entry: Mapping[str, Any], name: str, row: Any, at: str
) -> Record:
    if not row:
        raise RefusedError("the query has no times")
    cold, hot = row[0], row[1:]
    failures = sum(one is None for one in row)
    values = [_cold(cold, at), _hot(hot, at)]
    parts: list[tuple[Phase, tuple[float, ...]]] = [
        ("warmup", amounts([one for one in row[:1] if one is not None], at)),
        ("measure", amounts([one for one in hot if one is not None], at)),
    ]
    failure = f"{failures} of {len(row)} runs failed (null in the file)"
    return building.record(
        run=_run(origin, entry, name, at),
        machine=machine(Told(label=told_text(entry, "machine"))),
        environment=_environment(entry),
        source=origin.source,
        values=values,
        series=series(parts),
        status="failed" if failures else "ok",
        reason=failure if failures else None,
    )


def _cold(found: object, at: str) -> Value:
    if found is None:
        return no_value("first_operation_seconds", _FAILED, "null", f"{at}/0")
    return value("first_operation_seconds", found, f"{at}/0")


def _hot(found: list[Any], at: str) -> Value:
    """Return the shortest hot run, which is what ClickBench itself compares."""
    if not found:
        return no_value("operation_seconds", "the file has no hot run")
    if None in found:
        return no_value("operation_seconds", _FAILED, "null", at)
    times = amounts(found, at)
    place = times.index(min(times))
    count = f"{len(times)} hot run{'' if len(times) == 1 else 's'}"
    best = value("operation_seconds", found[place], f"{at}/{place + 1}")
    return Value(
        metric=best.metric,
        value=best.value,
        reason=best.reason,
        printed=best.printed,
        locator=best.locator,
        derived=f"minimum of {count}",
    )


def _load(
    origin: outcome.Origin, entry: Mapping[str, Any], raw: Mapping[str, Any], at: str
) -> Record:
    values = [
        value(metric, raw[name], f"/{name}")
        for name, metric in _LOADED.items()
        if raw[name] is not None
    ]
    return _figures(origin, entry, "load", values, at)


def _concurrent(
    origin: outcome.Origin, entry: Mapping[str, Any], raw: object, at: str
) -> Record:
    figure = value("operations_per_second", raw, at)
    return _figures(origin, entry, "concurrent", [figure], at)


def _figures(
    origin: outcome.Origin,
    entry: Mapping[str, Any],
    name: str,
    values: list[Value],
    at: str,
) -> Record:
    return building.record(
        run=_run(origin, entry, name, at),
        machine=machine(Told(label=told_text(entry, "machine"))),
        environment=_environment(entry),
        source=origin.source,
        values=values,
    )


def _run(origin: outcome.Origin, entry: Mapping[str, Any], name: str, at: str) -> Run:
    missing: dict[str, str] = {}
    device, basis = _device(entry, missing)
    if "system" not in entry:
        missing["framework"] = "the file does not name the system"
    noted = ("comment", "concurrent_error_ratio")
    return building.run(
        workload=f"clickbench/{name}",
        framework=told_text(entry, "system") or "clickbench",
        device=device,
        parameters=others(entry, _READ),
        conditions=scalars({k: entry.get(k) for k in noted}),
        started=outcome.started(entry.get("date") or entry.get("time"), missing),
        label=origin.label("runs"),
        locator=at,
        basis=basis,
        missing=missing,
    )


def _device(
    entry: Mapping[str, Any], missing: dict[str, str]
) -> tuple[Device, dict[str, str]]:
    hardware = told_text(entry, "hardware")
    if hardware == "cpu":
        return "cpu", {"device": "hardware"}
    missing["device"] = f"hardware is {hardware}" if hardware else "not in the file"
    return "unknown", {}


def _environment(entry: Mapping[str, Any]) -> Environment:
    version = entry.get("version")
    return Environment(
        key="-",
        framework=told_text(entry, "system"),
        framework_version=line(str(version)) if version else None,
        missing={} if version else {"framework_version": "not in the file"},
    )
