"""The anonymous id of a machine: random, kept in the user's data folder, stable.

What it is made of tells nothing: 128 random bits. It is in every file that is shared,
and may be made anew at any time.
"""

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

_ID = re.compile("[0-9a-f]{32}|[0-9a-f]{16}")  # the short ones are of former versions
_RANDOM_BYTES = 16
_SALT_BYTES = 32


class NoIdError(Exception):
    """There is no anonymous id; the message says why, without any path."""


def anonymous_id(system_id: str | None, platform: str) -> str:
    """Return the id that is kept for this machine; the first time it is made.

    *system_id* only names the file, so that machines which share a home folder have an
    id each. Raise ``NoIdError`` where none can be kept: an id of this process alone
    would make every process another machine.
    """
    try:
        path = _place(system_id, platform)
        if not path.exists():
            _create(path, _former(system_id, platform) or _random())
        kept = path.read_bytes().decode("ascii", "replace").strip()
    except (OSError, RuntimeError) as failure:
        raise _unkept(failure) from failure
    if not _ID.fullmatch(kept):
        raise NoIdError(
            "the file of the id is damaged; 'benchdb machines here --renew-id'"
        )
    return kept


def renew(system_id: str | None, platform: str) -> None:
    """Put another random id in the place of that of this machine."""
    try:
        path = _place(system_id, platform)
        _draft(path, _random()).replace(path)
    except (OSError, RuntimeError) as failure:
        raise _unkept(failure) from failure


def _unkept(failure: Exception) -> NoIdError:
    why = getattr(failure, "strerror", None) or "no home folder"
    return NoIdError(f"the id cannot be kept: {why}")


def _random() -> str:
    return secrets.token_hex(_RANDOM_BYTES)


def _place(system_id: str | None, platform: str) -> Path:
    named = hashlib.sha256((system_id or "").strip().encode()).hexdigest()[:8]
    return data_folder(platform) / f"machine-id-{named}"


def data_folder(platform: str) -> Path:
    """Return where a user's data are, as ``benchdb`` does, which is not needed here."""
    if home := os.environ.get("BENCHDB_HOME"):
        return Path(home)
    usual = "Library/Application Support" if platform == "darwin" else ".local/share"
    root = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (root if root.is_absolute() else Path.home() / usual) / "benchdb"


def _former(system_id: str | None, platform: str) -> str | None:
    """Return the id that this machine had by a former version, if that was here.

    It was a keyed hash of the system's own id, and its key is still there.
    """
    try:
        salt = (_folder(platform) / "salt").read_bytes()
    except FileNotFoundError:
        return None
    if not system_id or not system_id.strip() or len(salt) != _SALT_BYTES:
        return None
    digest = hmac.new(salt, system_id.strip().encode(), hashlib.sha256)
    return digest.hexdigest()[:16]


def _folder(platform: str) -> Path:
    """Return where former versions kept the key."""
    if os.environ.get("BENCHDB_HOME") or platform == "darwin":
        return data_folder(platform)
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(config).expanduser() / "benchdb"


def _create(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all, also with many at it at once."""
    draft = _draft(path, text)
    try:
        _publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path, text: str) -> Path:
    """Return an unfinished file beside *path*, for its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".machine-id-{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{text}\n")
    except OSError:
        draft.unlink(missing_ok=True)  # on a full disk
        raise
    return draft


def _publish(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links.
        if not path.exists():
            draft.rename(path)
