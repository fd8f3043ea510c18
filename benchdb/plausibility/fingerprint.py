"""A digest of what was measured on what: equal ones are one figure, told twice.

Of a run that a collector measured it is one of its samples, whatever else it says.
"""

import re
from itertools import islice

from benchdb.exchange.record import Record
from benchdb.identity import digest
from benchdb.plausibility.figures import significant_digits

_SAME = 12  # significant digits to which figures are compared
# Times that are looked at, the digits of what each is of the first, and how many of
# those must be different.
_TIMES, _RATIO_DIGITS, _FEWEST = 64, 7, 8
_SIZES = ("batch_size", "size", "image_size", "sequence_length")
_CARDS = re.compile(r"\b(nvidia|geforce|tesla|quadro|amd|radeon|apple|intel)\b")


def fingerprint(record: Record) -> tuple[str, int] | None:
    """Return a digest of what was measured on what, and how many digits it rests on.

    Equal figures of equal work on equal hardware are equal here, whoever tells them.
    Return None for runs without figures, and for measured ones with few samples.
    """
    if record.run.label == "measured":
        return _of_samples(record)
    values = [value for value in record.end.values if value.value is not None]
    if not values:
        return None
    sizes = record.run.parameters
    content = {
        "hardware": _hardware(record),
        "device": record.run.device,
        "workload": record.run.workload,
        "sizes": {name: sizes[name] for name in _SIZES if name in sizes},
        "figures": sorted((one.metric, _rounded(one.value or 0.0)) for one in values),
    }
    digits = sum(
        significant_digits(one.printed or f"{one.value:.{_SAME}g}") for one in values
    )
    return digest(content), digits


def _of_samples(record: Record) -> tuple[str, int] | None:
    """Return a digest of how the measured times follow each other.

    Times that were all scaled alike follow each other as before. A clock of few ticks
    repeats itself: what has few different times is told from nothing.
    """
    timed = (
        seconds / one.per
        for one in record.series
        if one.phase == "measure"
        for seconds in one.values
    )
    first, *others = list(islice(timed, _TIMES)) or [0.0]
    if record.end.status != "ok" or first <= 0:
        return None
    shape = [f"{seconds / first:.{_RATIO_DIGITS}g}" for seconds in others]
    if len(set(shape)) < _FEWEST:
        return None
    return digest({"samples": shape}), len(shape)


def _hardware(record: Record) -> str:
    """Return what computed: the card where there is one, else the chip."""
    run, chip = record.run, record.machine.chip
    name = chip.name
    if run.device in ("cuda", "rocm"):
        cards = sorted({card.name for card in chip.accelerators})
        name = run.device_name or (cards[0] if len(cards) == 1 else name)
    return " ".join(_CARDS.sub(" ", name.casefold()).split())


def _rounded(value: float) -> float:
    return float(f"{value:.{_SAME - 1}e}") or 0.0
