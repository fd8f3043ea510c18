"""Retractions, signed and checked. Few lines: commands sign, imports check."""

from pathlib import Path

from msgspec.structs import replace

from benchdb.bundles.signatures import SignatureError, UnfitError, sign, signer_of
from benchdb.exchange.messages import Retraction
from benchdb.exchange.record import signed_part

# Of one file: each costs a process of ssh-keygen, and a file may have millions.
MOST = 1000


def signed(line: Retraction, key: Path) -> tuple[Retraction, str]:
    """Return *line* as *key* signs it, with the fingerprint of that key."""
    content = signed_part(line)
    signature = sign(content, key)
    signer = signer_of(content, signature)
    return replace(line, key=signer.line, signature=signature), signer.fingerprint


def fingerprint_of(line: Retraction, number: int) -> str | None:
    """Return the fingerprint of the key that signed *line*, ``None`` without any.

    *number* counts the signed ones of a file. Raise ``SignatureError`` for a signature
    that does not fit or cannot be checked, or beyond ``MOST``.
    """
    if line.key is None or line.signature is None:
        return None
    if number > MOST:
        raise SignatureError(f"beyond the first {MOST:,} signed retractions of a file")
    signer = signer_of(signed_part(line), line.signature)
    if signer.line != line.key:
        raise UnfitError("the signature is of another key than the line names")
    return signer.fingerprint
