"""Whether a file is as it was made, and whose signature it bears."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import IO, Literal

import msgspec

from benchdb.bundles import container, sigstore
from benchdb.bundles.allowed_signers import Seal, Signers, Trust
from benchdb.bundles.container import AlteredError, Manifest, Members
from benchdb.bundles.signatures import Key, UnfitError, signer_of
from benchdb.errors import ExchangeError
from benchdb.exchange import reader
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.record import Record

_IN_MEMORY = 2**24  # bytes of exchange lines; more are on disk meanwhile


class Verdict(msgspec.Struct, frozen=True):
    """What was found: *intact*, or *altered*, *where* (a member) and *why*.

    *key* made the signature, if it has any, and *name* is whose key that is, if known.
    *runs* are those in it. A plain exchange file has no *manifest*. *note* says what
    could not be looked at.
    """

    state: Literal["intact", "altered"]
    where: str | None = None
    why: str | None = None
    key: Key | None = None
    name: str | None = None
    trust: Trust = "unsigned"
    runs: int = 0
    manifest: Manifest | None = None
    note: str | None = None


def verify(path: Path, *, known: Signers, at: date) -> Verdict:
    """Return what can be told of a bundle, or of a plain exchange file.

    Keys are judged as of the day *at*. Raise ``ExchangeError`` for what is neither,
    ``SignatureError`` where a signature cannot be checked here.
    """
    try:
        with path.open("rb") as stream:
            if not container.is_bundle(stream):
                return _of_lines(stream)
            return _of_bundle(stream, known, at)
    except OSError as error:
        raise ExchangeError(f"cannot read {path}: {error.strerror}") from error


def _of_bundle(stream: IO[bytes], known: Signers, at: date) -> Verdict:
    try:
        members = container.read(stream)
        key, note = signed_by(members)
        with unpacked(stream, members) as lines:
            runs = check_content(members, lines)
    except AlteredError as error:
        return Verdict("altered", error.where, error.why)
    signer = None if key is None else known.of(key)
    return Verdict(
        "intact",
        key=key,
        name=None if signer is None else signer.name,
        trust=known.trust(key, at),
        runs=runs,
        manifest=members.manifest,
        note=note,
    )


def signed_by(members: Members) -> tuple[Key | None, str | None]:
    """Return the key that signed a bundle, and what could not be looked at.

    Raise ``AlteredError`` where the signature is not of this manifest, and
    ``SignatureError`` where that cannot be checked here.
    """
    if members.sigstore is not None:
        return sigstore.signed_by(members.written, members.sigstore)
    if members.signature is None:
        return None, None
    try:
        return signer_of(members.written, members.signature), None
    except UnfitError as error:
        raise AlteredError(container.SIGNATURE, str(error)) from error


@contextmanager
def unpacked(stream: IO[bytes], members: Members) -> Iterator[IO[bytes]]:
    """Give the exchange lines of a bundle, or raise ``AlteredError``."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as lines:
        container.unpack(stream, members, lines)
        lines.seek(0)
        yield lines
        lines.seek(0)


def check_content(members: Members, lines: IO[bytes]) -> int:
    """Return how many runs the *lines* of a bundle are; they have to be as it says.

    Raise ``AlteredError`` where one is no exchange line, or the manifest counts others.
    """
    runs, machines = _counted(lines)
    lines.seek(0)
    if runs != members.manifest.runs:
        why = f"it says {members.manifest.runs:,} runs, and there are {runs:,}"
        raise AlteredError(container.MANIFEST, why)
    if tuple(sorted(machines)) != members.manifest.machines:
        why = "it names other machines than there are"
        raise AlteredError(container.MANIFEST, why)
    return runs


def seal_of(stream: IO[bytes], members: Members, key: Key | None) -> Seal | None:
    """Return what is kept of a signature, if there is any."""
    if key is None:
        return None
    digest = hashlib.sha256(members.written + key.line.encode()).hexdigest()
    return Seal(key, digest, container.part_of("", stream).sha256)


def _counted(lines: IO[bytes]) -> tuple[int, set[str]]:
    runs, machines = 0, set[str]()
    for item in _items(lines):
        if isinstance(item, BadLine):
            why = f"line {item.number}: {item.reason}"
            raise AlteredError(container.RUNS, why)
        if isinstance(item, Record):
            runs += 1
            machines.add(item.machine.anonymous_id or "")
    return runs, machines - {""}


def _items(lines: IO[bytes]) -> Iterator[Item]:
    try:
        yield from reader.read(lines)
    except ExchangeError as error:
        raise AlteredError(container.RUNS, str(error)) from error


def _of_lines(stream: IO[bytes]) -> Verdict:
    """Return the verdict about a plain exchange file: nothing is known but its form."""
    runs = 0
    for item in reader.read(stream):
        if isinstance(item, BadLine):
            return Verdict("altered", f"line {item.number}", item.reason)
        runs += isinstance(item, Record)
    return Verdict("intact", runs=runs)
