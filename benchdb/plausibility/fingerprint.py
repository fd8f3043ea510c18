"""A digest of what was measured on what: equal ones are one figure, told twice."""

import re

from benchdb.exchange.record import Record
from benchdb.identity import digest
from benchdb.plausibility.printed import significant_digits

_SAME = 12  # significant digits to which figures are compared
_SIZES = ("batch_size", "size", "image_size", "sequence_length")
_CARDS = re.compile(r"\b(nvidia|geforce|tesla|quadro|amd|radeon|apple|intel)\b")


def fingerprint(record: Record) -> tuple[str, int] | None:
    """Return a digest of what was measured on what, and how many digits it rests on.

    Equal figures of equal work on equal hardware are equal here, whoever tells them.
    Return None for runs without figures, and for those that a collector measured.
    """
    values = [value for value in record.end.values if value.value is not None]
    if record.run.label == "measured" or not values:
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
