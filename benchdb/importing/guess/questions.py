"""What a document leaves open, as lines of a card, and the answers to them.

Doubts about columns, rows and tables that are of one kind make one line: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

import re
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
from benchdb.importing.mapping.fields import INFERENCE, plain_name

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
_OF_FIGURES_ALONE = ("setting variant", "setting statistic")  # that their names say
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
        return [one for part in self.parts for one in part]

    def reading(self) -> str:
        """Return the line, in which columns are named once."""
        texts = []
        for part in self.parts:
            first, head = part[0], self.parts[0]
            named = (", " if first.choices else "; ").join(
                dict.fromkeys(one.named for one in part)
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
        takers = [one for one in every if one.takes(answer)]
        if takers and all(unit_and_metric(answer)):
            # To what asks for the one and for the other; to a setting it is neither.
            return [one for one in takers if one.topic in _OF_FIGURES] or takers
        topics = dict.fromkeys(one.topic for one in takers or every)
        if every[0].choices:
            alike = [one for one in every if one.topic == next(iter(topics))]
            return [one for one in alike if one.choices or one in takers]
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
    for one in questions:
        # Facts from one place, those of columns by themselves.
        alike = one.key if one.choices else (one.asks, not one.places)
        parts.setdefault(alike, []).append(one)
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
    common = set.intersection(*({*one.choices} for one in part))
    others = [key for key in first.choices if key in common and key != likely]
    more = " …" if others[_SHOWN:] else ""
    words = first.choices.get(likely, likely)
    return f" {words}; or {', '.join(others[:_SHOWN])}{more}"


def _places(part: Iterable[Question]) -> frozenset[tuple[int, str]]:
    return frozenset[tuple[int, str]]().union(*(one.places for one in part))


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
                said = answer if fact_named(answer) else doubt.topic
                self.enter(key, said, doubt.line, name)
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
