"""Questions about a document, and the answers: one choice each, or a text of one's own.

Doubts about columns, rows and tables that are of one kind make one question: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from benchdb.errors import UsageError, suggestion

LEAVE_OUT = "leave-out"
LEAVING = (LEAVE_OUT, "not-stated", "nothing")  # of which each question has one
NOT_SAID = "not-said"  # instead of an answer
READINGS = "readings"  # the question whether all that is likely is right
ROUNDS = (READINGS, "further readings")  # what it is called in each
_NAMED = 4  # subjects that a question names
_LINES = 5  # that it shows
_LARGE = 4  # a fourth of the figures: so many have to be of unknown origin
_PARTS = 20  # of the question about what is likely
# What a reader guesses worst is asked by itself before all else.
_UNSURE = ("unit", "mark", "results", "contradiction")
_YES = re.compile(r"(?i)(?:yes|y)(?:\s*[,;]?\s*but\s*|\s*[,;]\s*)?")
_CORRECTED = re.compile(r"\s*(\d{1,2})\s*:\s*([^;]+)")


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
    figures of which columns are about it: with none it is not asked. Where it *blocks*
    they wait for the answer. *guess* is the likely answer if that is not the first
    choice, and empty where there is none.
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
    blocks: bool = True
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

    *known* are keys of doubts with that of the question that they belonged to in an
    earlier round. Those of *passed* keys are not asked; once *closed*, new ones are not
    either.
    """

    def __init__(
        self,
        answers: Mapping[str, str],
        known: Mapping[str, str] = {},
        passed: Collection[str] = (),
        *,
        closed: bool = False,
    ) -> None:
        """Begin with nothing asked."""
        self._answers, self.passed, self._closed = answers, passed, closed
        self._before = known
        self.known = dict(known)
        self._keys = {*known.values()}
        self.used: set[str] = set()  # answers
        self.notes: list[str] = []  # what was answered
        self._left: dict[str, list[Doubt]] = {}
        self._kinds: dict[object, str] = {}
        self._open: dict[str, list[Doubt]] = {}

    def again(
        self,
        answers: Mapping[str, str],
        passed: Collection[str] = (),
        *,
        closed: bool = False,
    ) -> "Inquiry":
        """Return the next inquiry, which knows what was asked here.

        What there was no room for has its chance there, unless it is *closed*.
        """
        before = self.passed if closed else ()
        return Inquiry(answers, self.known, {*before, *passed}, closed=closed)

    @property
    def asked(self) -> frozenset[str]:
        """Return the keys of the questions that are open."""
        return frozenset(one.key for one in self.open())

    def settle(self, doubts: Iterable[Doubt]) -> None:
        """Settle *doubts* by the answers, and what these bring up; else ask."""
        groups: dict[str, list[Doubt]] = {}
        more: list[Doubt] = []
        for doubt in doubts:
            if doubt.figures or doubt.key in self._before:
                groups.setdefault(self._question_of(doubt), []).append(doubt)
            else:
                more += self._leave("", doubt)
        for key, group in groups.items():
            given: dict[str, list[Doubt]] = {}
            for doubt in group:
                answer_key = self._answered(doubt, key) if doubt.figures else None
                if answer_key is not None:
                    given.setdefault(answer_key, []).append(doubt)
                elif (
                    (self._closed and key not in self._before)
                    or doubt.key in self.passed
                    or not doubt.figures
                ):
                    more += self._leave(key, doubt)
                else:
                    self._open.setdefault(key, []).append(doubt)
            for answer_key, some in given.items():
                more += self._accept(answer_key, some)
        if more:
            self.settle(more)

    def open(self) -> tuple[Question, ...]:
        """Return what is not answered, what most figures wait for first."""
        alive = {
            key: [one for one in doubts if one.figures]
            for key, doubts in self._open.items()
        }

        def order(key: str) -> tuple[bool, int]:
            return not alive[key][0].blocks, -_figures(alive[key]).total()

        keys = sorted((key for key, some in alive.items() if some), key=order)
        return tuple(_question(key, alive[key]) for key in keys)

    def first_doubts(self) -> list[Doubt]:
        """Return the first doubt of each open question."""
        return [self._open[one.key][0] for one in self.open()]

    def shared(
        self,
        most: int,
        before: Collection[str],
        apart: Collection[str] | None,
        later: int = 0,
    ) -> tuple[set[str], list[Question], list[Question]]:
        """Return the keys of doubts too many, the questions asked, and those in one.

        Beside those *before* there may be *most* more. Where there are more, the last
        is whether the likely answers to all the others are right. *apart* are those
        that were asked before there was such a question, empty if there may be none.
        So many come up *later* if what is likely is right.
        """
        new = [one for one in self.open() if one.key not in before]
        waiting = [one for one in new if self._open[one.key][0].blocks]
        free = [one for one in new if one not in waiting]
        total = _figures(chain.from_iterable(self._open.values())).total()
        # Where it ran comes first, if there are candidates, and noughts last.
        large = [one for one in free if one.figures * _LARGE >= total]
        first = [one for one in large if one.choices[1:]][: min(most, 1)]
        room = max(0, most - len(first))
        waiting.sort(key=_is_sure)
        together: list[Question] = []
        if apart:
            together = [one for one in waiting if one.key not in apart]
            waiting = [one for one in waiting if one.key in apart]
        elif apart is None and len(waiting) + later > room > 0:
            # Room is left for what corrections bring up.
            alone = min(room - 1, not waiting[0].likely)
            together, waiting = waiting[alone:], waiting[:alone]
        together = [one for one in together if one.likely][:_PARTS]
        asked = [*first, *waiting[:room]]
        if not (apart or together):
            rest = [one for one in free if one not in first]
            asked += rest[: max(0, most - len(asked))]
        kept = {one.key for one in (*asked, *together)}
        spare = [one.key for one in new if one.key not in kept]
        passed = {doubt.key for key in spare for doubt in self._open[key]}
        return passed, asked, together

    def _question_of(self, doubt: Doubt) -> str:
        """Return the key of the question that a doubt belongs to; remember it."""
        kind = (doubt.text, doubt.likeness, tuple(doubt.choices.items()))
        key = self._before.get(doubt.key) or self._kinds.get(kind)
        if key is None:
            key = doubt.short if doubt.short not in self._keys else doubt.key
            self._keys.add(key)
            self._kinds[kind] = key
        elif key not in self._answers and doubt.key not in self.passed:
            self._kinds.setdefault(kind, key)  # else what is new is another question
        self.known |= {doubt.key: key, key: key}
        self.known.setdefault(doubt.short, key)
        return key

    def _answered(self, doubt: Doubt, key: str) -> str | None:
        """Return by which key a doubt is answered: its own before that of all."""
        short = [doubt.short] if doubt.short not in self._keys else []
        keys = [doubt.key, *short, key]
        return next((one for one in keys if one in self._answers), None)

    def _accept(self, key: str, doubts: Sequence[Doubt]) -> Iterator[Doubt]:
        question = _question(key, doubts)
        self.used.add(key)
        answer, words = _accepted(question, doubts[0].free, self._answers[key])
        self.notes.append(f"{question.text} {words}")
        for doubt in doubts:
            yield from doubt.settle(answer) or ()

    def _leave(self, key: str, doubt: Doubt) -> Iterable[Doubt]:
        if doubt.figures:
            self._left.setdefault(key, []).append(doubt)
        return doubt.settle(doubt.leaving()) or ()

    def unasked(self) -> Iterator[str]:
        """Yield what was left out without a question, and by which key to answer it."""
        for key, doubts in self._left.items():
            yield f"not asked: {_question(key, doubts).text} (its key: {key!r})"


def unused(
    answers: Mapping[str, str], known: Mapping[str, str], used: Collection[str]
) -> Iterator[str]:
    """Yield which *answers* were not needed; raise ``AnswerError`` for an unknown one.

    What one answer settles another may have been asked about before.
    """
    for key in sorted(answers.keys() - used):
        if key not in known:
            asked = "; ".join(sorted({*known.values()})) or "nothing"
            near = suggestion(key, known) if known else ""
            near = near if "mean" in near else ""
            raise AnswerError(f"nothing asks {key!r}{near}; asked is: {asked}")
        yield f"{key!r}: the answer {answers[key]!r} was not needed"


def _is_sure(question: Question) -> int:
    sides = any(choice.key == "llm-prefill" for choice in question.choices)
    guessed = not (sides or question.key.startswith(_UNSURE))
    return guessed if question.likely else -1


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


def readings(key: str, parts: Sequence[Question]) -> Question:
    """Return the question whether the likely answers to *parts* are right."""
    return Question(
        key=key,
        text="Are these readings right?",
        lines=tuple(sorted({line for one in parts for line in one.lines})[:_LINES]),
        choices=(
            Choice("yes", "all of them"),
            Choice(LEAVE_OUT, "no: leave out all that they are about"),
        ),
        free="which are not, as 'yes, but 2: ms; 5: leave-out'",
        alone=tuple(one.key for one in parts),
        figures=sum(one.figures for one in parts),
        parts=tuple(parts),
    )


def of_readings(key: str, parts: Sequence[Question], answer: str) -> dict[str, str]:
    """Return the answers to *parts* that the *answer* to all of them, *key*, gives.

    Raise ``AnswerError`` where it makes no sense.
    """
    likely = {one.key: one.likely or LEAVE_OUT for one in parts}
    if answer.strip().casefold() in ("no", "n", LEAVE_OUT):
        return {one.key: _left(one) for one in parts}
    agreed = _YES.match(answer)
    rest = answer[agreed.end() :] if agreed else answer
    for each in rest.split(";") if rest.strip() else ():
        found = _CORRECTED.fullmatch(each)
        number = int(found[1]) if found else 0
        if found is None or not 0 < number <= len(parts):
            why = f"give yes, or what is wrong as NUMBER: ANSWER, 1 to {len(parts)}"
            raise AnswerError(f"{key!r}: {each.strip()!r}: {why}")
        likely[parts[number - 1].key] = found[2].strip()
    return likely


def _left(question: Question) -> str:
    keys = [one.key for one in question.choices]
    return next((key for key in LEAVING if key in keys), keys[-1])


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
