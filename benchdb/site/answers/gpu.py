"""How far is a GPU? The reference with most like figures beside a Mac."""

from collections.abc import Sequence
from functools import lru_cache

from benchdb.site.answers.evidence import held
from benchdb.site.answers.facts import ENOUGH, Card, Held
from benchdb.site.answers.lookup import Corpus
from benchdb.site.answers.macs import ORDER
from benchdb.site.system_pairs import Worker

# What people compare with, where it is as well known as others.
PREFERRED = ("GeForce RTX 3090", "GeForce RTX 4090", "GeForce RTX 5090", "H100 PCIe")
_OTHERS = 3  # of the rest, those that did most of the same work
_SEVERAL = 2
_TELLING = ("training", "decode", "prefill")
_COMMAND = "benchdb collect --cuda"


def how_far(corpus: Corpus, chip: str | None) -> Card:
    """Return how far the reference is from *chip*, or from the nearest Mac."""
    if chip is None:
        return _nearest(corpus)
    result = [
        own for it in references(corpus, chip) if (own := beside(corpus, chip, it))
    ]
    if not result:
        return Card("gpu", chip, "none", measure=_COMMAND)
    return _card(chip, max(result, key=_standing))


def beside(corpus: Corpus, chip: str, reference: str) -> list[Held]:
    """Return what each kind of work says of *reference* over *chip*, like ones first.

    Operations are not what somebody buys a GPU for, and stand behind all else.
    """
    own = held(corpus, Worker(chip, "metal"), Worker(reference, "cuda"))

    def order(pair: Held) -> tuple[object, ...]:
        return pair.evidence == "unlike", ORDER.index(pair.group)

    return sorted(own.values(), key=order)


def references(corpus: Corpus, chip: str) -> Sequence[str]:
    """Return GPUs that did the work of *chip*, with those that people compare with."""
    sides = corpus.site.systems.sides
    if (side := sides.get(Worker(chip, "metal"))) is None:
        return ()
    done = {*side.settings}
    common = {
        other.chip: sum(map(done.__contains__, sides[other].settings))
        for other in sides
        if other.device == "cuda"
    }
    ranked = sorted(common, key=lambda name: (-common[name], name))
    others = [name for name in ranked if common[name] and name not in PREFERRED]
    known = [name for name in PREFERRED if common.get(name)]
    return (*known, *others[:_OTHERS]) if known else others[:_OTHERS]


@lru_cache(maxsize=1)
def reference_of(corpus: Corpus) -> str | None:
    """Return the GPU with most like cells beside the Macs, of those that are known."""
    counts = {
        name: sum(_evidence(beside(corpus, mac.name, name)) for mac in corpus.chips)
        for name in PREFERRED
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None


def _nearest(corpus: Corpus) -> Card:
    reference = reference_of(corpus)
    if reference is None:
        return Card("gpu", None, "none", measure=_COMMAND)
    result = [beside(corpus, mac.name, reference) for mac in corpus.chips]
    like = [own for own in result if own and own[0].evidence != "unlike"]
    several = [own for own in like if len(own[0].names) >= _SEVERAL] or like
    nearest = min(several, key=lambda own: (own[0].mean or own[0].high, own[0].high))
    trained = [pair for own in result for pair in own if pair.group == "training"]
    trained = [pair for pair in trained if pair not in nearest]
    best = max(trained, key=lambda pair: (pair.cells, -pair.high), default=None)
    return _card(None, (*nearest, best) if best else nearest)


def _card(chip: str | None, result: Sequence[Held]) -> Card:
    kept = [pair for pair in result if pair.group in _TELLING] or list(result)
    first = kept[0]
    return Card(
        question="gpu",
        chip=chip,
        evidence=first.evidence,
        low=first.low,
        high=first.high,
        points=tuple(
            point
            for pair in kept
            for point in pair.points
            if pair.other == first.other and pair.base == first.base
        ),
        held=tuple(kept),
        flagged=sum(pair.flagged for pair in kept),
        measure=_COMMAND,
    )


def _like(result: Sequence[Held]) -> int:
    return sum(
        pair.cells
        for pair in result
        if pair.evidence != "unlike" and pair.group != "operations"
    )


def _evidence(result: Sequence[Held]) -> int:
    """Return the cells that are alike, each as often as its scarcer side was measured.

    From some times on another one adds little.
    """
    return sum(
        pair.cells * min(pair.processes[0], ENOUGH)
        for pair in result
        if pair.evidence != "unlike" and pair.group != "operations"
    )


def _standing(result: Sequence[Held]) -> tuple[object, ...]:
    name = result[0].other.chip
    liked = name in PREFERRED
    place = -PREFERRED.index(name) if liked else -len(PREFERRED)
    return bool(_like(result)), liked, _evidence(result), place
