"""Write files so that a reader sees the old one or the new one, never half of one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from benchdb.errors import BenchdbError


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a binary stream that becomes *path* when the block ends without error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        # mkstemp makes files private; a report is for others to read.
        unfinished.chmod(0o666 & ~_umask())
        unfinished.replace(path)
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
