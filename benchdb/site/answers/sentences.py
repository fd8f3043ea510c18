"""The sentences of an answer: what its figure is of, and what stands beside it."""

from collections.abc import Iterator, Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.view.atoms import BASELINE
from benchdb.report.wording import terms
from benchdb.site.answers.facts import EVEN, Card, Held, Rates, WorkRange
from benchdb.site.answers.work_terms import (
    counted,
    factor_text,
    group_text,
    number_range,
    over_text,
    step_text,
    work_text,
    works_text,
)
from benchdb.site.wording import capital

_WORKS = 3  # with their ranges
_RUNGS = 3  # of memory, beside the headline
_MODELS = 2  # beside the first


def subject(language: Language, card: Card) -> str:
    """Return what the figure is of; it reads on from the figure."""
    pgettext = language.pgettext
    if card.low is None:
        return ""
    if card.held:
        return _of_pair(language, card, card.held[0])
    if card.question == "fit":
        return pgettext(
            "subject of a figure",
            "ran a %(size)s model with 4 bits a weight",
            size=Name(_size(language, card.ran[0].size)),
        )
    return pgettext(
        "subject of a figure", "tokens/s, %(model)s", model=Name(card.rates[0].model)
    )


def _of_pair(language: Language, card: Card, first: Held) -> str:
    if card.question == "metal":
        if card.is_slower:
            return language.pgettext("subject of a figure", "as long with Metal")
        return language.pgettext("subject of a figure", "as fast with Metal")
    if card.question == "watt":
        return language.pgettext("subject of a figure", "the work per joule")
    if card.question == "mac" and card.chip == first.other.chip and _is_base(first):
        return language.pgettext("subject of a figure", "as fast as the M1 with Metal")
    return over_text(language, first)


def phrase(language: Language, card: Card) -> list[str]:
    """Return the sentences of a card."""
    write = {
        "mac": _mac,
        "metal": _metal,
        "gpu": _gpu,
        "watt": _watt,
        "fit": _fit,
        "tokens": _tokens,
    }
    if card.evidence == "none":
        return [language.gettext("This would measure it:")]
    return [text for text in write[card.question](language, card) if text]


def _is_base(pair: Held) -> bool:
    return (pair.base.chip, pair.base.device) == (BASELINE, "metal")


def _mac(language: Language, card: Card) -> Iterator[str]:
    first, *others = card.held
    yield _over_mean(language, first)
    beside = [it for it in others if _is_base(it) and it.other.chip == card.chip]
    if beside and card.chip:
        yield language.gettext(
            "Beside the M1: %(factors)s.",
            factors=[_with_group(language, it) for it in beside],
        )
        others = [it for it in others if it not in beside]
    for group in dict.fromkeys(it.group for it in others):
        steps = [it for it in others if it.group == group]
        same = group == first.group
        listed = [step_text(language, it, short=True) for it in reversed(steps)]
        if same and not card.chip:
            yield language.gettext("Other steps: %(steps)s.", steps=listed)
        else:
            yield language.gettext(
                "%(work)s: %(steps)s.",
                work=capital(group_text(language, group)),
                steps=listed,
            )


def _over(language: Language, pair: Held) -> str:
    """Say over what a headline goes: its range where it is a mean, its interval."""
    facts = {
        "work": capital(group_text(language, pair.group)),
        "count": counted(language, pair),
    }
    if pair.evidence == "unlike":
        return language.gettext("%(work)s, %(count)s; not like for like.", **facts)
    if pair.mean is None:
        return language.gettext("%(work)s, the range over %(count)s.", **facts)
    if pair.low == pair.high:
        return language.gettext("%(work)s, %(count)s.", **facts)
    return language.gettext(
        "%(work)s, %(range)s over %(count)s.",
        range=Times(pair.low, pair.high),
        **facts,
    )


def _with_group(language: Language, pair: Held) -> str:
    return language.pgettext(
        "kind of work and a factor",
        "%(work)s %(times)s",
        work=group_text(language, pair.group),
        times=factor_text(language, pair),
    )


def _metal(language: Language, card: Card) -> Iterator[str]:
    if not card.works:
        yield _over(language, card.held[0])
        return
    helped = [it for it in card.works if it.low > EVEN]
    hurt = [it for it in card.works if it.high < 1 / EVEN]
    if helped:
        yield language.gettext(
            "%(works)s against the CPU.",
            works=works_text(language, [it.name for it in helped]),
        )
    rest = [it for it in card.works if it not in (*helped, *hurt)]
    even = [it for it in rest if it.low >= 1 / EVEN and it.high <= EVEN]
    mixed = [it for it in rest if it not in even]
    if even:
        yield language.gettext(
            "Hardly any difference: %(workloads)s.", workloads=_ranges(language, even)
        )
    if mixed and card.chip:
        yield language.gettext(
            "No clear answer: %(workloads)s.", workloads=_ranges(language, mixed)
        )
    elif mixed:
        yield language.gettext(
            "Different from chip to chip: %(workloads)s.",
            workloads=_ranges(language, mixed),
        )
    if hurt:
        yield language.gettext(
            "%(range)s as long with Metal: %(workloads)s.",
            range=Times(
                1 / max(it.high for it in hurt), 1 / min(it.low for it in hurt)
            ),
            workloads=[work_text(language, it.name) for it in hurt],
        )


def _ranges(language: Language, works: Sequence[WorkRange]) -> list[str]:
    return [
        terms.beside(
            language,
            work_text(language, it.name),
            language.times_range(it.low, it.high),
        )
        for it in works[:_WORKS]
    ]


def _gpu(language: Language, card: Card) -> Iterator[str]:
    first, *others = card.held
    yield _over_mean(language, first)
    for pair in others:
        if pair.base == first.base:
            yield language.gettext(
                "%(work)s: %(times)s.",
                work=capital(group_text(language, pair.group)),
                times=factor_text(language, pair),
            )
        else:
            yield language.gettext(
                "%(work)s, %(chip)s: %(times)s.",
                work=capital(group_text(language, pair.group)),
                chip=Name(pair.base.chip),
                times=factor_text(language, pair),
            )


def _over_mean(language: Language, pair: Held) -> str:
    """Say what a range goes over, with its mean and the interval of that."""
    if pair.mean is None or pair.least is None or pair.most is None:
        return _over(language, pair)
    phrase = language.gettext(
        "%(work)s of %(count)s: mean %(mean)s, 95%% interval %(interval)s.",
        work=capital(group_text(language, pair.group)),
        count=counted(language, pair),
        mean=Times(pair.mean),
        interval=Times(pair.least, pair.most),
    )
    if pair.least < 1 < pair.most:
        unsure = language.gettext("Chance may have decided which is faster.")
        return language.sentences([phrase, unsure])
    return phrase


def _watt(language: Language, card: Card) -> Iterator[str]:
    first, *others = card.held
    yield language.gettext(
        "%(pair)s, %(work)s, %(count)s.",
        pair=over_text(language, first),
        work=group_text(language, first.group),
        count=counted(language, first),
    )
    for pair in others:
        yield language.gettext(
            "%(work)s: %(step)s the tokens per joule.",
            work=capital(group_text(language, pair.group)),
            step=step_text(language, pair),
        )


def _fit(language: Language, card: Card) -> Iterator[str]:
    first, *others = card.ran
    yield language.gettext(
        "%(model)s on %(chips)s.", model=Name(first.name), chips=first.chips
    )
    if others:
        rungs = [
            language.pgettext(
                "memory and the model that ran in it",
                "%(memory)s ran %(size)s",
                memory=language.isolate(language.bytes(it.memory * 2**30)),
                size=Name(_size(language, it.size)),
            )
            for it in others[:_RUNGS]
        ]
        yield terms.sentence(language, language.listing(rungs))
    for peak in card.peaks[:1]:
        yield language.gettext(
            "Training %(work)s at batch size %(batch)s took %(memory)s at its peak.",
            work=Name(work_text(language, peak.name)),
            batch=peak.batch,
            memory=language.isolate(
                terms.memory_text(language, round(peak.low), round(peak.high))
            ),
        )


def _tokens(language: Language, card: Card) -> Iterator[str]:
    first, *others = card.rates
    prefill = next(
        (it for it in others if (it.model, it.group) == (first.model, "prefill")), None
    )
    if first.slowest != first.fastest:
        yield language.gettext(
            "Decode with %(quantization)s, from the %(slowest)s to the %(fastest)s.",
            quantization=Name(first.quantization),
            slowest=Name(first.slowest),
            fastest=Name(first.fastest),
        )
    else:
        yield language.gettext(
            "Decode with %(quantization)s.", quantization=Name(first.quantization)
        )
    if prefill:
        yield language.gettext("Prefill: %(rate)s.", rate=_rate(language, prefill))
    more = [it for it in others if it.group == "decode"][:_MODELS]
    if more:
        yield language.gettext(
            "Decode of others: %(models)s.",
            models=[
                language.pgettext(
                    "model and tokens per second",
                    "%(model)s %(rate)s",
                    model=Name(it.model),
                    rate=_rate(language, it),
                )
                for it in more
            ],
        )


def _rate(language: Language, rates: Rates) -> str:
    return language.isolate(number_range(language, rates.low, rates.high))


def _size(language: Language, size: float) -> str:
    return f"{language.significant(size, 1)}B"
