"""What is in doubt about a document, and how answers settle it.

Doubts that are alike are one question of a card (``questions``).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from benchdb.importing.guess.facts import (
    FACTS,
    AnswerError,
    Faults,
    fact_named,
    setting,
    unit_and_metric,
    unread,
)
from benchdb.importing.guess.questions import (
    ANSWERED,
    LEAVE_OUT,
    LEAVING,
    NOT_SAID,
    OF_TABLE,
    SETTING,
    UNSAID,
    Question,
)
from benchdb.importing.mapping.fields import plain_name

_OF_FIGURES_ALONE = ("setting variant", "setting statistic")  # that their names say


class Free(msgspec.Struct, frozen=True):
    """What may be typed instead of a choice; *fault* says why a text makes no sense."""

    words: str
    fault: Callable[[str], str | None]


class Doubt(msgspec.Struct, frozen=True):
    """Something of a document that is not known.

    Doubts of one *text* with the same likely answer are one line; ``{}`` in its text
    are their subjects. *topic*, *name* and *line* are what it goes by. *settle* takes
    the answer and may return what is in doubt because of it. *figures* tells whether
    there are figures that it is about: with none it is not asked. *guess* is the
    likely answer if that is not the first choice, and empty where there is none. Of a
    whole table it may have gone by other names, *also*, before something was answered.
    """

    topic: str
    text: str
    name: str
    subject: str
    line: int
    choices: Mapping[str, str]
    settle: Callable[[str], "Iterable[Doubt] | None"]
    free: Free | None = None
    figures: Callable[[], bool] | None = None
    guess: str | None = None
    also: tuple[str, ...] = ()
    table: int = 0  # its number

    @property
    def likely(self) -> str | None:
        """Return the answer that is guessed first, if there is one."""
        first = next((key for key in self.choices if key not in LEAVING), None)
        return (first if self.guess is None else self.guess) or None

    @property
    def is_single(self) -> bool:
        """Tell whether there is a likely answer, and no other that says what it is.

        The name of a column tells it from others where it is nothing that we know.
        """
        if self.likely == SETTING:
            return self.topic == "columns"
        others = {*self.choices} - {*LEAVING, SETTING, self.likely}
        return self.likely not in (None, *LEAVING) and not others

    @property
    def is_about_figures(self) -> bool:
        """Tell whether it is about figures, as far as is known by now."""
        return self.figures is None or self.figures()

    @property
    def short(self) -> str:
        """Return what it goes by in a document where nothing else does."""
        return f"{self.topic} of {self.name}" if self.name else self.topic

    @property
    def key(self) -> str:
        """Return what it alone goes by, whatever is asked beside it."""
        return self.keys[0]

    @property
    def keys(self) -> list[str]:
        """Return its key, and those that it may have had before."""
        topics = [self.short, *(f"{self.topic} of {name}" for name in self.also)]
        return [f"{it} at line {self.line}" for it in topics]

    def leaving(self) -> str:
        """Return the answer of somebody who is not asked."""
        key = next(key for key in LEAVING if key in self.choices)
        return NOT_SAID if key == LEAVE_OUT else key

    def accepted(self, key: str, answer: str) -> str:
        """Return *answer* as a choice or as typed; raise ``AnswerError`` for others."""
        plain = answer.casefold()
        for choice in self.choices:
            # Of these two each doubt has but one.
            if plain == choice.casefold() or {plain, choice} == {*UNSAID}:
                return choice
        why = self.free.fault(answer) if self.free and answer else "it is no choice"
        if why is None:
            return answer
        allowed = ", ".join((*self.choices, *([self.free.words] if self.free else ())))
        raise AnswerError(f"{key!r}: {answer!r}: {why}; allowed: {allowed}")

    def takes(self, answer: str) -> bool:
        """Tell whether *answer* makes sense."""
        with suppress(AnswerError):
            return bool(self.accepted(self.key, answer))
        return False


class Inquiry:
    """What is in doubt about a document, by the *answers* there are.

    What has a likely answer is settled by that; the rest stays open until it has one.
    """

    def __init__(
        self, answers: Mapping[str, str], shown: Mapping[str, str] = {}
    ) -> None:
        """Begin with nothing asked; *shown* are the lines of earlier cards by doubt."""
        self.answers, self._shown = answers, shown
        self._by_column = {plain_name(key): key for key in answers}
        self.known: dict[str, str] = {}  # the line of each key of a doubt
        self.used: set[str] = set()  # answers
        self.faults = Faults()
        self.roles: set[str] = set()  # those that say what a column is
        self.answered: dict[tuple[int, str], str] = {}  # by lines and names of columns
        self.notes: list[str] = []  # what was answered
        self._keys: set[str] = set()
        self._kinds: dict[object, str] = {}
        # With those that are about figures still, once settled as is likely.
        self._unanswered: dict[str, list[tuple[Doubt, bool]]] = {}

    def settle(self, doubts: Iterable[Doubt]) -> None:
        """Settle *doubts* by the answers, and what these bring up; else as likely."""
        groups: dict[str, list[Doubt]] = {}
        more: list[Doubt] = []
        brought: list[Doubt] = []  # up by answers: no line of what was shown before
        for doubt in doubts:
            if doubt.is_about_figures:
                groups.setdefault(self._line_of(doubt), []).append(doubt)
            else:  # an answer to it was not needed
                self.known |= dict.fromkeys((doubt.key, doubt.short), doubt.key)
                more += doubt.settle(doubt.leaving()) or ()
        rest: list[tuple[str, Doubt]] = []
        for key, group in groups.items():
            given: dict[str, list[Doubt]] = {}
            for doubt in group:
                if (answer_key := self._answered(doubt, key)) is not None:
                    given.setdefault(answer_key, []).append(doubt)
                else:
                    rest.append((key, doubt))
            for answer_key, some in given.items():
                brought += self._accept(answer_key, some)
        for key, doubt in rest:
            more += self._assume(key, doubt)
        if more:
            self.settle(more)
        if brought:
            self._kinds.clear()
            self.settle(brought)

    def left_tables(self, most: int) -> Iterator[int]:
        """Yield which of *most* tables are left out before anything is asked."""
        for key, answer in self.answers.items():
            about = OF_TABLE.fullmatch(key)
            whole = about and not about["name"] and answer.casefold() == LEAVE_OUT
            if about and whole and 0 < int(about["number"]) <= most:
                self.used.add(key)
                yield int(about["number"])

    def enter(self, key: str, answer: str, line: int, name: str) -> None:
        """Note what a column or heading is by an *answer*: that needs no line more.

        Nor does its name, where that tells it from others of the answer.
        """
        self.answered[line, name] = key
        fact = fact_named(answer)
        names = (fact.name if fact else "", setting(name).name, *_OF_FIGURES_ALONE)
        for it in filter(None, names):
            self.known |= {f"{it} of {name}": key, ANSWERED.format(it, name): key}

    def lines(self, idle: Collection[int] = ()) -> tuple[Question, ...]:
        """Return what nobody answered, but which settings are in *idle* tables.

        Nor is there a line where what else is likely leaves nothing that it is about.
        """
        lines: list[Question] = []
        for key, doubts in self._unanswered.items():
            # What has no likely answer may be needless by now.
            kept = [it for it, _ in doubts if it.likely or it.is_about_figures]
            needed = any(
                (doubt.is_about_figures or not alive)
                and (doubt.line not in idle or doubt.likely != SETTING)
                for doubt, alive in doubts
            )
            lines += [_question(key, kept)] if kept and needed else []
        return tuple(lines)

    def _accept(self, key: str, doubts: Sequence[Doubt]) -> Iterator[Doubt]:
        """Settle *doubts* of a line by the answer *key*, as far as figures are left."""
        alive = [doubt for doubt in doubts if doubt.is_about_figures]
        for doubt in (it for it in doubts if it not in alive):
            yield from doubt.settle(doubt.leaving()) or ()
        if not alive:
            return
        self.used.add(key)
        with self.faults.of(key):
            answers = [doubt.accepted(key, self.answers[key]) for doubt in alive]
        if key in self.faults:  # the rest is judged as if it were not answered
            for doubt in alive:
                yield from (doubt.settle(doubt.likely) if doubt.likely else ()) or ()
            return
        if alive[0].topic == "work":
            self.notes += unread(FACTS["work"], answers[0])
        words = alive[0].choices.get(answers[0], answers[0])
        self.notes.append(f"{_question(key, alive).text} {words}")
        for doubt, answer in zip(alive, answers, strict=True):
            for name in (doubt.name, *doubt.also):
                text = answer if fact_named(answer) else doubt.topic
                self.enter(key, text, doubt.line, name)
            with self.faults.of(key):
                yield from doubt.settle(answer) or ()

    def _assume(self, key: str, doubt: Doubt) -> Iterable[Doubt]:
        """Settle a doubt that nobody answered by what is likely; else it stays open."""
        if not doubt.is_about_figures:
            return doubt.settle(doubt.leaving()) or ()
        more = () if doubt.likely is None else doubt.settle(doubt.likely) or ()
        if (doubt.line, doubt.name) in self.answered and (
            doubt.is_single or self._is_beside(key)
        ):
            words = doubt.choices.get(doubt.likely or "", doubt.likely)
            self.notes.append(f"{_question(key, [doubt]).text} {words}")
            return more
        entry = doubt, doubt.is_about_figures
        self._unanswered.setdefault(key, []).append(entry)
        return more

    def _is_beside(self, key: str) -> bool:
        """Tell whether a line is about columns as well that nothing was said of."""
        others = (doubt for doubt, _ in self._unanswered.get(key, ()))
        return any((it.line, it.name) not in self.answered for it in others)

    def _line_of(self, doubt: Doubt) -> str:
        """Return the key of the line that a doubt belongs to; remember it."""
        likely = doubt.likely and doubt.choices[doubt.likely]
        kind = (doubt.text, likely or tuple(doubt.choices))
        key = self._kinds.get(kind)
        if key is None:
            key = doubt.short if doubt.short not in self._keys else doubt.key
            self._keys.add(key)
            self._kinds[kind] = key
        self.known |= dict.fromkeys((*doubt.keys, doubt.short, key), key)
        return key

    def _answered(self, doubt: Doubt, key: str) -> str | None:
        """Return by which key a doubt is answered: its own before that of its line.

        The name of its column is one where the answer makes sense for it.
        """
        short = [doubt.short] if doubt.short not in self._keys else []
        # Another answer may have left out what its line was called after.
        shown = (self._shown.get(it, "") for it in doubt.keys)
        keys = [doubt.key, *short, key, *shown]
        column = self._by_column.get(plain_name(doubt.name), "")
        names = ["" if column in self.roles else column]
        # What is said of all work, or of that of a table.
        shared = f"work of table {doubt.table}", "work"
        for name in (*names, *(shared * (doubt.topic == "work"))):
            typed = self.answers.get(name, "")
            # What is left out is the column, and not all that the doubt is about.
            left = typed.casefold() == LEAVE_OUT and (doubt.also or name in shared)
            if doubt.takes(typed) and not (left or all(unit_and_metric(typed))):
                keys.append(name)
        return next((name for name in keys if name in self.answers), None)


def _question(key: str, doubts: Sequence[Doubt]) -> Question:
    first = doubts[0]
    return Question(
        key=key,
        asks=first.text,
        subjects=tuple(dict.fromkeys(doubt.subject for doubt in doubts)),
        lines=tuple(sorted({doubt.line for doubt in doubts})),
        topic=first.topic,
        takes=first.takes,
        places=frozenset((doubt.line, doubt.name) for doubt in doubts if doubt.name),
        choices=first.choices,
        free=first.free.words if first.free else None,
        likely=first.likely,
    )
