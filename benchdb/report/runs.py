"""Every run of a report with its figures, read once: all else follows from them."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, Select

from benchdb.metric_kinds import listed
from benchdb.report.exclusions import NOTHING, Flagged, LeftOut
from benchdb.report.systems import party
from benchdb.report.view.atoms import System
from benchdb.store.known_lots import all_runs
from benchdb.store.memo import Memo
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
    memo: Memo | None = None,
) -> list[StoredRun]:
    """Return the runs *among* these digests, or all; *here* as for ``is_here``.

    *surroundings* are those of the database, for whoever asks several times. *memo* is
    as for ``summary.gather``.
    """
    places = surroundings or around(connection)
    raised = replicated(connection)
    if memo is None or among is not None:
        memo, runs = Memo(), [*known_runs(connection, among, listed(), places)]
    else:
        runs = all_runs(connection, listed(), places, memo)
    given = {
        run.facts.digest: (
            _replicated(run) if run.facts.digest in raised else run,
            left_out.why(run.facts.digest, run.facts.source),
            here,
        )
        for run in runs
    }
    return memo.each(
        "runs", given, lambda digests: [with_party(*given[it]) for it in digests]
    )


def _replicated(run: KnownRun) -> KnownRun:
    return replace(run, facts=replace(run.facts, trust="replicated"))


def with_party(run: KnownRun, why: Flagged | None, here: str | None) -> StoredRun:
    """Return the run with its party, and *why* it is left out if it is."""
    return StoredRun(
        run.facts,
        run.figures,
        run.place,
        run.plan,
        run.metered,
        run.grade,
        party=party(run.place, run.facts.framework, here),
        left_out=why,
    )
