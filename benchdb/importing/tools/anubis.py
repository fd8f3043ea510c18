"""Anubis: the submissions of its leaderboard, as phpMyAdmin or mysqldump writes them.

A row is one answer of a model to one prompt, without samples. 0 is what was not
measured, where it cannot be true. Who sent it in, and with which machine, is left out.
Columns of later versions are sorted by the words of their names.
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
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import ABSENT, ZERO, Hardware, Result
from benchdb.importing.tools.sql_text import Inserted, facts_of, inserted

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
_PLACED = {
    *_FIGURES,
    *("model_name", "app_version", "status", "started_at", "ended_at"),
    *("backend_process_name", "chip_name", "chip_core_count", "chip_p_cores"),
    *("chip_e_cores", "chip_gpu_cores", "chip_memory_gb", "chip_bandwidth_gbs"),
    *("chip_mac_model", "chip_mac_model_id"),
    "model_quantization",
    "submitted_at",  # the server's clock, which tells nothing of the run
}
_TEXTS = {"model_id", "model_format", "backend", "prompt"}
_NEVER_0 = {
    *("prompt_tokens", "completion_tokens", "total_tokens", "context_length"),
    *("prompt_eval_duration", "eval_duration", "avg_token_latency_ms"),
    *("avg_gpu_power_watts", "avg_gpu_frequency_mhz", "peak_gpu_frequency_mhz"),
}
# Found while the model answered, not asked for; and cores that a chip has no field for.
_CIRCUMSTANCES = (_NEVER_0 - {"prompt_tokens"}) | {
    *("reasoning_tokens", "reasoning_duration", "finish_reason", "chip_neural_cores"),
}
_OF_CIRCUMSTANCES = {
    *("thermal", "power", "battery", "frequency", "fan", "throttled", "group"),
}
# Words of columns about people and their machines. Ids mean nothing without those.
_PERSONAL = {
    *("id", "uuid", "udid", "serial", "name", "display", "user", "username"),
    *("nickname", "author", "submitter", "email", "mail", "ip", "host", "hostname"),
    *("address", "addr", "url", "agent", "country", "city", "location", "hash"),
    *("sha256", "digest", "signature", "hmac", "key", "secret", "comment", "notes"),
    "avatar",
}
_ADDRESS = re.compile(
    r"\b[a-z]{2,9}://[^\s/]{1,300}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?"
    r"|\b[\w-]{1,63}\.(?:local|lan|home)\b(?::\d{1,5})?"
)
_Row = Mapping[str, str | None]


def recognises(document: Document) -> bool:
    """Tell whether this is a dump of the leaderboard's table."""
    dump = strict.glimpse_text(document)
    return all(mark in dump for mark in _MARKS) and _START.search(dump) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for each row; a row that cannot be true is a ``BadLine``."""
    of = result.origin(document, about, "anubis", submitters=_PEOPLE)
    empty = True
    for row in inserted(document.text, mysql=True):
        empty = False
        if isinstance(row, BadLine):
            yield replace(row, raw="")  # names of people may stand there
        elif row.table != _TABLE:
            why = f"table {row.table[:40]!r} is none of Anubis"
            yield building.bad(why, line=row.line)
        else:
            at = f"line {row.line}"
            yield result.attempt(
                of, partial(_result, row), _shown(row), at, line=row.line
            )
    if empty:
        raise DocumentError("the table of Anubis without a row")


def _shown(row: Inserted) -> object:
    """Return what may be kept of a row to look at: nothing about people."""
    cells = dict(zip(row.columns, row.values, strict=False))
    # Of a row that does not fit its columns nobody knows where the names stand.
    fits = len(row.columns) == len(row.values)
    shown = {name: cells[name] for name in cells if fits and not _is_personal(name)}
    return shown or ""


def _is_personal(column: str) -> bool:
    """Tell whether a column may say who somebody is; it is then left out."""
    known = column in _PLACED or column in _TEXTS
    return not known and not _PERSONAL.isdisjoint(column.lower().split("_"))


def _result(inserted_row: Inserted) -> Result:
    result.require_few(len(inserted_row.columns), "columns")
    row = facts_of(inserted_row.columns, inserted_row.values)
    at = f"line {inserted_row.line}"
    machine = _machine(row)
    model = strict.text(row, "model_name")
    if model is None:
        raise RefusedError("model_name is missing")
    framework, own = _framework(row), strict.text(row, "model_quantization")
    device, why = _device(row, machine, framework)
    version, started = strict.text(row, "app_version"), _moment(row, "started_at")
    values = [
        _value(row, column, f"{at}, column {column}")
        for column in _FIGURES
        if column in row
    ]
    status, reason = _outcome(row, values)
    prompt = strict.whole(row, "prompt_tokens", 0)
    work = answer(texts.line(model), own or quantization(model), prompt)
    absent = ("framework_version", "os_name", "os_version")
    run = Result(
        work=work,
        locator=at,
        framework=framework,
        device=device,
        device_name=None if device == "unknown" else strict.text(row, "chip_name"),
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
        basis={"framework": "the names of the process and of the connection"},
        missing={"precision": ABSENT},
    )
    if own is None and "quantization" in work[1]:
        run.basis |= BY_ITS_NAME
    (run.missing if device == "unknown" else run.basis)["device"] = why
    if started:
        run.basis["started"] = "started_at, of which the table keeps no time zone"
    _add_columns(run, row)
    return run


def _add_columns(run: Result, row: _Row) -> None:
    """Add settings, circumstances, and why others are not known."""
    settings, circumstances = {}, {}
    for column, cell in row.items():
        if column in _PLACED or _is_personal(column) or not cell:
            continue
        words = column.lower().split("_")
        if column in _NEVER_0 and not strict.size(row, column):
            run.missing[column] = ZERO
        elif column in _CIRCUMSTANCES or not _OF_CIRCUMSTANCES.isdisjoint(words):
            circumstances[column] = _typed(column, cell)
        else:
            settings[column] = _typed(column, cell)
    run.parameters |= texts.others(settings, ())
    run.conditions |= texts.scalars(circumstances)


def _typed(column: str, cell: str) -> str | int | float:
    if column in _TEXTS:
        return _ADDRESS.sub("…", cell) if column == "backend" else cell
    try:
        size = strict.number(cell, column)
    except RefusedError:
        return cell
    return int(size) if size.is_integer() else size


def _value(row: _Row, column: str, at: str) -> Value:
    figure = result.measured(_FIGURES[column], row, column, at)
    if figure.metric != "tokens_per_joule" or figure.value is None:
        return figure
    # Watts over tokens per second: joules for one token, as the tool's pages call it.
    return replace(figure, value=1 / figure.value, derived=f"1 / {column}")


def _outcome(row: _Row, values: list[Value]) -> tuple[Status, str | None]:
    printed = strict.text(row, "status")
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
    if strict.whole(row, "methodology_version", 1) >= 2:
        return []
    return [
        Flag(code="power-scope-unknown", metric=figure.metric, detail={"why": _SCOPE})
        for figure in values
        if figure.metric in _OF_SYSTEM_POWER and figure.value is not None
    ]


def _framework(row: _Row) -> str:
    backend = strict.text(row, "backend") or "unknown"
    for name in (strict.text(row, "backend_process_name") or "", backend):
        for word, framework in _FRAMEWORKS.items():
            if word in name.lower():
                return framework
    # The name that somebody gave a connection, without where it leads.
    return texts.line(_ADDRESS.sub("…", backend))


def _device(row: _Row, machine: Machine, framework: str) -> tuple[Device, str]:
    """Return the device, and how that is known, or why it is not."""
    if strict.text(row, "backend_process_name") is None:
        return "unknown", "no process of the back end was seen computing"
    if machine.chip.vendor != "Apple" or framework not in _FRAMEWORKS.values():
        return "unknown", f"{framework} may compute on any"
    return "metal", f"{framework} computes on chips of Apple with Metal"


def _moment(row: _Row, column: str) -> str | None:
    printed = strict.text(row, column)
    return (
        None
        if printed is None or printed.startswith("0000-")
        else building.date(printed)
    )


def _machine(row: _Row) -> Machine:
    gigabytes, bandwidth = (
        strict.size(row, column) if row.get(column) else 0
        for column in ("chip_memory_gb", "chip_bandwidth_gbs")
    )
    machine = Hardware(
        processor=strict.text(row, "chip_name"),
        cores=row.get("chip_core_count"),
        ram_bytes=round(gigabytes * 2**30),
        label=strict.text(row, "chip_mac_model"),
    ).machine()
    levels = {
        "Performance": strict.whole(row, "chip_p_cores", 0),
        "Efficiency": strict.whole(row, "chip_e_cores", 0),
    }
    chip = replace(
        machine.chip,
        cpu_levels=tuple(
            CoreLevel(name=name, cores=cores)
            for name, cores in levels.items()
            if all(levels.values())
        ),
        gpu_cores=strict.whole(row, "chip_gpu_cores", 0) or None,
        memory_bandwidth_bytes_per_second=bandwidth * 1e9 or None,
    )
    return replace(machine, chip=chip, model=strict.text(row, "chip_mac_model_id"))
