"""How exact a figure is, by the characters in which a source prints it."""

import re

# A numeral in any locale, and durations: 1:53,65, 1.234,5, 12 345, 2m36s.
_NUMERAL = re.compile(r"\d+(?:(?:[.,:'’_\u00a0\u202f]|[hm] ?|min ?)\d+| \d{3}(?!\d))*")
_LOOKED_AT = 80  # characters; no numeral that a person reads is longer
_MOST = 17  # digits that a float can keep


def numeral(printed: str) -> str:
    """Return the first number in *printed*, without its unit; ``""`` if none."""
    found = _NUMERAL.search(printed[:_LOOKED_AT])
    return found.group() if found else ""


def significant_digits(printed: str) -> int:
    """Return how many digits of *printed* say something, at most 17.

    Zeros at the end of a whole number may be rounded ones: they do not count, nor
    those after a mark that may group thousands (``1,100``).
    """
    text = numeral(printed)
    marks = re.split(r"[^\d]", text)
    digits = "".join(marks).lstrip("0")
    if len(marks) == 1 or len(marks[-1]) == 3:
        digits = digits.rstrip("0")
    return min(len(digits), _MOST)


def half_step(printed: str | None) -> float:
    """Return half of the last digit of *printed*, as a share of the figure.

    It is 0 where nothing is printed, or no number: the figure then counts as exact.
    """
    digits = re.sub(r"\D", "", numeral(printed or ""))[: _MOST + 3]
    whole = int(digits) if digits else 0
    return 0.5 / whole if whole else 0.0
