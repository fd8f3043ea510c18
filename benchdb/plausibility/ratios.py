"""ratio-mismatch and speedup-wording: a stated ratio against the two values it is of.

"50 % faster" may mean half as much again for each second, half of the time, or (where
the slower one counts as 100 %) half of the speed.
"""

import math
from collections.abc import Sequence
from typing import Literal

from benchdb.exchange.messages import Flag, Scalar
from benchdb.plausibility.figures import half_step, proportion, significant_digits

Reading = Literal["faster", "less-time", "factor"]

RATIO_MISMATCH = "ratio-mismatch"
SPEEDUP_WORDING = "speedup-wording"
_CLEARLY = 0.05  # as near as this, it is clear which reading was meant
_BEYOND = 1e9  # no machine is so much quicker; the values are of different things
_ROUNDING = 1 + 1e-9  # of our own arithmetic


def flags_of(
    stated: float,
    unit: str,
    slower: float,
    faster: float,
    *,
    printed: Sequence[str | None] = (),
    says: Reading = "faster",
) -> tuple[Flag, ...]:
    """Return the flags of a statement that *faster* is quicker than *slower*.

    Both are times for the same work (for rates, hand them over the other way round).
    *unit* is ``x`` for a factor or ``%``; with any other there is nothing to compare.
    *printed* are the characters of *stated*, *slower* and *faster*: what follows within
    their last digits is no mismatch. *says* is what the words of a percentage mean;
    where the figure fits another meaning better, the wording is flagged.
    """
    ratio = proportion(slower, faster)
    if ratio is None or not 1 / _BEYOND < ratio < _BEYOND or not math.isfinite(stated):
        return ()
    text, *values = (*printed, None, None, None)[:3]
    text = text or f"{stated:.12g}"
    last = 2 * abs(stated) * half_step(text) * _ROUNDING
    spread = sum(map(half_step, values)) * _ROUNDING
    digits = max(3, significant_digits(text))
    recomputed = float(f"{ratio:.{digits}g}")
    if unit == "x":
        right = abs(stated - ratio) <= last + ratio * spread
        return () if right else (_mismatch(stated, recomputed),)
    if unit != "%":
        return ()
    readings = {
        "faster": 100 * (ratio - 1),
        "less-time": 100 * (1 - 1 / ratio),
        "factor": 100 * ratio,
    }
    # What each reading may be off, and what factor the percentage would stand for.
    off = {name: abs(stated - percent) for name, percent in readings.items()}
    share = {"faster": ratio, "less-time": 1 / ratio, "factor": ratio}
    allowed = {name: last + 100 * share[name] * spread for name in readings}
    if off[says] <= allowed[says]:
        return ()
    nearest: str = min(off, key=lambda name: off[name] / abs(readings[name] or 1))
    if off[nearest] > max(allowed[nearest], _CLEARLY * abs(readings[nearest])):
        nearest = says
    flags = []
    if nearest != says:
        # The gain to three digits: what is left of 1.575 without the 1.
        detail: dict[str, Scalar] = {
            "stated": stated,
            "ratio": round(1 + float(f"{ratio - 1:.3g}"), 12),
            "percent_faster": round(readings["faster"], 1),
            "percent_less_time": round(readings["less-time"], 1),
        }
        flags.append(Flag(code=SPEEDUP_WORDING, detail=detail))
    if off[nearest] > allowed[nearest]:
        as_factors = {
            "faster": 1 + stated / 100,
            "factor": stated / 100,
            "less-time": 100 / (100 - stated) if stated < 100 else 0.0,
        }
        flags.append(_mismatch(as_factors[nearest], recomputed))
    return tuple(flags)


def _mismatch(stated: float, recomputed: float) -> Flag:
    detail = {"stated": float(f"{stated:.12g}"), "recomputed": recomputed}
    return Flag(code=RATIO_MISMATCH, detail={**detail})
