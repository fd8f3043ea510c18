"""Every run of a report with its figures, read once: all else follows from them."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, Select

from benchdb.metric_kinds import listed
from benchdb.report.exclusions import NOTHING, Flagged, LeftOut
from benchdb.report.systems import party
from benchdb.report.view.atoms import System
from benchdb.store.results import replicated
from benchdb.store.run_facts import Around, KnownRun, around, known_runs


class StoredRun(KnownRun, frozen=True, kw_only=True):
    """One run with its party; *left_out* says why it is listed and in no comparison."""

    party: System
    left_out: Flagged | None = None


def stored(
    connection: Connection,
    left_out: LeftOut = NOTHING,
    among: Select[Any] | None = None,
    here: str | None = None,
    surroundings: Around | None = None,
) -> list[StoredRun]:
    """Return the runs *among* these digests, or all; *here* as for ``is_here``.

    *surroundings* are those of the database, for whoever asks several times.
    """
    places = surroundings or around(connection)
    raised = replicated(connection)
    return [
        with_party(one, left_out, here, replicated=one.facts.digest in raised)
        for one in known_runs(connection, among, listed(), places)
    ]


def with_party(
    one: KnownRun, left_out: LeftOut, here: str | None, *, replicated: bool = False
) -> StoredRun:
    """Return the run with its party, and why it is left out if it is."""
    return StoredRun(
        replace(one.facts, trust="replicated") if replicated else one.facts,
        one.figures,
        one.place,
        one.plan,
        one.metered,
        one.grade,
        party=party(one.place, one.facts.framework, here),
        left_out=left_out.why(one.facts.digest, one.facts.source),
    )
