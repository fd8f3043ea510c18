"""One submission of LocalScore: its tests as runs, its averages as claims.

A test reads a prompt and then writes text: both are runs (``…/pp1024+tg16 prompt``,
``… generation``), and so is the whole with its time, its power and the time to its
first token. 0 means "not measured". There are no samples.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import msgspec

from benchdb.exchange.lines import (
    Claim,
    Device,
    Environment,
    Label,
    Machine,
    Source,
    Value,
)
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.tools.facts import claimed, size, text, whole
from benchdb.importing.tools.json_numbers import characters
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import others

_GIB = 2**30  # what the tool calls GB: a Mac of 32 GB has 32.0
_FIGURES = {  # part of the test: column, metric, how many of its unit make ours
    "": (
        ("avg_time_ms", "operation_seconds", 1e3),
        ("ttft_ms", "time_to_first_token_seconds", 1e3),
        ("power_watts", "mean_power_watts", 1.0),
        ("vram_used_mb", "peak_memory_reported_bytes", 1 / 2**20),
    ),
    " prompt": (
        ("prompt_tps", "tokens_per_second", 1.0),
        ("prompt_tps_watt", "tokens_per_joule", 1.0),
    ),
    " generation": (
        ("gen_tps", "tokens_per_second", 1.0),
        ("gen_tps_watt", "tokens_per_joule", 1.0),
    ),
}
_PLACED = {"name", "id", "benchmark_run_id", "created_at"} | {
    column for part in _FIGURES.values() for column, _, _ in part
}
_AVERAGES = {  # of the summary: column of the tests, unit
    "avg_prompt_tps": ("prompt_tps", "1/s"),
    "avg_gen_tps": ("gen_tps", "1/s"),
    "avg_ttft_ms": ("ttft_ms", "ms"),
}
_ARRIVAL = {"started": "created_at: when the submission arrived"}
_UNTOLD = {"precision": "not in the file"}
_NEVER_TOLD = {**_UNTOLD, "started": "not in the file"}
# By what llamafile computes on the GPUs of a maker.
_BACKENDS: dict[str, Device] = {"Apple": "metal", "NVIDIA": "cuda", "AMD": "rocm"}


class Submission(msgspec.Struct, frozen=True):
    """What one computer sent in. *places* are the locators of its tests.

    *system*, *accelerator*, *runtime* and *summary* are named as in the tool's JSON.
    """

    system: Mapping[str, Any]
    accelerator: Mapping[str, Any]
    runtime: Mapping[str, Any]
    summary: Mapping[str, Any]
    tests: Sequence[Mapping[str, Any]]
    places: Sequence[str]
    summary_place: str
    arrived: str | None = None


def items(sent: Submission, source: Source, label: Label | None) -> Iterator[Item]:
    """Yield the runs of every test, and what the submission says of them all."""
    for place, test in zip(sent.places, sent.tests, strict=True):
        for part in _FIGURES:
            make = partial(_record, sent, test, (part, place), source, label)
            yield building.attempt(make, locator=place, raw=str(dict(test)))
    try:
        yield from _claims(sent, source)
    except UNDERSTANDABLE as why:
        yield building.bad(reason(why), locator=sent.summary_place)


def _record(
    sent: Submission,
    test: Mapping[str, Any],
    at: tuple[str, str],
    source: Source,
    label: Label | None,
) -> Record:
    part, place = at
    device, basis, missing = _device(sent)
    accelerator = text(sent.accelerator, "name")
    figures = _FIGURES[part]
    run = building.run(
        workload=f"localscore/{_model(test)}/{_test(test)}{part}",
        framework=text(sent.runtime, "name") or "unknown",
        device=device,
        device_name=accelerator if device != "cpu" else None,
        parameters=others(test, _PLACED),
        started=building.date(sent.arrived) if sent.arrived else None,
        label=label or "aggregate",
        locator=place,
        basis={**basis, **_ARRIVAL} if sent.arrived else basis,
        missing={**missing, **_UNTOLD} if sent.arrived else {**missing, **_NEVER_TOLD},
    )
    values = [_value(test, place, figure) for figure in figures if figure[0] in test]
    measured = any(value.value is not None for value in values)
    return building.record(
        run=run,
        machine=_machine(sent),
        environment=_environment(sent),
        source=source,
        values=values,
        status="ok" if measured else "not-measured",
        reason=None if measured else "no figure: the source prints 0 or nothing",
    )


def _model(test: Mapping[str, Any]) -> str:
    name, quantisation = text(test, "model_name"), text(test, "model_quant_str")
    if name is None:
        raise RefusedError("model_name is missing")
    return f"{name} {quantisation}" if quantisation else name


def _test(test: Mapping[str, Any]) -> str:
    """Return the name of the test, made of its lengths where it has none."""
    prompt, gen = whole(test, "n_prompt"), whole(test, "n_gen")
    return text(test, "name") or f"pp{prompt}+tg{gen}"


def _value(
    test: Mapping[str, Any], place: str, figure: tuple[str, str, float]
) -> Value:
    column, metric, per = figure
    locator = f"{place}/{column}"
    if test[column] is None:
        return Value(metric=metric, reason="not in the file", locator=locator)
    found, printed = size(test, column), characters(test[column])
    if not found:
        reason_ = "not measured: the source means that by 0"
        return Value(metric=metric, reason=reason_, printed=printed, locator=locator)
    return Value(metric=metric, value=found / per, printed=printed, locator=locator)


def _device(sent: Submission) -> tuple[Device, dict[str, str], dict[str, str]]:
    """Return the device with its basis, or with why it is not known."""
    kind, runtime = text(sent.accelerator, "type"), text(sent.runtime, "name")
    if kind == "CPU":
        return "cpu", {"device": "the type of the accelerator is CPU"}, {}
    maker = text(sent.accelerator, "manufacturer") or ""
    if kind != "GPU" or runtime != "llamafile" or maker not in _BACKENDS:
        why = f"accelerator of type {kind} by {maker or 'nobody told'} under {runtime}"
        return "unknown", {}, {"device": why}
    device = _BACKENDS[maker]
    basis = f"llamafile computes on GPUs of {maker} with {device}"
    return device, {"device": basis}, {}


def _machine(sent: Submission) -> Machine:
    accelerator = sent.accelerator
    name, is_gpu = text(accelerator, "name"), text(accelerator, "type") == "GPU"
    processor = text(sent.system, "cpu_name")
    if is_gpu and name and processor and name.startswith(processor):
        processor = name  # Apple M1 Pro 8P+2E+16GPU: the chip with its GPU's cores
    gigabytes = size(sent.system, "ram_gb") if sent.system.get("ram_gb") else 0
    return machine(
        Told(
            processor=processor,
            cards=[name] if is_gpu and name else [],
            ram_bytes=round(gigabytes * _GIB) or None,
        )
    )


def _environment(sent: Submission) -> Environment:
    system, runtime = sent.system, sent.runtime
    version, commit = text(runtime, "version"), text(runtime, "commit")
    built = f"{version} ({commit})" if version and commit else version or commit
    kernel = (text(system, "kernel_type"), text(system, "kernel_release"))
    memory = sent.accelerator.get("memory_gb")
    device = {"name": text(sent.accelerator, "name"), "memory_gb": memory}
    told = {name: fact for name, fact in device.items() if fact is not None}
    variables = {"system_version": text(system, "version")}
    return Environment(
        key="-",
        os_name={"Darwin": "macOS"}.get(kernel[0] or "", kernel[0]),
        kernel=kernel[1],
        architecture=text(system, "cpu_arch"),
        framework=text(runtime, "name"),
        framework_version=built,
        devices=(others(told, ()),) if told else (),
        variables={name: fact for name, fact in variables.items() if fact},
        missing={"os_version": "not in the file"},
    )


def _claims(sent: Submission, source: Source) -> Iterator[Item]:
    """Yield the averages and the score, which the submitting computer worked out."""
    about = {"model": _model(sent.tests[0]) if sent.tests else None}
    about["accelerator"] = text(sent.accelerator, "name")
    means = {name: _mean(sent, column) for name, (column, _) in _AVERAGES.items()}
    for name in (*_AVERAGES, "performance_score"):
        if sent.summary.get(name) is None:
            continue
        unit = _AVERAGES[name][1] if name in _AVERAGES else None
        claim = Claim(
            source=source.key,
            kind="derived",
            statement=f"{name} over {len(sent.tests)} tests",
            printed=characters(sent.summary[name]),
            locator=f"{sent.summary_place}/{name}",
            value=size(sent.summary, name),
            unit=unit,
            about={key: one for key, one in about.items() if one},
            recomputed=means[name] if name in means else _score(means),
        )
        yield claimed(claim, source)


def _mean(sent: Submission, column: str) -> float | None:
    """Return the mean of a column over the tests, ``None`` where one has no figure."""
    found = [size(test, column) for test in sent.tests if test.get(column)]
    return fmean(found) if found and len(found) == len(sent.tests) else None


def _score(means: Mapping[str, float | None]) -> float | None:
    """Return ten times the geometric mean of the three averages, as LocalScore does."""
    prompt, gen = means["avg_prompt_tps"], means["avg_gen_tps"]
    first = means["avg_ttft_ms"]
    if not prompt or not gen or not first:
        return None
    return float(10 * (prompt * gen * 1e3 / first) ** (1 / 3))
