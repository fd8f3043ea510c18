"""Figures that several sources have: they must not count twice."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, distinct, func, select

from benchdb.store.editions import Edition, editions, superseded
from benchdb.store.hearsay import strangers
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
    every = editions(connection)
    stale = superseded(connection, every)
    rank = strangers(connection, [edition.digest for edition in every])
    live = {
        edition.digest: replace(edition, stranger=rank[edition.digest])
        for edition in every
        if edition.digest not in stale
    }
    shared = _shared(connection, live)
    sizes = _sizes(connection)
    doubles = []
    for pair in sorted(shared.keys() | _same_documents(live.values())):
        first, second = sorted(pair, key=lambda name: live[name].seniority)
        documents = {live[name].document_sha256 for name in pair}
        document = len(documents) == 1 and None not in documents
        equal = shared.get(pair, [])
        fewest = min(sizes.get(name, 0) for name in pair)
        if document or _enough(equal, fewest):
            runs = [match for item in equal for match in item.between(first, second)]
            doubles.append(Duplicate(first, second, document, tuple(sorted(runs))))
    return sorted(doubles, key=lambda twin: (twin.original, twin.copy))


def of_run(connection: Connection, digest: str) -> list[Linked]:
    """Return the runs of other sources that tell the same figures as this one."""
    linked = set()
    for twin in duplicates(connection):
        for original, copy in twin.runs:
            if digest == original:
                linked.add(Linked(copy, twin.copy, original=False))
            elif digest == copy:
                linked.add(Linked(original, twin.original, original=True))
    return sorted(linked, key=lambda it: (not it.original, it.run))


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
    joined = fingerprint.join(run, fingerprint.c.run == run.c.digest)
    several = (
        select(fingerprint.c.figures)
        .select_from(joined)
        .where(*_TOLD)
        .group_by(fingerprint.c.figures)
        .having(func.count(distinct(run.c.source)) > 1)
    )
    query = (
        select(fingerprint.c.figures, fingerprint.c.digits, run.c.source, run.c.digest)
        .select_from(joined)
        .where(fingerprint.c.figures.in_(several), *_TOLD)
        .order_by(fingerprint.c.figures, run.c.digest)
    )
    equal: dict[str, _Equal] = {}
    for figures, digits, source, name in connection.execute(query):
        if source in live:
            group = equal.setdefault(figures, _Equal(digits, {}))
            group.runs.setdefault(source, []).append(name)
    shared: dict[_Pair, list[_Equal]] = defaultdict(list)
    for group in equal.values():
        for pair in _pairs(group, live):
            shared[pair].append(group)
    return shared


def _pairs(group: _Equal, live: dict[str, Edition]) -> Iterable[_Pair]:
    if len(group.runs) <= _CLIQUE:
        return combinations(sorted(group.runs), 2)
    first = min(group.runs, key=lambda name: live[name].seniority)
    others = (name for name in group.runs if name != first)
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
    for edition in live:
        if edition.document_sha256 is not None:
            readings[edition.document_sha256].append(edition)
    return {
        (min(first.digest, other.digest), max(first.digest, other.digest))
        for group in readings.values()
        for first in [min(group, key=lambda edition: edition.seniority)]
        for other in group
        if other is not first
    }


def _enough(equal: list[_Equal], fewest: int) -> bool:
    digits = sum(item.digits for item in equal)
    if len(equal) >= _RUNS and digits >= _FEW_DIGITS:
        return True
    return bool(equal) and digits >= _MANY_DIGITS and 2 * len(equal) >= fewest
