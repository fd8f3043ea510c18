"""Questions about a document, and the answers: one choice each, or a text of one's own.

Doubts about columns, rows and tables that are of one kind make one question: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.errors import UsageError, suggestion

LEAVE_OUT = "leave-out"
LEAVING = (LEAVE_OUT, "not-stated", "nothing")  # of which each question has one
NOT_SAID = "not-said"  # instead of an answer
READINGS = "readings"  # the question whether all that is likely is right
ROUNDS = (READINGS, "further readings")  # what it is called in each
AS_ANSWERED = "an answer"  # where a table has a fact from that is asked for by itself
AGREED = "yes"  # the answer to a line of it
_NAMED = 4  # subjects that a question names
_LINES = 5  # that it shows
_MOST = 3  # questions that are asked by themselves
_YES = re.compile(r"(?i)(?:yes|y)(?![a-z])(?:\s*[,;]?\s*but\s*|\s*[,;]\s*)?")
_CORRECTED = re.compile(r"(?P<name>[^:;]{1,60}):(?P<answer>[^;]+)")


class Choice(msgspec.Struct, frozen=True):
    """An answer that may be chosen: *key* is typed in scripts, *words* are read."""

    key: str
    words: str


class Question(msgspec.Struct, frozen=True):
    """What a document leaves open. *key* stays the same for the same document.

    *lines* are the first lines of the document that it is about. Where *free* says what
    may be typed instead, an answer need not be one of the *choices*. *alone* are the
    keys by which its subjects are answered one by one, *figures* how many it is about.
    *likely* is the answer that a reader of the document would guess first. A question
    with *parts* is whether what is likely of these is right.
    """

    key: str
    text: str
    lines: tuple[int, ...]
    choices: tuple[Choice, ...]
    free: str | None = None
    alone: tuple[str, ...] = ()
    figures: int = 1
    likely: str | None = None
    parts: tuple["Question", ...] = ()

    def reading(self) -> str:
        """Return the question with its likely answer, and what else may be."""
        if not self.choices:
            return self.text
        words = {one.key: one.words for one in self.choices}
        others = ", ".join(key for key in words if key != self.likely)
        return f"{self.text} {words.get(self.likely or '', self.likely)}; or {others}"


class AnswerError(UsageError):
    """An answer makes no sense: says which would."""


class Free(msgspec.Struct, frozen=True):
    """What may be typed instead of a choice; *fault* says why a text makes no sense."""

    words: str
    fault: Callable[[str], str | None]


class Doubt(msgspec.Struct, frozen=True):
    """Something of a document that is not known.

    Doubts of one *text*, *likeness* and *choices* are one question; ``{}`` in its text
    are their subjects. *topic*, *name* and *line* are what it goes by. *settle* takes
    the answer and may return what is in doubt because of it. *columns* tells how many
    figures of which columns are about it: with none it is not asked. *guess* is the
    likely answer if that is not the first choice, and empty where there is none.
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
    columns: Callable[[], Mapping[int, int]] | None = None
    guess: str | None = None

    @property
    def likely(self) -> str | None:
        """Return the answer that is guessed first, if there is one."""
        first = next((key for key in self.choices if key not in LEAVING), None)
        return (first if self.guess is None else self.guess) or None

    @property
    def figures(self) -> Mapping[int, int]:
        """Return how many figures of which columns it is about."""
        return self.columns() if self.columns else {id(self): 1}

    @property
    def short(self) -> str:
        """Return what it goes by in a document where nothing else does."""
        return f"{self.topic} of {self.name}" if self.name else self.topic

    @property
    def key(self) -> str:
        """Return what it alone goes by, whatever is asked beside it."""
        return f"{self.short} at line {self.line}"

    def leaving(self) -> str:
        """Return the answer of somebody who is not asked."""
        key = next(key for key in LEAVING if key in self.choices)
        return NOT_SAID if key == LEAVE_OUT else key


class Inquiry:
    """What is asked of a document, by the *answers* there are.

    What has a likely answer is settled by that, and is a part of the card; the rest is
    asked by itself, no more than ``_MOST`` in all.
    """

    def __init__(self, answers: Mapping[str, str]) -> None:
        """Begin with nothing asked."""
        self._answers = answers
        self.known: dict[str, str] = {}  # keys of doubts, with that of their question
        self.used: set[str] = set()  # answers
        self.notes: list[str] = []  # what was answered
        self._alone: set[str] = set()  # answers to what has no likely answer
        self._keys: set[str] = set()
        self._kinds: dict[object, str] = {}
        self._open: dict[str, list[Doubt]] = {}
        self._likely: dict[str, list[Doubt]] = {}

    def settle(self, doubts: Iterable[Doubt]) -> None:
        """Settle *doubts* by the answers, and what these bring up; else ask."""
        groups: dict[str, list[Doubt]] = {}
        more: list[Doubt] = []
        for doubt in doubts:
            if doubt.figures:
                groups.setdefault(self._question_of(doubt), []).append(doubt)
            else:  # an answer to it was not needed
                for name in (doubt.key, doubt.short):
                    self.known.setdefault(name, "")
                more += doubt.settle(doubt.leaving()) or ()
        for key, group in groups.items():
            more += self._answer(key, group)
        for key, group in groups.items():
            for doubt in group:
                if self._answered(doubt, key) is None or not doubt.figures:
                    more += self._assume(key, doubt)
        if more:
            self.settle(more)

    def _answer(self, key: str, group: Iterable[Doubt]) -> Iterator[Doubt]:
        """Settle what is answered of the doubts of a question."""
        given: dict[str, list[Doubt]] = {}
        for doubt in group:
            if doubt.figures and (answer_key := self._answered(doubt, key)):
                given.setdefault(answer_key, []).append(doubt)
        for answer_key, some in given.items():
            yield from self._accept(answer_key, some)

    def open(self) -> tuple[Question, ...]:
        """Return what is asked by itself, what most figures wait for first."""
        return self._asked()[: max(0, _MOST - len(self._alone))]

    def likely(self) -> tuple[Question, ...]:
        """Return what is settled by its likely answer, as long as nobody objects."""
        return tuple(_question(key, some) for key, some in self._likely.items())

    def unasked(self) -> Iterator[str]:
        """Yield what was left out without a question, and by which key to answer it."""
        for question in self._asked()[max(0, _MOST - len(self._alone)) :]:
            yield f"not asked: {question.text} (its key: {question.key!r})"

    def _asked(self) -> tuple[Question, ...]:
        alive = {
            key: some
            for key, doubts in self._open.items()
            if (some := [doubt for doubt in doubts if doubt.figures])
        }
        order = sorted(alive, key=lambda key: -_figures(alive[key]).total())
        return tuple(_question(key, alive[key]) for key in order)

    def _assume(self, key: str, doubt: Doubt) -> Iterable[Doubt]:
        """Settle a doubt that nobody answered by what is likely; else it stays open."""
        if not doubt.figures:
            return doubt.settle(doubt.leaving()) or ()
        if (answer := doubt.likely) is None:
            self._open.setdefault(key, []).append(doubt)
            return ()
        figures = doubt.figures  # as long as it is open
        self._likely.setdefault(key, []).append(replace(doubt, columns=lambda: figures))
        return doubt.settle(answer) or ()

    def _question_of(self, doubt: Doubt) -> str:
        """Return the key of the question that a doubt belongs to; remember it."""
        kind = (doubt.text, doubt.likeness, tuple(doubt.choices.items()))
        key = self._kinds.get(kind)
        if key is None:
            key = doubt.short if doubt.short not in self._keys else doubt.key
            self._keys.add(key)
            self._kinds[kind] = key
        self.known |= {doubt.key: key, key: key}
        self.known.setdefault(doubt.short, key)
        return key

    def _answered(self, doubt: Doubt, key: str) -> str | None:
        """Return by which key a doubt is answered: its own before that of all."""
        short = [doubt.short] if doubt.short not in self._keys else []
        keys = [doubt.key, *short, key]
        return next((name for name in keys if name in self._answers), None)

    def _accept(self, key: str, doubts: Sequence[Doubt]) -> Iterator[Doubt]:
        question = _question(key, doubts)
        self.used.add(key)
        if doubts[0].likely is None:
            self._alone.add(key)
        answer, words = _accepted(question, doubts[0].free, self._answers[key])
        self.notes.append(f"{question.text} {words}")
        for doubt in doubts:
            yield from doubt.settle(answer) or ()


def unused(
    answers: Mapping[str, str], known: Mapping[str, str], used: Collection[str]
) -> Iterator[str]:
    """Yield which *answers* were not needed; raise ``AnswerError`` for an unknown one.

    What one answer settles another may have been asked about before.
    """
    for key in sorted(answers.keys() - used):
        if key not in known:
            asked = "; ".join(sorted({*known.values()} - {""})) or "nothing"
            near = suggestion(key, known) if known else ""
            near = near if "mean" in near else ""
            raise AnswerError(f"nothing asks {key!r}{near}; asked is: {asked}")
        yield f"{key!r}: the answer {answers[key]!r} was not needed"


def _figures(doubts: Iterable[Doubt]) -> Counter[int]:
    figures: Counter[int] = Counter()
    for doubt in doubts:
        figures |= Counter(doubt.figures)
    return figures


def _question(key: str, doubts: Sequence[Doubt]) -> Question:
    first = doubts[0]
    subjects = list(dict.fromkeys(doubt.subject for doubt in doubts))
    listed = ", ".join(subjects[:_NAMED])
    if len(subjects) > _NAMED:
        listed += f" and {len(subjects) - _NAMED} more"
    alone = tuple(dict.fromkeys(doubt.key for doubt in doubts))
    return Question(
        key=key,
        text=first.text.replace("{}", listed),
        lines=tuple(sorted({doubt.line for doubt in doubts})[:_LINES]),
        choices=tuple(Choice(*one) for one in first.choices.items()),
        free=first.free.words if first.free else None,
        alone=alone if len(alone) > 1 else (),
        figures=_figures(doubts).total(),
        likely=first.likely,
    )


def card(key: str, parts: Sequence[Question]) -> Question:
    """Return the question whether all that was inferred, *parts*, is right."""
    return Question(
        key=key,
        text="Are these readings right?",
        lines=tuple(sorted({line for part in parts for line in part.lines})[:_LINES]),
        choices=(
            Choice("yes", "all of them"),
            Choice(LEAVE_OUT, "no: leave out all that they are about"),
        ),
        free="which are not, as 'yes, but 2: ms; 5: leave-out; precision: fp16', or "
        "what a column is, as 'gpu_model: accelerator'",
        alone=tuple(part.key for part in parts),
        figures=sum(part.figures for part in parts),
        parts=tuple(parts),
    )


def of_card(key: str, parts: Sequence[Question], answer: str) -> dict[str, str]:
    """Return what the *answer* to a card, *key*, says of its parts, by their keys.

    What it says by name stands under that name. Raise ``AnswerError`` where it makes
    no sense.
    """
    if answer.strip().casefold() in ("no", "n", LEAVE_OUT):
        return {part.key: _left(part) for part in parts}
    agreed = _YES.match(answer)
    rest = answer[agreed.end() :] if agreed else answer
    corrected: dict[str, str] = {}
    for each in rest.split(";") if rest.strip() or not agreed else ():
        correction = _CORRECTED.fullmatch(each)
        name = correction["name"].strip() if correction else ""
        number = int(name) if name.isdecimal() else 0
        said = correction["answer"].strip() if correction else ""
        if not said or (name.isdecimal() and not 0 < number <= len(parts)):
            why = f"NUMBER: ANSWER, 1 to {len(parts)}, or NAME: ANSWER"
            why = f"give yes, or what is wrong as {why}"
            raise AnswerError(f"{key!r}: {each.strip()!r}: {why}")
        name = parts[number - 1].key if number else name
        before = f"{corrected[name]}; " if name in corrected else ""
        corrected[name] = before + said
    return corrected


def likely_of(parts: Iterable[Question]) -> dict[str, str]:
    """Return the answers that are likely, by the keys of *parts*."""
    return {part.key: part.likely or LEAVE_OUT for part in parts}


def _left(question: Question) -> str:
    keys = [one.key for one in question.choices]
    return next((key for key in LEAVING if key in keys), LEAVE_OUT)


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
