"""Lines of MLPerf logs among any other output, in the three spellings of its rounds.

Since 0.7 ``:::MLLOG`` and an object of JSON; in 0.6 ``:::MLL``, the seconds, the key
and such an object; in 0.5 ``:::MLPv0.5.0``, the benchmark, the seconds, a place in the
program, the key and a value of any kind.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.tools.printed_json import with_printed

MARK = ":::ML"
_EVENT = re.compile(
    r':::(?:MLLOG\s*\{\s*"|MLL \d{1,12}\.\d{1,9} \w+: |MLPv0\.5\.\d \w+ \d)'
)
_ROUND_0_6 = re.compile(r":::MLL (\d{1,12}\.\d{1,9}) (\w{1,80}): (.*)")
_ROUND_0_5 = re.compile(
    r":::MLPv0\.5\.\d (\w{1,80}) (\d{1,12}(?:\.\d{1,9})?) \([^()]{0,500}\) "
    r"(\w{1,80})(?:: ?(.*))?"
)
_SEEDS = {"run_set_random_seed": "seed"}  # what 0.5 called it
_LOAD_GENERATOR = re.compile(r'"loadgen_|"pid": \d+, "tid": \d+, "ts": \d+ns : ')


class Event(msgspec.Struct, frozen=True):
    """One logged fact. *metadata* holds where in the program, and its circumstances."""

    key: str
    value: Any
    time_ms: Any
    kind: str
    line: int
    metadata: Mapping[str, Any] = {}


def is_log(document: Document) -> bool:
    """Tell whether the document holds such lines, and not only speaks of them."""
    try:
        return _EVENT.search(document.text) is not None
    except DocumentError:
        return False


def is_of_load_generator(document: Document) -> bool:
    """Tell whether this is the detailed log of an inference run."""
    try:
        return _LOAD_GENERATOR.search(document.text) is not None
    except DocumentError:
        return False


def events(document: Document) -> Iterator[Event | BadLine]:
    """Yield the events in the order logged; a damaged one is a ``BadLine``."""
    for number, line in enumerate(document.lines, start=1):
        at = line.find(MARK)
        text = line[at:] if at >= 0 else ""
        if text.startswith(":::MLLOG"):
            yield _event(text[len(":::MLLOG") :], number)
        elif found := _ROUND_0_6.match(text):
            yield _of_round_0_6(found, number)
        elif found := _ROUND_0_5.match(text):
            yield from _of_round_0_5(found, number)
        elif text.startswith((":::MLL ", ":::MLPv0.5.")):
            yield building.bad("a log line breaks off", line=number, raw=text)


def _event(text: str, line: int) -> Event | BadLine:
    try:
        told = with_printed(text)
    except DocumentError as why:
        return building.bad(f"a log line cannot be read: {why}", line=line, raw=text)
    if not isinstance(told, dict) or not isinstance(told.get("key"), str):
        return building.bad("a log line without a key", line=line, raw=text)
    metadata = told.get("metadata")
    return Event(
        key=told["key"],
        value=told.get("value"),
        time_ms=told.get("time_ms"),
        kind=str(told.get("event_type")),
        metadata=metadata if isinstance(metadata, dict) else {},
        line=line,
    )


def _of_round_0_6(found: re.Match[str], line: int) -> Event | BadLine:
    seconds, key, text = found.groups()
    try:
        told = _object(text)
    except DocumentError as why:
        return building.bad(f"a log line cannot be read: {why}", line=line, raw=text)
    metadata, value = told.get("metadata"), told.get("value")
    return Event(
        key=key,
        value=value,
        time_ms=_milliseconds(seconds),
        kind=_kind(value),
        metadata=metadata if isinstance(metadata, dict) else {},
        line=line,
    )


def _object(text: str) -> Mapping[str, Any]:
    """Return *text* as an object; some programs quoted like Python inside it."""
    try:
        told = with_printed(text)
    except DocumentError:
        if "'" not in text:
            raise
        told = with_printed(text.replace("'", '"'))
    if not isinstance(told, dict):
        raise DocumentError("no object")
    return told


def _of_round_0_5(found: re.Match[str], line: int) -> Iterator[Event]:
    benchmark, seconds, key, text = found.groups()
    time, value = _milliseconds(seconds), _any(text)
    metadata: dict[str, Any] = {}
    if key == "run_start":
        yield Event("submission_benchmark", benchmark, time, _kind(benchmark), line)
    if key == "run_stop" and isinstance(value, dict) and "success" in value:
        reached = str(value["success"]).lower() == "true"
        metadata["status"] = "success" if reached else "no success"
        value = None
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    yield Event(_SEEDS.get(key, key), value, time, _kind(value), line, metadata)


def _any(text: str | None) -> Any:
    """Return the value as JSON, or as it stands where it is none."""
    told = (text or "").strip()
    try:
        return with_printed(told) if told else None
    except DocumentError:
        return told


def _kind(value: Any) -> str:
    """Return what newer logs say themselves: whether a fact is told, or time passes."""
    return "INTERVAL" if value is None else "POINT_IN_TIME"


def _milliseconds(seconds: str) -> int | float:
    exact = Decimal(seconds) * 1000
    return int(exact) if exact == int(exact) else float(exact)
