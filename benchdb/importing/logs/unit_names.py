"""Which words after a number are its unit, so that the next name begins after them."""

from benchdb.importing.quantities import units

_DOUBTFUL = frozenset("mMkKGBhd")  # a unit to a reader, if not which


def is_unit(word: str) -> bool:
    """Tell whether *word* is a unit: ``s``, ``ms``, ``GB``, ``img/s``, ``TFLOPS``."""
    word = word.strip(".,()[]/") if "/" not in word[1:] else word
    return word in _DOUBTFUL or bool(units.understood(word) or units.doubt(word))


def is_time(word: str) -> bool:
    """Tell whether *word* is a unit of time, of which several may follow each other."""
    found = units.understood(word)
    return word in ("m", "h", "d") or (found is not None and found.base == "s")
