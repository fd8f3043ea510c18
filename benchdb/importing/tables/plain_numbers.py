"""Cells that are nothing but a number, in whatever way it is written."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[-+−]?\d[\d.,'’ \u00a0\u202f]{0,40}(?:[eE][-+]?\d{1,4})?\s?%?")
_EXACT = re.compile(r"[-+−]?\d{1,20}[.,]\d{3,30}")


def is_number(text: str) -> bool:
    """Tell whether *text* is only a number, a percentage included."""
    return bool(_NUMBER.fullmatch(text))


def are_data(cells: Sequence[str]) -> bool:
    """Tell whether *cells*, a first row, can be no header.

    They are all numbers, or one has so many decimals that nobody names a column so.
    """
    said = [cell for cell in cells if cell]
    if not said:
        return False
    return all(map(is_number, said)) or any(map(_is_measured, said))


def _is_measured(text: str) -> bool:
    # 1,024 may be a batch size; 188.278 is a time.
    exact = _EXACT.fullmatch(text)
    return bool(exact) and ("." in text or len(text.partition(",")[2]) != 3)
