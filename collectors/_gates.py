"""The gates: it was the workload, on the device, and its numbers make sense."""

import hashlib
import math
import os
import sys
from array import array
from collections.abc import Sequence
from statistics import median
from typing import Any

from _messages import finite

# Of a block of a product, relative to its largest entry. Entries are sums of M random
# terms, so rounding of the operands dominates, whatever M.
ERROR_TOLERANCE = {
    "fp64": 1e-12,
    "fp32": 1e-5,
    "tf32": 5e-3,
    "fp16": 1e-2,
    "bf16": 3e-2,
}
STEADY_PERCENT = 1.0


def parameter_count(expected: int | None, counted: int | None) -> dict[str, Any]:
    """Return whether the model has exactly the catalogue's parameters."""
    return {"expected": expected, "counted": counted, "ok": expected == counted}


def device(asked: str, placed_on: set[str]) -> dict[str, Any]:
    """Return whether parameters and result are where they were asked to be."""
    fallback = os.environ.get("PYTORCH_ENABLE_MPS_FALLBACK")
    return {
        "asked": asked,
        "found": sorted(placed_on),
        "mps_fallback": fallback,
        "ok": placed_on == {asked},
    }


def loss(losses: Sequence[float]) -> dict[str, Any]:
    """Return whether the loss stayed finite and moved: evidence that it trained."""
    all_finite = all(math.isfinite(value) for value in losses)
    moving = len(set(losses)) > 1
    return {
        "first": finite(losses[0]),
        "last": finite(losses[-1]),
        "read": len(losses),
        "finite": all_finite,
        "moving": moving,
        "ok": all_finite and moving,
    }


def loss_digest(losses: Sequence[float]) -> str:
    """Return the SHA-256 over the losses as little-endian float32."""
    trace = array("f", losses)
    if sys.byteorder == "big":
        trace.byteswap()
    return hashlib.sha256(trace.tobytes()).hexdigest()


def relative_error(error: float, precision: str) -> dict[str, Any]:
    """Return whether a product deviates from float64 no more than its precision."""
    tolerance = ERROR_TOLERANCE[precision]
    within = math.isfinite(error) and error <= tolerance
    return {"found": finite(error), "tolerance": tolerance, "ok": within}


def steady(times: Sequence[float]) -> dict[str, Any]:
    """Return how far the last third of the blocks drifted from the first.

    Not a gate: an unsteady run is shown as such, not thrown away.
    """
    third = max(1, len(times) // 3)
    first, last = median(times[:third]), median(times[-third:])
    drift = 100 * (last / first - 1)
    return {
        "first_third": first,
        "last_third": last,
        "drift_pct": round(drift, 3),
        "steady": abs(drift) < STEADY_PERCENT,
    }


def failures(checks: dict[str, Any]) -> list[str]:
    """Return the gates that did not hold, each with what was found."""
    return [
        f"{name} {_found(check)}"
        for name, check in checks.items()
        if isinstance(check, dict) and check.get("ok") is False
    ]


def _found(check: dict[str, Any]) -> str:
    facts = ", ".join(f"{key} {value}" for key, value in check.items() if key != "ok")
    return f"({facts})"
