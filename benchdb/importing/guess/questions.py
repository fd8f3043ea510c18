"""Questions about a document, and the answers: one choice each, or a text of one's own.

Doubts about columns, rows and tables that are of one kind make one question: one answer
settles them all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from benchdb.errors import UsageError

LEAVE_OUT = "leave-out"
_NAMED = 4  # subjects that a question names
_LINES = 5  # that it shows


class Choice(msgspec.Struct, frozen=True):
    """An answer that may be chosen: *key* is typed in scripts, *words* are read."""

    key: str
    words: str


class Question(msgspec.Struct, frozen=True):
    """What a document leaves open. *key* stays the same for the same document.

    *lines* are the first lines of the document that it is about. Where *free* says what
    may be typed instead, an answer needs not be one of the *choices*.
    """

    key: str
    text: str
    lines: tuple[int, ...]
    choices: tuple[Choice, ...]
    free: str | None = None


class AnswerError(UsageError):
    """An answer makes no sense: says which would."""


Settle = Callable[[str], "Iterable[Doubt] | None"]


class Doubt(msgspec.Struct, frozen=True):
    """Something of a document that is not known.

    Doubts of one *topic*, *text* and *choices* are one question; ``{}`` in the text is
    their subjects. *name* is the short name of the subject. *settle* takes the answer
    and may return what is in doubt because of it; *check* says why a text that is no
    choice cannot be meant, where any may be typed.
    """

    topic: str
    text: str
    name: str
    subject: str
    line: int
    choices: tuple[Choice, ...]
    settle: Settle
    free: str | None = None
    check: Callable[[str], str | None] | None = None
    rank: int = 5  # lower ones are asked first


def settled(
    doubts: Iterable[Doubt], answers: Mapping[str, str], used: set[str]
) -> list[tuple[int, Question]]:
    """Settle *doubts* by *answers*; return what stays open, each with its rank.

    What an answer brings up is settled as well. The keys met go to *used*.
    """
    groups: dict[object, list[Doubt]] = {}
    for doubt in doubts:
        kind = (doubt.topic, doubt.text, doubt.choices, doubt.free)
        groups.setdefault(kind, []).append(doubt)
    open_: list[tuple[int, Question]] = []
    more: list[Doubt] = []
    for group in groups.values():
        question = _question(group, used)
        used.add(question.key)
        if question.key not in answers:
            open_.append((group[0].rank, question))
            continue
        answer = _accepted(question, group[0], answers[question.key])
        for doubt in group:
            more += doubt.settle(answer) or ()
    return open_ + (settled(more, answers, used) if more else [])


def _question(group: Sequence[Doubt], used: set[str]) -> Question:
    first = group[0]
    names = list(dict.fromkeys(doubt.name for doubt in group))
    subjects = list(dict.fromkeys(doubt.subject for doubt in group))
    listed = ", ".join(subjects[:_NAMED])
    if len(subjects) > _NAMED:
        listed += f" and {len(subjects) - _NAMED} more"
    key = stem = " of ".join(filter(None, (first.topic, ", ".join(names[:_NAMED]))))
    count = 1
    while key in used:
        count += 1
        key = f"{stem} ({count})"
    return Question(
        key=key,
        text=first.text.replace("{}", listed),
        lines=tuple(sorted({doubt.line for doubt in group})[:_LINES]),
        choices=first.choices,
        free=first.free,
    )


def _accepted(question: Question, doubt: Doubt, answer: str) -> str:
    """Return the *answer* to a *question*, or raise ``AnswerError``."""
    answer = answer.strip()
    by_key = {choice.key.casefold(): choice.key for choice in question.choices}
    if answer.casefold() in by_key:
        return by_key[answer.casefold()]
    why = "it is none of the choices"
    if question.free is not None and answer:
        why = doubt.check(answer) if doubt.check else None
        if why is None:
            return answer
    allowed = ", ".join(choice.key for choice in question.choices)
    allowed += f", or {question.free}" if question.free else ""
    raise AnswerError(f"{question.key!r}: {answer!r}: {why}; allowed: {allowed}")


def require_asked(answers: Mapping[str, str], used: set[str]) -> None:
    """Raise ``AnswerError`` for an answer to what is not asked."""
    for key in answers:
        if key not in used:
            listed = "; ".join(sorted(used)) or "nothing"
            raise AnswerError(f"nothing asks {key!r}; asked is: {listed}")
