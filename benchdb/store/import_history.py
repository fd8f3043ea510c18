"""What each import brought, and the last of them taken back.

An import is one call, with all of its files. Of each file it is noted which runs were
new and which were there, what it added to other tables, and what it changed there, as
that was before. What another import, still going on then, brought as well stays, and
counts from then on as added by that one; earlier imports come first anyway.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.errors import UsageError
from benchdb.store import bulk_load, documents, tables
from benchdb.store.bulk_load import batched, delete_keys
from benchdb.store.documents import Fingerprint, Reader
from benchdb.store.removal import Removal, Removed
from benchdb.store.tables import Digest, import_part, imported_file

_BYTES = 32  # of a digest
_FULL = 2**20  # bytes of digests in a row, about; a file may have millions of runs
_GONE = Table(
    "benchdb_gone",
    MetaData(),
    Column("digest", Digest, primary_key=True),
    prefixes=["TEMPORARY"],
)
# What a file adds or changes besides its runs, in the order in which it is taken away.
_SMALL = tuple(
    tables.metadata.tables[name]
    for name in (
        *("claim", "source_file", "imported_file", "quarantine", "signature"),
        *("document", "retraction", "source"),
    )
)
# Of these a row never changes: its key is all that has to be looked at.
_FIXED = ("claim", "document", "signature", "retraction")

_FILES = imported_file.name

Key = tuple[Any, ...]
Row = dict[str, Any]
Keys = dict[str, list[Key]]


class Import(msgspec.Struct, frozen=True):
    """One call that imports; *began* is in UTC."""

    id: str
    began: str


def begin() -> Import:
    """Return an import that begins now."""
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    return Import(uuid4().hex, moment.replace("+00:00", "Z"))


class _Others(msgspec.Struct):
    """Rows of the small tables by name: keys, and whole ones as they were *before*."""

    added: Keys = {}
    known: Keys = {}
    before: dict[str, list[Row]] = {}


class FilePart:
    """What one file brings, noted in the transaction that writes it."""

    def __init__(
        self, connection: Connection, of: Import | None, file: str, name: str
    ) -> None:
        """Note what the *file* with that digest brings; nothing where *of* is None."""
        self._connection, self._of = connection, of
        self._facts = {"file": file, "name": name}
        self._added, self._known = bytearray(), bytearray()
        self._looks: list[tuple[Table, ColumnElement[bool]]] = []
        self._before: dict[str, dict[Key, Row]] = {}

    def look(self, table: Table, which: ColumnElement[bool]) -> None:
        """Remember rows as they are before the file adds to them or changes them."""
        if self._of is not None:
            self._looks.append((table, which))
            self._see(self._before, table, which)

    def look_at_file(self, file: Fingerprint, by: Reader) -> None:
        """Remember what is noted of *file* before it is read *by* something."""
        self.look(imported_file, imported_file.c.digest == documents.key(file, by))
        self.look(tables.source_file, tables.source_file.c.file == file.sha256)
        self.look(tables.quarantine, documents.refused_of(file, by))
        kept = [file.sha256, by.map_sha256 or file.sha256]
        self.look(tables.document, tables.document.c.sha256.in_(kept))

    def look_at(self, result: Mapping[str, Iterable[Any]]) -> None:
        """Remember which sources, claims and retractions in *result* are there."""
        for table in (tables.source, tables.claim, tables.retraction):
            digests = sorted({row["digest"] for row in result.get(table.name, ())})
            for some in batched(digests):
                self.look(table, table.c.digest.in_(some))

    def note_runs(self, named: Iterable[str], there: Collection[str]) -> None:
        """Note the runs that the file names, and which of them were *there*."""
        if self._of is None:
            return
        for digest in sorted(named):
            into = self._known if digest in there else self._added
            into += bytes.fromhex(digest)
        if len(self._added) + len(self._known) > _FULL:
            self._write(_Others())

    def close(self) -> None:
        """Note what became of all that was looked at."""
        if self._of is None:
            return
        after: dict[str, dict[Key, Row]] = {}
        for table, which in self._looks:
            self._see(after, table, which)
        others = _Others()
        for name, rows in after.items():
            before = self._before[name]
            others.added[name] = sorted(rows.keys() - before.keys())
            if name != "quarantine":  # it is written anew with its file
                others.known[name] = sorted(rows.keys() & before.keys())
            changed = [row for key, row in before.items() if rows.get(key) != row]
            others.before[name] = changed
        self._write(others)

    def _see(
        self,
        into: dict[str, dict[Key, Row]],
        table: Table,
        which: ColumnElement[bool],
    ) -> None:
        columns = table.primary_key if table.name in _FIXED else table.columns
        rows = into.setdefault(table.name, {})
        for row in self._connection.execute(select(*columns).where(which)).mappings():
            result = dict(row)
            rows[_key(table, result)] = result

    def _write(self, others: _Others) -> None:
        of = self._of
        assert of is not None  # noqa: S101 - else nothing is noted
        last = self._connection.scalar(select(func.max(import_part.c.number))) or 0
        row = {
            "number": last + 1,
            "import": of.id,
            "began": of.began,
            "added": bytes(self._added),
            "known": bytes(self._known),
            "others": _without_nothing(others),
            **self._facts,
        }
        self._connection.execute(insert(import_part), [row])
        self._added.clear()
        self._known.clear()


def _key(table: Table, row: Mapping[str, Any]) -> Key:
    return tuple(row[column.name] for column in table.primary_key)


def _without_nothing(others: _Others) -> dict[str, Any]:
    plain = msgspec.to_builtins(others)
    kept = {
        kind: {name: rows for name, rows in by_name.items() if rows}
        for kind, by_name in plain.items()
    }
    return {kind: by_name for kind, by_name in kept.items() if by_name}


class Undone(msgspec.Struct, frozen=True):
    """An import that was taken back: when it began, its files, what went.

    *refused* are entries of the quarantine; *staying* runs that it named and that
    another import had brought, or somebody measured. *documents* are the SHA-256 of
    files that no other import has read so.
    """

    began: str
    names: Sequence[str]
    removed: Removed
    refused: int
    staying: int
    documents: Sequence[str]


class _Part(msgspec.Struct):
    number: int
    name: str
    added: set[bytes]
    known: set[bytes]
    others: _Others


def undo(connection: Connection) -> Undone:
    """Take back what the last import brought, and no other did; say what that was.

    Another file of the same runs brings them again. Raise ``UsageError`` where there is
    no import left.
    """
    newest = select(import_part).order_by(import_part.c.number.desc()).limit(1)
    last = connection.execute(newest).mappings().first()
    if last is None:
        raise UsageError(
            "there is no import to take back; 'benchdb forget' deletes a run, a "
            "machine or a source"
        )
    ours = import_part.c["import"] == last["import"]
    names = select(import_part.c.name).where(ours).order_by(import_part.c.number)
    names_ = list(dict.fromkeys(connection.scalars(names)))
    _hand_over(connection, last["import"])
    parts = _parts(connection, ours)
    if parts:
        later = and_(import_part.c.number > parts[0].number, ~ours)
        for other in _parts(connection, later):
            for part in parts:
                _leave(part, other)
            _rewrite(connection, other)
    staying = _staying(connection, parts)
    read = [key for part in parts for (key,) in part.others.added.get(_FILES, ())]
    digests = select(imported_file.c.sha256).where(imported_file.c.digest.in_(read))
    documents = sorted(set(connection.scalars(digests)))
    removed, refused = _take_away(connection, parts)
    connection.execute(delete(import_part).where(ours))
    return Undone(last["began"], names_, removed, refused, staying, documents)


def _staying(connection: Connection, parts: Sequence[_Part]) -> int:
    """Return how many runs were named that stay; of known files no run was noted."""
    named = {digest for part in parts for digest in part.known}
    added = {digest for part in parts for digest in part.added}
    met = {
        key
        for part in parts
        if not part.known and not part.added
        for (key,) in part.others.known.get(_FILES, ())
    }
    runs = func.coalesce(func.sum(imported_file.c.runs), 0)
    count = connection.scalar(select(runs).where(imported_file.c.digest.in_(met)))
    return len(named - added) + (count or 0)


def _hand_over(connection: Connection, of: str) -> None:
    """Let files that another import met again later be that one's."""
    mine, other = import_part.alias("mine"), import_part.alias("other")
    query = (
        select(mine.c.file, other.c["import"], other.c.began)
        .join(other, and_(other.c.file == mine.c.file, other.c.number > mine.c.number))
        .where(mine.c["import"] == of, other.c["import"] != of)
        .order_by(other.c.number.desc())
    )
    for file, theirs, began in connection.execute(query).all():
        same = and_(import_part.c.file == file, import_part.c["import"] == of)
        moved = update(import_part).where(same)
        connection.execute(moved.values({"import": theirs, "began": began}))


def _parts(connection: Connection, which: ColumnElement[bool]) -> list[_Part]:
    query = select(import_part).where(which).order_by(import_part.c.number)
    return [
        _Part(
            row["number"],
            row["name"],
            _digests(row["added"]),
            _digests(row["known"]),
            msgspec.convert(row["others"], _Others),
        )
        for row in connection.execute(query).mappings()
    ]


def _digests(packed: bytes) -> set[bytes]:
    starts = range(0, len(packed), _BYTES)
    return {bytes(packed[start : start + _BYTES]) for start in starts}


def _leave(part: _Part, other: _Part) -> None:
    """Let what *part* added, and *other* met, be added by the other."""
    runs = part.added & other.known
    part.added -= runs
    part.known |= runs
    other.added |= runs
    other.known -= runs
    for table in _SMALL:
        name = table.name
        met = {*other.others.known.get(name, ())}
        added = part.others.added.get(name, [])
        kept = [key for key in added if key in met]
        part.others.added[name] = [key for key in added if key not in met]
        other.others.added.setdefault(name, []).extend(kept)
        left = [key for key in other.others.known.get(name, ()) if key not in kept]
        other.others.known[name] = left
        # As it was before the first of them; nothing was, where that added it.
        images = part.others.before.get(name, [])
        theirs = [row for row in images if _key(table, row) in met]
        part.others.before[name] = [row for row in images if row not in theirs]
        earlier = {*kept, *(_key(table, row) for row in theirs)}
        later = other.others.before.get(name, [])
        later = [row for row in later if _key(table, row) not in earlier]
        other.others.before[name] = [*later, *theirs]


def _rewrite(connection: Connection, part: _Part) -> None:
    row = {
        "added": b"".join(sorted(part.added)),
        "known": b"".join(sorted(part.known)),
        "others": _without_nothing(part.others),
    }
    same = import_part.c.number == part.number
    connection.execute(update(import_part).where(same).values(row))


def _take_away(connection: Connection, parts: Sequence[_Part]) -> tuple[Removed, int]:
    connection.execute(CreateTable(_GONE))
    gone = {digest for part in parts for digest in part.added}
    bulk_load.insert(connection, _GONE, [(data.hex(),) for data in sorted(gone)])
    removal = Removal(connection, select(_GONE.c.digest))
    removal.drop_runs()
    refused = 0
    # Later files first: what one changed was left so by the one before.
    for part in reversed(parts):
        for table in _SMALL:
            keys = part.others.added.get(table.name, [])
            if table is tables.source:
                removal.emptied.update(key for (key,) in keys)
            elif table is tables.claim:
                for some in batched([key for (key,) in keys]):
                    removal.drop_claims(table.c.digest.in_(some))
            else:
                if table is tables.retraction:
                    named = select(table.c.run).where(_among(table, keys))
                    removal.changes.touch(connection.scalars(named))
                if table is tables.signature:
                    vouched = tables.signed_run.c.signature
                    digests = [key for (key,) in keys]
                    named = select(tables.signed_run.c.run)
                    removal.changes.touch(
                        connection.scalars(named.where(vouched.in_(digests)))
                    )
                    delete_keys(connection, vouched, digests)
                count = _delete(connection, table, keys)
                refused += count if table is tables.quarantine else 0
            _restore(connection, table, part.others.before.get(table.name, []))
    removed = removal.finish()
    connection.execute(DropTable(_GONE))
    return removed, refused


def _among(table: Table, keys: Sequence[Key]) -> ColumnElement[bool]:
    return tuple_(*table.primary_key).in_(keys)


def _delete(connection: Connection, table: Table, keys: Sequence[Key]) -> int:
    count = 0
    for some in batched(keys):
        same = _among(table, some)
        count += connection.execute(delete(table).where(same)).rowcount
    return count


def _restore(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Let *rows* be as they were, those that went as well; no import drops sources."""
    for row in rows:
        same = and_(*(column == row[column.name] for column in table.primary_key))
        there = connection.execute(update(table).where(same).values(row)).rowcount
        if not there and table is not tables.source:
            connection.execute(insert(table), [row])
