"""Numbers as any locale writes them, read exactly.

What a number's own shape shows (``1.234,5``, ``0,123``, ``1,234,567``) holds whatever
its column does. ``1.234`` alone is read with a decimal point, unless the column shows a
decimal comma: three decimals are too common in English to refuse. ``1,234`` alone is
refused, for both readings are common.
"""

import re
from fractions import Fraction

import msgspec

from benchdb.importing.quantities.quantity import (
    AmbiguousError,
    Convention,
    Mark,
    UnreadableError,
    shown,
)

EXPONENT_LIMIT = 400  # float64 ends at 308; a Fraction of 10**9999 would take long
_GROUPS = "\u00a0'_\u066c "
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")

_POWER = r"""
    (?: \^ | \*\* ) [({]? [-+]? \d{1,4} [)}]?
  | [⁺⁻]? [⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}
"""
NUMBER = re.compile(
    rf"""
    (?P<sign> (?<! [^\s<>~=(:;|,±] ) [-+] )?
    (?:
      (?P<ten> 10 (?: \^ [({{]? [-+]? \d{{1,4}} [)}}]? | ⁻ [⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,4}} ) )
    |
      (?P<mantissa>
        \d{{1,3}} (?: (?P<gap> [{_GROUPS}] ) \d{{3}} (?: (?P=gap) \d{{3}} )* ) (?! \d )
        (?: [.,\u066b] \d+ )?
      | \d (?: [\d.,\u066b\u066c]* \d )?
      | [.,\u066b] \d+
      )
      (?:
        [eE] (?P<exponent> [-+]? \d{{1,4}} ) (?! [\d.,] )
      | [ \u00a0]? [×x*·] [ \u00a0]? 10 (?P<power> {_POWER} )
      )?
    )
    """,
    re.VERBOSE,
)


class _Shape(msgspec.Struct, frozen=True):
    """The digits of a number, split at the only mark that may be the decimal one.

    *shows* is the decimal mark as far as the shape settles it; a *doubtful* mark is
    followed by three digits, so that it may group as well.
    """

    whole: str
    fraction: str = ""
    shows: Mark | None = None
    doubtful: Mark | None = None


def value(found: re.Match[str], convention: Convention | None) -> Fraction:
    """Return the number that ``NUMBER`` *found*, exactly.

    Raise ``AmbiguousError`` or ``UnreadableError``.
    """
    sign = -1 if found["sign"] == "-" else 1
    if found["ten"]:
        return sign * Fraction(10) ** _exponent(found["ten"][2:])
    exponent = _exponent(found["exponent"] or found["power"] or "0")
    shape = _shape(found["mantissa"])
    if shape is None:
        raise UnreadableError(f"{shown(found[0].strip())} is no number")
    if found["gap"] == " " and not shape.fraction and found["mantissa"][3] == " ":
        raise AmbiguousError(f"{shown(found[0])} may be one number or several")
    scientific = bool(found["exponent"] or found["power"])
    digits, decimals = _settled(shape, convention, scientific=scientific)
    return sign * Fraction(int(digits or "0")) * Fraction(10) ** (exponent - decimals)


def decimal_mark(found: re.Match[str]) -> Mark | None:
    """Return the decimal mark that the number shows by its shape alone."""
    shape = _shape(found["mantissa"]) if found["mantissa"] else None
    return shape.shows if shape else None


def _settled(
    shape: _Shape, convention: Convention | None, *, scientific: bool
) -> tuple[str, int]:
    """Return all digits, and how many of them are decimals."""
    digits = shape.whole + shape.fraction
    if shape.doubtful is None or scientific:  # nobody groups before a power of ten
        return digits, len(shape.fraction)
    if convention is None and shape.doubtful == ",":
        raise AmbiguousError(
            f"{shape.whole + ',' + shape.fraction!r} may be {digits} or "
            f"{shape.whole}.{shape.fraction}: nothing says what its comma means"
        )
    groups = convention is not None and convention.decimal != shape.doubtful
    return digits, 0 if groups else len(shape.fraction)


def _exponent(text: str) -> int:
    exponent = int(text.translate(_RAISED).strip("^*(){}"))
    if abs(exponent) > EXPONENT_LIMIT:
        raise UnreadableError("its power of ten is beyond what a float64 holds")
    return exponent


def _shape(mantissa: str) -> _Shape | None:
    """Return the shape of a number without sign and exponent, if it is well-formed."""
    marks = [char for char in mantissa if char in ".,\u066b"]
    group = next((char for char in mantissa if char in _GROUPS), None)
    if group or "\u066b" in marks:
        return _shape_with_clear_marks(mantissa, marks, group)
    if not marks:
        return _Shape(mantissa)
    last: Mark = "." if marks[-1] == "." else ","
    other: Mark = "," if last == "." else "."
    whole, _, fraction = mantissa.rpartition(last)
    if other in marks:
        grouped = last not in whole and _grouped(whole, other)
        shape = _Shape(whole.replace(other, ""), fraction, shows=last)
        return shape if grouped else None
    if len(marks) > 1:
        shape = _Shape(mantissa.replace(last, ""), shows=other)
        return shape if _grouped(mantissa, last) else None
    return _shape_with_one_mark(whole, fraction, last)


def _shape_with_one_mark(whole: str, fraction: str, last: Mark) -> _Shape:
    if len(fraction) != 3 or not 1 <= len(whole) <= 3 or whole[0] == "0":
        return _Shape(whole, fraction, shows=last)
    return _Shape(whole, fraction, doubtful=last)


def _shape_with_clear_marks(
    mantissa: str, marks: list[str], group: str | None
) -> _Shape | None:
    """Return the shape of a number with a mark that only groups, or only divides."""
    if len(marks) > 1:
        return None
    whole, mark, fraction = (
        mantissa.partition(marks[0]) if marks else (mantissa, "", "")
    )
    if group and (group in fraction or not _grouped(whole, group)):
        return None
    shows: Mark | None = "." if mark == "." else "," if mark == "," else None
    return _Shape(whole.replace(group or " ", ""), fraction, shows=shows)


def _grouped(digits: str, mark: str) -> bool:
    """Tell whether *mark* groups *digits*: by three, or by two as in India."""
    first, *middle, last = digits.split(mark) if mark in digits else ("", "")
    if not first or first[0] == "0" or len(first) > 3 or len(last) != 3:
        return False
    sizes = {len(group) for group in middle}
    return sizes <= {3} or (sizes == {2} and len(first) <= 2)
