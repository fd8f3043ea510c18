"""A disk of a fixed size, so that it can be full."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.machine_needs import SMALL_DISK

_AS_ROOT = [] if os.geteuid() == 0 else ["sudo", "-n"]


@contextmanager
def full_disk(size: int) -> Iterator[Path]:
    """Give a folder that takes *size* bytes, rounded up to pages, and no more."""
    if os.geteuid() != 0 and SMALL_DISK.is_mount():
        with _shared_disk(size) as room:
            yield room
        return
    with tempfile.TemporaryDirectory() as room:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=777"]
        subprocess.run([*_AS_ROOT, *mount, "benchdb", room], check=True)
        try:
            yield Path(room)
        finally:
            subprocess.run([*_AS_ROOT, "umount", "--lazy", room], check=True)


@contextmanager
def _shared_disk(size: int) -> Iterator[Path]:
    """Leave *size* bytes of the disk that was mounted for all who may not mount."""
    with Path(tempfile.gettempdir(), "benchdb-small-disk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of the workers, each in turn
        with tempfile.TemporaryDirectory(dir=SMALL_DISK) as folder:
            room = Path(folder, "room")
            room.mkdir()
            pages = -(-size // os.sysconf("SC_PAGE_SIZE"))
            # Blocks of a tmpfs are pages; an empty file takes none of them.
            ballast = shutil.disk_usage(SMALL_DISK).free
            ballast -= pages * os.sysconf("SC_PAGE_SIZE")
            with Path(folder, "ballast").open("wb") as filled:
                os.posix_fallocate(filled.fileno(), 0, ballast)
            yield room
