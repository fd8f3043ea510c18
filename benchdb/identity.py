"""Digests: what makes two records the same thing, wherever they were written."""

import hashlib
import json
import re
from typing import Any

import msgspec
import rfc8785

_EXACT = 2**53 - 1  # larger integers have no canonical form
_LAST_PLAIN = "\ud7ff"  # up to here, characters sort the same in UTF-8 and UTF-16

# Numbers that the standard may write otherwise than Python does: 1.0, 1e-05, 2**53.
_OTHERWISE = re.compile(
    r"^-?[0-9]|[:,[]-?(?:[0-9]{16}|[0-9]+(?:\.[0-9]+)?e|[0-9]+\.0[],}])"
)

_encoder = json.JSONEncoder(
    sort_keys=True,
    ensure_ascii=False,
    allow_nan=False,
    check_circular=False,
    separators=(",", ":"),
)


def canonical(content: Any) -> bytes:
    """Return *content* as canonical JSON (RFC 8785): one byte string per meaning."""
    plain = msgspec.to_builtins(content)
    try:
        text = _encoder.encode(plain)
        if _OTHERWISE.search(text):
            text = _encoder.encode(_usual(plain))
    except (_UnusualError, TypeError, ValueError):
        return rfc8785.dumps(plain)  # which says what is wrong, if anything is
    if text.isascii() or max(text) <= _LAST_PLAIN:
        return text.encode()
    return rfc8785.dumps(plain)


def digest(content: Any) -> str:
    """Return the SHA-256 of *content* as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(content)).hexdigest()


class _UnusualError(Exception):
    """Content that Python's own encoder would not write in the canonical form."""


def _usual(fact: Any) -> Any:
    """Return *fact* so that Python's encoder, many times quicker, is right about it."""
    kind = type(fact)
    if kind is str or kind is bool or fact is None:
        return fact
    if kind is float:
        return _usual_number(fact)
    if kind is int and -_EXACT <= fact <= _EXACT:
        return fact
    if kind is dict:
        if not all(type(name) is str for name in fact):
            raise _UnusualError
        return {name: _usual(one) for name, one in fact.items()}
    if kind is list:
        return [_usual(one) for one in fact]
    raise _UnusualError


def _usual_number(number: float) -> float:
    whole = number.is_integer()
    if whole and -_EXACT <= number <= _EXACT:
        return int(number)
    # Of smaller ones Python writes an exponent where the standard has none.
    if not whole and 1e-4 <= abs(number) < _EXACT:
        return number
    raise _UnusualError
