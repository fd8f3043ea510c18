"""Exports of hyperfine: commands of a shell, timed as whole processes.

Such a file names neither a machine nor a date.
"""

from collections.abc import Iterator

from benchdb.exchange.messages import Value
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import result, strict, texts
from benchdb.importing.tools.result import ABSENT, Hardware, Result
from benchdb.importing.tools.strict import Facts

_READ = (
    *("command", "mean", "stddev", "median", "user", "system", "min", "max"),
    *("times", "exit_codes", "memory_usage_byte", "parameters"),
)
_TIMES = {"user": "command_user_seconds", "system": "command_system_seconds"}


def recognises(document: Document) -> bool:
    """Tell whether this is an export of hyperfine."""
    export = strict.glimpse(document)
    return (
        strict.lists(export, "results", "command")
        and bool(export["results"])
        and all("mean" in entry or "times" in entry for entry in export["results"])
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each command."""
    of = result.origin(document, about, "hyperfine")
    yield from result.records(
        of, _result, strict.content(document)["results"], "results"
    )


def _result(entry: Facts, at: str) -> Result:
    times = strict.amounts(entry.get("times") or [], "times")
    failure = _failure(entry.get("exit_codes"), len(times))
    given = strict.mapping(entry.get("parameters") or {}, "parameters")
    means = [_TIMES[name] for name in _TIMES if entry.get(name) is not None]
    return Result(
        name=entry["command"],
        locator=at,
        framework="shell",
        parameters=texts.beside(texts.others(entry, _READ), given, "parameters"),
        values=list(_values(entry, times, at)),
        series=result.series(("measure", times)),
        machine=Hardware().machine(),
        environment={"missing": {"os_name": ABSENT}},
        status="failed" if failure else "ok",
        reason=failure,
        basis=({} if times else {"uncertainty": "stddev"})
        | dict.fromkeys(means, "mean over the executions"),
        missing={"framework_version": ABSENT},
    )


def _values(entry: Facts, times: tuple[float, ...], at: str) -> Iterator[Value]:
    if times:
        yield result.median(
            "command_wall_seconds", times, f"{at}/times", of="execution"
        )
    else:
        absent = "neither times nor a median or mean"
        yield result.middle("command_wall_seconds", entry, at, absent)
    for name, metric in _TIMES.items():
        if entry.get(name) is not None:
            yield result.value(metric, entry[name], f"{at}/{name}")
    memory = strict.amounts(entry.get("memory_usage_byte") or [], "memory_usage_byte")
    if memory:
        where = f"{at}/memory_usage_byte"
        yield result.median("peak_memory_reported_bytes", memory, where, of="execution")


def _failure(codes: object, executions: int) -> str | None:
    """Return how executions failed; null is the code of one that a signal ended."""
    if codes is None:
        return None
    if not isinstance(codes, list):
        raise RefusedError("exit_codes is no list")
    if executions and len(codes) != executions:
        raise RefusedError(f"{len(codes)} exit codes for {executions} times")
    failed = [code for code in codes if code != 0]
    if not failed:
        return None
    kinds = ", ".join(sorted(set(map(_exit, failed)))[:5])
    return f"{len(failed)} of {len(codes)} executions failed: {kinds}"


def _exit(code: object) -> str:
    if code is None:
        return "ended by a signal"
    if isinstance(code, bool) or not isinstance(code, int):
        raise RefusedError(f"the exit code {str(code)[:40]} is no whole number")
    return f"exit status {code}"
