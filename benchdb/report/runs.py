"""Every run of a report with its figures, read once: all else follows from them."""

from sqlalchemy import Connection

from benchdb.metric_kinds import LISTED
from benchdb.report.exclusions import NOTHING, Flagged, LeftOut
from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.systems import party
from benchdb.report.view.atoms import System
from benchdb.store.run_facts import KnownRun, around, known_runs


class StoredRun(KnownRun, frozen=True, kw_only=True):
    """One run with its party; *left_out* says why it is listed and in no comparison."""

    party: System
    left_out: Flagged | None = None


def stored(
    connection: Connection,
    left_out: LeftOut = NOTHING,
    scope: Scope = EVERYTHING,
    here: str | None = None,
) -> list[StoredRun]:
    """Return the runs in *scope* by digest; *here* as ``systems.is_here`` has it."""
    among = None if scope.runs is None else scope.digests()
    return [
        with_party(one, left_out, here)
        for one in known_runs(connection, among, LISTED, around(connection))
    ]


def with_party(one: KnownRun, left_out: LeftOut, here: str | None) -> StoredRun:
    """Return the run with its party, and why it is left out if it is."""
    return StoredRun(
        one.facts,
        one.figures,
        one.place,
        one.plan,
        one.metered,
        party=party(one.place, one.facts.framework, here),
        left_out=left_out.why(one.facts.digest, one.facts.source),
    )
