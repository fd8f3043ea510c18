"""Stored runs become the report's view: values, machines, notes, sources.

The same contents give the same report, in whatever order they were stored.
"""

from collections import Counter

from sqlalchemy import Connection

from benchdb.metric_kinds import SPEEDS, TOKENS, compared
from benchdb.report import exclusions
from benchdb.report.class_spreads import class_spreads
from benchdb.report.inputs import Inputs
from benchdb.report.machine_table import machines
from benchdb.report.measurement import with_spreads, without_spreads
from benchdb.report.references import Sources, notes_of
from benchdb.report.runs import stored
from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.systems import resolve
from benchdb.report.value_table import values
from benchdb.report.view.report_view import Report
from benchdb.store import contents
from benchdb.store.memo import Memo
from benchdb.store.places import is_known


def summarise(
    connection: Connection,
    *,
    here: str | None = None,
    scope: Scope = EVERYTHING,
) -> Report:
    """Return the report of the runs in *scope*; arguments are those of ``gather``."""
    inputs = gather(connection, here=here, scope=scope)
    return report_of(inputs, scope)


def gather(
    connection: Connection,
    *,
    here: str | None = None,
    scope: Scope = EVERYTHING,
    memo: Memo | None = None,
) -> Inputs:
    """Return the runs in *scope*, and what was measured in them.

    *here* is the machine to mark, by its anonymous id; None marks what is mine. *memo*
    is for who does it again when runs were added.
    """
    memo = memo or Memo()
    left_out = exclusions.left_out(connection, scope.among)
    runs = stored(connection, left_out, scope.among, here, memo=memo)
    seen = None if scope.runs is None else class_spreads(connection)
    every = without_spreads(runs, compared(), memo)
    speeds = [one for one in every if one.conditions.metric in SPEEDS]
    tokens = [one for one in every if one.conditions.metric in TOKENS]
    measured = with_spreads(speeds, seen)
    return Inputs(
        connection=connection,
        runs=runs,
        measured=measured,
        steady=[one for one in measured if not one.conditions.smoke],
        tokens=[one for one in with_spreads(tokens, {}) if not one.conditions.smoke],
        compared=with_spreads(every, seen),
        here=here,
        notes=notes_of(connection, runs, scope),
        sources=Sources(),
        memo=memo,
    )


def report_of(inputs: Inputs, scope: Scope) -> Report:
    """Return the report that *inputs* of the *scope* make."""
    connection, runs = inputs.connection, inputs.runs
    notes, sources = inputs.notes, inputs.sources
    systems = resolve(one.party for one in runs)
    rows = values(inputs, systems)
    owners = machines(connection, runs, inputs.here, sources)
    without = Counter(one.place.source for one in runs if one.left_out)
    documents = sources.rows(connection, without, scope)
    days = [one.facts.started for one in runs if one.facts.label == "measured"]
    newest = max(filter(None, days), default=None)
    # Chips on a device: another framework makes no other system here.
    worked = {
        (one.party.chip, one.party.device)
        for one in runs
        if any(figure.value is not None for figure in one.figures)
        and is_known(one.place)
        and not one.left_out
    }
    return Report(
        values_count=sum(row.quantity is not None for row in rows),
        systems_count=len(worked),
        # One source may have published hundreds of documents.
        sources_count=len({one.slug for one in documents if one.runs > one.left_out}),
        newest=newest and newest[:10],
        database_digest=contents.digest(connection),
        values=rows,
        machines=owners,
        notes=notes.rows(),
        sources=documents,
        chosen=scope.chosen,
        there=scope.there,
        room=scope.room,
        everything=scope.everything,
    )
