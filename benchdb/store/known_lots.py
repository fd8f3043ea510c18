"""Read the runs of a database again: of those read before, what may be otherwise now.

What is known of a run follows from its lot, as its result does: from the runs in it,
what is found in them and where they ran. What is decided of dates, signers and
retractions may concern any of them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from operator import attrgetter

from sqlalchemy import Connection, select

from benchdb.store.memo import Memo
from benchdb.store.results import LOT, Lot
from benchdb.store.run_facts import Around, KnownRun, known_runs
from benchdb.store.tables import (
    finding,
    future_date,
    retraction,
    run,
    signature,
    signed_run,
    signer,
)

_DECIDED = (future_date, retraction, signature, signed_run, signer)
_MOST = 500  # runs that are asked for by their digests; of more, all are read
_Row = tuple[str, object]  # a run, and what its facts follow from
_Given = tuple[object, tuple[_Row, ...]]
_digest = attrgetter("facts.digest")


def all_runs(
    connection: Connection,
    metrics: Collection[str],
    surroundings: Around,
    memo: Memo,
) -> list[KnownRun]:
    """Return what ``known_runs`` yields of all runs, read as far as *memo* has not."""

    def read(lots: Sequence[Lot]) -> Iterator[list[KnownRun]]:
        digests = [digest for lot in lots for digest, _ in given[lot][1]]
        few = len(digests) <= _MOST
        among = select(run.c.digest).where(run.c.digest.in_(digests)) if few else None
        result = known_runs(connection, among, metrics, surroundings)
        runs = {_digest(known_run): known_run for known_run in result}
        for lot in lots:
            yield [runs[digest] for digest, _ in given[lot][1]]

    given = _given(connection, surroundings, memo)
    return sorted(chain.from_iterable(memo.each("lots", given, read)), key=_digest)


def _given(
    connection: Connection, surroundings: Around, memo: Memo
) -> dict[Lot, _Given]:
    """Return what the facts of each lot follow from: what is decided, and its runs."""
    decided = tuple(
        tuple(connection.execute(select(table).order_by(*table.primary_key)).all())
        for table in _DECIDED
    )
    common = {"": (decided, surroundings.places.my_ids)}
    # One for all lots: that it is the same is seen at once.
    [same] = memo.each("decided", common, lambda _: [object()])
    findings = defaultdict[str, list[object]](list)
    result = select(finding.c.run, finding.c.code, finding.c.metric)
    for name, *what in connection.execute(result.order_by(*finding.primary_key)):
        findings[name].append(what)
    lots = defaultdict[Lot, list[_Row]](list)
    own = run.c.digest, run.c.mine, run.c.environment, run.c.machine
    query = select(*own, *LOT).order_by(run.c.digest)
    for digest, mine, environment, machine, *lot in connection.execute(query):
        around = surroundings.same.get(environment), surroundings.places.about(machine)
        lots[Lot.of(*lot)].append((digest, (mine, findings.get(digest), *around)))
    return {lot: (same, tuple(rows)) for lot, rows in lots.items()}
