"""JSON whose numbers remember the characters they were printed with."""

import json
from collections.abc import Iterator
from typing import Any

from benchdb.importing.document import (
    DocumentError,
    parsed_json,
    require_few_values,
)


class PrintedFloat(float):
    """A number with a fraction or an exponent; *printed* are its characters."""

    __slots__ = ("printed",)
    printed: str

    def __new__(cls, text: str) -> "PrintedFloat":
        """Return the number that *text* is."""
        number = super().__new__(cls, text)
        number.printed = text
        return number


def printed(number: object) -> str:
    """Return the characters of *number* in its document, or Python's own for it."""
    text = getattr(number, "printed", None)
    return text if isinstance(text, str) else str(number)


def fraction(text: str) -> float:
    """Return the number *text*: a ``PrintedFloat`` if Python prints it otherwise.

    Most are printed as Python does, and take a fifth of the memory.
    """
    number = float(text)
    return number if str(number) == text else PrintedFloat(text)


def with_printed(text: str) -> Any:
    """Return *text* as strict JSON, its fractions as ``fraction`` does.

    Raise ``DocumentError`` where ``parsed_json`` does.
    """
    return parsed_json(text, real=fraction)


def elements(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each element of the array *text* begins, and its characters.

    An element need not be strict JSON. Raise ``DocumentError`` after the last whole
    one if the array does not end as it should: a tool was killed while it wrote.
    """
    require_few_values(text)
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    at = _after_space(text, text.find("[") + 1)
    if text[at : at + 1] == "]":
        return
    while True:
        end = _end(decoder, text, at)
        yield at, text[at:end]
        end = _after_space(text, end)
        if text[end : end + 1] == "]":
            return
        if text[end : end + 1] != ",":
            raise DocumentError(f"line {_line(text, end)}: the array breaks off here")
        at = _after_space(text, end + 1)


def _end(decoder: json.JSONDecoder, text: str, at: int) -> int:
    try:
        return decoder.raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"line {error.lineno}: the array breaks off, or is no JSON ({error.msg})"
        ) from error
    except RecursionError as error:
        raise DocumentError(f"line {_line(text, at)}: nested too deeply") from error


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n":
        at += 1
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
