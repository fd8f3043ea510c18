"""What a collector gave, held against the item that it was asked for."""

from collections.abc import Iterable
from typing import Any

from benchdb.collecting.failed_run import run_line
from benchdb.collecting.plan import Item, Memory, Settings
from benchdb.exchange.lines import Run
from benchdb.exchange.record import Record

_FIELDS = (
    "workload",
    "workload_version",
    "setting",
    "framework",
    "device",
    "precision",
    "compiler",
    "parameters",
    "seed",
    "tier",
    "campaign",
    "replicate",
    "replicates",
    "label",
    "source",
)
# The switches of a framework decide which of these float32 is.
_FLOAT32 = ("fp32", "tf32")


def mismatch(
    record: Record, item: Item, settings: Settings, memory: Memory
) -> str | None:
    """Return the first thing in which *record* is no answer; None where it is one."""
    asked, given = run_line(item, settings), record.run
    pairs = [("framework", asked.framework, record.environment.framework)]
    # A machine that could not read its identity is no other one.
    if memory.machine and record.machine.anonymous_id:
        pairs.append(("machine", memory.machine, record.machine.anonymous_id))
    return difference(asked, given, pairs)


def difference(
    asked: Run, given: Any, besides: Iterable[tuple[str, Any, Any]] = ()
) -> str | None:
    """Return the first thing in which the run *given* is not what was *asked* for.

    *besides* are names with what was asked for and what was given.
    """
    pairs = [(name, getattr(asked, name), getattr(given, name)) for name in _FIELDS]
    for name, wanted, value in (*pairs, *besides):
        if not _answers(name, wanted, value, begun=given.device_name is not None):
            return f"{name} {value!r:.80} where {wanted!r:.80} was asked for"
    return None


def _answers(name: str, asked: Any, given: Any, *, begun: bool) -> bool:
    if name == "parameters":  # the collector adds what a framework chose
        return bool(asked.items() <= given.items())
    if name == "compiler" and given is None:  # known once the framework is set up
        return not begun
    if name == "precision" and asked in _FLOAT32:
        return given in _FLOAT32
    return bool(asked == given)
