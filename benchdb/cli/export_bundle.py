"""``benchdb export --bundle``: results in one signed file that a stranger can check."""

import json
import tempfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import IO

import typer

from benchdb.bundles import container, signatures
from benchdb.bundles.container import Content, packer
from benchdb.bundles.signatures import usual_key
from benchdb.cli.console import counted, plain
from benchdb.cli.waiting_line import quiet
from benchdb.errors import UsageError
from benchdb.files import replacing

# How such lines begin.
_HEADER, _RUN, _MACHINE, _RETRACTION = (
    b'{"type":"%s"' % name for name in (b"header", b"run", b"machine", b"retraction")
)


def signing_key(key: Path | None, *, unsigned: bool) -> Path | None:
    """Return the key to sign with; None where nothing is to be signed.

    Raise ``UsageError`` where there is none, or what was asked contradicts itself.
    """
    if unsigned:
        if key is not None:
            raise UsageError("--key and --unsigned contradict each other")
        return None
    if key is not None:
        if not key.expanduser().is_file():
            raise UsageError(f"no key {key}; 'ssh-keygen -t ed25519' makes one")
        return key.expanduser()
    usual = usual_key()
    if usual is None:
        raise UsageError(
            "there is no SSH key to sign with, neither git's nor one in ~/.ssh: make "
            "one with 'ssh-keygen -t ed25519', name one with --key, or say --unsigned"
        )
    return usual


def write_bundle(path: Path, lines: Iterable[bytes], key: Path | None) -> None:
    """Write exchange *lines* as a bundle, signed with *key* if there is any."""
    if path == Path("-"):
        raise UsageError("a bundle is a file; name it, such as results.benchdb")
    with tempfile.TemporaryFile() as room:
        content = _packed(lines, room)
        quiet()  # ssh-keygen may ask for a passphrase
        with replacing(path) as stream:
            sign = None if key is None else lambda text: signatures.sign(text, key)
            container.write(stream, content, sign)
    machines = counted(len(content.machines), "machine")
    what = f"{counted(content.count, 'run')} of {machines}"
    signed = "not signed" if key is None else f"signed with {key}"
    typer.echo(plain(f"benchdb: {path}: {what}, {signed}"), err=True)


def _packed(lines: Iterable[bytes], room: IO[bytes]) -> Content:
    """Pack *lines* into *room*; those of retractions are a part of their own."""
    machines, count = set[str](), 0
    packed = packer(room)
    header, retractions = b"", list[bytes]()
    for line in lines:
        if line.startswith(_RETRACTION):
            retractions.append(line)
            continue
        if line.startswith(_HEADER):
            header = line
        count += line.startswith(_RUN)
        if line.startswith(_MACHINE) and (own := json.loads(line).get("anonymous_id")):
            machines.add(own)
        packed.write(line)
    packed.close()
    withdrawn = BytesIO(b"".join((header, *retractions))) if retractions else None
    return Content(room, tuple(sorted(machines)), count, withdrawn)
