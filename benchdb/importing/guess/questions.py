"""Questions about a document, and the answers: one choice each, or a text of one's own.

Doubts about columns, rows and tables that are of one kind make one question: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from benchdb.errors import UsageError, suggestion

LEAVE_OUT = "leave-out"
LEAVING = (LEAVE_OUT, "not-stated", "nothing")  # of which each question has one
NOT_SAID = "not-said"  # instead of an answer
_NAMED = 4  # subjects that a question names
_LINES = 5  # that it shows
_BUNDLES = 30  # sets of questions that figures wait for, of which some are asked
_LARGE = 4  # a fourth of the figures: so many have to be of unknown origin
_SLIGHT = 20  # a twentieth: nobody is asked about less


class Choice(msgspec.Struct, frozen=True):
    """An answer that may be chosen: *key* is typed in scripts, *words* are read."""

    key: str
    words: str


class Question(msgspec.Struct, frozen=True):
    """What a document leaves open. *key* stays the same for the same document.

    *lines* are the first lines of the document that it is about. Where *free* says what
    may be typed instead, an answer need not be one of the *choices*. *alone* are the
    keys by which its subjects are answered one by one, *figures* how many it is about.
    """

    key: str
    text: str
    lines: tuple[int, ...]
    choices: tuple[Choice, ...]
    free: str | None = None
    alone: tuple[str, ...] = ()
    figures: int = 1


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
    they wait for the answer.
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

    def spare(self, most: int, before: Collection[str]) -> set[str]:
        """Return the keys of doubts too many beside those *before* and *most* more."""
        figures = _figures(chain.from_iterable(self._open.values()))
        blocked: dict[int, set[str]] = defaultdict(set)
        free: dict[str, int] = {}  # questions for which no figures wait
        for question in self.open():
            for doubt in self._open[question.key]:
                for column in doubt.figures if doubt.blocks else ():
                    blocked[column].add(question.key)
                if not doubt.blocks:
                    free[question.key] = question.figures
        total = figures.total()
        asked = {key for key in self._open if key in before}
        # Where it ran comes first, if there are candidates, and noughts last.
        some = [key for key in free if free[key] * _LARGE >= total]
        known = [key for key in some if len(self._open[key][0].choices) > 1]
        left = most - len({*known[:1]} - asked)
        asked |= {*known[:1]} if most else set()
        waiting: Counter[frozenset[str]] = Counter()
        for column, keys in blocked.items():
            waiting[frozenset(keys)] += figures[column]

        def gain(more: frozenset[str]) -> int:
            new = (
                keys for keys in waiting if not keys <= asked and keys <= asked | more
            )
            return sum(waiting[keys] for keys in new)

        largest = [keys for keys, _ in waiting.most_common(_BUNDLES)]
        first = most > 0 and not before  # something is asked, or nothing is read
        while fits := [
            one
            for one in largest
            if one - asked and (first or len(one - asked) <= left)
        ]:
            best = max(fits, key=lambda one: gain(one) / len(one - asked))
            if gain(best) * _SLIGHT < total and not first:
                break
            first = False
            left -= len(best - asked)
            asked |= best
        rest = [key for key in free if free[key] * _SLIGHT >= total]
        asked |= {*rest[: max(left, 0)]}
        spare = {*self._open} - asked
        return {doubt.key for key in spare for doubt in self._open[key]}

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
