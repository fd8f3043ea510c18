"""Whose word counts for a run: who signed it, and who may withdraw it."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, and_, not_, select

from benchdb.steps import Step
from benchdb.store.signers import signed_by_known
from benchdb.store.tables import signature, signed_run, signer


def vouched(connection: Connection, steps: Mapping[str, Step]) -> dict[str, Step]:
    """Return those of *steps* that a signature raises, by run.

    Of what has no gates it says who told it, and makes it no better.
    """
    if "gates" not in steps.values():
        return {}
    signed = set(connection.scalars(signed_by_known()))
    return {
        run: "signed"
        for run, step in steps.items()
        if step == "gates" and run in signed
    }


def may_withdraw(run: Column[Any], key: Column[Any]) -> ColumnElement[bool]:
    """Tell whether *key*, which was not revoked, is of a known signer of the run.

    A key that nobody knows withdraws nothing: with it, anybody may sign what others
    measured and shared without a signature.
    """
    by, other, theirs = signature.alias(), signer.alias(), signer.alias()
    signed = (
        select(signed_run.c.run)
        .join(by, by.c.digest == signed_run.c.signature)
        .where(signed_run.c.run == run)
    )
    same = signed.join(
        theirs, and_(theirs.c.fingerprint == by.c.fingerprint, not_(theirs.c.revoked))
    )
    known = same.join(
        other, and_(other.c.name == theirs.c.name, other.c.fingerprint == key)
    )
    return and_(~_revoked(key), known.exists())


def is_mine(key: Column[Any]) -> ColumnElement[bool]:
    """Tell whether *key* is one of mine, and was not revoked."""
    owner = signer.alias()
    ours = owner.c.fingerprint == key, owner.c.mine, not_(owner.c.revoked)
    return select(owner.c.fingerprint).where(*ours).exists()


def _revoked(key: Column[Any]) -> ColumnElement[bool]:
    gone = signer.alias()
    query = select(gone.c.fingerprint).where(gone.c.fingerprint == key, gone.c.revoked)
    return query.exists()
