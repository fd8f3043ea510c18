"""One result of llama-bench, in whatever format it came: a whole run.

The workload is the model with the test, both in the tool's words
(``llama-bench/llama 7B Q4_0/pp512``, ``…/tg128 @ d4096``): reading a prompt and writing
text, short and long, are different work. Every column that has no place of its own is a
parameter, also one that nobody here has heard of; true and false are 1 and 0 there, as
the tool itself prints them in its other formats.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from statistics import fmean, median
from typing import Any

import msgspec

from benchdb.exchange.lines import (
    Environment,
    Label,
    Machine,
    Scalar,
    Source,
    Value,
)
from benchdb.exchange.packing import Series
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.tools.chip_names import accelerators
from benchdb.importing.tools.facts import NANOSECONDS, positive, size, text, whole
from benchdb.importing.tools.llama_bench_device import computed
from benchdb.importing.tools.printed_json import printed
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import others

MARKS = ("model_type", "n_prompt", "n_gen", "avg_ts")  # columns of every version
_PLACED = {
    *("build_commit", "build_number", "cpu_info", "gpu_info", "test_time"),
    *("avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts"),
    *("model_filename", "test"),
}
# Libraries that the tool lists among the processors.
_LIBRARIES = {"accelerate", "openblas", "blas", "blis", "mkl", "onemkl", "amx", "cpu"}
_MODEL = re.compile(r"\S+ (?:\?B|[\dx.]+[BMK](?:\.A[\d.]+[BM])?) (?:mostly |all )?(.+)")
_BETWEEN_GPUS = r", |(?<=\w)/(?=[A-Z])"  # a slash in 2023
_TOLERANCE = 1e-3  # samples_ts is printed with six digits
_UNTOLD = {"precision": "not in the file"}
_NEVER_TOLD = {**_UNTOLD, "started": "not in the file"}


class Result(msgspec.Struct, frozen=True):
    """The columns of one result, and where they stand: *place* comes before a name.

    *rate* is what ``avg_ts`` is called there. *label* and *basis* tell of the machine
    what no column does.
    """

    columns: Mapping[str, Any]
    place: str
    line: int | None = None
    rate: str = "avg_ts"
    label: str | None = None
    basis: Mapping[str, str] = {}


class _Timed(msgspec.Struct, frozen=True):
    label: Label
    value: Value
    series: tuple[Series, ...] = ()


def record(result: Result, source: Source, label: Label | None) -> Record:
    """Return the run; raise ``RefusedError`` if the result cannot be true or whole."""
    row = result.columns
    model = text(row, "model_type")
    if model is None:
        raise RefusedError("model_type is missing")
    workload = f"llama-bench/{model}/{_test(row)}"
    gpus = _listed(text(row, "gpu_info"), _BETWEEN_GPUS)
    cards = accelerators(gpus)
    device = computed(row, cards)
    on_gpu = device.device != "cpu"
    timed = _timed(result)
    parameters, conditions = _settings(row, model)
    started = text(row, "test_time")
    run = building.run(
        workload=workload,
        framework="llama.cpp",
        device=device.device,
        device_name=", ".join(dict.fromkeys(gpus)) or None if on_gpu else None,
        parameters=parameters,
        conditions=conditions,
        started=building.date(started) if started else None,
        label=label or timed.label,
        locator=_whole_place(result),
        basis={**device.basis, **_basis(parameters), **result.basis},
        missing={**device.missing, **(_UNTOLD if started else _NEVER_TOLD)},
    )
    return building.record(
        run=run,
        machine=_machine(result, gpus),
        environment=_environment(row, gpus),
        source=source,
        values=(timed.value,),
        series=timed.series,
    )


def _whole_place(result: Result) -> str:
    return f"line {result.line}" if result.line else result.place.rstrip("/")


def _test(row: Mapping[str, Any]) -> str:
    """Return the test as the tool's tables name it."""
    prompt, gen = whole(row, "n_prompt"), whole(row, "n_gen")
    depth = whole(row, "n_depth", 0)
    if not prompt and not gen:
        raise RefusedError("n_prompt and n_gen are both 0: nothing was computed")
    name = "+".join(
        f"{kind}{tokens}" for kind, tokens in (("pp", prompt), ("tg", gen)) if tokens
    )
    # A fork of the tool reads a prompt untimed before it writes, and names that so.
    if text(row, "test") == (behind := f"tg{gen}@pp{prompt}"):
        name = behind
    return f"{name} @ d{depth}" if depth else name


def _timed(result: Result) -> _Timed:
    row = result.columns
    times = row.get("samples_ns")
    if not times:
        positive(row, "avg_ts")
        return _Timed("aggregate", _average(result))
    if not isinstance(times, list):
        raise RefusedError("samples_ns is no list of times")
    places = {f"samples_ns[{place}]": found for place, found in enumerate(times)}
    seconds = [positive(places, place) / NANOSECONDS for place in places]
    if not all(seconds):
        raise RefusedError("samples_ns has a time that is too short to divide by")
    tokens = _tokens(row, seconds)
    of = "the only sample" if len(seconds) == 1 else f"median of {len(seconds)} samples"
    value = Value(
        metric="tokens_per_second",
        value=tokens / median(seconds),
        locator=f"{result.place}samples_ns",
        derived=f"{tokens} tokens over the {of}",
    )
    return _Timed("imported", value, (Series("measure", 1, tuple(seconds)),))


def _average(result: Result) -> Value:
    row = result.columns
    spread = size(row, "stddev_ts") if row.get("stddev_ts") is not None else 0
    return Value(
        metric="tokens_per_second",
        value=float(row["avg_ts"]),
        # The tool prints 0 where a test ran once: that is no spread.
        uncertainty=float(spread) or None,
        printed=printed(row["avg_ts"]),
        locator=f"{result.place}{result.rate}",
    )


def _tokens(row: Mapping[str, Any], seconds: list[float]) -> int:
    """Return how many tokens one sample is about: what makes the rates come true."""
    prompt, gen = whole(row, "n_prompt"), whole(row, "n_gen")
    rate = positive(row, "avg_ts")
    for tokens in (prompt + gen, gen):
        computed_rate = fmean(tokens / second for second in seconds)
        if abs(computed_rate - rate) <= _TOLERANCE * rate:
            return tokens
    raise RefusedError(
        f"avg_ts is {printed(rate)}, but {prompt + gen} tokens in the times of "
        f"samples_ns are {fmean((prompt + gen) / s for s in seconds):.6g} a second"
    )


def _settings(
    row: Mapping[str, Any], model: str
) -> tuple[dict[str, Any], dict[str, Scalar]]:
    left = others(row, _PLACED)
    parameters = {n: int(v) if isinstance(v, bool) else v for n, v in left.items()}
    if found := _MODEL.fullmatch(model):
        parameters["quantisation"] = found[1]
    conditions: dict[str, Scalar] = {}
    if (path := text(row, "model_filename")) is not None:
        # Folders are the author's, and may hold a name.
        conditions["model_filename"] = PurePosixPath(PureWindowsPath(path).name).name
    return parameters, conditions


def _basis(parameters: Mapping[str, Any]) -> dict[str, str]:
    if "quantisation" not in parameters:
        return {}
    return {"parameters.quantisation": "the end of model_type"}


def _machine(result: Result, gpus: list[str]) -> Machine:
    printed_names = _listed(text(result.columns, "cpu_info"))
    names = [name for name in printed_names if name.lower() not in _LIBRARIES]
    apple = [name for name in gpus if name.startswith("Apple ")]
    named = next(iter([*names, *apple]), None)
    return machine(Told(processor=named, cards=gpus, label=result.label))


def _environment(row: Mapping[str, Any], gpus: list[str]) -> Environment:
    number_, commit = row.get("build_number"), row.get("build_commit")
    build = None
    if isinstance(number_, int) and number_ > 0:
        build = f"{int(number_)} ({commit})" if commit else str(int(number_))
    elif commit and commit != "unknown":
        build = str(commit)
    missing = {"os_name": "not in the file"}
    if build is None:
        missing["framework_version"] = "not in the file"
    return Environment(
        key="-",
        framework="llama.cpp",
        framework_version=build,
        devices=tuple({"kind": "gpu", "name": name} for name in gpus),
        missing=missing,
    )


def _listed(names: str | None, marks: str = ", ") -> list[str]:
    return [one for one in re.split(marks, names or "") if one]
