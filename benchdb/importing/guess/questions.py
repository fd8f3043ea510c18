"""Questions about a document, and the answers: one choice each, or a text of one's own.

Doubts about columns, rows and tables that are of one kind make one question: one answer
settles them all.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from benchdb.errors import UsageError

LEAVE_OUT = "leave-out"
LEAVING = (LEAVE_OUT, "not-stated", "nothing")  # of which each question has one
_NAMED = 4  # subjects that a question names
_LINES = 5  # that it shows


class Choice(msgspec.Struct, frozen=True):
    """An answer that may be chosen: *key* is typed in scripts, *words* are read."""

    key: str
    words: str


class Question(msgspec.Struct, frozen=True):
    """What a document leaves open. *key* stays the same for the same document.

    *lines* are the first lines of the document that it is about. Where *free* says what
    may be typed instead, an answer need not be one of the *choices*.
    """

    key: str
    text: str
    lines: tuple[int, ...]
    choices: tuple[Choice, ...]
    free: str | None = None


class AnswerError(UsageError):
    """An answer makes no sense: says which would."""


class Free(msgspec.Struct, frozen=True):
    """What may be typed instead of a choice; *fault* says why a text makes no sense."""

    words: str
    fault: Callable[[str], str | None]


class Doubt(msgspec.Struct, frozen=True):
    """Something of a document that is not known.

    Doubts of one *topic*, *text*, *likeness* and *choices* are one question; ``{}`` in
    its text are their subjects, *name* is a short one. *settle* takes the answer and
    may return what is in doubt because of it. Of lower *rank* is asked first.
    """

    topic: str
    text: str
    name: str
    subject: str
    line: int
    choices: Mapping[str, str]
    settle: Callable[[str], "Iterable[Doubt] | None"]
    free: Free | None = None
    likeness: object = None
    rank: int = 5


class Inquiry:
    """What is asked of a document, by the *answers* there are."""

    def __init__(
        self, answers: Mapping[str, str], allowed: Collection[str] | None = None
    ) -> None:
        """Begin with nothing asked; all but *allowed* keys is left out, not asked."""
        self._answers, self._allowed = answers, allowed
        self._asked: dict[str, tuple[int, Question]] = {}
        self._late: set[str] = set()  # what nobody may be asked any more
        self.notes: list[str] = []  # what was answered

    def settle(
        self, doubts: Iterable[Doubt], *, most: int | None = None
    ) -> list[Doubt]:
        """Settle *doubts* by the answers, and what these bring up; else ask.

        Return those that are not asked, because *most* are already.
        """
        passed: list[Doubt] = []
        groups: dict[object, list[Doubt]] = {}
        for doubt in doubts:
            choices = tuple(doubt.choices.items())
            kind = (doubt.topic, doubt.text, doubt.likeness, choices)
            groups.setdefault(kind, []).append(doubt)
        more: list[Doubt] = []
        for group in groups.values():
            question = self._question(group)
            given = self._answers.get(question.key)
            late = self._allowed is not None and question.key not in self._allowed
            full = late or (most is not None and len(self.open()) >= most)
            if given is None and most is not None and full:
                passed += group
                continue
            if given is None and late:
                keys = {choice.key for choice in question.choices}
                given = next(key for key in LEAVING if key in keys)
                self._late.add(question.key)
            self._asked[question.key] = (group[0].rank, question)
            if given is not None:
                answer, words = _accepted(question, group[0].free, given)
                self.notes.append(f"{question.text} {words}")
                for doubt in group:
                    more += doubt.settle(answer) or ()
        if more:
            self.settle(more)
        return passed

    def open(self) -> tuple[Question, ...]:
        """Return what is not answered, what matters most first."""
        ranked = sorted(self._asked.values(), key=lambda pair: pair[0])
        settled = {*self._answers, *self._late}
        return tuple(one for _, one in ranked if one.key not in settled)

    def keys(self) -> set[str]:
        """Return the keys of all that was asked."""
        return set(self._asked)

    def _question(self, group: Sequence[Doubt]) -> Question:
        first = group[0]
        names = list(dict.fromkeys(doubt.name for doubt in group if doubt.name))
        subjects = list(dict.fromkeys(doubt.subject for doubt in group))
        listed = ", ".join(subjects[:_NAMED])
        if len(subjects) > _NAMED:
            listed += f" and {len(subjects) - _NAMED} more"
        named = ", ".join(names[:_NAMED])
        key = stem = f"{first.topic} of {named}" if named else first.topic
        count = 1
        while key in self._asked:
            count += 1
            key = f"{stem} ({count})"
        return Question(
            key=key,
            text=first.text.replace("{}", listed),
            lines=tuple(sorted({doubt.line for doubt in group})[:_LINES]),
            choices=tuple(Choice(*one) for one in first.choices.items()),
            free=first.free.words if first.free else None,
        )


def _accepted(question: Question, free: Free | None, answer: str) -> tuple[str, str]:
    """Return the *answer* to a *question* and its words, or raise ``AnswerError``."""
    answer = answer.strip()
    for choice in question.choices:
        if choice.key.casefold() == answer.casefold():
            return choice.key, choice.words
    why = free.fault(answer) if free and answer else "it is none of the choices"
    if why is None:
        return answer, answer
    allowed = ", ".join(choice.key for choice in question.choices)
    allowed += f", or {question.free}" if question.free else ""
    raise AnswerError(f"{question.key!r}: {answer!r}: {why}; allowed: {allowed}")
