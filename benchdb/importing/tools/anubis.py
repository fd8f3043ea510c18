"""Anubis: the submissions of its leaderboard, as phpMyAdmin exports them in SQL.

A row is one answer of a model to one prompt, without samples. 0 is what was not
measured, where it cannot be true. Only columns that are known to say nothing about
people are read: who sent a row in, and with which machine, is left out.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from benchdb.exchange.language_models import BY_ITS_NAME, answer, quantization
from benchdb.exchange.messages import CoreLevel, Device, Flag, Machine, Status, Value
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.result import ABSENT, ZERO, Hardware, Result
from benchdb.importing.tools.sql_text import Inserted, facts_of, inserted

_TABLE = "leaderboard_submissions"
_START = re.compile(rf"^INSERT INTO [`\"]?{_TABLE}\b", re.MULTILINE)
_MARKS = ("tokens_per_second", "avg_watts_per_token", "backend_process_name")
# By a word of the process or of the connection. On a chip of Apple all use Metal.
_FRAMEWORKS = {
    "ollama": "ollama",
    "mlx": "mlx",
    "lm studio": "LM Studio",
    "llama": "llama.cpp",
}
_STATUSES: dict[str | None, Status] = {
    "completed": "ok",
    "failed": "failed",
    "cancelled": "interrupted",
    "running": "interrupted",
}
_PEOPLE = "left out on purpose: names of people and ids of their machines"
# The tool's schema says so: NULL, or no such column, is before this was put right.
_SCOPE = "before methodology_version 2 the tool counted little besides the GPU"
_FIGURES = {
    "tokens_per_second": "tokens_per_second",
    "time_to_first_token": "time_to_first_token_seconds",
    "total_duration": "operation_seconds",
    "load_duration": "load_seconds",
    "peak_memory_bytes": "peak_memory_reported_bytes",
    "avg_system_power_watts": "mean_power_watts",
    "peak_system_power_watts": "peak_soc_power_watts",
    "peak_gpu_power_watts": "peak_gpu_power_watts",
    "avg_watts_per_token": "tokens_per_joule",
}
_OF_SYSTEM_POWER = {"mean_power_watts", "peak_soc_power_watts", "tokens_per_joule"}
_TEXTS = ("model_id", "model_format", "backend", "prompt")
_SETTINGS = ("prompt_tokens", "methodology_version", "temperature")
# Found while the model answered, not asked for; and cores that a chip has no field for.
_CIRCUMSTANCES = (
    *("completion_tokens", "total_tokens", "reasoning_tokens", "context_length"),
    *("prompt_eval_duration", "eval_duration", "avg_token_latency_ms"),
    *("avg_gpu_power_watts", "avg_gpu_frequency_mhz", "peak_gpu_frequency_mhz"),
    *("thermal_state_at_start", "low_power_mode", "chip_neural_cores"),
)
_LEVELS = {"Performance": "chip_p_cores", "Efficiency": "chip_e_cores"}
_MAY_BE_0 = {*_SETTINGS[1:], *_CIRCUMSTANCES[-3:], "reasoning_tokens"}
# The name that somebody gave a connection may lead somewhere.
_ADDRESS = re.compile(
    r"\b[a-z]{2,9}://[^\s/]{1,300}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?"
    r"|\b[\w-]{1,63}\.(?:local|lan|home)\b(?::\d{1,5})?"
)
_Row = Mapping[str, str | None]


def recognises(document: Document) -> bool:
    """Tell whether this is an export of the leaderboard's table."""
    dump = facts.glimpse_text(document)
    return all(mark in dump for mark in _MARKS) and _START.search(dump) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for each row; a row that cannot be true is a ``BadLine``.

    Of what is refused nothing is kept to look at: names of people may stand there.
    """
    of = result.origin(document, about, "anubis", submitters=_PEOPLE)
    for row in inserted(document.text, mysql=True):
        if isinstance(row, BadLine):
            yield replace(row, raw="")
        elif row.table != _TABLE:
            why = f"table {row.table[:40]!r} is none of Anubis"
            yield building.bad(why, line=row.line)
        else:
            at, make = f"line {row.line}", partial(_result, row)
            yield result.attempt(of, make, "", at, line=row.line)


def _result(inserted_row: Inserted) -> Result:
    row = facts_of(inserted_row.columns, inserted_row.values)
    at = f"line {inserted_row.line}"
    model, own = facts.name_of(row, "model_name"), facts.text(row, "model_quantization")
    framework, machine = _framework(row), _machine(row)
    device, why = _device(row, machine, framework)
    version, started = facts.text(row, "app_version"), _moment(row, "started_at")
    values = [
        _value(row, column, f"{at}, column {column}")
        for column in _FIGURES
        if column in row
    ]
    status, reason = _outcome(row, values)
    prompt = facts.whole(row, "prompt_tokens", 0)
    work = answer(facts.line(model), own or quantization(model), prompt)
    named = own is None and "quantization" in work[1]
    basis = {"framework": "the names of the process and of the connection"}
    if started:
        basis["started"] = "started_at, of which the table keeps no time zone"
    numbers = facts.picked(row, (*_SETTINGS, *_CIRCUMSTANCES))
    typed = {name: _typed(name, cell) for name, cell in numbers.items() if cell}
    unknown = {n for n, fact in typed.items() if not fact and n not in _MAY_BE_0}
    known = {name: fact for name, fact in typed.items() if name not in unknown}
    texts = facts.picked(row, _TEXTS)
    if texts.get("backend"):
        texts["backend"] = _ADDRESS.sub("…", texts["backend"])
    absent = ("framework_version", "os_name", "os_version")
    return Result(
        work=work,
        locator=at,
        framework=framework,
        device=(device, why),
        device_name=None if device == "unknown" else facts.text(row, "chip_name"),
        parameters=facts.others(texts | facts.picked(known, _SETTINGS)),
        conditions=facts.picked(known, _CIRCUMSTANCES),
        started=started,
        ended=_moment(row, "ended_at"),
        values=values,
        machine=machine,
        environment={
            "framework": framework,
            "packages": {"anubis": version} if version else {},
            "missing": dict.fromkeys(absent, ABSENT),
        },
        status=status,
        reason=reason,
        flags=_flags(row, values),
        basis=basis | (BY_ITS_NAME if named else {}),
        missing={"precision": ABSENT} | dict.fromkeys(unknown, ZERO),
    )


def _typed(column: str, cell: str) -> int | float:
    size = facts.size({column: cell}, column)
    return int(size) if size.is_integer() else size


def _value(row: _Row, column: str, at: str) -> Value:
    figure = result.measured(_FIGURES[column], row, column, at)
    if figure.metric != "tokens_per_joule" or figure.value is None:
        return figure
    # Watts over tokens per second: joules for one token, as the tool's pages call it.
    return replace(figure, value=1 / figure.value, derived=f"1 / {column}")


def _outcome(row: _Row, values: list[Value]) -> tuple[Status, str | None]:
    printed = facts.text(row, "status")
    if printed not in _STATUSES:
        unknown = f"status is {str(printed)[:40]!r}, which benchdb does not know"
        raise RefusedError(unknown)
    status = _STATUSES[printed]
    if status != "ok":
        return status, f"status is {printed}"
    if all(figure.value is None for figure in values):
        return "not-measured", "no figure: the source has 0 or nothing"
    return "ok", None


def _flags(row: _Row, values: list[Value]) -> list[Flag]:
    """Return a doubt about each figure of power, unless its scope is told."""
    if facts.whole(row, "methodology_version", 1) >= 2:
        return []
    return [
        Flag(code="power-scope-unknown", metric=figure.metric, detail={"why": _SCOPE})
        for figure in values
        if figure.metric in _OF_SYSTEM_POWER and figure.value is not None
    ]


def _framework(row: _Row) -> str:
    backend = facts.text(row, "backend") or "unknown"
    for name in (facts.text(row, "backend_process_name") or "", backend):
        for word, framework in _FRAMEWORKS.items():
            if word in name.lower():
                return framework
    return facts.line(_ADDRESS.sub("…", backend))


def _device(row: _Row, machine: Machine, framework: str) -> tuple[Device, str]:
    """Return the device, and how that is known, or why it is not."""
    if facts.text(row, "backend_process_name") is None:
        return "unknown", "no process of the back end was seen computing"
    if machine.chip.vendor != "Apple" or framework not in _FRAMEWORKS.values():
        return "unknown", f"{framework} may compute on any"
    return "metal", f"{framework} computes on chips of Apple with Metal"


def _moment(row: _Row, column: str) -> str | None:
    printed = facts.text(row, column) or "0000-"
    return None if printed.startswith("0000-") else building.date(printed)


def _machine(row: _Row) -> Machine:
    gigabytes, bandwidth = (
        facts.size(row, column) if row.get(column) else 0
        for column in ("chip_memory_gb", "chip_bandwidth_gbs")
    )
    machine = Hardware(
        processor=facts.text(row, "chip_name"),
        cores=row.get("chip_core_count"),
        ram_bytes=round(gigabytes * 2**30),
        label=facts.text(row, "chip_mac_model"),
    ).machine()
    levels = tuple(
        CoreLevel(name=name, cores=facts.whole(row, column, 0))
        for name, column in _LEVELS.items()
    )
    chip = replace(
        machine.chip,
        cpu_levels=levels if all(level.cores for level in levels) else (),
        gpu_cores=facts.whole(row, "chip_gpu_cores", 0) or None,
        memory_bandwidth_bytes_per_second=bandwidth * 1e9 or None,
    )
    return replace(machine, chip=chip, model=facts.text(row, "chip_mac_model_id"))
