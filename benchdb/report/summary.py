"""Stored runs become the report's view: sections, headlines, notes, sources.

The same contents give the same report, in whatever order they were stored.
"""

from collections import Counter

from sqlalchemy import Connection

from benchdb.metric_kinds import TOKENS
from benchdb.report import exclusions
from benchdb.report.answers import answers
from benchdb.report.class_spreads import class_spreads
from benchdb.report.machine_table import machines
from benchdb.report.measurement import gaps, measurements
from benchdb.report.references import Sources, notes_of
from benchdb.report.runs import stored
from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.sections import ONLY_WITH_DATA, SECTIONS, data
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.systems import resolve
from benchdb.report.value_table import values
from benchdb.report.view.page import Report
from benchdb.store import contents
from benchdb.store.places import is_known


def summarise(
    connection: Connection,
    *,
    baseline: str | None = None,
    here: str | None = None,
    scope: Scope = EVERYTHING,
) -> Report:
    """Return everything on the page, of the runs in *scope*.

    Arguments and errors are those of ``gather`` and ``report_of``.
    """
    inputs = gather(connection, baseline=baseline, here=here, scope=scope)
    return report_of(inputs, scope)


def gather(
    connection: Connection,
    *,
    baseline: str | None = None,
    here: str | None = None,
    scope: Scope = EVERYTHING,
) -> SectionInput:
    """Return the runs in *scope*, and what was measured in them.

    *baseline* names the system that the ranking compares with, *here* the machine to
    mark by its anonymous id; None marks what is mine.
    """
    left_out = exclusions.left_out(connection, scope.among)
    runs = stored(connection, left_out, scope.among, here)
    seen = None if scope.runs is None else class_spreads(connection)
    measured, missing = measurements(runs, seen=seen), gaps(runs)
    return SectionInput(
        connection=connection,
        runs=runs,
        measured=measured,
        steady=[one for one in measured if not one.conditions.smoke],
        tokens=[
            one
            for one in measurements(runs, TOKENS, seen={})
            if not one.conditions.smoke
        ],
        missing=missing,
        baseline=baseline,
        here=here,
        notes=notes_of(connection, runs, scope),
        sources=Sources(),
    )


def report_of(inputs: SectionInput, scope: Scope) -> Report:
    """Return everything on the page, which *inputs* of the *scope* make.

    Raise ``UsageError`` for a baseline that is not there.
    """
    connection, runs = inputs.connection, inputs.runs
    notes, sources = inputs.notes, inputs.sources
    # In the order of the page: notes and sources are numbered as readers meet them.
    compared = {name: data(name).section(inputs) for name in SECTIONS}
    for name in ONLY_WITH_DATA:
        if compared[name] is None:
            del compared[name]
    systems = resolve(one.party for one in runs)
    rows = values(runs, systems, notes, sources, inputs.measured)
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
        answers=answers(
            compared["metal"],
            compared["ranking"],
            compared["distance"],
            compared["efficiency"],
            notes.explained(),
        ),
        values=rows,
        machines=owners,
        notes=notes.rows(),
        sources=documents,
        chosen=scope.chosen,
        there=scope.there,
        room=scope.room,
        everything=scope.everything,
        sections=compared,
    )
