"""Result files of pyperf: benchmarks of processes that each measured a few values.

A value is the time of one loop, whatever number of loops it was measured over. The runs
that only found that number (calibration) have warm-ups and no values.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Phase, Run
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    amount,
    amounts,
    glimpse,
    median,
    series,
    told,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import named, others, scalars, told_text, words

Parts = list[tuple[Phase, tuple[float, ...]]]
_METRICS = {
    "second": "operation_seconds",
    "byte": "peak_memory_reported_bytes",
    "integer": "reported_value",
}
# What pyperf itself writes, by what becomes of it; the rest was put there by people.
_PACKAGES = {
    "pyperf_version": "pyperf",
    "perf_version": "pyperf",
    "performance_version": "pyperformance",
    "pyperformance_version": "pyperformance",
}
_VARIABLES = (
    *("aslr", "cpu_affinity", "cpu_config", "platform", "timer"),
    *("python_cflags", "python_compiler", "python_gil", "python_hash_seed"),
    *("commit_id", "commit_branch", "commit_date"),
)
_CONDITIONS = (
    *("cpu_freq", "cpu_temp", "duration", "load_avg_1min", "runnable_threads"),
    *("loops", "inner_loops", "calibrate_loops", "recalibrate_loops"),
    *("calibrate_warmups", "recalibrate_warmups"),
)
# Host, folders and command line are people's own; when a machine was started tells one
# from another.
_LEFT_OUT = ("boot_time", "command", "hostname", "python_executable", "uptime")
_READ = (
    *("cpu_count", "cpu_machine", "cpu_model_name", "date", "name", "unit"),
    *("python_implementation", "python_version"),
    *("mem_max_rss", "mem_peak_pagefile_usage"),
)
_KNOWN = (*_PACKAGES, *_VARIABLES, *_CONDITIONS, *_LEFT_OUT, *_READ)
_LINUX = re.compile(r"Linux-(.{1,200}?)-(x86_64|aarch64|armv\w{1,4}|i\d86|ppc64le)\b")
_MACOS = re.compile(r"macOS-([\d.]{1,20})-(\w{1,20})")
_DARWIN = re.compile(r"Darwin-([\d.]{1,20})-(\w{1,20})")
_WINDOWS = re.compile(r"Windows-[\w.]{1,20}-([\d.]{1,20})")
_ONLY_CALIBRATED = "the file has calibration runs only, no values"


def recognises(document: Document) -> bool:
    """Tell whether this is a suite of pyperf."""
    found = glimpse(document)
    return (
        isinstance(found, dict)
        and "version" in found
        and isinstance(benchmarks := found.get("benchmarks"), list)
        and bool(benchmarks)
        and all(isinstance(one, dict) and "runs" in one for one in benchmarks)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    suite = told(document)
    if str(suite["version"]).split(".")[0] not in {"0", "1"}:
        raise DocumentError(
            f"pyperf's format version {str(suite['version'])[:40]}; 0 and 1 are read"
        )
    outcome.require_modest(metadata=suite.get("metadata"))
    origin = outcome.origin(document, about, "pyperf")
    make = partial(_record, origin, suite.get("metadata"))
    for place, one in enumerate(suite["benchmarks"]):
        yield outcome.attempt(make, one, outcome.pointer("benchmarks", place))


def _record(
    origin: outcome.Origin, common: object, benchmark: Mapping[str, Any], at: str
) -> Record:
    runs = benchmark["runs"]
    if not isinstance(runs, list) or not runs:
        raise RefusedError("the benchmark has no runs")
    runs = [outcome.mapping(one, f"run {place}") for place, one in enumerate(runs)]
    facts = _facts(common, benchmark, runs)
    unit = facts.get("unit", "second")
    if not isinstance(unit, str) or unit not in _METRICS:
        raise RefusedError(f"the unit {str(unit)[:40]!r} is none of pyperf's")
    parts = _measured(runs)
    samples = [one for phase, part in parts if phase == "measure" for one in part]
    where = f"{at}/runs"
    return building.record(
        run=_run(origin, facts, at, samples),
        machine=machine(
            Told(
                processor=told_text(facts, "cpu_model_name"),
                threads=facts.get("cpu_count"),
            )
        ),
        environment=_environment(facts),
        source=origin.source,
        values=[median(_METRICS[unit], samples, where, of="value")] if samples else [],
        series=series(parts) if unit == "second" else (),
        status="ok" if samples else "not-measured",
        reason=None if samples else _ONLY_CALIBRATED,
    )


def _facts(
    common: object, benchmark: Mapping[str, Any], runs: list[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the metadata of the file, of the benchmark, of its first run with values.

    The later ones have the last word.
    """
    first = next((one for one in runs if one.get("values")), runs[0])
    facts: dict[str, Any] = {}
    for layer in (common, benchmark.get("metadata"), first.get("metadata")):
        facts |= {} if layer is None else outcome.mapping(layer, "metadata")
    return facts


def _measured(runs: list[Mapping[str, Any]]) -> Parts:
    parts: Parts = []
    for place, run in enumerate(runs):
        where = f"/runs/{place}"
        warmups = run.get("warmups") or []
        parts.append(("warmup", tuple(_warmups(warmups, f"{where}/warmups"))))
        parts.append(("measure", amounts(run.get("values") or [], f"{where}/values")))
    return parts


def _warmups(found: Any, where: str) -> Iterator[float]:
    """Yield the values of pairs of loops and value."""
    if not isinstance(found, list):
        raise RefusedError(f"{where} is no list")
    for place, pair in enumerate(found):
        if not isinstance(pair, list) or len(pair) != 2:
            raise RefusedError(f"{where}/{place} is no pair of loops and value")
        yield amount(pair[1], f"{where}/{place}/1")


def _run(
    origin: outcome.Origin, facts: Mapping[str, Any], at: str, samples: list[float]
) -> Run:
    model = told_text(facts, "cpu_model_name")
    name = named("pyperf", facts.get("name") or "unnamed")
    missing = {} if facts.get("name") else {"workload": "the benchmark has no name"}
    basis = {"environment": "platform"} if facts.get("platform") else {}
    if model:
        basis["device"] = "cpu_model_name; pyperf measures processes of Python"
    else:
        missing["device"] = "no processor in the metadata"
    return building.run(
        workload=name.workload,
        framework=told_text(facts, "python_implementation") or "python",
        device="cpu" if model else "unknown",
        device_name=model,
        parameters=name.parameters | others(facts, _KNOWN),
        conditions=scalars({k: v for k, v in facts.items() if k in _CONDITIONS}),
        started=outcome.started(facts.get("date"), missing),
        label=origin.label(samples),
        locator=at,
        basis=name.basis | basis,
        missing=missing,
    )


def _environment(facts: Mapping[str, Any]) -> Environment:
    version = told_text(facts, "python_version")
    python = version.split()[0] if version else None
    packages = {
        _PACKAGES[name]: str(facts[name]) for name in _PACKAGES if name in facts
    }
    return Environment(
        key="-",
        python=python,
        framework=told_text(facts, "python_implementation") or "python",
        framework_version=python,
        packages=packages,
        variables=words({k: v for k, v in facts.items() if k in _VARIABLES}),
        missing={} if python else {"python": "not in the file"},
        **_system(told_text(facts, "platform") or ""),
    )


def _system(platform: str) -> dict[str, Any]:
    """Return the fields of an environment in what Python calls the platform."""
    if found := _LINUX.match(platform):
        return {"os_name": "Linux", "kernel": found[1], "architecture": found[2]}
    if found := _MACOS.match(platform):
        return {"os_name": "macOS", "os_version": found[1], "architecture": found[2]}
    if found := _DARWIN.match(platform):
        return {"os_name": "macOS", "kernel": found[1], "architecture": found[2]}
    if found := _WINDOWS.match(platform):
        return {"os_name": "Windows", "os_version": found[1]}
    return {}
