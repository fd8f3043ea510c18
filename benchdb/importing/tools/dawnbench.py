"""Entries of DAWNBench: time until a network reached the quality that a task asks for.

A training entry is a pair: a JSON file that describes it and holds no figures, and a
table of epochs, by hours since the start. An entry for inference is the JSON alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import msgspec

from benchdb.exchange.lines import Environment, Machine, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.scrutiny import RefusedError
from benchdb.importing import building
from benchdb.importing.about import About
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import amount, glimpse, told, value
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import others, told_text


class _Task(msgspec.Struct, frozen=True):
    """What an entry is about, told by its column of quality, and what is asked."""

    name: str
    column: str
    threshold: float
    largest: float


_TASKS = (
    _Task("ImageNet", "top5Accuracy", 93, 100),
    _Task("CIFAR10", "top1Accuracy", 94, 100),
    _Task("SQuAD", "f1Score", 0.73, 1),
)
_COLUMNS = ("epoch", "hours")
_START = 200  # characters in which the header stands
_HEADER = re.compile(r"(?:(?:epoch|hours|top[15]accuracy|f1score)(?:[ \t]+|$)){3,4}")
_DESCRIBED = ("framework", "model", "hardware", "timestamp", "authorEmail")
_READ = (
    *("version", "author", "authorEmail", "framework", "codeURL", "hardware"),
    *("timestamp", "logFilename", "latency", "cost", "misc", "accuracy"),
    *(task.column for task in _TASKS),
)


def recognises(document: Document) -> bool:
    """Tell whether this is an entry: its description, or its table of epochs."""
    found = glimpse(document)
    if isinstance(found, dict):
        return all(name in found for name in _DESCRIBED)
    try:
        header = document.text[:_START].lstrip().partition("\n")[0].strip().lower()
    except DocumentError:
        return False
    return {*_COLUMNS} <= {*header.split()} and _HEADER.fullmatch(header) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the record of a training by its epochs, or those of an inference."""
    origin = outcome.origin(document, about, "dawnbench")
    found = glimpse(document)
    if not isinstance(found, dict):
        yield building.attempt(
            lambda: _training(origin, document.lines), locator="the table of epochs"
        )
        return
    figures = [name for name in ("latency", "cost") if found.get(name) is not None]
    if not figures:
        raise DocumentError(
            "describes an entry of DAWNBench and holds no figures; "
            "import the .tsv file beside it"
        )
    for name in figures:
        make = partial(_inference, origin, told(document), name)
        yield outcome.attempt(make, found, f"/{name}")


def _training(origin: outcome.Origin, lines: Sequence[str]) -> Record:
    start = next(place for place, line in enumerate(lines) if line.strip())
    header = _cells(lines[start], lines[start])
    task = _task(header)
    epochs = [
        (at, _epoch(header, _cells(line, lines[start]), at))
        for at, line in enumerate(lines[start + 1 :], start=start + 2)
        if line.strip()
    ]
    if not epochs:
        raise RefusedError("the table has no epochs")
    _require_order(epochs, task)
    reached = next(
        (one for one in epochs if _quality(one[1], task) >= task.threshold), None
    )
    failure = f"no epoch reached {task.column} {task.threshold}"
    missing = dict.fromkeys(("device", "framework", "started"), _ELSEWHERE)
    return building.record(
        run=building.run(
            workload=f"dawnbench/{task.name} train",
            framework="unknown",
            device="unknown",
            parameters={task.column: task.threshold},
            label=origin.label(epochs),
            locator=f"lines {start + 1} to {epochs[-1][0]}",
            basis={"workload": f"the column {task.column}"},
            missing=missing,
        ),
        machine=machine(Told(missing={"chip": _ELSEWHERE})),
        environment=Environment(key="-", missing={"framework": _ELSEWHERE}),
        source=origin.source,
        values=[*_time(reached, task, failure), *_accuracy(epochs[-1])],
        status="ok" if reached else "failed",
        reason=None if reached else failure,
    )


_ELSEWHERE = "in the .json file beside it"


def _cells(line: str, header: str) -> list[str]:
    return [one.strip() for one in line.split("\t" if "\t" in header else None)]


def _task(header: Sequence[str]) -> _Task:
    names = {name.lower() for name in header}
    found = next((task for task in _TASKS if task.column.lower() in names), None)
    if found is None or len(names) != len(header):
        raise RefusedError(
            f"the columns {', '.join(header)[:80]} are none of DAWNBench"
        )
    return found


def _epoch(header: Sequence[str], cells: Sequence[str], at: int) -> dict[str, str]:
    if len(cells) != len(header):
        raise RefusedError(f"line {at} has {len(cells)} cells, not {len(header)}")
    epoch = {name.lower(): cell for name, cell in zip(header, cells, strict=True)}
    for name, cell in epoch.items():
        amount(cell, f"line {at}, column {name}")
    return epoch


def _quality(epoch: Mapping[str, str], task: _Task) -> float:
    return float(epoch[task.column.lower()])


def _require_order(epochs: Sequence[tuple[int, dict[str, str]]], task: _Task) -> None:
    """Refuse hours that go back, and a quality that is not on the scale of its task."""
    before = 0.0
    for at, epoch in epochs:
        hours = float(epoch["hours"])
        if hours < before:
            raise RefusedError(f"line {at}: fewer hours than in the epoch before")
        before = hours
    best = max(_quality(epoch, task) for _, epoch in epochs)
    if best > task.largest or (task.largest == 100 and best <= 1):
        scale = "a fraction" if task.largest == 1 else "percent"
        raise RefusedError(f"{task.column} is no {scale}: its largest is {best}")


def _time(
    reached: tuple[int, dict[str, str]] | None, task: _Task, failure: str
) -> Iterator[Value]:
    if reached is None:
        yield Value(metric="time_to_train_seconds", reason=failure)
        return
    at, epoch = reached
    yield Value(
        metric="time_to_train_seconds",
        value=float(Decimal(epoch["hours"]) * 3600),
        printed=epoch["hours"],
        locator=f"line {at}, column hours",
        derived=f"hours × 3600, first epoch with {task.column} of {task.threshold}",
    )


def _accuracy(last: tuple[int, dict[str, str]]) -> Iterator[Value]:
    at, epoch = last
    if "top1accuracy" in epoch:
        place = f"line {at}, column top1Accuracy"
        yield value("final_accuracy", epoch["top1accuracy"], place)


def _inference(
    origin: outcome.Origin, entry: Mapping[str, Any], name: str, _: object, at: str
) -> Record:
    task = next((task for task in _TASKS if entry.get(task.column) is not None), None)
    missing = {"device": "hardware is described in words only"}
    basis = {"workload": task.column} if task else {}
    if task is None:
        missing["workload"] = "the file does not name the task"
    if name == "latency":
        figure = value("latency_mean_seconds", entry[name], at, per=1000.0)
        basis["latency_mean_seconds"] = (
            "latency in milliseconds, as DAWNBench defines it"
        )
    else:
        figure = value("reported_value", entry[name], at)
        basis["unit"] = "USD for one input, as DAWNBench defines cost"
    qualities = {k: entry.get(k) for k in ("accuracy", *(t.column for t in _TASKS))}
    parameters = others({**entry, "figure": name}, _READ) | others(qualities, ())
    return building.record(
        run=building.run(
            workload=f"dawnbench/{task.name if task else 'unknown'} inference",
            framework=told_text(entry, "framework") or "unknown",
            device="unknown",
            parameters=parameters | others({"misc": entry.get("misc")}, ()),
            started=None,
            label=origin.label(None),
            locator=at,
            basis=basis,
            missing=missing | {"started": "the file dates the submission only"},
        ),
        machine=_described(entry),
        environment=Environment(key="-", framework=told_text(entry, "framework")),
        source=origin.source,
        values=[figure],
    )


def _described(entry: Mapping[str, Any]) -> Machine:
    hardware = told_text(entry, "hardware")
    unknown = machine(Told(missing={"chip": "hardware is described in words only"}))
    return msgspec.structs.replace(unknown, model=hardware)
