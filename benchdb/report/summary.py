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
    speeds = [
        measurement for measurement in every if measurement.conditions.metric in SPEEDS
    ]
    tokens = [
        measurement for measurement in every if measurement.conditions.metric in TOKENS
    ]
    measured = with_spreads(speeds, seen)
    return Inputs(
        connection=connection,
        runs=runs,
        measured=measured,
        steady=[
            measurement for measurement in measured if not measurement.conditions.smoke
        ],
        tokens=[
            spread for spread in with_spreads(tokens, {}) if not spread.conditions.smoke
        ],
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
    systems = resolve(run.party for run in runs)
    rows = values(inputs, systems)
    owners = machines(connection, runs, inputs.here, sources)
    without = Counter(run.place.source for run in runs if run.left_out)
    documents = sources.rows(connection, without, scope)
    days = [run.facts.started for run in runs if run.facts.label == "measured"]
    newest = max(filter(None, days), default=None)
    # Chips on a device: another framework makes no other system here.
    worked = {
        (run.party.chip, run.party.device)
        for run in runs
        if any(figure.value is not None for figure in run.figures)
        and is_known(run.place)
        and not run.left_out
    }
    return Report(
        values_count=sum(row.quantity is not None for row in rows),
        systems_count=len(worked),
        # One source may have published hundreds of documents.
        sources_count=len(
            {
                document.slug
                for document in documents
                if document.runs > document.left_out
            }
        ),
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
