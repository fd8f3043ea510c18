"""A disk of a fixed size, so that it can be full."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AS_ROOT = [] if os.geteuid() == 0 else ["sudo", "-n"]


@contextmanager
def full_disk(size: int) -> Iterator[Path]:
    """Give a folder that takes *size* bytes, rounded up to pages, and no more."""
    with tempfile.TemporaryDirectory() as room:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=777"]
        subprocess.run([*_AS_ROOT, *mount, "benchdb", room], check=True)
        try:
            yield Path(room)
        finally:
            subprocess.run([*_AS_ROOT, "umount", "--lazy", room], check=True)
