"""SSH signatures, made and checked by ``ssh-keygen -Y``, which people have.

What is signed is the content in the namespace ``benchdb``, so that a signature for git
or for a file of others is none here. The format is OpenSSH's ``PROTOCOL.sshsig``. Its
reader tolerates other line ends, version 0 and text in a reserved field; here a
signature has one form only, so that no byte of it can be changed unnoticed.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchdb.errors import BenchdbError

NAMESPACE = "benchdb"
_KINDS = (
    *("ssh-ed25519", "ssh-rsa", "sk-ssh-ed25519@openssh.com"),
    *(f"ecdsa-sha2-nistp{bits}" for bits in (256, 384, 521)),
    "sk-ecdsa-sha2-nistp256@openssh.com",
)
_USUAL = ("id_ed25519", "id_ecdsa", "id_rsa")  # the best first
_LINE = 70  # characters of an armoured line, as ssh-keygen writes it
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC, _VERSION = b"SSHSIG", 1
_NUMBER = 4  # bytes of a number, big-endian
_SECONDS = 60  # for what needs no person
_PATIENCE = 600  # seconds for a passphrase, or a touch of a security key
_SHOWN = 200  # characters of what ssh-keygen says
_LARGEST = 64 * 2**10  # characters of a signature; RSA with 16,384 bits has 6,000


class SignatureError(BenchdbError):
    """Nothing could be signed, or a signature does not fit the content."""


class UnfitError(SignatureError):
    """A signature is not of the content, or in no form that is accepted."""


class Key(msgspec.Struct, frozen=True):
    """A public key: its *type*, ``SHA256:…``, and *line* as in a .pub file."""

    type: str
    fingerprint: str
    line: str


def sign(content: bytes, key: Path) -> str:
    """Return the armoured signature of *content* by the private *key*.

    *key* may also be a public key whose private half an agent holds. A passphrase is
    asked for on the terminal, by ssh-keygen. Raise ``SignatureError`` where that fails.
    """
    terminal = sys.stdin is not None and sys.stdin.isatty()
    with tempfile.TemporaryDirectory() as room:
        file = Path(room) / "content"
        file.write_bytes(content)
        args = ("sign", "-n", NAMESPACE, "-f", str(key), str(file))
        done = _ssh_keygen(args, b"" if not terminal else None)
        if done.returncode:
            asked = "" if terminal else _NO_TERMINAL
            raise SignatureError(f"cannot sign with {key}: {_why(done)}{asked}")
        armoured = file.with_suffix(".sig").read_text(encoding="ascii")
    signer_of(content, armoured)  # an agent may have signed with something else
    return armoured


_NO_TERMINAL = (
    "; there is no terminal to ask for a passphrase on, so if it has one, give the "
    "key to an agent first: ssh-add"
)


def signer_of(content: bytes, signature: str) -> Key:
    """Return the key that made the armoured *signature* of *content*.

    Raise ``UnfitError`` if it does not fit or is not in its only form, and another
    ``SignatureError`` where it cannot be checked.
    """
    key = key_in(signature)
    with tempfile.TemporaryDirectory() as room:
        file = Path(room) / "content.sig"
        file.write_text(signature, encoding="ascii")
        args = ("check-novalidate", "-n", NAMESPACE, "-s", str(file))
        done = _ssh_keygen(args, content)
    # The key that ssh-keygen has read is the same as ours, in the same form.
    if done.returncode or key.fingerprint.encode() not in done.stdout.split():
        raise UnfitError(f"the signature does not fit the content: {_why(done)}")
    return key


def key_in(signature: str) -> Key:
    """Return the key that an armoured *signature* names, whatever it may be worth.

    Raise ``UnfitError`` if it is not in the only form that is accepted.
    """
    packed = _unarmoured(signature)
    fields = _fields(packed.removeprefix(_MAGIC)[_NUMBER:])
    try:
        blob, namespace, reserved, algorithm, _ = fields
        key = _key(blob)
    except ValueError:
        raise UnfitError(_NO_FORM) from None
    start = _MAGIC + _VERSION.to_bytes(_NUMBER)
    if not packed.startswith(start) or reserved or algorithm not in _HASHES:
        raise UnfitError(_NO_FORM)
    if namespace != NAMESPACE.encode():
        shown = namespace[:_SHOWN].decode(errors="replace")
        raise UnfitError(
            f"the signature was made for {shown!r}, not for {NAMESPACE!r}; "
            f"ssh-keygen -Y sign -n {NAMESPACE} makes one"
        )
    return key


_HASHES = (b"sha512", b"sha256")
_NO_FORM = "it is no SSH signature in the form that ssh-keygen writes"


def public_key(text: str) -> Key:
    """Return the key on a line as in a .pub file; what follows the key is a comment.

    Raise ``SignatureError`` for what is none.
    """
    words = text.split()
    try:
        kind, encoded = words[0], words[1]
        key = _key(base64.b64decode(encoded, validate=True))
    except (IndexError, ValueError):
        raise SignatureError(f"{text.strip()[:40]!r} {_NO_KEY}") from None
    if key.line != f"{kind} {encoded}":
        raise SignatureError(f"{text.strip()[:40]!r} {_NO_KEY}")
    return key


_NO_KEY = "is no public SSH key; give a line as in ~/.ssh/id_ed25519.pub"


def usual_key() -> Path | None:
    """Return the key that somebody signs with: git's, else the usual file in ~/.ssh."""
    if _git("gpg.format") == "ssh":
        named = _git("user.signingkey")
        if named and (path := Path(named).expanduser()).is_file():
            return path
    folder = Path("~/.ssh").expanduser()
    there = (folder / name for name in _USUAL)
    return next((path for path in there if path.is_file()), None)


def _git(name: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "config", "--get", name],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _ssh_keygen(
    args: Sequence[str], content: bytes | None
) -> subprocess.CompletedProcess[bytes]:
    """Run it; it reads *content*, or where that is None may ask on the terminal."""
    alone = content is not None
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *args],
            input=content,
            capture_output=True,
            timeout=_SECONDS if alone else _PATIENCE,
            check=False,
            # Away from the terminal it cannot wait for an answer there, or in a window.
            start_new_session=alone,
            env=os.environ | {"LC_ALL": "C"} | _WITHOUT_WINDOW if alone else None,
        )
    except FileNotFoundError:
        raise SignatureError(
            "signatures need ssh-keygen, which is not on PATH; install OpenSSH's client"
        ) from None
    except subprocess.TimeoutExpired as error:
        raise SignatureError(
            f"ssh-keygen did not answer within {error.timeout:.0f} s"
        ) from None
    except OSError as error:
        raise SignatureError(f"ssh-keygen did not start: {error.strerror}") from error


_WITHOUT_WINDOW = {"SSH_ASKPASS_REQUIRE": "never"}


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last line that ssh-keygen wrote about an error."""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    text_lines = [re.sub(r"\s+", " ", line) for line in lines if line.strip()]
    return (
        text_lines[-1][:_SHOWN]
        if text_lines
        else f"ssh-keygen ended with {done.returncode}"
    )


def _unarmoured(signature: str) -> bytes:
    lines = signature[:_LARGEST].split("\n")
    try:
        packed = base64.b64decode("".join(lines[1:-2]), validate=True)
    except ValueError:
        raise UnfitError(_NO_FORM) from None
    if _armoured(packed) != signature:
        raise UnfitError(_NO_FORM)
    return packed


def _armoured(packed: bytes) -> str:
    text = base64.b64encode(packed).decode("ascii")
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return "\n".join((_BEGIN, *lines, _END, ""))


def _key(blob: bytes) -> Key:
    kind = next(_fields(blob), b"").decode("ascii", errors="replace")
    if kind not in _KINDS:
        raise UnfitError(
            f"keys of the kind {kind[:40]!r} are not accepted; "
            "make one with: ssh-keygen -t ed25519"
        )
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii")
    line = f"{kind} {base64.b64encode(blob).decode('ascii')}"
    return Key(kind, f"SHA256:{digest.rstrip('=')}", line)


def _fields(packed: bytes) -> Iterator[bytes]:
    """Yield texts that are written as a number of bytes and these.

    Raise ``ValueError`` where bytes lack.
    """
    while packed:
        size = int.from_bytes(packed[:_NUMBER])
        if len(packed) < _NUMBER + size:
            raise ValueError
        yield packed[_NUMBER : _NUMBER + size]
        packed = packed[_NUMBER + size :]
