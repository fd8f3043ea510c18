"""The runs of a report as a small SQLite database, which benchdb reads like any other.

The same runs give the same bytes: rows go in by their keys, and of what SQLite notes
about itself in the head of a file nothing is left to chance or to its version.
"""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from zlib import crc32

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    false,
    insert,
    or_,
    select,
)

from benchdb.errors import BenchdbError
from benchdb.files import SQLITE_MAGIC, replacing
from benchdb.report.scope import Scope
from benchdb.store import contents, findings, newest, results, sqlite, tables
from benchdb.store.machines import FOREIGN_ID
from benchdb.store.migrate import upgrade

_APPLICATION = 0x62646272  # "bdbr": a report's copy, which the next report may replace
_PAGE = 4096
_ROWS = 1000  # at once
# Places in the head of a file, https://www.sqlite.org/fileformat2.html
_JOURNAL = slice(18, 20)
_USER_VERSION = slice(60, 64)
_APPLICATION_ID = slice(68, 72)
_VALID_FOR_AND_VERSION = slice(92, 100)
_CHANGES = slice(24, 28)
_WRITE_AHEAD = b"\x02\x02"  # as benchdb sets it, so that reading changes nothing


def content(connection: Connection, scope: Scope) -> bytes:
    """Return the database of the runs in *scope*, with all that they refer to.

    Claims of their sources are there; documents and files that were read are not. It
    is made to be given away, so nothing in it is mine.
    """
    with tempfile.TemporaryDirectory(prefix="benchdb-") as room:
        path, packed = Path(room) / "new.sqlite", Path(room) / "packed.sqlite"
        path.touch()
        engine = sqlite.connect(path)
        upgrade(engine)
        with engine.begin() as target:
            for query, table in _parts(scope):
                for some in connection.execute(query).mappings().partitions(_ROWS):
                    target.execute(insert(table), [dict(row) for row in some])
            newest.renew(target)
            contents.renew(target)
            # What is mine here is anybody's there: a copy of it contradicts it.
            everything = target.scalars(select(tables.run.c.digest)).all()
            findings.compare(target, everything)
            results.renew(target)
        engine.dispose()
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"PRAGMA application_id={_APPLICATION}")
            database.execute("PRAGMA journal_mode=DELETE")
            database.execute(f"PRAGMA page_size={_PAGE}")
            database.execute("VACUUM INTO ?", (str(packed),))
        return _sealed(packed.read_bytes())


def write(path: Path, database: bytes) -> None:
    """Write *database* to *path*, in place of such a copy that nobody changed since.

    Raise ``BenchdbError`` if there is any other database: it may hold the only
    measurements of somebody.
    """
    target = path.resolve()
    if _is_of_others(target):
        raise BenchdbError(
            f"{path} is a database of its own, or was changed since it was written; "
            "move it, or write into another folder"
        )
    unfinished = target.with_name(f".benchdb-{target.name}")
    try:
        with replacing(unfinished) as stream:
            stream.write(database)
        unfinished.replace(target)
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


def _parts(scope: Scope) -> Iterator[tuple[Select[tuple[object, ...]], Table]]:
    """Yield what goes into each table, parents before children."""
    run, machine, link = tables.run, tables.machine, tables.machine_link
    shown = scope.has(run.c.digest)
    used = select(run.c.machine).where(shown)
    root = select(link.c.same_as).where(link.c.machine.in_(used))
    machines = or_(machine.c.digest.in_(used), machine.c.digest.in_(root))
    of_runs: dict[Table, ColumnElement[bool]] = {
        table: scope.has(table.c.run)
        for table in (
            *(tables.value, tables.samples, tables.flag),
            *(tables.finding, tables.fingerprint),
        )
    }
    metrics = select(tables.value.c.metric).where(scope.has(tables.value.c.run))
    kind = and_(
        run.c.workload == tables.workload.c.name,
        run.c.workload_version == tables.workload.c.version,
        shown,
    )
    signed = select(tables.signed_run.c.signature).where(
        scope.has(tables.signed_run.c.run)
    )
    seals = tables.signature.c.digest.in_(signed)
    keys = select(tables.signature.c.fingerprint).where(seals)
    wanted = {
        tables.source: scope.tells(tables.source.c.digest),
        tables.chip: tables.chip.c.digest.in_(select(machine.c.chip).where(machines)),
        machine: machines,
        tables.environment: tables.environment.c.digest.in_(
            select(run.c.environment).where(shown)
        ),
        tables.workload: select(run.c.digest).where(kind).exists(),
        tables.metric: tables.metric.c.name.in_(metrics),
        run: shown,
        **of_runs,
        tables.claim: scope.tells(tables.claim.c.source),
        tables.signer: tables.signer.c.fingerprint.in_(keys),
        tables.signature: seals,
        tables.signed_run: scope.has(tables.signed_run.c.run),
        link: link.c.machine.in_(used),
    }
    wanted[tables.finding] &= tables.finding.c.code != FOREIGN_ID
    for table, condition in wanted.items():
        columns = [
            false().label("mine") if column.name == "mine" else column
            for column in table.columns
        ]
        yield select(*columns).where(condition).order_by(*table.primary_key), table


def _sealed(database: bytes) -> bytes:
    """Return *database* with a checksum of itself where users may put a number."""
    sealed = bytearray(database)
    sealed[_JOURNAL] = _WRITE_AHEAD
    sealed[_CHANGES] = bytes(4)
    sealed[_VALID_FOR_AND_VERSION] = bytes(8)
    sealed[_USER_VERSION] = bytes(4)
    sealed[_USER_VERSION] = crc32(sealed).to_bytes(4)
    return bytes(sealed)


def _is_of_others(path: Path) -> bool:
    """Tell whether a database is there that is no copy, or one that was changed."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_APPLICATION_ID.stop)
    except OSError:
        return False  # nothing there, or nothing that can be read: writing will tell
    if not head.startswith(SQLITE_MAGIC):
        return False
    ours = head[_APPLICATION_ID] == _APPLICATION.to_bytes(4)
    if not ours or sqlite.unfinished(path):
        return True
    data = path.read_bytes()
    return _sealed(data) != data
