"""How far a run has come, told by the supervisor from what its worker sends anyway.

The worker says nothing more for it, so that nothing of it falls between two clocks.
"""

import sys
import time
from contextlib import suppress
from typing import Any

from harness.cells import Assignment
from harness.timing import BURST_SECONDS, TIERS

_PERIOD = 0.9  # seconds between two lines of one phase; samples come once a second
# What nobody knows before takes so many seconds, in proportion to what the tier says.
_GUESSED = {"import": 3.0, "build": 2.0, "data": 1.0, "first_step": 1.0}
_GATE_SECONDS = 8.0, 2.0  # in the first process of a cell, and in another
_SEED_SECONDS = 20.0  # the source's own protocol
_LEAST = 0.5


def planned(assignment: Assignment) -> dict[str, float]:
    """Return the phases of a process in their order, with the seconds foreseen."""
    tier, cell = TIERS[assignment.cell.tier], assignment.cell
    lasting = cell.lasting and tier.rest_seconds and assignment.term_seconds is None
    own = cell.seed_plan is not None and assignment.seed_protocol
    seconds = {
        **{name: _GUESSED[name] for name in ("import", "build", "data")},
        "idle": tier.idle_seconds,
        "first_step": _GUESSED["first_step"],
        **({"seed": _SEED_SECONDS} if own else {}),
        "warmup": tier.warmup_seconds,
        **({"rest": tier.rest_seconds, "burst": BURST_SECONDS} if lasting else {}),
        "measure": tier.window_seconds,
        **({"settle": tier.settled_seconds} if lasting else {}),
        "step": min(tier.single_seconds, tier.window_seconds / 2),
        "gates": _GATE_SECONDS[assignment.run["replicate"] > 0],
        "execution": 1.0,
    }
    if (term := assignment.term_seconds) is not None:
        names = list(seconds)
        before = sum(seconds[name] for name in names[: names.index("measure")])
        seconds["measure"] = max(seconds["measure"] / 2, term - before)
    return {name: max(_LEAST, least) for name, least in seconds.items()}


class Progress:
    """Lines on standard error: what runs, its phase, and how many percent are done."""

    def __init__(self, assignment: Assignment) -> None:
        """Tell of the process of *assignment*, if it is to tell of its progress."""
        run = assignment.run
        turn = f"{run['replicate'] + 1}/{run['replicates']}"
        self._title = f"{assignment.cell.title}, {turn}"
        self._planned = planned(assignment) if assignment.progress else {}
        self._phase, self._share = "", 0.0
        self._seconds: dict[str, float] = {}  # of samples, by phase
        self._reported = 0.0

    def begin(self, phase: str) -> None:
        """Take in that a *phase* begins."""
        if phase in self._planned:
            self._tell(phase)

    def samples(self, content: dict[str, Any]) -> None:
        """Take in a line of samples: so many seconds of its phase are done."""
        phase, times = content.get("phase"), content.get("values")
        if not isinstance(phase, str) or not isinstance(times, list):
            return
        if phase not in self._planned:
            return
        done = sum(it for it in times if isinstance(it, int | float))
        self._seconds[phase] = self._seconds.get(phase, 0.0) + done
        if phase == self._phase and time.monotonic() - self._reported >= _PERIOD:
            self._tell(phase)

    def _tell(self, phase: str) -> None:
        names = list(self._planned)
        done = sum(self._planned[name] for name in names[: names.index(phase)])
        done += min(self._seconds.get(phase, 0.0), self._planned[phase])
        # A warm-up comes twice where there is a burst; the work never becomes less.
        self._share = max(self._share, done / sum(self._planned.values()))
        self._phase, self._reported = phase, time.monotonic()
        name, percent = phase.replace("_", " "), f"{100 * self._share:.0f} %"
        with suppress(OSError):  # nobody reads it
            print(f"{self._title}: {name}, {percent}", file=sys.stderr, flush=True)
