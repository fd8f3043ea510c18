"""Exports of hyperfine: commands of a shell, timed as whole processes.

Such a file names neither a machine nor a date.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchdb.exchange.lines import Environment, Value
from benchdb.exchange.reader import Item
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import outcome
from benchdb.importing.tools.json_numbers import (
    amount,
    amounts,
    glimpse,
    median,
    series,
    told,
    value,
)
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import beside, named, others

_READ = (
    *("command", "mean", "stddev", "median", "user", "system", "min", "max"),
    *("times", "exit_codes", "memory_usage_byte", "parameters"),
)
_MISSING = {
    "started": "not in the file",
    "device": "not in the file",
    "framework_version": "not in the file",
}


def recognises(document: Document) -> bool:
    """Tell whether this is an export of hyperfine."""
    found = glimpse(document)
    return (
        isinstance(found, dict)
        and isinstance(results := found.get("results"), list)
        and bool(results)
        and all(
            isinstance(one, dict)
            and "command" in one
            and ("mean" in one or "times" in one)
            for one in results
        )
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each command."""
    origin = outcome.origin(document, about, "hyperfine")
    make = partial(_record, origin)
    for place, one in enumerate(told(document)["results"]):
        yield outcome.attempt(make, one, outcome.pointer("results", place))


def _record(origin: outcome.Origin, result: Mapping[str, Any], at: str) -> Record:
    times = amounts(result.get("times") or [], "times")
    failure = _failure(result.get("exit_codes"), len(times))
    name = named("hyperfine", result["command"])
    basis = {} if times else {"uncertainty": "stddev"}
    basis |= {
        f"command_{one}_seconds": "mean over the executions"
        for one in ("user", "system")
        if result.get(one) is not None
    }
    given = outcome.mapping(result.get("parameters") or {}, "parameters")
    run = building.run(
        workload=name.workload,
        framework="shell",
        device="unknown",
        parameters=beside(name.parameters | others(result, _READ), given, "parameters"),
        label=origin.label(times),
        locator=at,
        basis=name.basis | basis,
        missing=_MISSING,
    )
    return building.record(
        run=run,
        machine=machine(Told()),
        environment=Environment(key="-", missing={"os_name": "not in the file"}),
        source=origin.source,
        values=list(_values(result, times, at)),
        series=series([("measure", times)]),
        status="failed" if failure else "ok",
        reason=failure,
    )


def _values(
    result: Mapping[str, Any], times: Sequence[float], at: str
) -> Iterator[Value]:
    if times:
        yield median("command_wall_seconds", times, f"{at}/times", of="execution")
    else:
        yield _middle(result, at)
    for name in ("user", "system"):
        if result.get(name) is not None:
            yield value(f"command_{name}_seconds", result[name], f"{at}/{name}")
    memory = amounts(result.get("memory_usage_byte") or [], "memory_usage_byte")
    if memory:
        where = f"{at}/memory_usage_byte"
        yield median("peak_memory_reported_bytes", memory, where, of="execution")


def _middle(result: Mapping[str, Any], at: str) -> Value:
    name = "median" if result.get("median") is not None else "mean"
    if result.get(name) is None:
        raise RefusedError("neither times nor a median or mean")
    spread = result.get("stddev")
    return value(
        "command_wall_seconds",
        result[name],
        f"{at}/{name}",
        uncertainty=None if spread is None else amount(spread, "stddev"),
    )


def _failure(codes: Any, executions: int) -> str | None:
    """Return how executions failed; null is the code of one that a signal ended."""
    if codes is None:
        return None
    if not isinstance(codes, list):
        raise RefusedError("exit_codes is no list")
    if executions and len(codes) != executions:
        raise RefusedError(f"{len(codes)} exit codes for {executions} times")
    bad = [one for one in codes if one != 0]
    if not bad:
        return None
    kinds = sorted({_exit(one) for one in bad})
    return f"{len(bad)} of {len(codes)} executions failed: {', '.join(kinds[:5])}"


def _exit(code: object) -> str:
    if code is None:
        return "ended by a signal"
    if isinstance(code, bool) or not isinstance(code, int):
        raise RefusedError(f"the exit code {str(code)[:40]} is no whole number")
    return f"exit status {code}"
