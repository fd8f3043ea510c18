"""Runs that whoever measured them withdrew, and who says so of runs of others.

A retraction is a line like any other: it is shared, may come before its run, and is
kept whether it is in effect or not. It is in effect where the run and it are mine, or
where its key is of a known signer who signed the run. What anybody else says of a run
is a proposal, shown beside it.
"""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, Select, case, or_, select

from benchdb.exchange.messages import Retraction
from benchdb.exchange.record import retraction_digest
from benchdb.store.hearsay import shipped_runs
from benchdb.store.tables import retraction, run
from benchdb.store.vouching import is_mine, may_withdraw

_of = run.alias("withdrawn_run")
_JOINED = retraction.join(_of, _of.c.digest == retraction.c.run)
_IN_EFFECT = case(
    (_of.c.mine, or_(retraction.c.mine, is_mine(retraction.c.fingerprint))),
    else_=may_withdraw(retraction.c.run, retraction.c.fingerprint),
)


class Known(msgspec.Struct, frozen=True):
    """A retraction of a run, and whether it is in *effect*.

    *fingerprint* is that of the key that signed it, ``None`` for one without; *mine*
    tells that it was written with this database.
    """

    reason: str
    retracted: str
    fingerprint: str | None
    mine: bool
    effect: bool


def withdrawn(connection: Connection) -> dict[str, str]:
    """Return why each run is withdrawn that is so; of what benchdb ships, none is."""
    query = (
        select(retraction.c.run, retraction.c.reason, _of.c.mine)
        .select_from(_JOINED)
        .where(_IN_EFFECT)
        .order_by(retraction.c.retracted.desc(), retraction.c.digest.desc())
    )
    rows = connection.execute(query).all()
    return {
        row.run: row.reason for row in rows if row.mine or row.run not in shipped_runs()
    }


def of_run(connection: Connection, digest: str) -> list[Known]:
    """Return what is said of the run *digest*, the first retraction first."""
    query = (
        select(retraction, _IN_EFFECT.label("effect"), _of.c.mine.label("own"))
        .select_from(_JOINED)
        .where(retraction.c.run == digest)
        .order_by(retraction.c.retracted, retraction.c.digest)
    )
    shipped = digest in shipped_runs()
    return [
        Known(
            reason=row.reason,
            retracted=row.retracted,
            fingerprint=row.fingerprint,
            mine=row.mine,
            effect=bool(row.effect) and (row.own or not shipped),
        )
        for row in connection.execute(query)
    ]


def said_by(connection: Connection, fingerprint: str) -> set[str]:
    """Return the runs that a key withdraws, whether that is in effect or not."""
    query = select(retraction.c.run).where(retraction.c.fingerprint == fingerprint)
    return set(connection.scalars(query))


def all_known(connection: Connection) -> dict[str, list[Known]]:
    """Return what is said of each run of which anything is."""
    digests = connection.scalars(select(retraction.c.run).distinct()).all()
    return {
        digest: known for digest in digests if (known := of_run(connection, digest))
    }


def row_of(
    line: Retraction, fingerprint: str | None = None, *, mine: bool = False
) -> dict[str, object]:
    """Return the row of a *line*, whose signature was found to be of that key."""
    return {
        "digest": retraction_digest(line),
        "run": line.run,
        "reason": line.reason,
        "retracted": line.retracted,
        "fingerprint": fingerprint,
        "line": line.key,
        "signature": line.signature,
        "mine": mine,
    }


def lines(
    connection: Connection, runs: Select[tuple[str]] | None = None
) -> Sequence[Retraction]:
    """Return what is said of *runs*; ``None`` is all, and of runs yet to come."""
    query = select(retraction).order_by(retraction.c.run, retraction.c.digest)
    if runs is not None:
        query = query.where(retraction.c.run.in_(runs))
    return [
        Retraction(
            run=row.run,
            reason=row.reason,
            retracted=row.retracted,
            key=row.line,
            signature=row.signature,
        )
        for row in connection.execute(query)
    ]
