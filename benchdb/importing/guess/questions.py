"""What a document leaves open, as lines of a card, and the answers to them.

Doubts about columns, rows and tables that are of one kind make one line: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from benchdb.importing.guess.facts import (
    AnswerError,
    fact_named,
    unit_and_metric,
)
from benchdb.importing.mapping.fields import INFERENCE

LEAVE_OUT = "leave-out"
NOT_STATED = "not-stated"
UNSAID = (NOT_STATED, "nothing")  # which say the same
LEAVING = (LEAVE_OUT, *UNSAID)  # of which each doubt has one
NOT_SAID = "not-said"  # instead of an answer
AS_ANSWERED = "an answer"  # where a table has a fact from that is asked for by itself
ANSWERED = "{} of {}, as answered"  # the key of a fact of a column
AGREED = "yes"
SETTING = "setting"
REFUSED = ("no", "n", LEAVE_OUT)  # answers to a whole card
OF_TABLE = re.compile(r"(?i)(?P<name>.*?)\s*(?:\b(?:of|in)\s+)?\btable (?P<number>\d+)")
_NAMED = 4  # subjects that a line names
_SHOWN = 3  # answers that it shows beside the likely one
# Topics of doubts about a column of figures, which make one line.
_OF_FIGURES = ("unit", "numbers", "time", "meaning", "metric", "columns")
_OF_MEANING = (*_OF_FIGURES[:5], "work")
_OF_NAMES = ("columns", "names")  # what is asked, of which a fact shows what is stored


def spelt(answer: str) -> str:
    """Return *answer* as the choices are spelt that all lines have: ``leave-out``.

    A ``variant`` is what a setting of no other name tells, ``nothing`` what is not
    stated.
    """
    choice = "-".join(answer.split()).casefold()
    choice = {"variant": SETTING, "nothing": NOT_STATED}.get(choice, choice)
    return choice if choice in (LEAVE_OUT, NOT_STATED, SETTING) else answer.strip()


class Question(msgspec.Struct, frozen=True):
    """What is asked on a card. *key* stays the same for the same document.

    ``{}`` in what it *asks* are its *subjects*. *lines* are those of the document where
    its tables begin, *places* the columns that it is about, by these. Where *free* says
    what may be typed instead, an answer need not be one of the *choices*; *takes* tells
    whether one makes sense. *likely* is the answer that holds as long as nobody
    objects; where there is none, one has to be given. What is *answered* already is
    shown for what follows from it.
    """

    key: str
    asks: str
    subjects: tuple[str, ...]
    lines: tuple[int, ...]
    topic: str
    takes: Callable[[str], bool]
    places: frozenset[tuple[int, str]] = frozenset()
    choices: Mapping[str, str] = {}
    free: str | None = None
    likely: str | None = None
    stated: str = ""
    answered: bool = False

    @property
    def named(self) -> str:
        """Return its subjects, the first of them where it has choices."""
        if not self.choices:
            return "; ".join(self.subjects)
        more = len(self.subjects) - _NAMED
        listed = ", ".join(self.subjects[:_NAMED])
        return f"{listed} and {more} more" if more > 0 else listed

    @property
    def text(self) -> str:
        """Return it in words, without its answer."""
        return self.asks.replace("{}", self.named)

    @property
    def short(self) -> str:
        """Return what lines of one kind are called."""
        return self.key.partition(" at line ")[0]

    def marks(self) -> frozenset[object]:
        """Return by what it is known again where it is about less than before."""
        if self.stated:
            return frozenset([(self.topic, self.stated)])
        # What is done with models is asked by itself.
        likely = (self.likely or "").removesuffix(INFERENCE)
        named = {(self.topic, *place, likely) for place in self.places}
        lines = ((self.short, line, likely) for line in self.lines)
        return frozenset(named or lines)

    def reading(self) -> str:
        """Return it with its likely answer, and what else is likely."""
        return Entry(((self,),)).reading()

    def note(self) -> str:
        """Return it with its likely answer, as what nobody is asked."""
        return f"{self.text} {self.choices.get(self.likely or '', '')}".rstrip()

    def follows(self, *, last: bool) -> bool:
        """Tell whether it is a note on a card after the first.

        That has what needs an answer, and what figures mean or where they are from, as
        far as an answer does not say it; the *last* has only the former.
        """
        if self.likely is None or last:
            return self.likely is not None
        if not self.choices:
            return self.likely == NOT_STATED or self.answered
        others = {*self.choices} - {*LEAVING, SETTING, self.likely}
        sure = not others and self.likely != "title"
        return sure or self.topic not in _OF_MEANING


class Entry(msgspec.Struct, frozen=True):
    """A line of a card: *parts* that are about the same, each of like questions."""

    parts: tuple[tuple[Question, ...], ...]

    @property
    def questions(self) -> list[Question]:
        """Return all that is asked."""
        return [question for part in self.parts for question in part]

    def reading(self) -> str:
        """Return the line, in which columns are named once."""
        texts = []
        for part in self.parts:
            first, head = part[0], self.parts[0]
            named = (", " if first.choices else "; ").join(
                dict.fromkeys(question.named for question in part)
            )
            if part is not head and first.choices and _places(part) == _places(head):
                named = "these"
            texts.append(f"{first.asks.replace('{}', named)}{_proposed(part)}")
        return ". ".join(texts)

    def asked(self, answer: str) -> list[Question]:
        """Return the questions that *answer* is to, which may be any of them.

        Raise ``AnswerError`` where it may be several facts, or none.
        """
        every = self.questions
        takers = [question for question in every if question.takes(answer)]
        if takers and all(unit_and_metric(answer)):
            # To what asks for the one and for the other; to a setting it is neither.
            return [taker for taker in takers if taker.topic in _OF_FIGURES] or takers
        topics = dict.fromkeys(question.topic for question in takers or every)
        if every[0].choices:
            alike = [
                question for question in every if question.topic == next(iter(topics))
            ]
            return [
                question for question in alike if question.choices or question in takers
            ]
        if len(every) == 1 or answer.casefold() in (AGREED, LEAVE_OUT, NOT_STATED):
            return every
        if fact_named(answer) or answer.casefold() == SETTING:
            return every[:1]  # what the column is, from which it has them
        if takers and len(topics) == 1:
            return takers
        ways = ", ".join(f"'{topic}: …'" for topic in topics)
        raise AnswerError(f"{answer!r}: say which fact it is; allowed: {ways}")

    def holds(self, part: Sequence[Question]) -> bool:
        """Tell whether *part* is about columns of this line, or some of them."""
        host, guest = self.parts[0][0], part[0]
        if not _places(part) or not _places(part) <= _places(self.parts[0]):
            return False
        if guest.choices:  # what needs an answer is a line by itself
            figures = {host.topic, guest.topic} <= {*_OF_FIGURES}
            return figures and guest.likely is not None
        topics = {it[0].topic for it in self.parts if it[0].choices}
        return bool(topics & {*_OF_NAMES, guest.topic})


def entries(questions: Iterable[Question]) -> list[Entry]:
    """Return the lines of a card: what is asked alike, or of the same columns, is one.

    What is stored by each stays in it.
    """
    parts: dict[object, list[Question]] = {}
    for question in questions:
        # Facts from one place, those of columns by themselves.
        alike = (
            question.key if question.choices else (question.asks, not question.places)
        )
        parts.setdefault(alike, []).append(question)
    order = [*parts.values()]
    lines: dict[int, Entry] = {}  # by which part begins them
    # What is asked of more columns is first; facts are shown beside what is asked.
    for part in sorted(order, key=lambda it: (not it[0].choices, -len(_places(it)))):
        host = next((n for n, line in lines.items() if line.holds(part)), None)
        n = order.index(part) if host is None else host
        lines[n] = Entry((*(lines[n].parts if host is not None else ()), tuple(part)))
    return [lines[n] for n in sorted(lines)]


def _proposed(part: Sequence[Question]) -> str:
    """Return the likely answer to like questions, and others that are to all."""
    first, likely = part[0], part[0].likely
    if not first.choices:
        return ""
    if likely is None:
        free = f", or {first.free}" if first.free else ""
        return f" NEEDS AN ANSWER: {', '.join(first.choices)}{free}"
    common = set.intersection(*({*question.choices} for question in part))
    others = [key for key in first.choices if key in common and key != likely]
    more = " …" if others[_SHOWN:] else ""
    words = first.choices.get(likely, likely)
    return f" {words}; or {', '.join(others[:_SHOWN])}{more}"


def _places(part: Iterable[Question]) -> frozenset[tuple[int, str]]:
    return frozenset[tuple[int, str]]().union(*(question.places for question in part))
