"""Figures, processes and samples that are there twice: they must not count twice.

A process is a replicate of a cell in a campaign, on its machine, from one moment on.
Which of its contents is the true one, nothing in a file can tell. Another process with
the very times of one is a copy of it: no two take the same times in the same order.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, and_, distinct, func, select

from benchdb.exchange.lines import Scalar
from benchdb.grading import COPIED
from benchdb.plausibility.observed import Finding
from benchdb.store.bulk_load import batched
from benchdb.store.editions import Edition, editions, superseded
from benchdb.store.hearsay import shipped_runs, strangers
from benchdb.store.newest import CELL, SPELLED
from benchdb.store.tables import fingerprint, run

_RUNS = 3  # equal ones make twins, if their figures have _FEW_DIGITS together
_FEW_DIGITS = 6
# Fewer runs do as well, with so many digits together and half of all runs.
_MANY_DIGITS = 8
_CLIQUE = 30  # sources; where more share a figure, each is compared with the first only


# What was measured has samples to be recognised by.
_TOLD = run.c.source.is_not(None), run.c.label != "measured"


class Duplicate(msgspec.Struct, frozen=True):
    """Two sources that tell the same figures; *runs* are equal ones, original first.

    *document* tells that both are readings of one document, byte for byte.
    """

    original: str
    copy: str
    document: bool
    runs: tuple[tuple[str, str], ...]


class Linked(msgspec.Struct, frozen=True):
    """A run of another source with the same figures, and whether it is the original."""

    run: str
    source: str
    original: bool


def duplicates(connection: Connection) -> list[Duplicate]:
    """Return the sources that tell the same figures, by the original.

    The original is the one that is known here, else one that was accepted, whatever
    dates the others claim; of those the one published first, else retrieved first, else
    the one that says whose it is. Sources with a newer version are left out.
    """
    stale, every = superseded(connection), editions(connection)
    rank = strangers(connection, [one.digest for one in every])
    live = {
        one.digest: replace(one, stranger=rank[one.digest])
        for one in every
        if one.digest not in stale
    }
    shared = _shared(connection, live)
    sizes = _sizes(connection)
    found = []
    for pair in sorted(shared.keys() | _same_documents(live.values())):
        first, second = sorted(pair, key=lambda name: live[name].seniority)
        documents = {live[name].document_sha256 for name in pair}
        document = len(documents) == 1 and None not in documents
        equal = shared.get(pair, [])
        fewest = min(sizes.get(name, 0) for name in pair)
        if document or _enough(equal, fewest):
            runs = [match for one in equal for match in one.between(first, second)]
            found.append(Duplicate(first, second, document, tuple(sorted(runs))))
    return sorted(found, key=lambda twin: (twin.original, twin.copy))


def of_run(connection: Connection, digest: str) -> list[Linked]:
    """Return the runs of other sources that tell the same figures as this one."""
    linked = set()
    for twin in duplicates(connection):
        for original, copy in twin.runs:
            if digest == original:
                linked.add(Linked(copy, twin.copy, original=False))
            elif digest == copy:
                linked.add(Linked(original, twin.original, original=True))
    return sorted(linked, key=lambda one: (not one.original, one.run))


class _Equal(msgspec.Struct, frozen=True):
    """A figure that several sources tell: their runs, and the digits it rests on."""

    digits: int
    runs: dict[str, list[str]]

    def between(self, first: str, second: str) -> list[tuple[str, str]]:
        original = min(self.runs[first])
        return [(original, copy) for copy in self.runs[second]]


_Pair = tuple[str, str]


def _shared(
    connection: Connection, live: dict[str, Edition]
) -> dict[_Pair, list[_Equal]]:
    """Return the equal figures of each pair of sources that has any."""
    told = fingerprint.join(run, fingerprint.c.run == run.c.digest)
    several = (
        select(fingerprint.c.figures)
        .select_from(told)
        .where(*_TOLD)
        .group_by(fingerprint.c.figures)
        .having(func.count(distinct(run.c.source)) > 1)
    )
    query = (
        select(fingerprint.c.figures, fingerprint.c.digits, run.c.source, run.c.digest)
        .select_from(told)
        .where(fingerprint.c.figures.in_(several), *_TOLD)
        .order_by(fingerprint.c.figures, run.c.digest)
    )
    equal: dict[str, _Equal] = {}
    for figures, digits, source, name in connection.execute(query):
        if source in live:
            one = equal.setdefault(figures, _Equal(digits, {}))
            one.runs.setdefault(source, []).append(name)
    shared: dict[_Pair, list[_Equal]] = defaultdict(list)
    for one in equal.values():
        for pair in _pairs(one, live):
            shared[pair].append(one)
    return shared


def _pairs(one: _Equal, live: dict[str, Edition]) -> Iterable[_Pair]:
    if len(one.runs) <= _CLIQUE:
        return combinations(sorted(one.runs), 2)
    first = min(one.runs, key=lambda name: live[name].seniority)
    others = (name for name in one.runs if name != first)
    return ((min(first, name), max(first, name)) for name in others)


def _sizes(connection: Connection) -> dict[str, int]:
    """Return how many runs with figures each source has."""
    query = (
        select(run.c.source, func.count(distinct(fingerprint.c.figures)))
        .select_from(fingerprint.join(run, fingerprint.c.run == run.c.digest))
        .where(*_TOLD)
        .group_by(run.c.source)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def _same_documents(live: Iterable[Edition]) -> set[_Pair]:
    """Return neighbours among the sources that are readings of one document."""
    readings: dict[str, list[Edition]] = defaultdict(list)
    for one in live:
        if one.document_sha256 is not None:
            readings[one.document_sha256].append(one)
    return {
        (min(first.digest, other.digest), max(first.digest, other.digest))
        for group in readings.values()
        for first in [min(group, key=lambda one: one.seniority)]
        for other in group
        if other is not first
    }


def _enough(equal: list[_Equal], fewest: int) -> bool:
    digits = sum(one.digits for one in equal)
    if len(equal) >= _RUNS and digits >= _FEW_DIGITS:
        return True
    return bool(equal) and digits >= _MANY_DIGITS and 2 * len(equal) >= fewest


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
                strange = [one for one in copies if one not in shipped_runs()]
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
    found: list[Finding] = []
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
            judged += [one[0] for one in processes]
            found += [
                Finding(one[0], COPIED, None, {"original": first[0]})
                for one in others
                if one[2:] != first[2:]
            ]
    return judged, found


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
    found = set[str]()
    other = fingerprint.alias("other")
    query = (
        select(fingerprint.c.figures)
        .join(other, other.c.figures == fingerprint.c.figures)
        .where(other.c.run != fingerprint.c.run)
        .distinct()
    )
    for some in batched(digests):
        found |= set(connection.scalars(query.where(fingerprint.c.run.in_(some))))
    return found


def same_samples(
    connection: Connection, digests: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the other runs with the times of a run in *digests*, and their sources."""
    judged, _ = copied_samples(connection, digests)
    beside = set(judged) - set(digests)
    sources = set[str]()
    for some in batched(sorted(beside)):
        query = select(run.c.source).where(run.c.digest.in_(some))
        sources |= set(connection.scalars(query)) - {None}
    return beside, sources
