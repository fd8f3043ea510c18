"""Digests: what makes two records the same thing, wherever they were written."""

import hashlib
from typing import Any

import msgspec
import rfc8785


def canonical(content: Any) -> bytes:
    """Return *content* as canonical JSON (RFC 8785): one byte string per meaning."""
    return rfc8785.dumps(msgspec.to_builtins(content))


def digest(content: Any) -> str:
    """Return the SHA-256 of *content* as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(content)).hexdigest()
