"""The log of one MLPerf training run: time to train from ``run_start`` to ``run_stop``.

The log of one run is one run: that a result of MLPerf is the mean of several logs is
for those who compare. What is logged once, before or while it trains, is a parameter.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from benchdb.exchange.lines import Environment, Machine, Source, Status, Value
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools.facts import size, text
from benchdb.importing.tools.json_numbers import characters, number
from benchdb.importing.tools.mllog import (
    Event,
    events,
    is_log,
    is_of_load_generator,
)
from benchdb.importing.tools.texts import others, plain

_QUALITY = ("eval_accuracy", "eval_loss")  # what a run is trained up to
_TARGET = ("eval_accuracy", "eval_target")
_PLACED = {
    *("submission_benchmark", "submission_org", "submission_platform", "seed"),
    *("cache_clear", "weights_initialization", "tracked_stats"),
    *("train_samples", "eval_samples", "train_checkpoint"),
    *("submission_poc_name", "submission_poc_email"),  # whom to ask: people
    *_QUALITY,
}
_UNTOLD = {
    **dict.fromkeys(("framework", "device", "precision"), "not in the log"),
    "unit": "reported_value is the last figure of its kind, in a unit not told",
}
_SECOND = 1e3  # milliseconds
_SHOWN = 200  # characters of figures that are kept together


def recognises(document: Document) -> bool:
    """Tell whether this is the log of an MLPerf training run."""
    return is_log(document) and not is_of_load_generator(document)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the run, and a ``BadLine`` for each line of the log that is damaged."""
    logged: dict[str, list[Event]] = {}
    for one in events(document):
        if isinstance(one, BadLine):
            yield one
        else:
            logged.setdefault(one.key, []).append(one)
    if not {"run_start", "run_stop", "submission_benchmark"} & logged.keys():
        raise DocumentError("an MLPerf log without run_start: no training run")
    make = partial(_record, logged, document, about)
    yield building.attempt(make, locator="run_start", raw=sorted(logged))


def _record(
    logged: Mapping[str, list[Event]], document: Document, about: About
) -> Record:
    benchmark = _stated(logged, "submission_benchmark")
    if benchmark is None:
        raise RefusedError("no submission_benchmark: what was trained is not told")
    begun, ended = _once(logged, "run_start"), _once(logged, "run_stop")
    if begun is None:
        raise RefusedError("no run_start: it is not told when training began")
    status, reason = _outcome(ended)
    basis: dict[str, str] = {}
    if ended is not None and "status" not in ended.metadata and _reached(logged):
        status, reason = "ok", None
        basis["status"] = "the last eval_accuracy is not below eval_target"
    seeds = {one.value for one in logged.get("seed", ()) if _is_whole(one.value)}
    parameters = _parameters(logged)
    if len(seeds) > 1:
        parameters["seeds"] = sorted(seeds)
    run = building.run(
        workload=f"mlperf-training/{benchmark}",
        framework="unknown",
        device="unknown",
        parameters=parameters,
        seed=int(seeds.pop()) if len(seeds) == 1 else None,
        started=_moment(begun),
        label=about.label or "imported",
        locator=f"line {begun.line}",
        basis=basis,
        missing=dict.fromkeys(("framework", "device", "precision"), "not in the log"),
    )
    return building.record(
        run=run,
        machine=_machine(logged),
        environment=Environment(key="-", missing={"framework": "not in the log"}),
        source=_source(logged, document, about),
        values=[*_time(begun, ended, reason), *_quality(logged)],
        status=status,
        reason=reason,
        ended=_moment(ended) if ended else None,
    )


def _source(
    logged: Mapping[str, list[Event]], document: Document, about: About
) -> Source:
    org = _stated(logged, "submission_org")
    if org is not None and not about.authors:
        about = replace(about, authors=(org,))
    return building.source(document, about, "mlperf-training")


def _outcome(ended: Event | None) -> tuple[Status, str | None]:
    if ended is None:
        return "interrupted", "no run_stop: the log ends before the run does"
    told = ended.metadata.get("status")
    if told == "success":
        return "ok", None
    return "failed", f"run_stop says {str(told)[:40]!r}, not success"


def _reached(logged: Mapping[str, list[Event]]) -> bool:
    """Tell whether a run got to its target: round 0.5 need not judge its end."""
    figures = [logged[key][-1].value for key in _TARGET if key in logged]
    if len(figures) < len(_TARGET) or any(isinstance(one, bool) for one in figures):
        return False
    quality, target = (
        one if isinstance(one, int | float) else math.nan for one in figures
    )
    return quality >= target


def _time(begun: Event, ended: Event | None, reason: str | None) -> list[Value]:
    metric = "time_to_train_seconds"
    if ended is None or reason is not None:
        return [Value(metric=metric, reason=reason or "")]
    # The oldest logs have fractions of milliseconds, which floats keep to microseconds.
    seconds = round((_milliseconds(ended) - _milliseconds(begun)) / _SECOND, 6)
    if seconds <= 0:
        raise RefusedError(f"run_stop is {-seconds} s before run_start")
    return [
        Value(
            metric=metric,
            value=seconds,
            locator=f"line {begun.line} and line {ended.line}, time_ms",
            derived="run_stop - run_start",
        )
    ]


def _quality(logged: Mapping[str, list[Event]]) -> list[Value]:
    """Return the last figure that says how well it is trained; its unit is not told."""
    key = next((one for one in _QUALITY if one in logged), None)
    if key is None:
        return []
    last = logged[key][-1]
    at, told = f"line {last.line}, {key}", last.value
    if isinstance(told, list | dict):
        text, why = str(plain(told))[:_SHOWN], f"{key} is several figures"
        return [Value(metric="reported_value", reason=why, printed=text, locator=at)]
    return [
        Value(
            metric="reported_value",
            value=number(told, key),
            printed=characters(told),
            locator=at,
        )
    ]


def _parameters(logged: Mapping[str, list[Event]]) -> dict[str, Any]:
    stated = {
        key: found[0].value
        for key, found in logged.items()
        if found[0].kind == "POINT_IN_TIME" and _agree(found)
    }
    return others(stated, _PLACED)


def _agree(found: Sequence[Event]) -> bool:
    """Tell whether all say the same: every process of a run may log a setting."""
    return all(one.value == found[0].value for one in found)


def _stated(logged: Mapping[str, list[Event]], key: str) -> str | None:
    values = {text({key: one.value}, key) for one in logged.get(key, ())} - {None}
    if len(values) > 1:
        raise RefusedError(f"{key} has {len(values)} values: the logs of several runs?")
    return values.pop() if values else None


def _once(logged: Mapping[str, list[Event]], key: str) -> Event | None:
    """Return the event; a logger that repeats a line says nothing new."""
    found = logged.get(key, [])
    if any(_told(one) != _told(found[0]) for one in found):
        lines = ", ".join(str(one.line) for one in found[:5])
        raise RefusedError(f"{key} stands on lines {lines}: the logs of several runs?")
    return found[0] if found else None


def _told(event: Event) -> tuple[str, str]:
    return str(event.time_ms), str(event.metadata.get("status"))


def _milliseconds(event: Event) -> float:
    return size({"time_ms": event.time_ms}, "time_ms")


def _moment(event: Event) -> str:
    return building.epoch_date(_milliseconds(event) / _SECOND)


def _is_whole(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**53


def _machine(logged: Mapping[str, list[Event]]) -> Machine:
    label = _stated(logged, "submission_platform")
    if label is not None and label.endswith("SUBMISSION_PLATFORM_PLACEHOLDER"):
        label = None  # a template that nobody filled in
    return building.unknown_machine(label=label)
