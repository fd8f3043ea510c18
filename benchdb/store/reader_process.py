"""A large exchange file is read by a process of its own, while we write.

It decodes, checks, identifies and judges; what we write comes through a pipe. It takes
the file from its start, and leaves alone where we are in it.
"""

import gc
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from benchdb.errors import ExchangeError, failure_message
from benchdb.exchange import reader
from benchdb.store.batches import Batch, batches

LARGE = 8 * 2**20  # bytes; smaller files are read before the process has started

_LENGTH = 8  # bytes before each message, which say how long it is
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from benchdb.store.reader_process import main; main()"
)


class _Message(msgspec.Struct):
    """A batch, or what ended the reading: an error of the file, or its end."""

    batch: Batch | None = None
    refused: str | None = None
    errno: int | None = None


_encoder, _decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(_Message)


def worthwhile(stream: IO[bytes], size: int) -> bool:
    """Tell whether reading *stream*, *size* bytes, is worth a process of its own."""
    several = (os.cpu_count() or 1) > 1
    return size >= LARGE and several and bool(sys.executable) and _is_file(stream)


def _is_file(stream: IO[bytes]) -> bool:
    try:
        stream.fileno()
    except (AttributeError, OSError):
        return False
    return True


@contextmanager
def reading(stream: IO[bytes]) -> Iterator[Iterator[Batch]]:
    """Give what is in an exchange file, as ``batches`` would.

    Raise what reading it raises; ``ExchangeError`` if the process is killed.
    """
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, str(root)],
        stdin=stream,
        stdout=subprocess.PIPE,
        process_group=0,  # what is typed to stop us is ours: we end it
    )
    with process:
        try:
            yield _batches(process)
        finally:
            process.kill()


def _batches(process: "subprocess.Popen[bytes]") -> Iterator[Batch]:
    while content := _received(process.stdout or io.BytesIO()):
        message = _decoder.decode(content)
        if message.errno is not None:
            raise OSError(message.errno, message.refused)
        if message.refused is not None:
            raise ExchangeError(message.refused)
        if message.batch is None:
            return
        yield message.batch
    raise ExchangeError(
        f"the process that read it {_fate(process.wait())}; nothing of the file was "
        "taken, import it again"
    )


def _received(pipe: IO[bytes]) -> bytes:
    """Take one message; what is cut short is none."""
    length = int.from_bytes(pipe.read(_LENGTH))
    content = pipe.read(length)
    return content if len(content) == length else b""


def _fate(status: int) -> str:
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


class _FromStart(io.RawIOBase):
    """A file that is read from its start; where its descriptor is does not change."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = os.pread(self._descriptor, len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def main() -> None:
    """Read standard input, a file; write messages to standard output."""
    # What lines hold refers to nothing around it: there is little to look for.
    gc.set_threshold(50_000)
    with suppress(BrokenPipeError):  # nobody waits for the rest
        stream = io.BufferedReader(_FromStart(sys.stdin.fileno()), 2**18)
        try:
            for batch in batches(reader.read(stream)):
                _send(_Message(batch=batch))
        except ExchangeError as error:
            _send(_Message(refused=str(error)))
        except BrokenPipeError:
            raise
        except OSError as error:
            _send(_Message(refused=error.strerror, errno=error.errno))
        except Exception as error:  # told in one line by who waits for us
            _send(_Message(refused=failure_message(error)))
        else:
            _send(_Message())


def _send(message: _Message) -> None:
    content = _encoder.encode(message)
    output = memoryview(len(content).to_bytes(_LENGTH) + content)
    while output:
        output = output[os.write(sys.stdout.fileno(), output) :]
