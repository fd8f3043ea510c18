"""Does Metal help? The same work with and without it, work by work over all chips."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from benchdb.site.answers.evidence import Rows, protocol_of, rows_of, summary
from benchdb.site.answers.facts import (
    EVEN,
    Card,
    Evidence,
    Held,
    Protocol,
    WorkRange,
)
from benchdb.site.answers.lookup import Corpus
from benchdb.site.answers.macs import ORDER
from benchdb.site.system_pairs import Worker

# Where nobody trained with both, what else ran with both tells it.
_COMMAND = "benchdb collect"


def does_metal_help(corpus: Corpus, chip: str | None) -> Card:
    """Return what Metal brings to *chip*, or to all Macs."""
    result = gains(corpus)
    chosen = [pair for pair in result if chip in (None, pair.other.chip)]
    like = [pair for pair in chosen if pair.evidence != "unlike"]
    if not like:
        return _bounded(chip, chosen)
    group = min((pair.group for pair in like), key=ORDER.index)
    like = [pair for pair in like if pair.group == group]
    if chip is None:
        wanted = usual_protocol(corpus)
        like = [pair for pair in like if pair.protocol == wanted] or like
    works = tuple(_works(like))
    helped = [it for it in works if it.low > EVEN] or list(works)
    return Card(
        question="metal",
        chip=chip,
        evidence=_evidence(like),
        low=min(it.low for it in helped),
        high=max(it.high for it in helped),
        points=tuple(point for pair in like for point in pair.points),
        held=tuple(like),
        works=works,
        flagged=sum(pair.flagged for pair in like),
        doubts=tuple(sorted({name for pair in like for name in pair.doubts})),
    )


@lru_cache(maxsize=1)
def gains(corpus: Corpus) -> tuple[Held, ...]:
    """Return what Metal brings to each chip, by kind of work, in one protocol."""
    wanted = usual_protocol(corpus)
    return tuple(
        pair
        for mac in corpus.chips
        for group, rows in rows_with_both(corpus, mac.name).items()
        if (pair := summary(corpus, group, rows, wanted))
    )


def rows_with_both(corpus: Corpus, chip: str) -> Rows:
    """Return the cells that *chip* did with and without Metal, by kind of work."""
    return rows_of(corpus, Worker(chip, "cpu"), Worker(chip, "metal"))


@lru_cache(maxsize=1)
def usual_protocol(corpus: Corpus) -> Protocol | None:
    """Return the protocol in which most chips trained with both."""
    chips = defaultdict[Protocol, set[str]](set)
    for mac in corpus.chips:
        for row in rows_with_both(corpus, mac.name).get("training", ()):
            if row.counts:
                chips[protocol_of(corpus, row)].add(mac.name)
    return max(chips, key=lambda it: (len(chips[it]), it), default=None)


def _bounded(chip: str | None, result: Sequence[Held]) -> Card:
    """Return what unlike figures bound, or that nobody measured both."""
    if not result:
        return Card("metal", chip, "none", measure=_COMMAND)
    first = min(result, key=lambda pair: ORDER.index(pair.group))
    return Card(
        question="metal",
        chip=chip,
        evidence="unlike",
        low=first.low,
        high=first.high,
        points=first.points,
        held=(first,),
        flagged=first.flagged,
        measure=_COMMAND,
    )


def _works(chosen: Iterable[Held]) -> Iterable[WorkRange]:
    """Yield the range of each work over the chips, what gains most first."""
    ratios = defaultdict[str, list[float]](list)
    chips = defaultdict[str, set[str]](set)
    for pair in chosen:
        for point in pair.points:
            if point.look != "flagged":
                ratios[point.name].append(point.value)
                chips[point.name].add(pair.other.chip)
    for name in sorted(ratios, key=lambda it: (-max(ratios[it]), it)):
        own = ratios[name]
        yield WorkRange(name, min(own), max(own), len(chips[name]))


def _evidence(chosen: Iterable[Held]) -> Evidence:
    every = all(pair.evidence == "repeated" for pair in chosen)
    return "repeated" if every else "single"
