"""Real SSH keys in temporary folders, and what they sign with the real ssh-keygen."""

import subprocess
from pathlib import Path


def new_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """Make a key pair; return the private half, beside which is its ``.pub``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    args = ("-q", "-t", kind, "-N", passphrase, "-C", "alice@example.org")
    subprocess.run(["ssh-keygen", *args, "-f", path], check=True)
    return path


def public_line(key: Path) -> str:
    """Return type and key of the public half, without the comment."""
    return " ".join(key.with_suffix(".pub").read_text().split()[:2])


def fingerprint(key: Path) -> str:
    """Return ``SHA256:…`` as ssh-keygen tells it."""
    done = subprocess.run(
        ["ssh-keygen", "-l", "-f", key], check=True, capture_output=True, text=True
    )
    return done.stdout.split()[1]
