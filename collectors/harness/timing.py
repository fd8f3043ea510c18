"""The timing protocol: tiers, warm-up, calibration, synchronised blocks, their rest.

Of work that lasts, the first two seconds after a rest are the burst, and what is left
once it no longer changes is the sustained rate.

Every clock starts and stops on a synchronised device. A block, not a step, is the
unit: synchronising after each step would hide the overlap of launch and work.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, pstdev, quantiles, variance
from time import monotonic, perf_counter, perf_counter_ns
from typing import Any

from harness.framework import Work

Record = Callable[[str, int, float], None]
STEADY_PERCENT = 1.0
# As hyperfine judges outliers: distance from the median in units of the MAD.
_OUTLIER = 14.8
_LEAST_SIDE = 3
# The interval of a median needs as many; of fewer nobody can tell drift from noise.
_LEAST_BLOCKS = 6
# A shift must also stand out of the noise: the largest of many splits of pure noise
# reaches a t of 3.5 once in twenty runs.
_LEAST_T = 4.0
# A warm-up sample is at least this long once the fixed steps are done, else a product
# of 32 x 32 would leave a million of them.
_WARMUP_CHUNK_SECONDS = 0.1
# Blocks vary: aim a little above the least time, or half of them would miss it.
_CALIBRATION_MARGIN = 1.1
# nvbench's rule: when the noise itself has come to rest, more blocks tell no more.
_NOISE_ESTIMATES = 64
_NOISE_SPREAD = 0.05
# Doubled blocks: so many pairs in so many seconds; one pair may take longer.
_PAIRS = 6
_PAIR_SECONDS = 10.0
TERM_PAIR_SECONDS = 4.0  # where the process has a term
_LONGEST_PAIR = 30.0
BURST_SECONDS = 2.0
_KNOWN_PERCENT = 2.0  # of the sustained rate: half its interval, where it is settled
# Of a block: a longer one is no part of two seconds.
_LONGEST_OF_BURST = 2 * BURST_SECONDS


@dataclass(frozen=True)
class Tier:
    """How often and how long; seconds throughout, limits end a phase regardless.

    *half_width* makes it go on past the minimum until the median is known so well,
    relative to itself. *process_limit* is when a worker counts as hanging.
    *rest_seconds* come before the burst; 0 asks for no burst and no sustained rate.
    That is of *settled_seconds* in which nothing changes, and looked for up to
    *settling_limit* seconds after the rest.
    """

    processes: int
    warmup_steps: int
    warmup_seconds: float
    warmup_limit: float
    blocks: int
    window_seconds: float
    window_limit: float
    block_seconds: float = 0.5
    single_steps: int = 50
    single_seconds: float = 5.0
    half_width: float | None = None
    idle_seconds: float = 2.0
    cool_seconds: float = 60.0
    process_limit: float = 3600.0
    rest_seconds: float = 0.0
    settled_seconds: float = 30.0
    settling_limit: float = 180.0

    def least_seconds(self, *, lasting: bool) -> float:
        """Return how long a process takes at least, beside building and the source's.

        *lasting* is work of which burst and sustained rate are asked for.
        """
        once = self.idle_seconds + self.warmup_seconds
        if not (lasting and self.rest_seconds):
            return once + self.window_seconds
        warm_again = max(BURST_SECONDS, self.warmup_seconds)
        stretch = max(
            warm_again + self.window_seconds, BURST_SECONDS + self.settled_seconds
        )
        return once + self.rest_seconds + stretch


TIERS = {
    "smoke": Tier(
        *(1, 3, 0, math.inf, 5, 0, math.inf, 0),
        single_steps=3,
        single_seconds=math.inf,
        idle_seconds=0,
        cool_seconds=0,
        process_limit=900,
    ),
    "quick": Tier(3, 10, 5, 30, 10, 10, 60, cool_seconds=15, process_limit=1800),
    "standard": Tier(5, 10, 5, 120, 20, 20, 120, half_width=0.005, rest_seconds=30),
    "reference": Tier(
        *(10, 20, 30, 120, 40, 60, 240),
        half_width=0.005,
        process_limit=7200,
        rest_seconds=30,
        settled_seconds=60,
        settling_limit=300,
    ),
}


def extents(tier: Tier) -> dict[str, float | None]:
    """Return what decides how long a process takes; None has no limit.

    *gate_seconds* are those of the first process of a cell where it has a term,
    *pair_seconds* where it has none.
    """
    limits = {
        "warmup_limit": tier.warmup_limit,
        "window_limit": tier.window_limit,
        "single_seconds": tier.single_seconds,
    }
    return {
        "warmup_steps": tier.warmup_steps,
        "warmup_seconds": tier.warmup_seconds,
        "blocks": tier.blocks,
        "block_seconds": tier.block_seconds,
        "window_seconds": tier.window_seconds,
        "idle_seconds": tier.idle_seconds,
        "gate_seconds": TERM_PAIR_SECONDS if tier.block_seconds else 0.0,
        "pair_seconds": _PAIR_SECONDS if tier.block_seconds else 0.0,
        "single_steps": tier.single_steps,
        **{k: v if math.isfinite(v) else None for k, v in limits.items()},
    }


def timed(work: Work, steps: int) -> float:
    """Return the seconds of *steps* steps, the device synchronised at both ends."""
    work.synchronise()
    started = perf_counter_ns()
    for _ in range(steps):
        work.step()
    work.synchronise()
    return (perf_counter_ns() - started) / 1e9


def warm_up(work: Work, tier: Tier, record: Record) -> float:
    """Run the tier's warm-up; return what a step took at its end.

    It ends by the protocol, never when it looks warm: then runs would differ.
    """
    started = perf_counter()
    done, chunk = 0, 1
    while True:
        seconds = timed(work, chunk)
        record("warmup", chunk, seconds)
        done += chunk
        elapsed = perf_counter() - started
        warm = done >= tier.warmup_steps and elapsed >= tier.warmup_seconds
        if warm or elapsed >= tier.warmup_limit:
            return seconds / chunk
        if done >= tier.warmup_steps and seconds < _WARMUP_CHUNK_SECONDS:
            chunk *= 2


def steps_for(block_seconds: float, step_seconds: float) -> int:
    """Return how many steps make a block of at least *block_seconds*."""
    if step_seconds >= block_seconds:
        return 1
    if step_seconds <= 0:
        return 1_000_000
    return math.ceil(_CALIBRATION_MARGIN * block_seconds / step_seconds)


def calibrate(work: Work, tier: Tier, estimate: float, record: Record) -> int:
    """Return the steps of a block, tried out: a block must last long enough."""
    if tier.block_seconds == 0:
        return 1
    steps = steps_for(tier.block_seconds, estimate)
    while steps > 1 or estimate < tier.block_seconds:
        seconds = timed(work, steps)
        record("warmup", steps, seconds)
        if seconds >= tier.block_seconds:
            break
        steps = max(steps + 1, steps_for(tier.block_seconds, seconds / steps))
    return steps


def measure(
    work: Work, tier: Tier, steps: int, record: Record, each: Callable[[], None]
) -> tuple[list[float], str]:
    """Return the block times and why there are no more; *each* runs between blocks."""
    times: list[float] = []
    started = perf_counter()
    while True:
        times.append(timed(work, steps))
        record("measure", steps, times[-1])
        each()
        if reason := stop_reason(tier, times, perf_counter() - started):
            return times, reason


@dataclass
class Stretch:
    """Blocks of work without a pause, as they are recorded.

    *ends* are by the monotonic clock, which all processes of a machine share. The first
    *burst_blocks* are the burst, which is no part of what has settled.
    """

    record: Record
    burst_blocks: int = 0
    seconds: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def __call__(self, phase: str, per: int, seconds: float) -> None:
        """Take the time of a block that has just ended."""
        self.ends.append(monotonic())
        self.seconds.append(seconds)
        self.record(phase, per, seconds)

    @property
    def elapsed(self) -> float:
        """Return the seconds from the first block's begin to the last one's end."""
        return self.since(0) if self.ends else 0.0

    def since(self, block: int) -> float:
        """Return the seconds from the begin of a block, counted from 0, to the end."""
        return self.ends[-1] - self.ends[block] + self.seconds[block]

    def last(self, seconds: float) -> int | None:
        """Return the first of the blocks that fill the last *seconds* after the burst.

        None where there are not yet so many, or too few to see a drift in.
        """
        first, least = len(self.ends) - _LEAST_BLOCKS, self.burst_blocks
        while first >= least and self.since(first) < seconds:
            first -= 1
        return first if first >= least else None


def burst(work: Work, steps: int, stretch: Stretch) -> None:
    """Time the first two seconds of a stretch, in blocks of *steps*."""
    while stretch.elapsed < BURST_SECONDS:
        stretch("burst", steps, timed(work, steps))
    stretch.burst_blocks = len(stretch.seconds)


def is_too_long(block_seconds: float) -> str | None:
    """Return why blocks so long show no burst, or None."""
    if block_seconds <= _LONGEST_OF_BURST:
        return None
    first = f"its first {BURST_SECONDS:g} s are part of one step"
    return f"a block takes {block_seconds:.3g} s: {first}"


def settle(work: Work, tier: Tier, steps: int, stretch: Stretch) -> int | str:
    """Go on until the rate no longer changes; return from which block on that was so.

    Else a text says that it changed to the end. A rate has settled where the last
    ``settled_seconds`` show neither drift nor shift by more than 1 %, and their median
    is known to 2 %: of blocks that scatter more, such as beside other work, nobody can
    tell.
    """
    seen = f"fewer than {_LEAST_BLOCKS} blocks"
    while True:
        first = stretch.last(tier.settled_seconds)
        if first is not None:
            times = stretch.seconds[first:]
            # The shift takes longer to look for, and the device waits meanwhile.
            change = drift(times)
            if abs(change) < STEADY_PERCENT:
                change, _ = changepoint(times)
            window = f"the last {stretch.since(first):.0f} s"
            seen = f"the time of a step changed by {change:+.2g} % within {window}"
            if abs(change) <= STEADY_PERCENT:
                low, high = median_interval(times)
                known = 50 * (high - low) / median(times)
                if known <= _KNOWN_PERCENT:
                    return first
                seen = f"the median of {window} is known to {known:.2g} % only"
        if stretch.elapsed >= tier.settling_limit:
            return f"it did not settle in {stretch.elapsed:.0f} s: {seen}"
        stretch("settle", steps, timed(work, steps))


def stop_reason(tier: Tier, times: Sequence[float], elapsed: float) -> str | None:
    """Return why to stop now: limit, count, tight or noise-stable; None to go on."""
    if elapsed >= tier.window_limit:
        return "limit"
    if len(times) < tier.blocks or elapsed < tier.window_seconds:
        return None
    if tier.half_width is None:
        return "count"
    low, high = median_interval(times)
    if (high - low) / 2 < tier.half_width * median(times):
        return "tight"
    return "noise-stable" if noise_is_stable(times) else None


def noise_is_stable(times: Sequence[float]) -> bool:
    """Return whether the last estimates of the relative noise hardly differ."""
    first = len(times) - _NOISE_ESTIMATES
    if first < 2:
        return False
    # In one pass: this is asked between blocks, while the device waits. Sums of what
    # differs from the first time lose no digits to its size.
    noise, total, squares = [], 0.0, 0.0
    for count, seconds in enumerate(times, start=1):
        total += seconds - times[0]
        squares += (seconds - times[0]) ** 2
        if count > first:
            variance = max(0.0, squares / count - (total / count) ** 2)
            noise.append(math.sqrt(variance) / (times[0] + total / count))
    return pstdev(noise) < _NOISE_SPREAD * fmean(noise)


def median_interval(times: Sequence[float]) -> tuple[float, float]:
    """Return a 95 % interval of the median from order statistics.

    It only decides when to stop: blocks follow each other, so they are not
    independent, and nothing is published from it. Below six it is the range.
    """
    count, below, rank = len(times), 0.0, 0
    for rank in range(count // 2):
        below += math.comb(count, rank) / 2**count
        if below > 0.025:
            break
    lowest = max(rank - 1, 0)
    ordered = sorted(times)
    return ordered[lowest], ordered[count - 1 - lowest]


def single_steps(work: Work, tier: Tier, step_seconds: float, record: Record) -> bool:
    """Time steps one by one: a distribution, not the headline.

    By the device's own clock where it has one; else each is waited for, which hides
    the overlap of launch and work. Return whether it was so.
    """
    steps = max(1, int(min(tier.single_steps, tier.single_seconds / step_seconds)))
    times = work.step_times(steps)
    for seconds in times or (timed(work, 1) for _ in range(steps)):
        record("step", 1, seconds)
    return times is None


def doubled(
    work: Work, steps: int, step_seconds: float, most_seconds: float = _PAIR_SECONDS
) -> list[tuple[float, float]]:
    """Return seconds of *steps* and of twice as many steps, in turn; [] if too long.

    There are as many pairs as *most_seconds* have room for, or one. Either goes first
    as often as the other, so that drift does not look like a ratio.
    """
    pair = 3 * steps * step_seconds
    if pair > _LONGEST_PAIR:
        return []
    pairs = []
    for turn in range(max(1, min(_PAIRS, int(most_seconds / pair)))):
        first, then = (steps, 2 * steps) if turn % 2 == 0 else (2 * steps, steps)
        times = {first: timed(work, first), then: timed(work, then)}
        pairs.append((times[steps], times[2 * steps]))
    return pairs


def steady(times: Sequence[float]) -> dict[str, Any]:
    """Return drift, shift and first block of *times*, and whether all are at rest.

    Drift compares the medians of the first and the last third, in percent; a shift
    is the one change of the mean that explains most, if it stands out. Of too few
    blocks nothing is said but that.
    """
    if len(times) < _LEAST_BLOCKS:
        return {"steady": None, "why": f"{len(times)} blocks; it takes {_LEAST_BLOCKS}"}
    third, change = len(times) // 3, drift(times)
    shift, at = changepoint(times)
    outlier = first_is_outlier(times)
    quiet = abs(change) < STEADY_PERCENT and abs(shift) <= STEADY_PERCENT
    return {
        "first_third": median(times[:third]),
        "last_third": median(times[-third:]),
        "drift_pct": round(change, 3),
        "changepoint_pct": round(shift, 3),
        "changepoint_block": at,
        "first_block_outlier": outlier,
        "steady": quiet and not outlier,
    }


def drift(times: Sequence[float]) -> float:
    """Return by how many percent the median of the last third is above the first's."""
    third = len(times) // 3
    return 100 * (median(times[-third:]) / median(times[:third]) - 1)


def changepoint(times: Sequence[float]) -> tuple[float, int | None]:
    """Return the percentage and block of the strongest shift of the mean; 0 if none."""
    best, shift, at = _LEAST_T, 0.0, None
    for split in range(_LEAST_SIDE, len(times) - _LEAST_SIDE + 1):
        before, after = times[:split], times[split:]
        spread = variance(before) / len(before) + variance(after) / len(after)
        difference = abs(fmean(after) - fmean(before))
        strength = math.inf if difference else 0.0
        if spread:
            strength = difference / math.sqrt(spread)  # Welch's t
        if strength > best:
            best, at = strength, split
            shift = 100 * (fmean(after) / fmean(before) - 1)
    return shift, at


def first_is_outlier(times: Sequence[float]) -> bool:
    """Return whether the first block stands apart from the others."""
    rest = times[1:]
    if len(rest) < _LEAST_SIDE:
        return False
    middle = median(rest)
    deviation = median(abs(value - middle) for value in rest)
    low, _, high = quantiles(rest, n=4)
    far = deviation > 0 and abs(times[0] - middle) / deviation > _OUTLIER
    return far and times[0] > high + 1.5 * (high - low)
