"""Machines that several signers claim: the runs of the later ones are not of it.

An anonymous id stands in every file that is shared, so that anybody can sign runs that
bear it. Its machine is that of the signer who is trusted most, among equals of whom
came first; a finding stands at what the others signed, until the owner says that they
are one (two keys under one name) or decides about the machine by hand.
"""

from collections import defaultdict
from datetime import date
from typing import Any

from sqlalchemy import Connection, func, select

from benchdb.bundles.allowed_signers import Signers
from benchdb.bundles.signatures import Key
from benchdb.store.bulk_load import delete_keys, insert_rows
from benchdb.store.signers import known_signers
from benchdb.store.tables import (
    finding,
    machine,
    machine_link,
    run,
    signature,
    signed_run,
)

CONTRADICTING_SIGNERS = "contradicting-signers"  # the code of the finding
_RANKS = ("known", "unknown", "expired", "revoked")
_THEIRS = finding.c.code == CONTRADICTING_SIGNERS


def flag_contradicting_signers(connection: Connection) -> set[str]:
    """Find anew which runs claim a machine of another signer.

    To be called when runs were signed, signers known, or machines decided about. Return
    the runs of which that has changed.
    """
    there = set(connection.scalars(select(finding.c.run).where(_THEIRS)))
    wanted = _contradicting(connection)
    delete_keys(connection, finding.c.run, there - wanted, _THEIRS)
    facts = {"code": CONTRADICTING_SIGNERS, "metric": "", "detail": {}}
    new = [{"run": text, **facts} for text in sorted(wanted - there)]
    insert_rows(connection, finding, new)
    return there ^ wanted


def machines_in_doubt(connection: Connection) -> frozenset[str]:
    """Return the machines all of whose runs claim to be of another signer's."""
    doubted = select(finding.c.run).where(_THEIRS)
    named = select(run.c.machine).where(run.c.digest.in_(doubted))
    machines = set(connection.scalars(named.distinct()))
    others = select(run.c.machine).where(
        run.c.machine.in_(sorted(machines)), run.c.digest.not_in(doubted)
    )
    return frozenset(machines - set(connection.scalars(others)) if machines else ())


def _contradicting(connection: Connection) -> set[str]:
    claims = (
        select(
            machine.c.anonymous_id,
            run.c.digest,
            run.c.mine,
            run.c.machine,
            signature.c.fingerprint,
            signature.c.line,
            signature.c.imported,
        )
        .select_from(signed_run)
        .join(signature, signature.c.digest == signed_run.c.signature)
        .join(run, run.c.digest == signed_run.c.run)
        .join(machine, machine.c.digest == run.c.machine)
        .where(machine.c.anonymous_id.is_not(None))
    )
    each = claims.subquery()
    several = (
        select(each.c.anonymous_id)
        .group_by(each.c.anonymous_id)
        .having(func.count(each.c.fingerprint.distinct()) > 1)
    )
    rows = connection.execute(claims.where(machine.c.anonymous_id.in_(several))).all()
    if not rows:
        return set()
    known = known_signers(connection)
    by_id: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        by_id[row.anonymous_id].append(row)
    decided = set(connection.scalars(select(machine_link.c.machine)))
    doubted = set[str]()
    for claimed in by_id.values():
        doubted |= _of_others(claimed, known, decided)
    return doubted


def _of_others(rows: list[Any], known: Signers, decided: set[str]) -> set[str]:
    """Return which runs of one id are signed by others than whose machine it is."""
    owner = min(_rank(row, known) for row in rows)[-1]
    own = {row.digest for row in rows if _rank(row, known)[-1] == owner}
    return {
        row.digest
        for row in rows
        if row.digest not in own and not row.mine and row.machine not in decided
    }


def _rank(row: Any, known: Signers) -> tuple[bool, int, str, str]:
    """Order claims: mine, then by trust, then the first; last is who claims it."""
    key = Key("", row.fingerprint, row.line)
    signer = known.of(key)
    trust = known.trust(key, date.fromisoformat(row.imported[:10]))
    name = row.fingerprint if signer is None else f"name {signer.name}"
    own = signer is not None and signer.mine and trust == "known"
    return not own, _RANKS.index(trust), row.imported, name
