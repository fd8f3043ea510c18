"""What the rules have in common: speeds and their ratios, printed digits, and typos."""

import math
import re
import sys
from collections.abc import Iterator

# Seconds for a given piece of work: the same work in half of them is twice as fast.
TIMES = (
    *("script_wall_seconds", "epoch_seconds", "step_seconds", "reported_step_seconds"),
    *("operation_seconds", "operation_synced_seconds", "command_wall_seconds"),
    *("work_seconds", "image_seconds", "time_per_token_seconds"),
    *("time_to_train_seconds", "latency_mean_seconds", "latency_median_seconds"),
)
SAMPLE_RATES = (
    "fit_samples_per_second",
    "samples_per_second",
    "reported_samples_per_second",
)
# Pieces of work for each second.
RATES = (
    *SAMPLE_RATES,
    "epochs_per_hour",
    "tokens_per_second",
    "operations_per_second",
    "steps_per_second",
    "speed_factor",
    "frames_per_second",
)
_BEYOND = 700.0  # the logarithm of more than that is no float


def proportion(dividend: float | None, divisor: float | None) -> float | None:
    """Return *dividend* / *divisor*, where both and the outcome are above 0.

    The outcome of huge and tiny numbers is infinite or 0, and says nothing.
    """
    if dividend is None or divisor is None or not (dividend > 0 and divisor > 0):
        return None
    ratio = dividend / divisor
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


# A numeral in any locale, and durations: 1:53,65, 1.234,5, 12 345, 2m36s.
_NUMERAL = re.compile(r"\d+(?:(?:[.,:'’_\u00a0\u202f]|[hm] ?|min ?)\d+| \d{3}(?!\d))*")
_LOOKED_AT = 80  # characters; no numeral that a person reads is longer
_MOST = 17  # digits that a float can keep


def numeral(printed: str) -> str:
    """Return the first number in *printed*, without its unit; ``""`` if none."""
    match = _NUMERAL.search(printed[:_LOOKED_AT])
    return match.group() if match else ""


def significant_digits(printed: str) -> int:
    """Return how many digits of *printed* say something, at most 17.

    Zeros at the end of a whole number may be rounded ones: they do not count, nor
    those after a mark that may group thousands (``1,100``).
    """
    marks = re.split(r"[^\d]", numeral(printed))
    digits = "".join(marks).lstrip("0")
    if len(marks) == 1 or len(marks[-1]) == 3:
        digits = digits.rstrip("0")
    return min(len(digits), _MOST)


def half_step(printed: str | None) -> float:
    """Return half of the last digit of *printed*, as a share of the figure.

    It is 0 where nothing is printed, or no number: the figure then counts as exact.
    """
    digits = re.sub(r"\D", "", numeral(printed or ""))[: _MOST + 3]
    whole = int(digits or 0)
    return 0.5 / whole if whole else 0.0


_READABLE = re.compile(r"(?:\d+:){0,2}\d+(?:[.,]\d+)?")
_LONGEST = 14  # characters; longer ones were never typed by hand
_DIGITS = "0123456789"


def typos(value: float, printed: str | None) -> set[float]:
    """Return what *printed* would mean with one digit changed, missing or too many.

    Two neighbouring digits that changed places count as well. *value* is what it does
    mean; a numeral that cannot be read so simply is taken as the value spelled out.
    """
    text = numeral(printed or "")
    candidate = _numeral_value(text)
    if candidate is None or abs(candidate - value) > 1e-9 * abs(value):
        text = f"{value:.10g}"
    variants = map(_numeral_value, _variants(text) if len(text) <= _LONGEST else ())
    return {candidate for candidate in variants if candidate is not None}


def _numeral_value(text: str) -> float | None:
    if not _READABLE.fullmatch(text):
        return None
    value = 0.0
    for part in text.replace(",", ".").split(":"):
        value = 60 * value + float(part)
    return value


def _variants(text: str) -> Iterator[str]:
    for place in range(len(text) + 1):
        before, after = text[:place], text[place:]
        yield from (before + digit + after for digit in _DIGITS)
        if after[:1].isdecimal():
            others = {"", *_DIGITS} - {after[0]}
            yield from (before + digit + after[1:] for digit in others)
        if after[:2].isdecimal() and len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]
