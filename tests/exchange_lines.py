"""Lines of exchange files in a few words, and what is taken of them."""

import io
import json
from pathlib import Path
from typing import Any

from benchdb.exchange.reader import BadLine, read
from benchdb.exchange.record import Record

LINES = (Path(__file__).parent / "fixtures" / "two_runs.jsonl").read_bytes()
HEADER, MACHINE, ENVIRONMENT, RUN, *_ = LINES.splitlines(keepends=True)
START = (HEADER, MACHINE, ENVIRONMENT)


def records(*lines: bytes) -> list[Record]:
    items = read(io.BytesIO(b"".join(lines)))
    return [item for item in items if isinstance(item, Record)]


def taken(*lines: bytes) -> tuple[list[tuple[str, str]], dict[int, str]]:
    """Return the runs by key and status, and the bad lines by number."""
    items = list(read(io.BytesIO(b"".join(lines))))
    runs = [item for item in items if isinstance(item, Record)]
    bad = {item.number: item.reason for item in items if isinstance(item, BadLine)}
    return [(record.run.key, record.end.status) for record in runs], bad


def line(raw: bytes, **changes: Any) -> bytes:
    return json.dumps(json.loads(raw) | changes).encode() + b"\n"


def run(key: str, **changes: Any) -> bytes:
    return line(RUN, key=key, **changes)


def samples(key: str, *values: float) -> bytes:
    return line(b'{"type":"samples","phase":"measure"}', run=key, values=values)


def end(key: str, **changes: Any) -> bytes:
    return line(b'{"type":"end","status":"ok"}', run=key, **changes)
