"""A file to import that may be a bundle: checked whole before any of it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO

import msgspec

from benchdb.bundles import container
from benchdb.bundles.allowed_signers import Seal, Signers, Trust
from benchdb.bundles.signatures import Key, SignatureError
from benchdb.bundles.verifying import (
    check_content,
    seal_of,
    signed_by,
    unpacked,
)
from benchdb.errors import ExchangeError

_UNSIGNED = "it is not signed, and --require-signature takes nothing that is not"
_NOT_KNOWN = {
    "unknown": "nobody is known here with it; 'benchdb trust {key} NAME' says whose "
    "it is",
    "expired": "which has expired",
    "revoked": "which was revoked",
}


class Bundle(msgspec.Struct, frozen=True):
    """What is known of a bundle: its *seal* if it is signed, and how far to trust it.

    *name* is whose key it is, if that is known; *note* says what was not looked at.
    """

    seal: Seal | None
    name: str | None
    trust: Trust
    mine: bool
    note: str | None


@contextmanager
def opened(
    stream: IO[bytes], known: Signers, *, required: bool
) -> Iterator[tuple[IO[bytes], Bundle | None]]:
    """Give the exchange lines of a bundle, or any other file as it is.

    Raise ``ExchangeError`` for a bundle that is not as it was made, or that nobody
    known signed where that is *required*.
    """
    if not container.is_bundle(stream):
        if required:
            raise ExchangeError(_UNSIGNED)
        yield stream, None
        return
    members = container.read(stream)
    try:
        key, note = signed_by(members)
    except SignatureError as error:  # not of this bundle alone, but the rest may land
        raise ExchangeError(str(error)) from error
    trust = known.trust(key, datetime.now(UTC).date())
    if required and trust != "known":
        raise ExchangeError(_refusal(key, trust))
    signer = None if key is None else known.of(key)
    bundle = Bundle(
        seal_of(stream, members, key),
        None if signer is None else signer.name,
        trust,
        signer is not None and signer.mine and trust == "known",
        note,
    )
    with unpacked(stream, members) as lines:
        check_content(members, lines)
        yield lines, bundle


def _refusal(key: Key | None, trust: Trust) -> str:
    if key is None:
        return _UNSIGNED
    why = _NOT_KNOWN[trust].format(key=key.fingerprint)
    return f"it is signed with the key {key.fingerprint}, {why}"
