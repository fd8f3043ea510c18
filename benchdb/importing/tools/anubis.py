"""Anubis: the submissions of its leaderboard, as phpMyAdmin or mysqldump writes them.

A row is one answer of a model to one prompt, without samples. 0 is what was not
measured. Who sent it in, and with which machine, is left out.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import (
    CoreLevel,
    Device,
    Environment,
    Flag,
    Machine,
    Run,
    Status,
    Value,
)
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools.anubis_columns import (
    FIGURES,
    ZERO,
    beside,
    is_personal,
    without_addresses,
)
from benchdb.importing.tools.facts import size, text, whole
from benchdb.importing.tools.json_numbers import no_value, value
from benchdb.importing.tools.outcome import Origin, origin, require_few
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.sql_text import Inserted, inserted
from benchdb.importing.tools.texts import line, named

_TABLE = "leaderboard_submissions"
_START = re.compile(
    rf"^(?:CREATE TABLE (?:IF NOT EXISTS )?|(?:INSERT|REPLACE) INTO )[`\"]?{_TABLE}\b",
    re.MULTILINE,
)
_MARKS = ("tokens_per_second", "avg_watts_per_token", "backend_process_name")
# By a word of the process or of the connection. On a chip of Apple all use Metal.
_FRAMEWORKS = {
    "ollama": "ollama",
    "mlx": "mlx",
    "lm studio": "LM Studio",
    "llama": "llama.cpp",
}
_STATUSES: dict[str, Status] = {
    "completed": "ok",
    "failed": "failed",
    "cancelled": "interrupted",
    "running": "interrupted",
}
_ABSENT = "not in the file"
_UNTOLD = {"precision": _ABSENT}
_NEVER_TOLD = {**_UNTOLD, "started": _ABSENT}
_PEOPLE = "left out on purpose: names of people and ids of their machines"
# The tool's schema says so: NULL, or no such column, is before this was put right.
_SCOPE = "before methodology_version 2 the tool counted little besides the GPU"


def recognises(document: Document) -> bool:
    """Tell whether this is a dump of the leaderboard's table."""
    try:
        found = document.text
    except DocumentError:
        return False
    return all(mark in found for mark in _MARKS) and _START.search(found) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for each row; a row that cannot be true is a ``BadLine``."""
    from_ = origin(document, about, "anubis", submitters=_PEOPLE)
    found = False
    for one in inserted(document.text, mysql=True):
        found = True
        if isinstance(one, BadLine):
            yield replace(one, raw="")  # names of people may stand there
        elif one.table != _TABLE:
            why = f"table {one.table[:40]!r} is none of Anubis"
            yield building.bad(why, line=one.line)
        else:
            yield _item(one, from_)
    if not found:
        raise DocumentError("the table of Anubis without a row")


def _item(one: Inserted, from_: Origin) -> Item:
    cells = dict(zip(one.columns, one.values, strict=False))
    # Of a row that does not fit its columns nobody knows where the names stand.
    fits = len(one.columns) == len(one.values)
    shown = {name: cells[name] for name in cells if fits and not is_personal(name)}
    make = partial(_record, one, from_)
    return building.attempt(make, line=one.line, raw=str(shown) if shown else "")


def _row(one: Inserted) -> dict[str, str | None]:
    require_few(len(one.columns), "columns")
    if len(one.values) != len(one.columns):
        raise RefusedError(f"{len(one.values)} values under {len(one.columns)} columns")
    row = dict(zip(one.columns, one.values, strict=True))
    if len(row) != len(one.columns):
        raise RefusedError("a column appears twice")
    return row


def _record(one: Inserted, from_: Origin) -> Record:
    row = _row(one)
    hardware = _machine(row)
    run = _run(row, hardware, from_, f"line {one.line}")
    values = [
        _value(row, column, f"line {one.line}, column {column}")
        for column in FIGURES
        if column in row
    ]
    status, reason = _outcome(row, values)
    return building.record(
        run=run,
        machine=hardware,
        environment=_environment(row, run.framework),
        source=from_.source,
        values=values,
        status=status,
        reason=reason,
        ended=_moment(row, "ended_at"),
        flags=_flags(row, values),
    )


def _run(row: Mapping[str, Any], hardware: Machine, from_: Origin, at: str) -> Run:
    model = text(row, "model_name")
    if model is None:
        raise RefusedError("model_name is missing")
    name = named("anubis", f"{model}/generation")
    framework = _framework(row)
    device, missing = _device(row, hardware, framework)
    parameters, conditions, unmeasured = beside(row)
    started = _moment(row, "started_at")
    basis = {"framework": "the names of the process and of the connection"}
    if device != "unknown":
        basis["device"] = f"{framework} computes on chips of Apple with Metal"
    if started:
        basis["started"] = "started_at, of which the table keeps no time zone"
    return building.run(
        workload=name.workload,
        framework=framework,
        device=device,
        device_name=None if device == "unknown" else text(row, "chip_name"),
        parameters={**parameters, **name.parameters},
        conditions=conditions,
        started=started,
        label=from_.label(()),
        locator=at,
        basis={**basis, **name.basis},
        missing={**missing, **unmeasured, **(_UNTOLD if started else _NEVER_TOLD)},
    )


def _value(row: Mapping[str, Any], column: str, place: str) -> Value:
    metric, found = FIGURES[column], row[column]
    if found is None:
        return no_value(metric, _ABSENT, locator=place)
    if not (amount := size(row, column)):
        return no_value(metric, ZERO, found, place)
    read_ = value(metric, found, place)
    if metric != "tokens_per_joule":
        return read_
    # Watts over tokens per second: joules for one token, as the tool's pages call it.
    derived = f"1 / {column}"
    return msgspec.structs.replace(read_, value=1 / amount, derived=derived)


def _outcome(row: Mapping[str, Any], values: list[Value]) -> tuple[Status, str | None]:
    told = text(row, "status")
    if told not in _STATUSES:
        raise RefusedError(f"status is {str(told)[:40]!r}, which benchdb does not know")
    status = _STATUSES[told]
    if status != "ok":
        return status, f"status is {told}"
    if all(one.value is None for one in values):
        return "not-measured", "no figure: the source has 0 or nothing"
    return "ok", None


def _flags(row: Mapping[str, Any], values: list[Value]) -> list[Flag]:
    """Return a doubt about each figure of power, unless its scope is told."""
    if whole(row, "methodology_version", 1) >= 2:
        return []
    doubtful = {"mean_power_watts", "peak_soc_power_watts", "tokens_per_joule"}
    return [
        Flag(code="power-scope-unknown", metric=one.metric, detail={"why": _SCOPE})
        for one in values
        if one.metric in doubtful and one.value is not None
    ]


def _framework(row: Mapping[str, Any]) -> str:
    backend = text(row, "backend") or "unknown"
    for told in (text(row, "backend_process_name") or "", backend):
        for word, framework in _FRAMEWORKS.items():
            if word in told.lower():
                return framework
    return line(without_addresses(backend))


def _device(
    row: Mapping[str, Any], hardware: Machine, framework: str
) -> tuple[Device, dict[str, str]]:
    if text(row, "backend_process_name") is None:
        return "unknown", {"device": "no process of the back end was seen computing"}
    if hardware.chip.vendor != "Apple" or framework not in _FRAMEWORKS.values():
        return "unknown", {"device": f"{framework} may compute on any"}
    return "metal", {}


def _moment(row: Mapping[str, Any], column: str) -> str | None:
    told = text(row, column)
    return None if told is None or told.startswith("0000-") else building.date(told)


def _machine(row: Mapping[str, Any]) -> Machine:
    told = {
        column: size(row, column) if row.get(column) else 0
        for column in ("chip_memory_gb", "chip_bandwidth_gbs")
    }
    found = machine(
        Told(
            processor=text(row, "chip_name"),
            cores=row.get("chip_core_count"),
            ram_bytes=round(told["chip_memory_gb"] * 2**30),
            label=text(row, "chip_mac_model"),
        )
    )
    fast, slow = whole(row, "chip_p_cores", 0), whole(row, "chip_e_cores", 0)
    levels = (("Performance", fast), ("Efficiency", slow)) if fast and slow else ()
    chip = msgspec.structs.replace(
        found.chip,
        cpu_levels=tuple(CoreLevel(name=name, cores=cores) for name, cores in levels),
        gpu_cores=whole(row, "chip_gpu_cores", 0) or None,
        memory_bandwidth_bytes_per_second=told["chip_bandwidth_gbs"] * 1e9 or None,
    )
    model = text(row, "chip_mac_model_id")
    return msgspec.structs.replace(found, chip=chip, model=model)


def _environment(row: Mapping[str, Any], framework: str) -> Environment:
    version = text(row, "app_version")
    return Environment(
        key="-",
        framework=framework,
        packages={"anubis": version} if version else {},
        missing=dict.fromkeys(("framework_version", "os_name", "os_version"), _ABSENT),
    )
