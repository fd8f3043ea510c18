"""One result as conbench describes it, and others who took over its shape.

Its numbers may be texts; a sample that is null is a repetition that failed, and then
the whole result has.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchdb.exchange.lines import Device, Environment, Machine, Run, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    PER_SECOND,
    amount,
    amounts,
    median,
    no_value,
    number,
    series,
    value,
    whole,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import (
    beside,
    line,
    named,
    others,
    scalars,
    told_text,
    words,
)

_UNITS = {
    "i/s": ("operations_per_second", 1.0),
    "b/s": ("gigabytes_per_second", 8e9),
    "B/s": ("gigabytes_per_second", 1e9),
}
_RUN = ("run_id", "run_name", "run_reason", "batch_id", "id", "history_fingerprint")
_MACHINE = (
    *("name", "cpu_model_name", "cpu_core_count", "cpu_thread_count", "memory_bytes"),
    *("architecture_name", "kernel_name", "os_name", "os_version"),
    *("gpu_count", "gpu_product_names", "id", "type", "hash"),
)
_FAILURE_LIMIT = 200  # characters of an error that are kept


def shaped(found: object) -> bool:
    """Tell whether *found* is one result: tags with a name, and statistics."""
    return (
        isinstance(found, dict)
        and isinstance(found.get("tags"), dict)
        and "name" in found["tags"]
        and ("stats" in found or "error" in found)
    )


def results(found: object) -> tuple[list[tuple[str, Any]], bool]:
    """Return the results in a file with their pointers, and whether there are more.

    A file holds one result, a list, or a page of what the server answers.
    """
    at, more = "", False
    while isinstance(found, dict) and "data" in found and not shaped(found):
        about = found.get("metadata")
        more = more or (isinstance(about, dict) and bool(about.get("next_page_cursor")))
        found, at = found["data"], f"{at}/data"
    if shaped(found):
        return [(at, found)], more
    if isinstance(found, list) and any(map(shaped, found)):
        return [(f"{at}/{place}", one) for place, one in enumerate(found)], more
    return [], more


def records(
    document: Document, about: About, tool: str, found: object
) -> Iterator[Item]:
    """Yield a record for each result in a file of *tool*."""
    several, more = results(found)
    gaps = {"pages": "the server has more than this page"} if more else {}
    origin = outcome.origin(document, about, tool, **gaps)
    make = partial(_record, origin, tool)
    for at, one in several:
        yield outcome.attempt(make, one, at)


def _record(origin: outcome.Origin, tool: str, result: Any, at: str) -> Record:
    result = outcome.mapping(result, "a result")
    tags = outcome.mapping(result.get("tags"), "tags")
    stats = outcome.mapping(result.get("stats") or {}, "stats")
    hardware = _hardware(result)
    failure = _failure(result, stats)
    metric, per = _metric(stats.get("unit"))
    values, parts = (
        ([no_value(metric, failure)], ())
        if failure
        else _figures(stats, metric, per, f"{at}/stats")
    )
    return building.record(
        run=_run(origin, tool, (result, tags, stats, hardware), parts, at),
        machine=_machine(hardware),
        environment=_environment(tool, result, hardware),
        source=origin.source,
        values=values,
        series=parts,
        status="failed" if failure else "ok",
        reason=failure,
    )


def _hardware(result: Mapping[str, Any]) -> Mapping[str, Any]:
    run = result.get("run")
    nested = run.get("hardware") if isinstance(run, dict) else None
    kinds = ("machine_info", "hardware", "cluster_info")
    found = (*(result.get(kind) for kind in kinds), nested)
    return next((one for one in found if isinstance(one, dict)), {})


def _failure(result: Mapping[str, Any], stats: Mapping[str, Any]) -> str | None:
    """Return why the result is errored: it says so, or lacks a sample."""
    if error := result.get("error"):
        told = words(error) if isinstance(error, dict) else {"error": str(error)}
        text = line("; ".join(f"{name}: {one}" for name, one in told.items()))
        return text[:_FAILURE_LIMIT] or "error"
    data = stats.get("data")
    if isinstance(data, list) and None in data:
        return f"{data.count(None)} of {len(data)} samples are null"
    return None


def _metric(unit: object) -> tuple[str, float]:
    if not isinstance(unit, str):
        return "reported_value", 1.0
    if unit in PER_SECOND:
        return "operation_seconds", PER_SECOND[unit]
    return _UNITS.get(unit, ("reported_value", 1.0))


def _figures(
    stats: Mapping[str, Any], metric: str, per: float, at: str
) -> tuple[list[Value], tuple[Series, ...]]:
    data = stats.get("data") or []
    if not data:
        return [_middle(stats, metric, per, at)], ()
    samples = _samples(data, metric, per)
    if metric == "operation_seconds":
        parts = series([("measure", samples)])
        return [median(metric, samples, f"{at}/data")], parts
    values = [median(metric, samples, f"{at}/data")]
    unit = stats.get("time_unit")
    if stats.get("times") and isinstance(unit, str) and unit in PER_SECOND:
        times = amounts(stats["times"], "times", PER_SECOND[unit])
        values.append(median("operation_seconds", times, f"{at}/times"))
        return values, series([("measure", times)])
    return values, ()


def _samples(data: Any, metric: str, per: float) -> tuple[float, ...]:
    if metric == "reported_value" and isinstance(data, list):
        return tuple(number(one, f"data[{at}]") for at, one in enumerate(data))
    return amounts(data, "data", per)


def _middle(stats: Mapping[str, Any], metric: str, per: float, at: str) -> Value:
    name = "median" if stats.get("median") is not None else "mean"
    if stats.get(name) is None:
        raise RefusedError("stats has neither data nor a median or mean")
    spread = stats.get("stdev")
    return value(
        metric,
        stats[name],
        f"{at}/{name}",
        per=per,
        uncertainty=None if spread is None else amount(spread, "stdev", per),
    )


def _run(
    origin: outcome.Origin,
    tool: str,
    told: tuple[Mapping[str, Any], ...],
    parts: Sequence[Series],
    at: str,
) -> Run:
    result, tags, stats, hardware = told
    name = named(tool, tags["name"])
    parameters = beside(name.parameters, _without(tags, ("name", "id")), "tags")
    cpu = told_text(hardware, "cpu_model_name")
    device, basis, missing = _device(cpu, hardware)
    unit = told_text(stats, "unit")
    if _metric(unit)[0] == "reported_value":
        missing |= {} if unit else {"unit": "not in the file"}
        parameters |= {"unit": unit} if unit else {}
    conditions = scalars({k: result[k] for k in _RUN if k in result})
    conditions |= scalars({"iterations": stats.get("iterations")})
    for holder in ("run_tags", "optional_benchmark_info", "validation"):
        conditions |= scalars(result.get(holder), f"{holder}.")
    samples = bool(stats.get("data"))
    return building.run(
        workload=name.workload,
        framework=_language(result) or tool,
        device=device,
        device_name=cpu if device == "cpu" else None,
        parameters=parameters,
        conditions=conditions,
        started=outcome.started(result.get("timestamp"), missing),
        label=origin.label(samples or parts),
        locator=f"{at}/stats",
        basis=name.basis | basis,
        missing=missing,
    )


def _without(holder: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: one for name, one in holder.items() if name not in names}


def _device(
    cpu: str | None, hardware: Mapping[str, Any]
) -> tuple[Device, dict[str, str], dict[str, str]]:
    if _cards(hardware):
        return "unknown", {}, {"device": "it has GPUs; the file does not say what ran"}
    if cpu is None:
        return "unknown", {}, {"device": "not in the file"}
    return "cpu", {"device": "a processor is named, and no GPU"}, {}


def _cards(hardware: Mapping[str, Any]) -> list[str]:
    names = hardware.get("gpu_product_names")
    names = names if isinstance(names, list) else []
    found = [one for one in names if isinstance(one, str) and one.strip()]
    return found or ["unknown GPU"] * min(whole(hardware.get("gpu_count")) or 0, 64)


def _machine(hardware: Mapping[str, Any]) -> Machine:
    return machine(
        Told(
            processor=told_text(hardware, "cpu_model_name"),
            threads=hardware.get("cpu_thread_count"),
            cores=hardware.get("cpu_core_count"),
            ram_bytes=hardware.get("memory_bytes"),
            cards=_cards(hardware),
            label=told_text(hardware, "name"),
        )
    )


def _language(result: Mapping[str, Any]) -> str | None:
    return told_text(result.get("context"), "benchmark_language")


def _environment(
    tool: str, result: Mapping[str, Any], hardware: Mapping[str, Any]
) -> Environment:
    variables: dict[str, str] = {}
    for holder in ("context", "info", "github"):
        variables |= words(result.get(holder), f"{holder}.")
    version = told_text(result.get("info"), "benchmark_language_version")
    version = version.removeprefix(f"{_language(result)} ") if version else None
    told = others(hardware, _MACHINE)
    return Environment(
        key="-",
        os_name=told_text(hardware, "os_name"),
        os_version=told_text(hardware, "os_version"),
        kernel=told_text(hardware, "kernel_name"),
        architecture=told_text(hardware, "architecture_name"),
        framework=_language(result) or tool,
        framework_version=version,
        variables=variables,
        devices=({"kind": "machine", **scalars(told)},) if told else (),
        missing={} if hardware else {"os_name": "not in the file"},
    )
