"""What a file brings, some runs at a time: ready to be written, and judged."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

import msgspec

from benchdb.exchange.reader import (
    BadLine,
    Item,
    LoneSource,
    SourceClaim,
    Withdrawal,
)
from benchdb.exchange.record import Record
from benchdb.plausibility.fingerprint import fingerprint
from benchdb.plausibility.observed import Finding, Observed, of_record
from benchdb.plausibility.rules import ALONE, judge
from benchdb.plausibility.samples import sampled
from benchdb.store import rows
from benchdb.store.rows import Row, Rows, Shared

_RUNS = 1000
_LINES = 4000  # of other kinds
_BYTES = 8 * 2**20  # of samples: a run may have millions


class Batch(msgspec.Struct, frozen=True):
    """Rows by table, of so many *runs*, and the *bad* lines between them.

    *sources* are digests: their runs are judged together when all of them are there.
    *alone* are the finished runs that have no source, with the *findings* in them.
    Whose the signatures of *withdrawals* are was not looked at.
    """

    rows: dict[str, list[tuple[Any, ...] | Row]]
    runs: int
    bad: list[BadLine]
    sources: set[str]
    alone: list[str]
    findings: tuple[Finding, ...]
    withdrawals: list[Withdrawal] = []


def batches(items: Iterable[Item]) -> Iterator[Batch]:
    """Yield what is in *items*, in few pieces of bounded size."""
    known: set[Shared] = set()
    gathered = _Gathered(known)
    for item in items:
        gathered.take(item)
        if gathered.full:
            yield gathered.batch()
            gathered = _Gathered(known)
    yield gathered.batch()


class _Gathered:
    """What is in some items; of what many runs refer to, *known* is left out."""

    def __init__(self, known: set[Shared]) -> None:
        self._known = known
        self._rows: Rows = defaultdict(list)
        self._bad: list[BadLine] = []
        self._sources: set[str] = set()
        self._alone: list[Observed] = []
        self._withdrawals: list[Withdrawal] = []
        self._runs = self._lines = self._bytes = 0

    @property
    def full(self) -> bool:
        return self._runs >= _RUNS or self._lines >= _LINES or self._bytes >= _BYTES

    def take(self, item: Item) -> None:
        match item:
            case Record():
                self._take_run(item)
                return
            case BadLine():
                self._bad.append(item)
            case LoneSource():
                self._add(rows.of_source(item.source))
            case SourceClaim():
                self._add(rows.of_claim(item.claim, item.source))
            case Withdrawal():
                self._withdrawals.append(item)
        self._lines += 1

    def _take_run(self, record: Record) -> None:
        self._runs += 1
        self._bytes += len(record.packed)
        self._add(rows.of_record(record, self._known))
        if (likeness := fingerprint(record)) is not None:
            self._rows["fingerprint"].append((record.digest, *likeness))
        if record.source_digest is not None:
            self._sources.add(record.source_digest)
        elif record.end.status == "ok":
            amounts = sampled(record.series, record.end.checks)
            self._alone.append(of_record(record, amounts))

    def _add(self, groups: Rows) -> None:
        for name, some in rows.unknown(groups, self._known).items():
            self._rows[name] += some

    def batch(self) -> Batch:
        for name in rows.OF_A_RUN:
            # An index takes keys in their order more quickly.
            self._rows.get(name, []).sort(key=itemgetter(0))
        return Batch(
            rows=dict(self._rows),
            runs=self._runs,
            bad=self._bad,
            sources=self._sources,
            alone=[observed.run for observed in self._alone],
            findings=judge(self._alone, ALONE),
            withdrawals=self._withdrawals,
        )
