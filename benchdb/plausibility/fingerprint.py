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
    run, chip = record.run, record.machine.chip
    if run.label == "measured":
        return _of_samples(record)
    figures, digits = [], 0
    for figure in record.end.values:
        if figure.value is not None:
            text = f"{figure.value:.{_SAME - 1}e}"
            figures.append((figure.metric, float(text) or 0.0))
            digits += significant_digits(figure.printed or f"{figure.value:.{_SAME}g}")
    if not figures:
        return None
    hardware = chip.name
    if run.device in ("cuda", "rocm"):
        cards = sorted({card.name for card in chip.accelerators})
        hardware = run.device_name or (cards[0] if len(cards) == 1 else hardware)
    content = {
        "hardware": " ".join(_CARDS.sub(" ", hardware.casefold()).split()),
        "device": run.device,
        "workload": run.workload,
        "sizes": {n: run.parameters[n] for n in _SIZES if n in run.parameters},
        "figures": sorted(figures),
    }
    return digest(content), digits


def _of_samples(record: Record) -> tuple[str, int] | None:
    """Return a digest of how the measured times follow each other.

    Times that were all scaled alike follow each other as before. A clock of few ticks
    repeats itself: what has few different times is told from nothing.
    """
    timed = (
        seconds / series.per
        for series in record.series
        if series.phase == "measure"
        for seconds in series.values
    )
    first, *others = list(islice(timed, _TIMES)) or [0.0]
    if record.end.status != "ok" or first <= 0:
        return None
    shape = [f"{seconds / first:.{_RATIO_DIGITS}g}" for seconds in others]
    if len(set(shape)) < _FEWEST:
        return None
    return digest({"samples": shape}), len(shape)
