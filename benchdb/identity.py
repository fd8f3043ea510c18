"""Digests: what makes two records the same thing, wherever they were written."""

import hashlib
from typing import Any

import msgspec
import rfc8785

EXACT = 2**53 - 1  # larger integers have no canonical form
_LAST_PLAIN = "\ud7ff"  # up to here, characters sort the same in UTF-8 and UTF-16
_LEAST = 1e-4  # of smaller numbers, encoders write exponents where others have none

_encoder = msgspec.json.Encoder(order="sorted")


class _UnusualError(Exception):
    """Content that a quick encoder would not write in the canonical form."""


def canonical(content: Any) -> bytes:
    """Return *content* as canonical JSON (RFC 8785): one byte string per meaning."""
    try:
        text = _encoder.encode(content if undisputed(content) else _usual(content))
    except (_UnusualError, TypeError, ValueError):
        text = None
    if text is None or not _sorts_as_text(text):
        # It says what is wrong, if anything is.
        return rfc8785.dumps(msgspec.to_builtins(content))
    return text


def digest(content: Any) -> str:
    """Return the SHA-256 of *content* as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(content)).hexdigest()


def _sorts_as_text(text: bytes) -> bool:
    """Tell whether the standard sorts keys in *text* as their characters do."""
    return text.isascii() or max(text.decode()) <= _LAST_PLAIN


def undisputed(*facts: Any) -> bool:
    """Tell whether all encoders write *facts*, plain data, the same way.

    They do so for text, for exact integers and for fractions of usual size. Not all
    that is otherwise is refused: 1.0 is 1 in the standard, and 1.0 in Python.
    """
    rest = [*facts]
    for value in rest:  # which grows meanwhile
        kind = type(value)
        if kind is float:
            usual = _LEAST <= abs(value) < EXACT and not value.is_integer()
        elif kind is int:
            usual = -EXACT <= value <= EXACT
        elif kind is dict:
            usual = _all_text(value)
            rest += value.values()
        elif kind is list or kind is tuple:
            usual = True
            rest += value
        else:
            usual = kind is str or kind is bool or value is None
        if not usual:
            return False
    return True


def _all_text(keys: dict[Any, Any]) -> bool:
    try:
        "".join(keys)  # the quickest way to ask
    except TypeError:
        return False
    return True


def _usual(fact: Any) -> Any:
    """Return *fact* so that an encoder, many times quicker, is right about it."""
    kind = type(fact)
    exact = kind is int and -EXACT <= fact <= EXACT
    if exact or kind is str or kind is bool or fact is None:
        return fact
    if kind is float:
        whole = fact.is_integer()
        if whole and -EXACT <= fact <= EXACT:
            return int(fact)
        if not whole and _LEAST <= abs(fact) < EXACT:
            return fact
        raise _UnusualError
    if kind is dict:
        if not _all_text(fact):
            raise _UnusualError
        return {name: _usual(result) for name, result in fact.items()}
    if kind is list or kind is tuple:
        return [_usual(item) for item in fact]
    plain = msgspec.to_builtins(fact)
    if type(plain) is kind:
        raise _UnusualError
    return _usual(plain)
