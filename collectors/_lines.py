"""The lines of a worker: read while it lives, of bounded length, and its own alone."""

import json
import os
import selectors
from collections.abc import Iterator
from typing import Any

from _assignment import Assignment
from _messages import encode, strict_json

LINE_LIMIT = 2**20  # bytes; the longest that a worker writes has some thousands
_CHUNK = 2**16
# What a pipe may hold when the worker is gone; a process that it left may write on.
_LAST_CHUNKS = 16
# What only a worker knows; the rest of its run line was handed to it.
_OWN = ("device_name", "compiler")
# The switches of a framework decide which of these float32 is.
_FLOAT32 = ("fp32", "tf32")


def lines(output: int, ended: int) -> Iterator[str | None]:
    """Yield the lines from *output*; None for one that is longer than the limit.

    They end when *output* is closed, or with the worker: *ended* can be read then. A
    process that the worker left may hold *output* open for as long as it likes.
    """
    pending, skipping = b"", False
    for chunk in _chunks(output, ended):
        *whole, pending = (pending + chunk).split(b"\n")
        for raw in whole:
            if not skipping:
                yield raw.decode(errors="replace") + "\n"
            skipping = False
        if len(pending) > LINE_LIMIT or skipping:
            if not skipping:
                yield None
            pending, skipping = b"", True
    if pending:
        yield pending.decode(errors="replace") + "\n"


def _chunks(output: int, ended: int) -> Iterator[bytes]:
    with selectors.DefaultSelector() as either:
        either.register(output, selectors.EVENT_READ)
        either.register(ended, selectors.EVENT_READ)
        while ended not in {key.fd for key, _ in either.select()}:
            chunk = os.read(output, _CHUNK)
            if not chunk:
                return
            yield chunk
        either.unregister(ended)
        for _ in range(_LAST_CHUNKS):
            if not either.select(0) or not (chunk := os.read(output, _CHUNK)):
                return
            yield chunk


def message(line: str) -> dict[str, Any]:
    """Return what a line says; {} for one cut off when the worker was killed.

    So it is for what cannot be written again, such as NaN or half a character.
    """
    try:
        content = json.loads(line)
        strict_json(content).encode()
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def objection(
    assignment: Assignment, seen: set[str], content: dict[str, Any]
) -> str | None:
    """Return why a line is not of this worker's run; None where it is.

    *seen* are the kinds of lines before it. A framework runs in the worker's process,
    so its code can write there what it likes.
    """
    kind = content["type"]
    if kind == "samples":
        own = content.get("run") == assignment.run["key"] and "run" in seen
        return None if own else "samples of another run"
    if kind not in ("environment", "run") or kind in seen:
        return f"a line of type {kind!r:.40} that was not asked for"
    if kind == "environment":
        facts = assignment.environment
        return _difference(
            {name: facts[name] for name in ("key", "framework")}, content
        )
    asked = json.loads(encode(assignment.run))
    return _difference(asked | {n: None for n in content if n not in asked}, content)


def _difference(asked: dict[str, Any], content: dict[str, Any]) -> str | None:
    """Return the first field of *asked* that is not so in *content*."""
    for name, wanted in asked.items():
        given = content.get(name)
        if name not in _OWN and not _agrees(name, wanted, given):
            return f"{name} {given!r:.80} where {wanted!r:.80} was asked for"
    return None


def _agrees(name: str, asked: Any, given: Any) -> bool:
    if name == "parameters" and isinstance(given, dict):
        return bool(asked.items() <= given.items())
    if name == "precision" and asked in _FLOAT32:
        return given in _FLOAT32
    return bool(given == asked)
