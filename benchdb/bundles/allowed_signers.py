"""Whose keys are known, and what they were good for on a day.

They come from a database, or from files as ``ssh-keygen -Y verify`` takes them: an
``allowed_signers``, and beside it one of keys that were revoked.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import msgspec

from benchdb.bundles.signatures import (
    NAMESPACE,
    Key,
    SignatureError,
    public_key,
)
from benchdb.errors import UsageError

Trust = Literal["unsigned", "unknown", "known", "expired", "revoked"]


class Signer(msgspec.Struct, frozen=True):
    """Whose key it is: *name*, and whether it is *mine* here.

    It counts from the day *since* to the day *until*, both included; None is any.
    """

    key: Key
    name: str
    since: date | None = None
    until: date | None = None
    revoked: bool = False
    mine: bool = False

    def trust(self, at: date) -> Trust:
        """Return what the key was worth on the day *at*."""
        if self.revoked:
            return "revoked"
        late = self.until is not None and at > self.until
        early = self.since is not None and at < self.since
        return "expired" if late or early else "known"


class Seal(msgspec.Struct, frozen=True):
    """That *key* signed a bundle: *digest* is that of its manifest and of the key."""

    key: Key
    digest: str
    file_sha256: str


class Signers:
    """Known signers by their keys; the same name with several keys is one signer."""

    def __init__(self, known: Iterable[Signer] = ()) -> None:
        """Know these; of a key that is there twice, the last line counts."""
        self._by_key = {signer.key.fingerprint: signer for signer in known}

    def of(self, key: Key) -> Signer | None:
        """Return whose *key* it is, if that is known."""
        return self._by_key.get(key.fingerprint)

    def trust(self, key: Key | None, at: date) -> Trust:
        """Return how far to trust what *key* signed, seen on the day *at*."""
        if key is None:
            return "unsigned"
        signer = self.of(key)
        return "unknown" if signer is None else signer.trust(at)


def read_signers(allowed: Path, revoked: Path | None = None) -> Signers:
    """Return the signers of a file of allowed ones, less the *revoked* keys.

    Raise ``UsageError`` for a file that cannot be read, or a line that is none.
    """
    gone = {key.fingerprint: key for _, key in _keys(revoked)} if revoked else {}
    known = [*_allowed(allowed)]
    known += [Signer(key, fingerprint) for fingerprint, key in gone.items()]
    names = {signer.key.fingerprint: signer for signer in reversed(known)}
    return Signers(
        msgspec.structs.replace(signer, revoked=fingerprint in gone)
        for fingerprint, signer in names.items()
    )


def _allowed(path: Path) -> Iterator[Signer]:
    for number, line in _lines(path):
        match = _ALLOWED.fullmatch(line)
        if match is None:
            raise UsageError(f"{path}:{number}: {_FORM}")
        options = {
            option["name"].lower(): option["value"]
            for option in _OPTION.finditer(match["options"] or "")
        }
        if "cert-authority" in options:
            raise UsageError(f"{path}:{number}: authorities are not supported; {_FORM}")
        spaces = options.get("namespaces")
        if spaces is not None and NAMESPACE not in spaces.split(","):
            continue
        yield Signer(
            _key(path, number, match["key"]),
            match["name"].strip('"'),
            _day(path, number, options.get("valid-after")),
            _before(_day(path, number, options.get("valid-before"))),
        )


_FORM = (
    'a line has to be: NAME namespaces="benchdb" KEY, with a KEY as in a .pub file, '
    'and as you like valid-after="20261127", valid-before="20271127"'
)
_OPTION = re.compile(r'(?P<name>[a-zA-Z-]+)(?:="(?P<value>[^"]*)")?(?:,|$)')
_ALLOWED = re.compile(
    r'(?P<name>"[^"]+"|\S+)\s+'
    r'(?:(?P<options>[a-z-]+(?:="[^"]*")?(?:,[a-z-]+(?:="[^"]*")?)*)\s+)?'
    r"(?P<key>(?:ssh|ecdsa|sk)-\S+\s+\S+)(?:\s.*)?",
)


def _keys(path: Path) -> Iterator[tuple[int, Key]]:
    for number, line in _lines(path):
        yield number, _key(path, number, line)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"cannot read {path}: {why}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _key(path: Path, number: int, text: str) -> Key:
    try:
        return public_key(text)
    except SignatureError as error:
        raise UsageError(f"{path}:{number}: {error}") from error


def _day(path: Path, number: int, text: str | None) -> date | None:
    """Return the day of a time as ssh-keygen writes it: YYYYMMDD, and hours."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{4})(\d{2})(\d{2})(\d{4}(\d{2})?)?Z?", text)
    try:
        return date(*map(int, match.group(1, 2, 3) if match else ()))
    except (TypeError, ValueError):
        why = f"{text!r} is no day; write it as 20261127"
        raise UsageError(f"{path}:{number}: {why}") from None


def _before(day: date | None) -> date | None:
    """Return the last day before *day*."""
    return None if day is None else day - timedelta(days=1)
