"""Which Mac? Steps within a family; where one chip stands beside the baseline."""

from collections.abc import Iterable, Iterator, Sequence

from benchdb.site.answers.evidence import held
from benchdb.site.answers.facts import Card, Group, Held
from benchdb.site.answers.lookup import BASELINE, Corpus
from benchdb.site.answers.mac_names import Mac, macs, measuring
from benchdb.site.system_pairs import Worker

# What tells most of a Mac first; operations only where there is nothing else.
ORDER: tuple[Group, ...] = ("training", "decode", "prefill", "inference", "operations")
_SEVERAL = 2  # works that make a comparison more than an anecdote
_SENTENCES = 3  # comparisons beside the headline


def which_mac(corpus: Corpus) -> Card:
    """Return the answer for all Macs: what a step up within a family brings."""
    steps = list(_steps(corpus))
    if not steps:
        return Card("mac", None, "none", measure=measuring(None))
    first = max(steps, key=_telling)
    family = [it for it in steps if _family(it) == _family(first) and it != first]
    llm = [it for it in steps if it.group == "decode" and it.evidence == "repeated"]
    newest = max((_family(it) for it in llm), key=lambda it: int(it[1:]), default="")
    chosen = [it for it in family if it.group == first.group]
    own = [it for it in llm if _family(it) == newest and it not in (first, *chosen)]
    chosen += own[-1:]  # the largest step
    return _card(None, (first, *chosen))


def standing(corpus: Corpus, chip: str) -> Card:
    """Return where *chip* stands: beside the baseline; what the next one brings."""
    own = worker(corpus, chip)
    result: list[Held] = []
    if own and own != BASELINE:
        beside = ordered(held(corpus, BASELINE, own).values())
        result += [it for it in beside if it.group != "operations"][:_SENTENCES]
        result = result or beside[:1]
    known = macs().get(chip)
    for base, other in _pairs(corpus):
        if known in (base, other) and (step := _step(corpus, base, other)):
            result.append(step)
    if not result:
        return Card("mac", chip, "none", measure=measuring(chip))
    return _card(chip, list(dict.fromkeys(result)))


def worker(corpus: Corpus, chip: str) -> Worker | None:
    """Return *chip* on the device that it has most figures of; Metal of a Mac."""
    sides = corpus.site.systems.sides
    own = [it for it in sides if it.chip == chip]
    return max(
        own,
        key=lambda it: (it.device == "metal", len(sides[it].measured), it.device),
        default=None,
    )


def _card(chip: str | None, result: Sequence[Held]) -> Card:
    first = result[0]
    return Card(
        question="mac",
        chip=chip,
        evidence=first.evidence,
        low=first.mean or first.low,
        high=first.mean or first.high,
        points=first.points,
        held=tuple(result),
        flagged=first.flagged,
        doubts=tuple(sorted({name for it in result for name in it.doubts})),
    )


def _steps(corpus: Corpus) -> Iterator[Held]:
    for base, other in _pairs(corpus):
        own = held(corpus, Worker(base.name, "metal"), Worker(other.name, "metal"))
        yield from own.values()


def _pairs(corpus: Corpus) -> Iterator[tuple[Mac, Mac]]:
    """Yield the neighbours of each family, as far as they were measured."""
    for base, other in zip(corpus.chips, corpus.chips[1:], strict=False):
        if base.generation == other.generation:
            yield base, other


def _step(corpus: Corpus, base: Mac, other: Mac) -> Held | None:
    own = held(corpus, Worker(base.name, "metal"), Worker(other.name, "metal"))
    return next(iter(ordered(own.values())), None)


def ordered(result: Iterable[Held]) -> list[Held]:
    """Return like comparisons first, of several works first, in the order of kinds."""

    def order(pair: Held) -> tuple[object, ...]:
        few = len(pair.names) < _SEVERAL
        return pair.evidence == "unlike", few, ORDER.index(pair.group)

    return sorted(result, key=order)


def _telling(pair: Held) -> tuple[object, ...]:
    """Return how much a step tells: training first, and a mean before a range."""
    like, several = pair.evidence != "unlike", len(pair.names) >= _SEVERAL
    generation, tier = macs()[pair.other.chip].order
    kind = -ORDER.index(pair.group)
    return like, several, kind, pair.mean is not None, tier, generation


def _family(pair: Held) -> str:
    return macs()[pair.base.chip].generation
