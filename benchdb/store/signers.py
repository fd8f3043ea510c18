"""Whose keys are known here, and what of the runs they signed.

A key counts as it was when its bundle was imported: a signature bears no date that
could be relied on. A revoked key counts at no time.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from benchdb.bundles.allowed_signers import Seal, Signer, Signers, Trust
from benchdb.bundles.signatures import Key
from benchdb.errors import DatabaseError, UsageError
from benchdb.store import newest
from benchdb.store.bulk_load import batched, insert_rows
from benchdb.store.hearsay import shipped_runs
from benchdb.store.tables import run, signature, signed_run, signer

_DAY = len("2026-11-27")
_ENOUGH = len("SHA256:") + 6  # characters that name a key
_LABEL = run.c.keys().index("label")


def known_signers(connection: Connection) -> Signers:
    """Return the signers that the owner knows."""
    return Signers(map(_signer, connection.execute(select(signer))))


def listed(connection: Connection) -> list[tuple[Signer | None, Key, int]]:
    """Return each key, known or met, with its signer and how many runs it signed."""
    count = func.count(signed_run.c.run.distinct())
    query = (
        select(signature.c.fingerprint, signature.c.line, count)
        .outerjoin(signed_run, signed_run.c.signature == signature.c.digest)
        .group_by(signature.c.fingerprint, signature.c.line)
    )
    met = {name: (line, runs) for name, line, runs in connection.execute(query)}
    known = {
        item.key.fingerprint: item
        for item in map(_signer, connection.execute(select(signer)))
    }
    rows: list[tuple[Signer | None, Key, int]] = [
        (known.get(name), _key(name, line), runs) for name, (line, runs) in met.items()
    ]
    rows += [
        (result, result.key, 0) for name, result in known.items() if name not in met
    ]
    return sorted(rows, key=_order)


def _order(row: tuple[Signer | None, Key, int]) -> tuple[bool, str, str]:
    signer, key, _ = row
    return signer is None, "" if signer is None else signer.name, key.line


def _signer(row: Any) -> Signer:
    try:
        until = None if row.until is None else date.fromisoformat(row.until)
    except ValueError as error:
        raise DatabaseError(f"a row of signer: {error}") from error
    key = _key(row.fingerprint, row.line)
    return Signer(key, row.name, None, until, row.revoked, row.mine)


def _key(fingerprint: str, line: str) -> Key:
    return Key(line.split(" ", 1)[0], fingerprint, line)


def find_key(connection: Connection, fingerprint: str) -> Key:
    """Return the known or met key with that *fingerprint*, or that begins so."""
    lines = {
        name: line
        for table in (signature, signer)
        for name, line in connection.execute(
            select(table.c.fingerprint, table.c.line).distinct()
        )
        # In SQL, SQLite would take capitals for small letters.
        if name == fingerprint
        or (name.startswith(fingerprint) and len(fingerprint) >= _ENOUGH)
    }
    if fingerprint in lines or len(lines) == 1:
        name = fingerprint if fingerprint in lines else next(iter(lines))
        return _key(name, lines[name])
    if lines:
        raise UsageError(f"several keys begin with {fingerprint!r}; give more of it")
    raise UsageError(
        f"no key {fingerprint!r} is known or came with a bundle; "
        "'benchdb trust' lists those, and a .pub file brings a new one"
    )


def trust(connection: Connection, known: Signer) -> None:
    """Know whose key it is, whatever was known of it before."""
    before = signer.c.fingerprint == known.key.fingerprint
    added = connection.scalar(select(signer.c.added).where(before))
    connection.execute(delete(signer).where(before))
    row = {
        "fingerprint": known.key.fingerprint,
        "line": known.key.line,
        "name": known.name,
        "added": added or _now(),
        "until": None if known.until is None else known.until.isoformat(),
        "revoked": known.revoked,
        "mine": known.mine,
    }
    connection.execute(insert(signer), [row])


def _now() -> str:
    moment = datetime.now(UTC).isoformat(timespec="microseconds")
    return moment.replace("+00:00", "Z")


def is_recorded(connection: Connection, digest: str) -> bool:
    """Tell whether the signature with that digest was imported."""
    query = select(signature.c.digest).where(signature.c.digest == digest)
    return connection.scalar(query) is not None


def record(connection: Connection, seal: Seal, runs: Collection[str]) -> None:
    """Note that *runs*, those of them that are there, were signed."""
    if not is_recorded(connection, seal.digest):
        row = {
            "digest": seal.digest,
            "fingerprint": seal.key.fingerprint,
            "line": seal.key.line,
            "file_sha256": seal.file_sha256,
            "imported": _now(),
        }
        connection.execute(insert(signature), [row])
    ours = signed_run.c.signature == seal.digest
    before = set(connection.scalars(select(signed_run.c.run).where(ours)))
    for some in batched(sorted({*runs} - before)):
        there = connection.scalars(select(run.c.digest).where(run.c.digest.in_(some)))
        rows = [{"run": item, "signature": seal.digest} for item in there]
        insert_rows(connection, signed_run, rows)


def signed_by(connection: Connection, fingerprint: str) -> set[str]:
    """Return the runs that a key signed."""
    query = select(signed_run.c.run).join(signature)
    return set(connection.scalars(query.where(signature.c.fingerprint == fingerprint)))


class Vouching(msgspec.Struct, frozen=True):
    """A signature of a run: whose, and what its key was worth on the day it came."""

    fingerprint: str
    name: str | None
    trust: Trust
    imported: str


def vouching(connection: Connection, digest: str) -> list[Vouching]:
    """Return the signatures of the run *digest*, in the order in which they came."""
    query = (
        select(signature.c.fingerprint, signature.c.line, signature.c.imported)
        .join(signed_run, signed_run.c.signature == signature.c.digest)
        .where(signed_run.c.run == digest)
        .order_by(signature.c.imported)
    )
    rows = connection.execute(query).all()
    known = known_signers(connection) if rows else Signers()
    signatures = []
    for row in rows:
        key, day = _key(row.fingerprint, row.line), row.imported[:_DAY]
        signer = known.of(key)
        name = None if signer is None else signer.name
        worth = known.trust(key, date.fromisoformat(day))
        signatures.append(Vouching(key.fingerprint, name, worth, day))
    return signatures


def signed_by_known() -> Select[Any]:
    """Return a query of the runs signed by a key that is known.

    It was not revoked, and had not expired when its bundle was imported.
    """
    return _valid(select(signed_run.c.run))


def _valid(query: Select[Any]) -> Select[Any]:
    """Return *query* of ``signed_run``, joined with what was good at its import."""
    day = func.substr(signature.c.imported, 1, _DAY)
    return (
        query.join(signature, signed_run.c.signature == signature.c.digest)
        .join(signer, signer.c.fingerprint == signature.c.fingerprint)
        .where(~signer.c.revoked, or_(signer.c.until.is_(None), signer.c.until >= day))
    )


def sources_of_one_key(connection: Connection) -> dict[str, str]:
    """Return the sources all of whose runs one known key signed, each with that key."""
    count = func.count(signed_run.c.run.distinct())
    query = _valid(
        select(run.c.source, signature.c.fingerprint, count)
        .select_from(signed_run)
        .join(run, run.c.digest == signed_run.c.run)
    )
    query = query.where(run.c.source.is_not(None))
    query = query.group_by(run.c.source, signature.c.fingerprint)
    signed = connection.execute(query).all()
    sizes: dict[str, int] = {}
    for some in batched(sorted({row[0] for row in signed})):
        each = select(run.c.source, func.count()).where(run.c.source.in_(some))
        rows = connection.execute(each.group_by(run.c.source))
        sizes |= {row[0]: row[1] for row in rows}
    return {source: key for source, key, n in signed if n == sizes[source]}


def measured(rows: Iterable[Sequence[Any]]) -> set[str]:
    """Return which *rows* of new runs may be mine: none that others published."""
    return {row[0] for row in rows if row[_LABEL] == "measured"} - shipped_runs()


def take_as_mine(connection: Connection) -> set[str]:
    """Let runs be mine that a key of mine signed; return which were not before.

    Whoever calls it lets findings and results follow.
    """
    others = select(run.c.digest).where(~run.c.mine, run.c.label == "measured")
    query = _valid(select(signed_run.c.run).distinct()).where(
        signer.c.mine, signed_run.c.run.in_(others)
    )
    digests = set(connection.scalars(query)) - shipped_runs()
    places = set[tuple[str, str]]()
    for some in batched(sorted(digests)):
        ours = run.c.digest.in_(some)
        connection.execute(update(run).where(ours).values(mine=True))
        rows = connection.execute(select(run.c.machine, run.c.workload).where(ours))
        places.update((row.machine, row.workload) for row in rows)
    newest.renew_at(connection, places)
    return digests
