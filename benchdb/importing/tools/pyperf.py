"""Result files of pyperf: benchmarks of processes that each measured a few values.

A value is the time of one loop, whatever number of loops it was measured over. The runs
that only found that number (calibration) have warm-ups and no values.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchdb.exchange.messages import Phase
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.facts import Facts, first_text
from benchdb.importing.tools.result import ABSENT, Result

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
_KNOWN = (
    *(*_PACKAGES, *_VARIABLES, *_CONDITIONS),
    *("cpu_count", "cpu_machine", "cpu_model_name", "date", "name", "unit"),
    *("python_implementation", "python_version"),
    *("mem_max_rss", "mem_peak_pagefile_usage"),
    # Host, folders and command line are people's own; when a machine was started tells
    # one from another.
    *("boot_time", "command", "hostname", "python_executable", "uptime"),
)
# What Python calls the platform, as the fields of an environment.
_PLATFORMS = {
    r"Linux-(?P<kernel>.{1,200}?)-"
    r"(?P<architecture>x86_64|aarch64|armv\w{1,4}|i\d86|ppc64le)\b": "Linux",
    r"macOS-(?P<os_version>[\d.]{1,20})-(?P<architecture>\w{1,20})": "macOS",
    r"Darwin-(?P<kernel>[\d.]{1,20})-(?P<architecture>\w{1,20})": "macOS",
    r"Windows-[\w.]{1,20}-(?P<os_version>[\d.]{1,20})": "Windows",
}


def recognises(document: Document) -> bool:
    """Tell whether this is a suite of pyperf."""
    suite = facts.glimpse(document)
    return (
        facts.lists(suite, "benchmarks", "runs")
        and bool(suite["benchmarks"])
        and "version" in suite
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    suite = facts.content(document)
    version = str(suite["version"])
    if version.split(".", maxsplit=1)[0] not in {"0", "1"}:
        raise DocumentError(f"pyperf's format version {version[:40]}; 0 and 1 are read")
    result.require_modest(metadata=suite.get("metadata"))
    make = partial(_result, suite.get("metadata"))
    of = result.origin(document, about, "pyperf")
    yield from result.records(of, make, suite["benchmarks"], "benchmarks")


def _result(common: object, benchmark: Facts, at: str) -> Result:
    runs = benchmark["runs"]
    if not isinstance(runs, list) or not runs:
        raise RefusedError("the benchmark has no runs")
    runs = [facts.mapping(run, f"run {place}") for place, run in enumerate(runs)]
    known = _facts(common, benchmark, runs)
    unit, name = known.get("unit", "second"), known.get("name")
    if not isinstance(unit, str) or unit not in _METRICS:
        raise RefusedError(f"the unit {str(unit)[:40]!r} is none of pyperf's")
    times = list(_times(runs))
    samples = [time for phase, part in times if phase == "measure" for time in part]
    model, where = first_text(known, "cpu_model_name"), f"{at}/runs"
    median = partial(result.median, _METRICS[unit], samples, where, of="value")
    return Result(
        name=name or "unnamed",
        locator=at,
        framework=first_text(known, "python_implementation") or "python",
        parameters=facts.others(known, _KNOWN),
        conditions=facts.scalars(facts.picked(known, _CONDITIONS)),
        started=result.moment(known, "date"),
        label="imported" if samples else "aggregate",
        values=[median()] if samples else [],
        series=result.series(*times) if unit == "second" else (),
        machine=result.machine(model, threads=known.get("cpu_count")),
        environment=_environment(known),
        status="ok" if samples else "not-measured",
        reason=None if samples else "the file has calibration runs only, no values",
        basis={"environment": "platform"} if known.get("platform") else {},
        missing={} if name else {"workload": "the benchmark has no name"},
        **result.on_processor(
            model,
            "cpu_model_name; pyperf measures processes of Python",
            "no processor in the metadata",
        ),
    )


def _facts(common: object, benchmark: Facts, runs: list[Facts]) -> dict[str, Any]:
    """Return the metadata of the file, of the benchmark, of its first run with values.

    The later ones have the last word.
    """
    first = next((run for run in runs if run.get("values")), runs[0])
    known: dict[str, Any] = {}
    for layer in (common, benchmark.get("metadata"), first.get("metadata")):
        known |= {} if layer is None else facts.mapping(layer, "metadata")
    return known


def _times(runs: list[Facts]) -> Iterator[tuple[Phase, tuple[float, ...]]]:
    """Yield the values of each run; a warm-up is a pair of loops and value."""
    for place, run in enumerate(runs):
        at, pairs = f"/runs/{place}/warmups", run.get("warmups") or []
        if not isinstance(pairs, list):
            raise RefusedError(f"{at} is no list")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise RefusedError(f"{at} has what is no pair of loops and value")
        yield "warmup", facts.amounts([pair[1] for pair in pairs], at)
        yield "measure", facts.amounts(run.get("values"), f"/runs/{place}/values")


def _environment(known: Facts) -> dict[str, Any]:
    version = (first_text(known, "python_version") or "").split()
    python = version[0] if version else None
    platform = first_text(known, "platform") or ""
    systems = (
        {"os_name": name} | match.groupdict()
        for pattern, name in _PLATFORMS.items()
        if (match := re.match(pattern, platform))
    )
    packages = facts.picked(known, _PACKAGES)
    return next(systems, {}) | {
        "python": python,
        "framework": first_text(known, "python_implementation") or "python",
        "framework_version": python,
        "packages": {_PACKAGES[name]: str(fact) for name, fact in packages.items()},
        "variables": facts.words(facts.picked(known, _VARIABLES)),
        "missing": {} if python else {"python": ABSENT},
    }
