"""Exports of hyperfine: commands of a shell, timed as whole processes.

Such a file names neither a machine nor a date.
"""

import re
from collections.abc import Iterator
from functools import partial

from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import ABSENT, Result
from benchdb.leaving import without_names

_MEMORY = "memory_usage_byte"
_READ = (
    *("command", "mean", "stddev", "median", "user", "system", "min", "max"),
    *("times", "exit_codes", _MEMORY, "parameters"),
)
_PRIVATE = "(private)"
_HOST = re.compile(r"(?<=://)[^/\s'\"]+")
# Programs that are told a host, behind their options: those with a value in two words.
_LOGIN = re.compile(
    r"((?:^|(?<=[\s/]))(?:ssh|mosh|sftp|ping|telnet)"
    r"(?:\s+(?:-[ipFlJocP]\s+\S+|-\S*))*\s+)\S+"
)
_COPY = re.compile(r"(?:^|(?<=[\s/]))(?:scp|rsync)(?=\s)")
_REMOTE = re.compile(r"(?<!\S)[^\s:]+:(?!//)")
_TIMES = {"user": "command_user_seconds", "system": "command_system_seconds"}


def recognises(document: Document) -> bool:
    """Tell whether this is an export of hyperfine."""
    export = fields.glimpse(document)
    return (
        fields.lists(export, "results", "command")
        and bool(export["results"])
        and all("mean" in entry or "times" in entry for entry in export["results"])
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each command."""
    of = result.origin(document, about, "hyperfine")
    for number, entry in enumerate(fields.content(document)["results"]):
        at = f"/results/{number}"
        yield result.attempt(of, partial(_result, entry, at), entry, at)


def _result(entry: Facts, at: str) -> Result:
    times = fields.amounts(entry.get("times"), "times")
    failure = _failure(entry.get("exit_codes") or [], len(times))
    given = fields.mapping(entry.get("parameters") or {}, "parameters")
    given = {
        name: _without_hosts(it) if isinstance(it, str) else it
        for name, it in given.items()
    }
    if not isinstance(typed := entry["command"], str):
        raise RefusedError("command is no text")
    command = _without_hosts(typed)
    values = [
        result.typical("command_wall_seconds", times, entry, at, "times", "execution")
    ]
    basis = {} if times else {"uncertainty": "stddev"}
    if fields.line(command) != fields.line(typed):
        basis["workload"] = "names and addresses left out"
    for name, metric in _TIMES.items():
        if entry.get(name) is not None:
            values.append(result.value(metric, entry[name], f"{at}/{name}"))
            basis[metric] = "mean over the executions"
    if memory := fields.amounts(entry.get(_MEMORY), _MEMORY):
        metric = "peak_memory_reported_bytes"
        values.append(result.median(metric, memory, f"{at}/{_MEMORY}", of="execution"))
    return Result(
        name=command,
        locator=at,
        framework="shell",
        parameters=fields.beside(fields.others(entry, _READ), given, "parameters"),
        values=values,
        times=times,
        machine=result.machine(),
        environment={"missing": {"os_name": ABSENT}},
        status="failed" if failure else "ok",
        reason=failure,
        basis=basis,
        missing={"framework_version": ABSENT},
    )


def _without_hosts(typed: str) -> str:
    """Return what somebody typed at a shell, without the hosts and accounts in it."""
    kept = _LOGIN.sub(rf"\1{_PRIVATE}", _HOST.sub(_PRIVATE, without_names(typed)))
    if copy := _COPY.search(kept):
        remote = _REMOTE.sub(f"{_PRIVATE}:", kept[copy.end() :])
        return kept[: copy.end()] + remote
    return kept


def _failure(codes: object, executions: int) -> str | None:
    """Return how executions failed; null is the code of one that a signal ended."""
    if not isinstance(codes, list):
        raise RefusedError("exit_codes is no list")
    if codes and executions and len(codes) != executions:
        raise RefusedError(f"{len(codes)} exit codes for {executions} times")
    failed = [code for code in codes if code != 0]
    kinds = {
        "ended by a signal" if code is None else f"exit status {str(code)[:40]}"
        for code in failed
    }
    text = f"{len(failed)} of {len(codes)} executions failed: "
    return text + ", ".join(sorted(kinds)[:5]) if kinds else None
