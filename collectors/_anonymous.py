"""An id for a machine that tells two machines apart and neither's owner.

It is a keyed hash of the id that the operating system has: the key is random, made
once for each user and never shared, so that nobody who knows the one can find the
other.
"""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

SALT_BYTES = 32


class NoIdError(Exception):
    """There is no anonymous id; the message says why, without any path."""


def anonymous_id(machine_id: str | None, platform: str) -> str:
    """Return 16 hexadecimal digits, the same for every run by this user here."""
    if not machine_id or not machine_id.strip():
        raise NoIdError("the operating system gave this machine no id")
    digest = hmac.new(_salt(platform), machine_id.strip().encode(), hashlib.sha256)
    return digest.hexdigest()[:16]


def _folder(platform: str) -> Path:
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home)
    if platform == "darwin":
        return Path("~/Library/Application Support/benchdb").expanduser()
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(config).expanduser() / "benchdb"


def _salt(platform: str) -> bytes:
    try:
        path = _folder(platform) / "salt"
        if not path.exists():
            _create(path)
        salt = path.read_bytes()
    except (OSError, RuntimeError) as failure:
        why = getattr(failure, "strerror", None) or "no home folder"
        raise NoIdError(f"the salt cannot be kept: {why}") from failure
    if len(salt) != SALT_BYTES:
        raise NoIdError("the salt file is damaged; delete it to get another id")
    return salt


def _create(path: Path) -> None:
    """Write a salt that appears whole or not at all, also with many at it at once."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".salt-{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(draft, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SALT_BYTES))
        _publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links.
        if not path.exists():
            draft.rename(path)
