"""What the rules have in common: which figures are speeds, and how to divide them."""

import math
import sys

# Seconds for a given piece of work: the same work in half of them is twice as fast.
TIMES = (
    "script_wall_seconds",
    "epoch_seconds",
    "step_seconds",
    "reported_step_seconds",
    "operation_seconds",
    "operation_synced_seconds",
    "command_wall_seconds",
    "time_to_train_seconds",
    "latency_mean_seconds",
    "latency_median_seconds",
)
# Pieces of work for each second.
RATES = (
    "fit_samples_per_second",
    "samples_per_second",
    "reported_samples_per_second",
    "epochs_per_hour",
    "tokens_per_second",
    "operations_per_second",
    "frames_per_second",
)
_BEYOND = 700.0  # the logarithm of more than that is no float


def proportion(one: float | None, other: float | None) -> float | None:
    """Return *one* divided by *other*, where both are above 0 and so is the outcome.

    The outcome of huge and tiny numbers is infinite or 0, and says nothing.
    """
    if one is None or other is None or not (one > 0 and other > 0):
        return None
    ratio = one / other
    return ratio if 0 < ratio < math.inf else None


def factor(log: float) -> float:
    """Return the factor whose logarithm is *log*, or the largest of all factors."""
    return math.exp(max(-_BEYOND, min(log, _BEYOND)))


def figure(value: float) -> int | float:
    """Return *value* as people write it: whole numbers without a decimal point.

    One too large for a float is the largest.
    """
    finite = min(value, sys.float_info.max)
    return int(finite) if abs(finite) < 2**53 and finite == int(finite) else finite


def rounded(value: float, digits: int = 4) -> int | float:
    """Return *value* to so many significant digits."""
    return figure(float(f"{value:.{digits}g}"))
