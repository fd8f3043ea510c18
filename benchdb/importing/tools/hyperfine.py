"""Exports of hyperfine: commands of a shell, timed as whole processes.

Such a file names neither a machine nor a date.
"""

import re
from collections.abc import Iterator

from benchdb.exchange.messages import Value
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import ABSENT, Result
from benchdb.leaving import without_names

_READ = (
    *("command", "mean", "stddev", "median", "user", "system", "min", "max"),
    *("times", "exit_codes", "memory_usage_byte", "parameters"),
)
# Programs that are told a host, as a word of its own or before a colon.
_LOGINS = frozenset({"ssh", "mosh", "sftp", "ping", "telnet"})
_COPIES = frozenset({"scp", "rsync"})
_WITH_VALUE = frozenset({"-i", "-p", "-F", "-l", "-J", "-o", "-c", "-P"})
_HOST = re.compile(r"(?<=://)[^/\s'\"]+")
_PRIVATE = "(private)"
_CLEANED = "names and addresses left out"
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
    commands = fields.content(document)["results"]
    yield from result.records(of, _result, commands, "results")


def _result(entry: Facts, at: str) -> Result:
    times = fields.amounts(entry.get("times"), "times")
    failure = _failure(entry.get("exit_codes") or [], len(times))
    given = fields.mapping(entry.get("parameters") or {}, "parameters")
    given = {name: _typed(text) for name, text in given.items()}
    command = _typed(entry["command"])
    means = [_TIMES[name] for name in _TIMES if entry.get(name) is not None]
    return Result(
        name=command,
        locator=at,
        framework="shell",
        parameters=fields.beside(fields.others(entry, _READ), given, "parameters"),
        values=list(_values(entry, times, at)),
        series=result.series(times),
        machine=result.machine(),
        environment={"missing": {"os_name": ABSENT}},
        status="failed" if failure else "ok",
        reason=failure,
        basis=({} if times else {"uncertainty": "stddev"})
        | ({"workload": _CLEANED} if _hidden(entry["command"], command) else {})
        | dict.fromkeys(means, "mean over the executions"),
        missing={"framework_version": ABSENT},
    )


def _typed(text: object) -> object:
    """Return what somebody typed at a shell, without the hosts and accounts in it."""
    if not isinstance(text, str):
        return text
    words = _HOST.sub(_PRIVATE, without_names(text)).split(" ")
    for place, word in enumerate(words):
        program = word.rpartition("/")[2]
        if program in _LOGINS:
            _hide_host(words, place + 1)
        elif program in _COPIES:
            for later in range(place + 1, len(words)):
                host, colon, path = words[later].partition(":")
                if colon and host and not path.startswith("//"):
                    words[later] = f"{_PRIVATE}:{path}"
    return " ".join(words)


def _hidden(typed: object, kept: object) -> bool:
    """Tell whether more is left out than of any text: line breaks, home folders."""
    return kept != typed and fields.line(str(kept)) != fields.line(str(typed))


def _hide_host(words: list[str], place: int) -> None:
    """Put the first of *words* from *place* on that is no option out of sight."""
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in _WITH_VALUE else 1
    if place < len(words):
        words[place] = _PRIVATE


def _values(entry: Facts, times: tuple[float, ...], at: str) -> Iterator[Value]:
    yield result.typical("command_wall_seconds", times, entry, at, "times", "execution")
    for name, metric in _TIMES.items():
        if entry.get(name) is not None:
            yield result.value(metric, entry[name], f"{at}/{name}")
    memory = fields.amounts(entry.get("memory_usage_byte"), "memory_usage_byte")
    if memory:
        where = f"{at}/memory_usage_byte"
        yield result.median("peak_memory_reported_bytes", memory, where, of="execution")


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
    shown = ", ".join(sorted(kinds)[:5])
    return (
        f"{len(failed)} of {len(codes)} executions failed: {shown}" if kinds else None
    )
