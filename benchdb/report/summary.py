"""Stored runs become the report's view: sections, headlines, notes, sources.

The same contents give the same report, in whatever order they were stored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from benchdb.report import doubts
from benchdb.report.answers import answers
from benchdb.report.cells import gaps, measurements
from benchdb.report.chance import with_spreads
from benchdb.report.doubts import LeftOut
from benchdb.report.machines import machines
from benchdb.report.notes import Notes, Subject
from benchdb.report.runs import StoredRun, newest_measured, stored
from benchdb.report.scope import EVERYTHING, Scope, those
from benchdb.report.sections import SECTIONS, module
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.sources import Sources
from benchdb.report.systems import is_known, resolve
from benchdb.report.values import values
from benchdb.report.view.page import Report
from benchdb.store import contents


def summarise(
    connection: Connection,
    *,
    baseline: str | None = None,
    here: str | None = None,
    scope: Scope = EVERYTHING,
) -> Report:
    """Return everything on the page, of the runs in *scope*.

    *baseline* names the system that the ranking compares with, *here* the machine to
    mark by its anonymous id; None marks what is mine. Raise ``UsageError`` for a
    baseline that is not there.
    """
    left_out = doubts.left_out(connection, scope.runs)
    runs = stored(connection, left_out, scope, here)
    measured, missing = with_spreads(measurements(runs)), gaps(runs)
    notes, sources = _notes(connection, runs, left_out, scope), Sources()
    # In the order of the page: notes and sources are numbered as readers meet them.
    steady = [one for one in measured if not one.conditions.smoke]
    inputs = SectionInput(
        connection=connection,
        runs=runs,
        measured=measured,
        steady=steady,
        missing=missing,
        baseline=baseline,
        here=here,
        notes=notes,
        sources=sources,
    )
    compared = {name: module(name, "data").section(inputs) for name in SECTIONS}
    systems = resolve(one.party for one in runs)
    rows = values(runs, systems, notes, sources, measured)
    owners = machines(connection, runs, here, sources)
    documents = sources.rows(connection, _left_out(runs), scope)
    return Report(
        values_count=sum(row.quantity is not None for row in rows),
        systems_count=_systems_count(runs),
        sources_count=sum(one.runs > one.left_out for one in documents),
        newest=newest_measured(runs),
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
        sections=compared,
    )


def _left_out(runs: Sequence[StoredRun]) -> Counter[str | None]:
    return Counter(one.place.source for one in runs if one.left_out)


def _notes(
    connection: Connection, runs: Sequence[StoredRun], left_out: LeftOut, scope: Scope
) -> Notes:
    flags = doubts.flags(connection, None if scope.runs is None else those())
    for one in runs:
        if why := left_out.why(one.facts.digest, one.place.source):
            flags[one.facts.digest] = [*flags.get(one.facts.digest, ()), *why]
    subjects: Mapping[str, Subject] = {
        one.facts.digest: Subject(
            source=one.place.source,
            chip=one.party.chip,
            device=one.party.device,
            workload=one.facts.workload,
            batch_size=one.facts.batch_size,
        )
        for one in runs
        if one.facts.digest in flags
    }
    return Notes(flags, subjects)


def _systems_count(runs: Sequence[StoredRun]) -> int:
    """Count chips on a device; another framework makes no other system here."""
    return len({(one.party.chip, one.party.device) for one in runs if _counts(one)})


def _counts(one: StoredRun) -> bool:
    worked = any(figure.value is not None for figure in one.figures)
    return worked and is_known(one.place) and not one.left_out
