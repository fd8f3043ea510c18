"""cpu-percent-mismatch: the CPU use of a script against its own times."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from benchdb.plausibility.figures import figure, half_step, typos
from benchdb.plausibility.observed import Finding, Observed

CODE = "cpu-percent-mismatch"
_PARTS = ("user_seconds", "system_seconds", "wall_seconds", "cpu_percent")
METRICS = frozenset(f"script_{part}" for part in _PARTS)
# Less is explained by clocks that start and stop a moment apart.
_POINTS, _SHARE = 1.5, 0.015


class _Times(msgspec.Struct, frozen=True):
    """Seconds and a percentage, each with half of its last digit as printed."""

    user: float
    system: float
    wall: float
    stated: float
    halves: tuple[float, ...]

    @property
    def computed(self) -> float:
        return 100 * (self.user + self.system) / self.wall

    def meaning(self, name: str, value: float) -> "_Times":
        """Return the same with another *value* of one of them."""
        match name:
            case "user":
                return replace(self, user=value)
            case "system":
                return replace(self, system=value)
            case "wall":
                return replace(self, wall=value)
        return replace(self, stated=value)

    def agree(self, *, slack: float = 0.0) -> bool:
        """Tell whether *stated* follows, cut off or rounded, within *slack* points."""
        user, system, wall, last = self.halves
        busy = self.user + self.system
        low = 100 * (busy - user - system) / (self.wall + wall)
        rest = self.wall - wall
        high = 100 * (busy + user + system) / rest if rest > 0 else math.inf
        # A shell cuts off: 207 is anything from 207 to 208.
        return low - 2 * last - slack <= self.stated <= high + last + slack


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the runs whose percentage is not (user + system) / wall."""
    known = [(run, times) for run in runs if (times := _times(run))]
    habits = _habits(known)
    for run, times in known:
        slack = max(_POINTS, _SHARE * times.computed)
        if not times.agree(slack=slack):
            yield _finding(run, times, habits.get((run.workload, run.device), []))


def _finding(run: Observed, times: _Times, habit: Sequence[float]) -> Finding:
    stated, computed = figure(times.stated), round(times.computed, 1)
    detail: dict[str, int | float] = {"computed": computed, "stated": stated}
    slip = _slip(run, times, habit)
    if slip is None:
        return Finding(run.run, CODE, "script_cpu_percent", detail)
    part, meant = slip
    detail |= {
        f"candidate_{part}": figure(round(getattr(meant, _FIELDS[part]), 6)),
        part: figure(getattr(times, _FIELDS[part])),
        "candidate": round(meant.computed, 1),
    }
    return Finding(run.run, CODE, f"script_{part}", detail)


_FIELDS = dict(zip(_PARTS, ("user", "system", "wall", "stated"), strict=True))


def _times(run: Observed) -> _Times | None:
    if not run.values.keys() >= METRICS:
        return None
    user, system, wall, stated = (run.values[f"script_{part}"] for part in _PARTS)
    if min(user, system, stated) < 0 or wall <= 0:
        return None
    halves = [_half(run, f"script_{part}") for part in _PARTS]
    halves[3] = halves[3] or 0.5
    times = _Times(user, system, wall, stated, tuple(halves))
    return times if math.isfinite(times.computed) else None


def _half(run: Observed, metric: str) -> float:
    return run.values[metric] * half_step(run.printed.get(metric))


def _habits(
    known: Sequence[tuple[Observed, _Times]],
) -> dict[tuple[str, str], list[float]]:
    """Return user over system seconds by workload and device, where times agree."""
    habits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run, times in known:
        if times.agree(slack=_POINTS) and times.user > 0 and times.system > 0:
            habits[run.workload, run.device].append(times.user / times.system)
    return habits


def _slip(
    run: Observed, times: _Times, habit: Sequence[float]
) -> tuple[str, _Times] | None:
    """Return the one figure with which all would agree, one slip from what is there.

    Where several could be it, it is the one that gives user and system seconds a
    proportion as in the other runs of the workload, and by far; else none.
    """
    found = [
        (part, meant)
        for part, name in _FIELDS.items()
        for value in typos(getattr(times, name), run.printed.get(f"script_{part}"))
        if value > 0 and (meant := times.meaning(name, value)).agree()
    ]
    if len(found) < 2 or len(habit) < 2:
        return found[0] if len(found) == 1 else None
    usual = median(habit)
    ranked = sorted(found, key=lambda one: _distance(one[1], usual))
    best, second = (_distance(one[1], usual) for one in ranked[:2])
    return ranked[0] if 2 * best < second else None


def _distance(times: _Times, usual: float) -> float:
    if times.user <= 0 or times.system <= 0:
        return math.inf
    return abs(math.log(times.user / times.system / usual))
