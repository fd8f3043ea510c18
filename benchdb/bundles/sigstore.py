"""Signatures by sigstore, checked by its own program where that is installed.

Nothing here makes any. Who signed is a name at a provider of identities, which the
certificate in the signature states; the program says whether that holds.
"""

import base64
import subprocess
import tempfile
from pathlib import Path

import msgspec

from benchdb.bundles.container import SIGSTORE, AlteredError
from benchdb.bundles.signatures import Key, SignatureError
from benchdb.exchange.validation import UNDERSTANDABLE

_SECONDS = 120  # it may ask its servers
# Its newest roots of trust come from a server; without a network those that it has
# decide, which may be too old to refuse a signature by, but not to accept it.
_WAYS: tuple[tuple[str, ...], ...] = ((), ("--offline",))
_REFUSED = b"FAIL: "  # what it says of a file; other errors are about itself
_NAMES = bytes.fromhex("0603551d11")  # what comes before names of a subject, in DER
_ISSUER = bytes.fromhex("060a2b0601040183bf300101")  # 1.3.6.1.4.1.57264.1.1
_BOOLEAN, _KINDS = 0x01, (0x81, 0x86)  # tags; kinds of names are mail and address
_LONG = 0x80  # lengths from here on say of how many bytes their number is
# What another shape of JSON or of a certificate leads to.
_SHAPELESS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_UNCHECKED = (
    "its sigstore signature was not checked, for the program 'sigstore' is not on "
    "PATH; it counts as unsigned"
)


def signed_by(content: bytes, bundle: bytes) -> tuple[Key | None, str | None]:
    """Return the identity that signed *content*, or why that was not looked at.

    Raise ``AlteredError`` where the program says that *bundle* does not fit, and
    ``SignatureError`` where it does not answer.
    """
    identity, issuer = _identity(bundle)
    with tempfile.TemporaryDirectory() as room:
        file, beside = Path(room) / "manifest.json", Path(room) / SIGSTORE
        file.write_bytes(content)
        beside.write_bytes(bundle)
        who = ("--cert-identity", identity, "--cert-oidc-issuer", issuer)
        args = ("verify", "identity", "--bundle", str(beside), *who, str(file))
        for way in _WAYS:
            try:
                done = subprocess.run(
                    ["sigstore", *args, *way],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                )
            except FileNotFoundError:
                return None, _UNCHECKED
            except (OSError, subprocess.TimeoutExpired) as error:
                raise SignatureError(f"sigstore did not answer: {error}") from error
            if not done.returncode:
                name = f"sigstore:{identity}"
                return Key("sigstore", name, f"{name} {issuer}"), None
            if way == () and _REFUSED in done.stdout + done.stderr:
                raise AlteredError(
                    SIGSTORE, "sigstore says that it does not fit the content"
                )
    raise SignatureError(
        "sigstore could not check it: its roots of trust could not be fetched, and "
        "those that it has do not confirm it; try again with a network"
    )


def _identity(bundle: bytes) -> tuple[str, str]:
    """Return the name and its provider that the certificate in *bundle* states."""
    try:
        material = msgspec.json.decode(bundle)["verificationMaterial"]
        chain = material.get("x509CertificateChain", {}).get("certificates", [{}])
        raw = (material.get("certificate") or chain[0])["rawBytes"]
        certificate = base64.b64decode(raw, validate=True)
        _, names = _value(_extension(certificate, _NAMES))
        kind, name = _value(names)
        return _text(name if kind in _KINDS else b""), _text(
            _extension(certificate, _ISSUER)
        )
    except (*UNDERSTANDABLE, *_SHAPELESS) as error:
        raise AlteredError(SIGSTORE, "it is no sigstore bundle") from error


def _extension(certificate: bytes, identifier: bytes) -> bytes:
    """Return what an extension of a certificate holds."""
    rest = certificate[certificate.index(identifier) + len(identifier) :]
    tag, held = _value(rest)
    return _value(rest[2 + len(held) :])[1] if tag == _BOOLEAN else held


def _value(encoded: bytes) -> tuple[int, bytes]:
    """Return the tag and the bytes of the value that begins here, in DER."""
    size, start = encoded[1], 2
    if size > _LONG:
        start += size - _LONG
        size = int.from_bytes(encoded[2:start])
    return encoded[0], encoded[start : start + size]


def _text(name: bytes) -> str:
    text = name.decode("ascii")
    if not text.isprintable() or not text or text.startswith("-"):
        raise ValueError
    return text
