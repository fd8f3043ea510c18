"""Processes and samples that are there twice: they must not count twice.

A process is a replicate of a cell in a campaign, on its machine, from one moment on.
Which of its contents is the true one, nothing in a file can tell. Another process with
the very times of one is a copy of it: no two take the same times in the same order.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, and_, select

from benchdb.exchange.messages import Scalar
from benchdb.grading import COPIED
from benchdb.plausibility.observed import Finding
from benchdb.store.bulk_load import batched
from benchdb.store.hearsay import shipped_runs
from benchdb.store.newest import CELL, SPELLED
from benchdb.store.tables import fingerprint, run

CONTRADICTING = "contradicting-copies"
_OTHER = run.alias("other")
# What an index leads to; the rest of the cell is compared of the few that it finds.
_SAME = ("machine", "workload", "campaign", "started", "replicate")
_FINISHED = and_(run.c.status == "ok", run.c.label == "measured")
_DOUBLED = (
    select(run.c.digest)
    .join(_OTHER, and_(*(run.c[name] == _OTHER.c[name] for name in _SAME)))
    .where(run.c.digest != _OTHER.c.digest)
    .where(_FINISHED, _OTHER.c.status == "ok", _OTHER.c.label == "measured")
    .distinct()
)
# Another source tells of the same process, if it tells of this one.
_CELL = tuple(
    spelled
    for column, spelled in zip(CELL, SPELLED, strict=True)
    if column is not run.c.source
)


def contradicting_copies(
    connection: Connection, digests: Sequence[str]
) -> Iterator[Finding]:
    """Yield the runs that are copies of the process of a run in *digests*, both ways.

    What is an interrupted reading of the same process is no copy of it. Which is the
    true one is known where benchdb ships it.
    """
    done = set[str]()
    for some in batched(digests):
        doubled = connection.scalars(_DOUBLED.where(_OTHER.c.digest.in_(some))).all()
        among = sorted({*doubled, *some}) if doubled else []
        for (campaign, started, *_), copies in _processes(connection, among).items():
            facts: dict[str, Scalar] = {
                "copies": len(copies),
                "campaign": campaign,
                "started": started,
            }
            if len(copies) > 1:
                strange = [copy for copy in copies if copy not in shipped_runs()]
                yield from (
                    Finding(digest, CONTRADICTING, None, facts)
                    for digest in strange
                    if digest not in done
                )
                done.update(copies)


def _processes(
    connection: Connection, digests: Sequence[str]
) -> dict[tuple[str, ...], list[str]]:
    """Return the runs among *digests* by the process that each says it is."""
    processes = defaultdict[tuple[str, ...], list[str]](list)
    columns = (run.c.campaign, run.c.started, run.c.replicate, *_CELL, run.c.digest)
    whole = and_(*(column.is_not(None) for column in columns[:3]))
    for some in batched(digests):
        query = select(*columns).where(run.c.digest.in_(some), _FINISHED, whole)
        for *process, digest in connection.execute(query.order_by(run.c.digest)):
            processes[tuple(process)].append(digest)
    return processes


def copied_samples(
    connection: Connection, digests: Sequence[str]
) -> tuple[list[str], list[Finding]]:
    """Return the runs with the times of a run in *digests*, and which are the copies.

    The original is mine, else shipped, else what says that it started first. Another
    content of the same process is no copy of it: ``findings`` tells of that.
    """
    judged: list[str] = []
    findings: list[Finding] = []
    for some in batched(sorted(_shapes(connection, digests))):
        groups = defaultdict[str, list[Any]](list)
        query = select(fingerprint.c.figures, *_PROCESS).where(
            fingerprint.c.run == run.c.digest,
            fingerprint.c.figures.in_(some),
            _FINISHED,
        )
        for shape, *process in connection.execute(query):
            groups[shape].append(process)
        for processes in groups.values():
            first, *others = sorted(processes, key=_age)
            judged += [item[0] for item in processes]
            findings += [
                Finding(copy[0], COPIED, None, {"original": first[0]})
                for copy in others
                if copy[2:] != first[2:]
            ]
    return judged, findings


_PROCESS = (
    *(run.c.digest, run.c.mine, *_CELL),
    *(run.c[name] for name in ("campaign", "started", "replicate")),
)


def _age(process: Sequence[Any]) -> tuple[Any, ...]:
    """Order processes of equal times, the original first."""
    digest, mine, *_, started, replicate = process
    unknown = not mine and digest not in shipped_runs()
    return unknown, not mine, started is None, started or "", replicate or 0, digest


def _shapes(connection: Connection, digests: Sequence[str]) -> set[str]:
    """Return the fingerprints of *digests* that several runs have."""
    shapes = set[str]()
    other = fingerprint.alias("other")
    query = (
        select(fingerprint.c.figures)
        .join(other, other.c.figures == fingerprint.c.figures)
        .where(other.c.run != fingerprint.c.run)
        .distinct()
    )
    for some in batched(digests):
        shapes |= set(connection.scalars(query.where(fingerprint.c.run.in_(some))))
    return shapes


def same_samples(
    connection: Connection, digests: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the other runs with the times of a run in *digests*, and their sources.

    So are other contents of its process.
    """
    judged, _ = copied_samples(connection, digests)
    judged += (copy.run for copy in contradicting_copies(connection, digests))
    beside = set(judged) - set(digests)
    sources = set[str]()
    for some in batched(sorted(beside)):
        query = select(run.c.source).where(run.c.digest.in_(some))
        sources |= set(connection.scalars(query)) - {None}
    return beside, sources
