"""Bundles as people make them, and archives that nobody should."""

import atexit
import gzip
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tests.exchange_lines import ENVIRONMENT, HEADER, LINES, MACHINE, end, line, run
from tests.in_process import benchdb

Member = tuple[str, bytes]
RUNS = "runs.jsonl.gz"
MINE = json.loads(MACHINE)["anonymous_id"]  # the machine of the lines


@cache
def _filled(lines: bytes) -> Path:
    """Return a database that holds exchange *lines*."""
    room = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, room)
    (room / "a.jsonl").write_bytes(lines)
    taken = benchdb("import", room / "a.jsonl", "--db", room / "results.sqlite")
    assert taken.status == 0, taken.err
    return room / "results.sqlite"


def exported(path: Path, lines: bytes = LINES, key: Path | None = None) -> Path:
    """Write a bundle of exchange *lines*, as somebody else would with their key."""
    signed = ("--unsigned",) if key is None else ("--key", key)
    done = benchdb("export", "--bundle", path, *signed, "--db", _filled(lines))
    assert done.status == 0, done.err
    return path


def lines_of(campaign: str, **machine: Any) -> bytes:
    """Return exchange lines of one run, on the machine with these changes."""
    about = {"campaign": campaign, "started": f"2026-01-02T00:00:{len(campaign):02}Z"}
    return b"".join(
        (
            *(HEADER, line(MACHINE, **machine), ENVIRONMENT),
            run("r", **about),
            end("r", values=[{"metric": "step_seconds", "value": 0.25}]),
        )
    )


def members(path: Path) -> list[Member]:
    """Return what is in an archive, read without anything of ours."""
    content, at = path.read_bytes(), 0
    pairs = []
    while (name := content[at : at + 100].rstrip(b"\0").decode()) != "":
        size = int(content[at + 124 : at + 135], 8)
        pairs.append((name, content[at + 512 : at + 512 + size]))
        at += 512 + size + -size % 512
    return pairs


def archive(path: Path, some: Iterable[Member], kind: bytes = b"0") -> Path:
    """Write a ustar of *some* members, of a *kind* such as a link."""
    blocks = []
    for name, content in some:
        block = bytearray(512)
        block[: len(name)] = name.encode()
        for at, digits in ((100, b"0000644"), (108, b"0000000"), (116, b"0000000")):
            block[at : at + 7] = digits
        block[124:135], block[136:147] = b"%011o" % len(content), b"0" * 11
        block[148:156], block[156:157] = b" " * 8, kind
        block[257:265] = b"ustar\x0000"
        block[329:336] = block[337:344] = b"0000000"
        block[148:156] = b"%06o\0 " % sum(block)
        blocks += [bytes(block), content, bytes(-len(content) % 512)]
    path.write_bytes(b"".join((*blocks, bytes(1024))))
    return path


def manifest(parts: Iterable[Member], **changes: Any) -> bytes:
    """Return a manifest of *parts* in its canonical form, with *changes*."""
    facts = {
        "format": 1,
        "producer": "benchdb",
        "producer_version": "0",
        "parts": [
            {
                "name": name,
                "sha256": hashlib.sha256(content).hexdigest(),
                "bytes": len(content),
            }
            for name, content in parts
        ],
        "runs": 2,
        "machines": [MINE],
        **changes,
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def packed(lines: bytes = LINES) -> Member:
    return RUNS, gzip.compress(lines, mtime=0)
