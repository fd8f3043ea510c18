"""Round numbers on a logarithmic axis, for the sections and for the charts."""

import math

_MOST_TICKS = 7


def axis_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return round numbers on a log axis around *low* … *high*: 1-2-5, 1-3 or decades.

    The first is at most *low* and the last at least *high*.
    """
    for steps in ((1, 2, 5), (1, 3)):
        ticks = _around(low, high, steps, stride=1)
        if len(ticks) <= _MOST_TICKS:
            return ticks
    stride = 1
    while len(ticks := _around(low, high, (1,), stride)) > _MOST_TICKS:
        stride += 1
    return ticks


def _around(
    low: float, high: float, steps: tuple[int, ...], stride: int
) -> tuple[float, ...]:
    first = math.floor(math.log10(low))
    first -= float(f"1e{first}") > low  # the logarithm was rounded up
    last = math.ceil(math.log10(high)) + 1 + stride
    marks = [
        float(f"{step}e{decade}")
        for decade in range(first, last + 1, stride)
        for step in steps
    ]
    start = max(index for index, mark in enumerate(marks) if mark <= low)
    end = min(index for index, mark in enumerate(marks) if mark >= high)
    return tuple(marks[start : max(end, start + 1) + 1])
