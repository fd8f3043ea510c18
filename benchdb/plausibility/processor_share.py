"""cpu-percent-mismatch: the CPU use of a script against its own times."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Scalar
from benchdb.plausibility.figures import figure, half_step, typos
from benchdb.plausibility.observed import Finding, Observed

CODE = "cpu-percent-mismatch"
_PARTS = ("user_seconds", "system_seconds", "wall_seconds", "cpu_percent")
METRICS = frozenset(f"script_{part}" for part in _PARTS)
# Less is explained by clocks that start and stop a moment apart.
_POINTS, _SHARE = 1.5, 0.015


class _Times(msgspec.Struct, frozen=True):
    """What _PARTS name, each with half of its last digit as printed."""

    figures: tuple[float, ...]
    halves: tuple[float, ...]

    @property
    def computed(self) -> float:
        """Return the percentage that follows from the times."""
        user, system, wall, _ = self.figures
        return 100 * (user + system) / wall

    @property
    def proportion(self) -> float | None:
        """Return user over system seconds, None where one of them is 0."""
        user, system, _, _ = self.figures
        return user / system if user > 0 and system > 0 else None

    def agree(self, *, slack: float = 0.0) -> bool:
        """Tell whether the percentage follows, cut off or rounded, within *slack*."""
        own_user, own_system, own_wall, stated = self.figures
        user, system, wall, last = self.halves
        busy = own_user + own_system
        low = 100 * (busy - user - system) / (own_wall + wall)
        rest = own_wall - wall
        high = 100 * (busy + user + system) / rest if rest > 0 else math.inf
        # A shell cuts off: 207 is anything from 207 to 208.
        return low - 2 * last - slack <= stated <= high + last + slack


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the runs whose percentage is not (user + system) / wall."""
    known = [(run, times) for run in runs if (times := _times(run))]
    habits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run, times in known:
        if times.proportion and times.agree(slack=_POINTS):
            habits[run.workload, run.device].append(times.proportion)
    for run, times in known:
        computed = times.computed
        if times.agree(slack=max(_POINTS, _SHARE * computed)):
            continue
        stated = figure(times.figures[-1])
        detail: dict[str, Scalar] = {"computed": round(computed, 1), "stated": stated}
        slip = _slip(run, times, habits[run.workload, run.device])
        part = "cpu_percent"
        if slip:
            place, candidate = slip
            part = _PARTS[place]
            detail |= {
                f"candidate_{part}": figure(round(candidate.figures[place], 6)),
                part: figure(times.figures[place]),
                "candidate": round(candidate.computed, 1),
            }
        yield Finding(run.run, CODE, f"script_{part}", detail)


def _times(run: Observed) -> _Times | None:
    if not run.values.keys() >= METRICS:
        return None
    user, system, wall, stated = (run.values[f"script_{part}"] for part in _PARTS)
    if min(user, system, stated) < 0 or wall <= 0:
        return None
    metrics = [f"script_{part}" for part in _PARTS]
    halves = [run.values[name] * half_step(run.printed.get(name)) for name in metrics]
    halves[3] = halves[3] or 0.5
    times = _Times((user, system, wall, stated), tuple(halves))
    return times if math.isfinite(times.computed) else None


def _slip(
    run: Observed, times: _Times, habit: Sequence[float]
) -> tuple[int, _Times] | None:
    """Return the one figure with which all would agree, one slip from what is there.

    Where several could be it, it is the one that gives user and system seconds a
    proportion as in the other runs of the workload, and by far; else none.
    """
    candidates = []
    for place, (part, value) in enumerate(zip(_PARTS, times.figures, strict=True)):
        before, after = times.figures[:place], times.figures[place + 1 :]
        for meant in typos(value, run.printed.get(f"script_{part}")):
            changed = replace(times, figures=(*before, meant, *after))
            if meant > 0 and changed.agree():
                candidates.append((place, changed))
    if len(candidates) < 2 or len(habit) < 2:
        return candidates[0] if len(candidates) == 1 else None
    usual = median(habit)
    candidates.sort(key=lambda slip: _distance(slip[1], usual))
    best, second = (_distance(changed, usual) for _, changed in candidates[:2])
    return candidates[0] if 2 * best < second else None


def _distance(times: _Times, usual: float) -> float:
    if times.proportion is None:
        return math.inf
    return abs(math.log(times.proportion / usual))
