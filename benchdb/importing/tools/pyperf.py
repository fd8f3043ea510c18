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
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import ABSENT, Hardware, Result
from benchdb.importing.tools.strict import Facts

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
# What Python calls the platform, as the fields of an environment.
_PLATFORMS = (
    (
        "Linux",
        r"Linux-(?P<kernel>.{1,200}?)-"
        r"(?P<architecture>x86_64|aarch64|armv\w{1,4}|i\d86|ppc64le)\b",
    ),
    ("macOS", r"macOS-(?P<os_version>[\d.]{1,20})-(?P<architecture>\w{1,20})"),
    ("macOS", r"Darwin-(?P<kernel>[\d.]{1,20})-(?P<architecture>\w{1,20})"),
    ("Windows", r"Windows-[\w.]{1,20}-(?P<os_version>[\d.]{1,20})"),
)


def recognises(document: Document) -> bool:
    """Tell whether this is a suite of pyperf."""
    suite = strict.glimpse(document)
    return (
        strict.lists(suite, "benchmarks", "runs")
        and bool(suite["benchmarks"])
        and "version" in suite
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each benchmark."""
    suite = strict.content(document)
    if str(suite["version"]).split(".")[0] not in {"0", "1"}:
        raise DocumentError(
            f"pyperf's format version {str(suite['version'])[:40]}; 0 and 1 are read"
        )
    result.require_modest(metadata=suite.get("metadata"))
    make = partial(_result, suite.get("metadata"))
    of = result.origin(document, about, "pyperf")
    yield from result.records(of, make, suite["benchmarks"], "benchmarks")


def _result(common: object, benchmark: Facts, at: str) -> Result:
    runs = benchmark["runs"]
    if not isinstance(runs, list) or not runs:
        raise RefusedError("the benchmark has no runs")
    runs = [strict.mapping(run, f"run {place}") for place, run in enumerate(runs)]
    facts = _facts(common, benchmark, runs)
    unit = facts.get("unit", "second")
    if not isinstance(unit, str) or unit not in _METRICS:
        raise RefusedError(f"the unit {str(unit)[:40]!r} is none of pyperf's")
    times = list(_times(runs))
    samples = [one for phase, part in times if phase == "measure" for one in part]
    metric, model = _METRICS[unit], texts.first_text(facts, "cpu_model_name")
    held = {name: facts[name] for name in _CONDITIONS if name in facts}
    run = Result(
        name=facts.get("name") or "unnamed",
        locator=at,
        framework=texts.first_text(facts, "python_implementation") or "python",
        parameters=texts.others(facts, _KNOWN),
        conditions=texts.scalars(held),
        started=result.started(facts.get("date")),
        label="imported" if samples else "aggregate",
        values=[result.median(metric, samples, f"{at}/runs", of="value")]
        if samples
        else [],
        series=result.series(*times) if unit == "second" else (),
        machine=Hardware(processor=model, threads=facts.get("cpu_count")).machine(),
        environment=_environment(facts),
        status="ok" if samples else "not-measured",
        reason=None if samples else "the file has calibration runs only, no values",
        basis={"environment": "platform"} if facts.get("platform") else {},
        missing={} if facts.get("name") else {"workload": "the benchmark has no name"},
    )
    run.time_on_processor(
        model,
        "cpu_model_name; pyperf measures processes of Python",
        "no processor in the metadata",
    )
    return run


def _facts(common: object, benchmark: Facts, runs: list[Facts]) -> dict[str, Any]:
    """Return the metadata of the file, of the benchmark, of its first run with values.

    The later ones have the last word.
    """
    first = next((run for run in runs if run.get("values")), runs[0])
    facts: dict[str, Any] = {}
    for layer in (common, benchmark.get("metadata"), first.get("metadata")):
        facts |= {} if layer is None else strict.mapping(layer, "metadata")
    return facts


def _times(runs: list[Facts]) -> Iterator[tuple[Phase, tuple[float, ...]]]:
    """Yield the values of each run; a warm-up is a pair of loops and value."""
    for place, run in enumerate(runs):
        at, pairs = f"/runs/{place}/warmups", run.get("warmups") or []
        if not isinstance(pairs, list):
            raise RefusedError(f"{at} is no list")
        for number, pair in enumerate(pairs):
            if not isinstance(pair, list) or len(pair) != 2:
                raise RefusedError(f"{at}/{number} is no pair of loops and value")
        amounts = [strict.amount(p[1], f"{at}/{n}/1") for n, p in enumerate(pairs)]
        yield "warmup", tuple(amounts)
        yield (
            "measure",
            strict.amounts(run.get("values") or [], f"/runs/{place}/values"),
        )


def _environment(facts: Facts) -> dict[str, Any]:
    version, platform = (
        texts.first_text(facts, n) for n in ("python_version", "platform")
    )
    python = version.split()[0] if version else None
    systems = (
        {"os_name": name} | match.groupdict()
        for name, pattern in _PLATFORMS
        if (match := re.match(pattern, platform or ""))
    )
    return next(systems, {}) | {
        "python": python,
        "framework": texts.first_text(facts, "python_implementation") or "python",
        "framework_version": python,
        "packages": {
            package: str(facts[name])
            for name, package in _PACKAGES.items()
            if name in facts
        },
        "variables": texts.words({n: facts[n] for n in _VARIABLES if n in facts}),
        "missing": {} if python else {"python": ABSENT},
    }
