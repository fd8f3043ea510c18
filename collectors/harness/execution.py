"""How work was executed: how busy its device was, and what path it took.

All of it is looked at after the last measured block.
"""

import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from harness.framework import Work, first_line
from harness.recorder import Recorder

_PROFILED_SECONDS = 0.5
_PROFILED_STEPS = 20
_KERNELS = 3  # that are named: those that took longest
_LETTERS = 120  # of the name of a kernel, which templates make long
UNKNOWN = "unknown"
# What tells two runs of one cell apart; all else says what it was.
_COMPARED = ("attention", "cpu_fallback")


def union_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """Return how long any of the *spans*, from begin to end, lasted."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def say_execution(
    work: Work, recorder: Recorder, step_seconds: float, fallbacks: Iterable[str]
) -> None:
    """Send the busy share and keep the path; *fallbacks* ran on the CPU instead."""
    cell = recorder.cell
    try:
        facts = work.path()
    except Exception as failure:  # another pass over a batch may want too much memory
        facts = {"unseen": first_line(failure)}
    path = {name: fact or UNKNOWN for name, fact in facts.items()}
    if cell.device == "metal":
        path["cpu_fallback"] = ", ".join(sorted(fallbacks)) or "none seen"
    if cell.device != "cpu":
        path |= _profiled(work, recorder, step_seconds)
    if path:
        recorder.checks["path"] = path


def _profiled(work: Work, recorder: Recorder, step_seconds: float) -> dict[str, Any]:
    """Send how busy the device was; return its longest kernels, if they are told."""
    steps = max(1, min(_PROFILED_STEPS, int(_PROFILED_SECONDS / step_seconds)))
    why = "no profiler tells when this device computes"
    kernels = None
    try:
        kernels = work.kernels(steps)
    except Exception as failure:  # a profiler that is refused costs no figure
        why = f"the profiler failed: {first_line(failure)}"
    if not kernels:
        recorder.value("gpu_busy_percent", None, why)
        return {}
    busy = union_seconds((begin, end) for _, begin, end in kernels) / steps
    # The profiled steps may run at another clock than those of the blocks.
    recorder.value("gpu_busy_percent", min(100.0, 100 * busy / step_seconds))
    took: dict[str, float] = {}
    for name, begin, end in kernels:
        took[name] = took.get(name, 0.0) + end - begin
    longest = sorted(took, key=lambda name: -took[name])[:_KERNELS]
    whole = sum(took.values())
    return {
        "kernels": [
            f"{name[:_LETTERS]} {100 * took[name] / whole:.0f} %" for name in longest
        ]
    }


def compared(path: Mapping[str, Any], device: str) -> str:
    """Return the part of a *path* in which two runs of a cell may differ.

    On a CPU it follows from the framework's version; what is not known is left out.
    """
    if device == "cpu":
        return ""
    known = {name: path.get(name, UNKNOWN) for name in _COMPARED}
    return "; ".join(
        f"{name.replace('_', ' ')} {fact}"
        for name, fact in known.items()
        if fact not in (UNKNOWN, "none seen")
    )


class Fallbacks:
    """Takes note of operations that PyTorch computes on the CPU instead of Metal.

    It warns of them once each, and only where its variable allows it at all.
    """

    def __init__(self) -> None:
        """Listen to warnings from now on; they are shown as before."""
        self.operations: set[str] = set()
        self._show = warnings.showwarning
        warnings.showwarning = self._seen

    def _seen(self, message: Any, *others: Any, **named: Any) -> None:
        text = str(message)
        if "fall back to run on the CPU" in text:
            with suppress(IndexError):
                self.operations.add(text.split("'")[1])
        self._show(message, *others, **named)
