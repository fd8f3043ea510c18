"""Answers in words: a figure, whole sentences, and tags that say how sure it is."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.site.answers import sentences
from benchdb.site.answers.facts import Card, Held
from benchdb.site.answers.strips import Strip, ratio_ends, strip_of
from benchdb.site.answers.work_terms import (
    group_text,
    number_range,
    rough,
    ways_text,
    work_text,
)


class Tag(msgspec.Struct, frozen=True):
    """What a headline rests on; *look* is a class of the style sheet, or ""."""

    text: str
    look: str


class CardWords(msgspec.Struct, frozen=True):
    """A card in a language; *look* is its class, *alt* tells its strip."""

    question: str
    anchor: str
    look: str
    figure: str
    of: str
    text: str
    command: str
    tags: tuple[Tag, ...]
    strip: Strip | None
    alt: str


def card_words(language: Language, cards: Sequence[Card]) -> tuple[CardWords, ...]:
    """Return *cards* in words; those with ratios share an axis."""
    ratios = [p.value for card in cards if card.unit == "x" for p in card.points]
    ends = ratio_ends(ratios)
    return tuple(_words(language, card, ends) for card in cards)


def _words(language: Language, card: Card, ends: tuple[float, float]) -> CardWords:
    names = [work_text(language, point.name) for point in card.points]
    strip = strip_of(language, card, ends, names) if card.points else None
    titles = [mark.title for mark in strip.marks] if strip else []
    return CardWords(
        question=question_text(language, card),
        anchor=_ANCHORS[card.question],
        look={"repeated": "like", "ran": "like"}.get(card.evidence, card.evidence),
        figure=figure_text(language, card),
        of=sentences.subject(language, card),
        text=_unbroken(language.sentences(sentences.phrase(language, card))),
        command=card.measure if card.evidence == "none" else "",
        tags=tuple(dict.fromkeys(_tags(language, card))),
        strip=strip,
        alt=language.listing(titles),
    )


def _unbroken(text: str) -> str:
    """Keep ranges and rough figures on one line."""
    joined = _DASH.sub("\N{WORD JOINER}\\g<0>\N{WORD JOINER}", text)
    return joined.replace("≈ ", "≈\N{NO-BREAK SPACE}")


_DASH = re.compile(r"(?<=\d)[–\N{FULLWIDTH TILDE}~](?=\d)")  # the last two in CJK
_ANCHORS = {
    "mac": "chips",
    "metal": "metal",
    "gpu": "gpu",
    "watt": "watt",
    "fit": "memory",
    "tokens": "tokens",
}


def question_text(language: Language, card: Card) -> str:
    """Return the question."""
    pgettext = language.pgettext
    if card.question == "mac" and card.chip:
        return pgettext("question", "Where does it stand?")
    return {
        "mac": pgettext("question", "Which Mac?"),
        "metal": pgettext("question", "Does Metal help?"),
        "gpu": pgettext("question", "How far is a GPU?"),
        "watt": pgettext("question", "And per watt?"),
        "fit": pgettext("question", "Will it fit?"),
        "tokens": pgettext("question", "LLM tokens per second?"),
    }[card.question]


def figure_text(language: Language, card: Card) -> str:
    """Return the number or range; of unlike figures with a sign that it is rough."""
    if card.low is None or card.high is None:
        return language.pgettext("answer", "not measured yet")
    if card.unit == "GB":
        return language.bytes(round(card.low) * 2**30)
    if card.unit == "token/s":
        return number_range(language, card.low, card.high)
    low, high = card.low, card.high
    if card.question == "metal" and card.is_slower:
        low, high = 1 / high, 1 / low
    if card.evidence == "unlike":
        return rough(language, low, high)
    if card.question != "metal" and card.held[0].verdict == "even":
        return language.pgettext("verdict", "about even")
    return language.times_range(low, high)


def _tags(language: Language, card: Card) -> Iterator[Tag]:
    if card.evidence == "ran":
        ran = language.pgettext("evidence", "it ran: least memory seen")
        yield Tag(ran, "like")
    for rates in card.rates[:1]:
        several = language.ngettext(
            "%(n)s report, one tool and model",
            "%(n)s reports, one tool and model",
            rates.reports,
        )
        yield Tag(several, "like" if card.evidence == "repeated" else "")
        if rates.first:
            yield Tag(years_text(rates.first, rates.last), "")
    yield from _of_held(language, _telling(card))
    if card.flagged:
        yield Tag(
            language.ngettext(
                "%(n)s flagged pair left out",
                "%(n)s flagged pairs left out",
                card.flagged,
            ),
            "flag",
        )
    for chip in card.doubts:
        yield Tag(
            language.pgettext("evidence", "%(chip)s: macOS in doubt", chip=Name(chip)),
            "flag",
        )


def _telling(card: Card) -> Iterable[Held]:
    """Return the headline's comparison, and the first whose evidence is another."""
    first, *others = card.held or (None,)
    if first is None:
        return ()
    if card.question == "metal":
        return (first,)
    for pair in others:
        same_conditions = pair.evidence == "unlike" and {*pair.differs} <= {
            *first.differs
        }
        if (
            pair.evidence != first.evidence
            and pair.group != first.group
            and not same_conditions
        ):
            return (first, pair)
    return (first,)


def _of_held(language: Language, chosen: Iterable[Held]) -> Iterator[Tag]:
    for number, pair in enumerate(chosen):
        phrase, look = _evidence(language, pair, brief=number > 0)
        if number:
            phrase = language.pgettext(
                "evidence",
                "%(work)s: %(evidence)s",
                work=group_text(language, pair.group),
                evidence=phrase,
            )
        yield Tag(phrase, look)


def _evidence(language: Language, pair: Held, *, brief: bool) -> tuple[str, str]:
    """Return what a comparison rests on, and the look of its tag."""
    if pair.evidence == "unlike":
        return ways_text(language, pair.differs), "unlike"
    low, high = pair.processes
    if high == 1:
        return language.pgettext("evidence", "one run each, like for like"), ""
    runs = number_range(language, low, high)
    if brief:
        phrase = language.pgettext("repetitions", "n = %(n)s", n=runs)
    else:
        phrase = language.pgettext("evidence", "like for like, n = %(runs)s", runs=runs)
    return phrase, "like" if pair.evidence == "repeated" else ""


def years_text(first: str, last: str) -> str:
    """Return the years of figures: ``2025``, ``2021–22``."""
    if first == last:
        return first
    return f"{first}–{last[2:] if last[:2] == first[:2] else last}"
