"""Whether the blocks of a run came to rest; it is told, and nothing is thrown away."""

import math
from collections.abc import Sequence
from statistics import fmean, median, quantiles, variance
from typing import Any

STEADY_PERCENT = 1.0
# As hyperfine judges outliers: distance from the median in units of the MAD.
_OUTLIER = 14.8
_LEAST_SIDE = 3
# The interval of a median needs as many; of fewer nobody can tell drift from noise.
_LEAST_BLOCKS = 6
# A shift must also stand out of the noise: the largest of many splits of pure noise
# reaches a t of 3.5 once in twenty runs.
_LEAST_T = 4.0


def steady(times: Sequence[float]) -> dict[str, Any]:
    """Return drift, shift and first block of *times*, and whether all are at rest.

    Drift compares the medians of the first and the last third, in percent; a shift
    is the one change of the mean that explains most, if it stands out. Of too few
    blocks nothing is said but that.
    """
    if len(times) < _LEAST_BLOCKS:
        return {"steady": None, "why": f"{len(times)} blocks; it takes {_LEAST_BLOCKS}"}
    third = len(times) // 3
    first, last = median(times[:third]), median(times[-third:])
    drift = 100 * (last / first - 1)
    shift, at = changepoint(times)
    outlier = first_is_outlier(times)
    quiet = abs(drift) < STEADY_PERCENT and abs(shift) <= STEADY_PERCENT
    return {
        "first_third": first,
        "last_third": last,
        "drift_pct": round(drift, 3),
        "changepoint_pct": round(shift, 3),
        "changepoint_block": at,
        "first_block_outlier": outlier,
        "steady": quiet and not outlier,
    }


def changepoint(times: Sequence[float]) -> tuple[float, int | None]:
    """Return the percentage and block of the strongest shift of the mean; 0 if none."""
    best, shift, at = _LEAST_T, 0.0, None
    for split in range(_LEAST_SIDE, len(times) - _LEAST_SIDE + 1):
        before, after = times[:split], times[split:]
        strength = _welch_t(before, after)
        if strength > best:
            best, at = strength, split
            shift = 100 * (fmean(after) / fmean(before) - 1)
    return shift, at


def _welch_t(before: Sequence[float], after: Sequence[float]) -> float:
    difference = abs(fmean(after) - fmean(before))
    spread = variance(before) / len(before) + variance(after) / len(after)
    if spread == 0:
        return math.inf if difference > 0 else 0.0
    return difference / math.sqrt(spread)


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
