"""Run the command line as a user does: in a process of its own."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tests import forks


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def benchdb(
    *arguments: object,
    cwd: Path | None = None,
    stdin: bytes = b"",
    environment: Mapping[str, str] = os.environ,
) -> Outcome:
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        streams = [stream.fileno() for stream in (given, out, err)]
        started = forks.start(arguments, streams, cwd, environment=environment)
        status = started.wait()
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read().decode(), err.read().decode())
