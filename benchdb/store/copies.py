"""Processes that are there twice with different contents: one of them is forged.

A process is a replicate of a cell in a campaign, on its machine, from one moment on.
Which of its contents is the true one, nothing in a file can tell.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, and_, select

from benchdb.exchange.lines import Scalar
from benchdb.plausibility.observed import Finding
from benchdb.store.cells import CELL, SPELLED
from benchdb.store.pieces import pieces
from benchdb.store.tables import run

CODE = "contradicting-copies"
_TOGETHER = 500
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


def findings(connection: Connection, digests: Sequence[str]) -> Iterator[Finding]:
    """Yield the runs that are copies of the process of a run in *digests*, both ways.

    What is an interrupted reading of the same process is no copy of it.
    """
    done = set[str]()
    for some in pieces(digests, _TOGETHER):
        doubled = connection.scalars(_DOUBLED.where(_OTHER.c.digest.in_(some))).all()
        among = sorted({*doubled, *some}) if doubled else []
        for (campaign, started, *_), copies in _processes(connection, among).items():
            facts: dict[str, Scalar] = {
                "copies": len(copies),
                "campaign": campaign,
                "started": started,
            }
            if len(copies) > 1:
                yield from (
                    Finding(digest, CODE, None, facts)
                    for digest in copies
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
    for some in pieces(digests, _TOGETHER):
        query = select(*columns).where(run.c.digest.in_(some), _FINISHED, whole)
        for *process, digest in connection.execute(query.order_by(run.c.digest)):
            processes[tuple(process)].append(digest)
    return processes
