"""Build what a collection publishes: site, database, tables, badges and metadata.

All of it follows from the last commit: the same bundles give the same bytes.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from benchdb.errors import BenchdbError
from benchdb.files import replacing
from benchdb.report import database_file
from benchdb.report.scope import EVERYTHING, Wanted, selected
from benchdb.repository import croissant, git
from benchdb.repository.assembly import assembled
from benchdb.repository.snapshot import Snapshot, snapshot
from benchdb.site import whole
from benchdb.site.badges import drawn
from benchdb.site.pages import Frame
from benchdb.store import contents
from benchdb.store.database import reading

_COLOUR = "005d96"  # of the badge, as in its template


class Built(msgspec.Struct, frozen=True):
    """What was built: its *files*, their bytes, and a *digest* of all."""

    files: int
    size: int
    digest: str


def build(folder: Path, target: Path, frame: Frame) -> Built:
    """Build the collection at *folder* into *target*, a new folder or one built so.

    Raise ``BenchdbError`` if something is wrong with the collection.
    """
    git.top(folder)
    head = git.commit(folder, "HEAD")
    with snapshot(folder, head) as snapshot_:
        if snapshot_.problems:
            raise BenchdbError(
                f"{snapshot_.problems[0]} ('benchdb check-repo' tells all; nothing was "
                "built)"
            )
        paths = [bundle.path for bundle in snapshot_.bundles]
        with (
            assembled(
                snapshot_.room, paths, snapshot_.known, snapshot_.tombstones
            ) as engine,
            reading(engine) as connection,
        ):
            with selected(connection, Wanted()) as scope:
                whole.renew(connection, scope, frame, target)
            for path, content in _files(connection, snapshot_, frame.base):
                _write(target / path, content)
    return _summed(target)


def _files(
    connection: Connection, snapshot_: Snapshot, base: str
) -> Iterator[tuple[str, bytes]]:
    """Yield all that is no page, by path."""
    files = croissant.tables(connection)
    files["results.sqlite"] = database_file.content(connection, EVERYTHING)
    yield from files.items()
    owners = tuple(sorted({bundle.owner for bundle in snapshot_.bundles}))
    version = f"{1 + len(snapshot_.tombstones)}.{len(snapshot_.bundles)}.0"
    about = croissant.About(snapshot_.title, owners, version, base)
    yield "croissant.json", croissant.metadata(connection, files, about)
    yield "collection.json", _index(snapshot_)
    yield "signers", snapshot_.known.signers().encode()
    yield from _badges(connection, snapshot_)


def _write(path: Path, content: bytes) -> None:
    if path.suffix == ".sqlite":
        database_file.write(path, content)
        return
    with replacing(path) as stream:
        stream.write(content)


def _index(snapshot_: Snapshot) -> bytes:
    """Return who contributed what, and what was taken out, as JSON."""
    whose = defaultdict[str, list[dict[str, object]]](list)
    for bundle in snapshot_.bundles:
        facts = msgspec.to_builtins(bundle, order="deterministic")
        whose[facts.pop("owner")].append(facts)
    index = {
        "title": snapshot_.title,
        "contributors": [
            {
                "name": name,
                "keys": [key.fingerprint for key in keys],
                "bundles": whose[name],
            }
            for name, keys in sorted(snapshot_.known.keys.items())
        ],
        "revoked": sorted(snapshot_.known.revoked),
        "tombstones": msgspec.to_builtins(list(snapshot_.tombstones.values())),
    }
    return json.dumps(index, ensure_ascii=False, indent=1).encode() + b"\n"


def _badges(connection: Connection, snapshot_: Snapshot) -> Iterator[tuple[str, bytes]]:
    """Yield a badge of all and of each contributor: an image, and JSON."""
    whose = defaultdict[str, set[str]](set)
    for bundle in snapshot_.bundles:
        whose[bundle.owner] |= bundle.runs - snapshot_.tombstones.keys()
    counts = {name: len(runs) for name, runs in sorted(whose.items())}
    every = contents.runs(connection)
    named = [(f"badge/{name}", name, count) for name, count in counts.items()]
    for path, name, count in [("badge", "benchdb", every), *named]:
        text = f"{count:,} run{'s' * (count != 1)}"
        facts = {"schemaVersion": 1, "label": name, "message": text, "color": _COLOUR}
        yield f"{path}.json", json.dumps(facts).encode() + b"\n"
        yield f"{path}.svg", drawn(name, text).encode()


def _summed(target: Path) -> Built:
    whole_, count, size = hashlib.sha256(), 0, 0
    for path in sorted(item for item in target.rglob("*") if item.is_file()):
        content = path.read_bytes()
        line = f"{hashlib.sha256(content).hexdigest()}  {path.relative_to(target)}\n"
        whole_.update(line.encode())
        count, size = count + 1, size + len(content)
    return Built(count, size, whole_.hexdigest())
