"""Result files of asv (airspeed velocity), versions 1 and 2.

Such a file repeats what ``machine.json`` says; the names of parameters and the units of
``track_`` benchmarks stand only in ``benchmarks.json``.
"""

import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Run, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import outcome
from benchdb.importing.tools.asv_rows import Cell, Row, columns, row
from benchdb.importing.tools.json_numbers import (
    amounts,
    characters,
    glimpse,
    no_value,
    number,
    series,
    told,
    value,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import named, plain, scalars, told_text, words

_MACHINE = ("arch", "cpu", "machine", "os", "ram")
_OF_BENCHMARKS = ("results", "benchmark_version", "durations", "profiles")
# A benchmark's name begins with what it measures; asv says so in its documentation.
_KINDS = {
    "time": "operation_seconds",
    "timeraw": "operation_seconds",
    "peakmem": "peak_memory_reported_bytes",
    "mem": "reported_value",
    "track": "reported_value",
}
_KIND = re.compile(r"(time|timeraw|peakmem|mem|track)_", re.IGNORECASE)
_RELEASE = re.compile(r"(Linux|Darwin|Windows|FreeBSD)(?: ([\w.+-]{1,80}))?")


def recognises(document: Document) -> bool:
    """Tell whether this is a file of asv: results, a machine, or benchmarks."""
    found = glimpse(document)
    if not isinstance(found, dict):
        return False
    results = isinstance(found.get("results"), dict) and "commit_hash" in found
    return results or _is_machine(found) or _is_benchmarks(found)


def _is_machine(found: Mapping[str, Any]) -> bool:
    return "results" not in found and all(name in found for name in _MACHINE)


def _is_benchmarks(found: Mapping[str, Any]) -> bool:
    described = [one for name, one in found.items() if name != "version"]
    return bool(described) and all(
        isinstance(one, dict) and "code" in one and "name" in one for one in described
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark and combination of its parameters."""
    found = told(document)
    if _is_machine(found) or _is_benchmarks(found):
        what = "a machine" if _is_machine(found) else "benchmarks"
        raise DocumentError(
            f"describes {what} of asv and holds no results; import the files "
            "beside it whose names begin with a commit"
        )
    try:
        names = columns(found)
    except RefusedError as why:
        raise DocumentError(str(why)) from why
    shared = {name: one for name, one in found.items() if name not in _OF_BENCHMARKS}
    outcome.require_modest(facts=shared)
    origin = outcome.origin(document, about, "asv")
    for name, one in found["results"].items():
        at = outcome.pointer("results", name)
        try:
            kept = row(one, names, at)
        except RefusedError as why:
            yield building.bad(str(why), locator=at, raw=characters(plain(one)))
            continue
        for cell in kept.cells:
            make = partial(_record, origin, found, (name, kept, cell))
            yield outcome.attempt(make, cell.result, cell.at)


def _record(
    origin: outcome.Origin,
    found: Mapping[str, Any],
    what: tuple[str, Row, Cell],
    _result: object,
    at: str,
) -> Record:
    name, _, cell = what
    metric = _metric(name)
    values, parts, failure = _figure(metric, cell)
    skipped = failure is not None and cell.result is not None
    environment = outcome.mapping(found.get("params") or {}, "params")
    return building.record(
        run=_run(origin, found, what, parts, at),
        machine=_machine(environment),
        environment=_environment(found, environment),
        source=origin.source,
        values=values,
        series=parts,
        status="not-measured" if skipped else "failed" if failure else "ok",
        reason=failure,
    )


def _metric(name: str) -> str:
    kind = _KIND.match(name.rpartition(".")[2])
    return _KINDS[kind[1].lower()] if kind else "reported_value"


def _figure(
    metric: str, cell: Cell
) -> tuple[list[Value], tuple[Series, ...], str | None]:
    """Return the figure as printed, its samples, or why there is none."""
    if cell.result is None:
        why = "the benchmark failed (null in the file)"
        return [no_value(metric, why)], (), why
    if isinstance(cell.result, float) and math.isnan(cell.result):
        why = "skipped (NaN in the file)"
        return [no_value(metric, why, "NaN", cell.at)], (), why
    if isinstance(cell.result, list | dict):
        raise RefusedError("the result is no number")
    figure = value(metric, cell.result, cell.at)
    if cell.samples is None or metric != "operation_seconds":
        return [figure], (), None
    return [figure], series([("measure", amounts(cell.samples, "samples"))]), None


def _run(
    origin: outcome.Origin,
    found: Mapping[str, Any],
    what: tuple[str, Row, Cell],
    parts: tuple[Series, ...],
    at: str,
) -> Run:
    name, kept, cell = what
    workload = named("asv", name)
    version = kept.version or _version(found, name)
    parameters = {**workload.parameters, **plain(cell.parameters)}
    if version is not None:
        parameters["version"] = plain(version)
    environment = outcome.mapping(found.get("params") or {}, "params")
    cpu = told_text(environment, "cpu")
    basis, missing = _known(_metric(name), name)
    if cpu:
        basis["device"] = "the processor is named; asv times Python"
    else:
        missing["device"] = "no processor in params"
    if cell.parameters:
        basis["parameters"] = "param1 is the first axis; benchmarks.json names them"
    started = _started(kept.started_at, missing)
    return building.run(
        workload=workload.workload,
        framework="python",
        device="cpu" if cpu else "unknown",
        device_name=cpu,
        parameters=parameters,
        conditions=scalars(cell.statistics),
        started=started,
        label=origin.label(parts),
        locator=at,
        basis={**workload.basis, **basis},
        missing=missing,
    )


def _version(found: Mapping[str, Any], name: str) -> object:
    versions = found.get("benchmark_version")
    return versions.get(name) if isinstance(versions, dict) else None


def _known(metric: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return how the unit is known, or why it is not."""
    if metric != "reported_value":
        return {metric: "the name of the benchmark says what asv measures"}, {}
    if name.rpartition(".")[2].lower().startswith("mem_"):
        return {"unit": "bytes: the size of an object, as asv defines mem_"}, {}
    return {}, {"unit": "only benchmarks.json says"}


def _started(found: object, missing: dict[str, str]) -> str | None:
    """Return when the benchmark ran; ``date`` in the file is that of the commit."""
    if found is None:
        missing["started"] = "the file dates the commit only"
        return None
    return building.epoch_date(number(found, "started_at") / 1000)


def _machine(environment: Mapping[str, Any]) -> Any:
    ram, missing = _memory(environment)
    return machine(
        Told(
            processor=told_text(environment, "cpu"),
            threads=environment.get("num_cpu"),
            ram_bytes=ram,
            label=told_text(environment, "machine"),
            missing=missing,
        )
    )


def _memory(environment: Mapping[str, Any]) -> tuple[int | None, dict[str, str]]:
    """Return the RAM: asv counts bytes on macOS and, on Linux, kB of 1024 bytes."""
    printed = str(environment.get("ram") or "").strip()
    system = told_text(environment, "os") or ""
    if re.fullmatch("[0-9]{4,15}", printed):
        if system.startswith("Darwin"):
            return int(printed), {}
        if system.startswith("Linux") and int(printed) < 2**33:
            return int(printed) * 1024, {}
    if not printed:
        return None, {}
    return None, {"ram_bytes": f"printed {printed[:40]!r}, which is not exact"}


def _environment(
    found: Mapping[str, Any], environment: Mapping[str, Any]
) -> Environment:
    python = told_text(found, "python") or told_text(environment, "python")
    commit = {k: found.get(k) for k in ("commit_hash", "env_name")}
    commit["commit_date_ms"] = found.get("date")
    return Environment(
        key="-",
        architecture=told_text(environment, "arch"),
        python=python,
        framework="python",
        framework_version=python,
        packages=words(found.get("requirements")),
        variables=words(commit) | words(found.get("env_vars")),
        **_system(told_text(environment, "os")),
    )


def _system(printed: str | None) -> dict[str, Any]:
    """Return the fields in a name and a kernel: ``Darwin 21.2.0``; as it is if none."""
    if not printed:
        return {"missing": {"os_name": "not in the file"}}
    if not (found := _RELEASE.fullmatch(printed)):
        return {"os_name": printed}
    name = "macOS" if found[1] == "Darwin" else found[1]
    return {"os_name": name, **({"kernel": found[2]} if found[2] else {})}
