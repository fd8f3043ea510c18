"""The columns of Anubis: figures, settings, circumstances, and what is somebody's.

Columns of later versions are sorted by the words of their names. 0 is what was not
measured, where it cannot be true.
"""

import re
from collections.abc import Mapping
from typing import Any

from benchdb.exchange.lines import Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.tools.facts import size
from benchdb.importing.tools.json_numbers import number
from benchdb.importing.tools.texts import others, scalars

ZERO = "not measured: the source means that by 0"
FIGURES = {
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
_PLACED = {
    *FIGURES,
    *("model_name", "app_version", "status", "started_at", "ended_at"),
    *("backend_process_name", "chip_name", "chip_core_count", "chip_p_cores"),
    *("chip_e_cores", "chip_gpu_cores", "chip_memory_gb", "chip_bandwidth_gbs"),
    *("chip_mac_model", "chip_mac_model_id"),
    "submitted_at",  # the server's clock, which tells nothing of the run
}
_TEXTS = {"model_id", "model_quantization", "model_format", "backend", "prompt"}
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
    *(
        "id",
        "uuid",
        "udid",
        "serial",
        "name",
        "display",
        "user",
        "username",
        "nickname",
    ),
    *("author", "submitter", "email", "mail", "ip", "host", "hostname", "address"),
    *("addr", "url", "agent", "country", "city", "location", "hash", "sha256"),
    *("digest", "signature", "hmac", "key", "secret", "comment", "notes", "avatar"),
}
_ADDRESS = re.compile(
    r"\b[a-z]{2,9}://[^\s/]{1,300}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?"
    r"|\b[\w-]{1,63}\.(?:local|lan|home)\b(?::\d{1,5})?"
)


def is_personal(column: str) -> bool:
    """Tell whether a column may say who somebody is; it is then left out."""
    known = column in _PLACED or column in _TEXTS
    return not known and not _PERSONAL.isdisjoint(_words(column))


def without_addresses(text: str) -> str:
    """Return the name that somebody gave a connection, without where it leads."""
    return _ADDRESS.sub("…", text)


def beside(
    row: Mapping[str, str | None],
) -> tuple[dict[str, Any], dict[str, Scalar], dict[str, str]]:
    """Return settings, circumstances, and why others are not known."""
    settings, circumstances, unmeasured = {}, {}, {}
    for column, cell in row.items():
        if column in _PLACED or is_personal(column) or not cell:
            continue
        if column in _NEVER_0 and not size(row, column):
            unmeasured[column] = ZERO
        elif column in _CIRCUMSTANCES or not _OF_CIRCUMSTANCES.isdisjoint(
            _words(column)
        ):
            circumstances[column] = _typed(column, cell)
        else:
            settings[column] = _typed(column, cell)
    return others(settings, ()), scalars(circumstances), unmeasured


def _words(column: str) -> list[str]:
    return column.lower().split("_")


def _typed(column: str, cell: str) -> str | int | float:
    if column in _TEXTS:
        return without_addresses(cell) if column == "backend" else cell
    try:
        found = number(cell, column)
    except RefusedError:
        return cell
    return int(found) if found.is_integer() else found
