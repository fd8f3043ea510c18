"""What the cells of a comparison say together: a range, its evidence, what is left out.

Cells of one kind of work and one protocol stand together, for two protocols time two
things. Like cells come before unlike ones, and what is flagged is only counted.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from benchdb.catalogue import workloads
from benchdb.compare.cell_rows import CellRow
from benchdb.site.answers.facts import (
    ENOUGH,
    Evidence,
    Group,
    Held,
    Look,
    Party,
    Point,
    Protocol,
)
from benchdb.site.answers.lookup import Corpus
from benchdb.site.system_pairs import Worker
from benchdb.statistics.comparison import geometric_mean

_LEVEL = 1.05  # single figures within this factor are marked as neither
_SUFFIXES: Mapping[str, Group] = {"-train": "training", "-inference": "inference"}


Rows = Mapping[Group, Sequence[CellRow]]


def group_of(workload: str) -> Group | None:
    """Return the kind of work, ``None`` for work that nobody here knows."""
    if workload == "llm-decode":
        return "decode"
    if workload == "llm-prefill":
        return "prefill"
    known = workloads().get(workload)
    if known is not None:
        if known.kind == "operation":
            return "operations"
        return "training" if known.trains else "inference"
    result = (group for end, group in _SUFFIXES.items() if workload.endswith(end))
    return next(result, None)


def rows_of(corpus: Corpus, base: Worker, other: Worker) -> Rows:
    """Return the cells that both have, by kind of work."""
    kinds = defaultdict[Group, list[CellRow]](list)
    for row in corpus.site.systems.cells(base, other):
        if group := group_of(row.workload):
            kinds[group].append(row)
    return kinds


def held(corpus: Corpus, base: Worker, other: Worker) -> Mapping[Group, Held]:
    """Return what each kind of work says of how fast *other* is beside *base*."""
    pair = base, other
    if pair not in corpus.held:
        kinds = rows_of(corpus, base, other)
        summed = {group: summary(corpus, group, kinds[group]) for group in kinds}
        corpus.held[pair] = {group: own for group, own in summed.items() if own}
    return corpus.held[pair]


def summary(
    corpus: Corpus,
    group: Group,
    rows: Sequence[CellRow],
    wanted: Protocol | None = None,
) -> Held | None:
    """Return what the like cells of one protocol say, else the unlike ones.

    It is the *wanted* protocol if there are like cells of it, else that with most.
    """
    flagged = [row for row in rows if is_flagged(corpus, row)]
    like = [row for row in rows if row.counts and row not in flagged]
    if like:
        own = [row for row in like if protocol_of(corpus, row) == wanted]
        chosen = own or _most(corpus, like)
        protocol = protocol_of(corpus, chosen[0])
        flagged = [row for row in flagged if protocol_of(corpus, row) == protocol]
        return _of(corpus, group, chosen, flagged)
    unlike = [row for row in rows if row.ratio.differs]
    return _of(corpus, group, _likest(unlike), flagged) if unlike else None


def is_flagged(corpus: Corpus, row: CellRow) -> bool:
    """Tell whether something speaks against a like cell: it is counted, and no more."""
    return not row.ratio.differs and corpus.is_doubtful(row.ratio.notes)


def _most(corpus: Corpus, rows: Iterable[CellRow]) -> list[CellRow]:
    """Return the rows of the protocol with most works, then with most runs."""
    protocols = defaultdict[Protocol, list[CellRow]](list)
    for row in rows:
        protocols[protocol_of(corpus, row)].append(row)

    def standing(protocol: Protocol) -> tuple[object, ...]:
        own = protocols[protocol]
        names = {corpus.work(row.base.quantity.run) for row in own}
        runs = sum(min(row.base.quantity.n, row.other.quantity.n) for row in own)
        return len(names), runs, protocol

    return protocols[max(protocols, key=standing)]


def protocol_of(corpus: Corpus, row: CellRow) -> Protocol:
    """Return the protocol of a cell, of which both sides have the same."""
    facts = corpus.facts[row.base.quantity.run]
    return Protocol(facts.framework, facts.setting, row.metric)


def _likest(rows: Iterable[CellRow]) -> list[CellRow]:
    """Return the rows that differ in the same conditions, the most of them."""
    sets = defaultdict[tuple[str, ...], list[CellRow]](list)
    for row in rows:
        sets[row.ratio.differs].append(row)
    return sets[max(sets, key=lambda it: (len(sets[it]), -len(it), it))]


def _of(
    corpus: Corpus,
    group: Group,
    rows: Sequence[CellRow],
    flagged: Sequence[CellRow],
) -> Held:
    ratios = [row.ratio.value for row in rows]
    low, high = min(ratios), max(ratios)
    counts = [side.quantity.n for row in rows for side in (row.base, row.other)]
    unlike = any(row.ratio.differs for row in rows)
    evidence: Evidence = "repeated" if min(counts) >= ENOUGH else "single"
    clear = not unlike and (low > 1 or high < 1)
    mean = geometric_mean(ratios) if clear else None
    least, most = _interval(rows) if clear else (None, None)
    names = [corpus.work(row.base.quantity.run) for row in rows]
    first = rows[0]
    runs = [side.quantity.run for row in rows for side in (row.base, row.other)]
    return Held(
        base=Party(first.base.accelerator, first.base.device),
        other=Party(first.other.accelerator, first.other.device),
        group=group,
        evidence="unlike" if unlike else evidence,
        low=low,
        high=high,
        cells=len(rows),
        names=tuple(dict.fromkeys(names)),
        points=tuple(
            Point(row.ratio.value, _look(row), name)
            for row, name in zip(rows, names, strict=True)
        )
        + tuple(
            Point(row.ratio.value, "flagged", corpus.work(row.base.quantity.run))
            for row in flagged
        ),
        protocol=protocol_of(corpus, first),
        processes=(min(counts), max(counts)),
        mean=mean,
        least=least,
        most=most,
        flagged=len(flagged),
        differs=rows[0].ratio.differs,
        unstated=tuple(sorted({name for row in rows for name in row.ratio.unstated})),
        doubts=corpus.doubted(runs),
        years=corpus.years(runs),
    )


def _interval(rows: Sequence[CellRow]) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of the mean of cells that were all repeated.

    Halves of intervals of logs add up in full, not in squares: one machine often did
    all of the cells, and what it does to one it does to the others.
    """
    halves = []
    for row in rows:
        if row.ratio.low is None or row.ratio.high is None:
            return None, None
        halves.append(math.log(row.ratio.high / row.ratio.low) / 2)
    middle = fmean(math.log(row.ratio.value) for row in rows)
    half = fmean(halves)
    return math.exp(middle - half), math.exp(middle + half)


def _look(row: CellRow) -> Look:
    if row.ratio.differs:
        return "unlike"
    if row.ratio.verdict == "even" or 1 / _LEVEL < row.ratio.value < _LEVEL:
        return "level"
    return "up" if row.ratio.value > 1 else "down"
