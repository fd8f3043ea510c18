"""What a document leaves open, as lines of a card, and the answers to them.

Doubts about columns, rows and tables that are of one kind make one line: one answer
settles them all. Each has a key of its own as well, so that it can be answered alone.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from benchdb.errors import UsageError, suggestion
from benchdb.importing.mapping.fields import plain_name

LEAVE_OUT = "leave-out"
NOT_STATED = "not-stated"
LEAVING = (LEAVE_OUT, NOT_STATED, "nothing")  # of which each doubt has one
NOT_SAID = "not-said"  # instead of an answer
AS_ANSWERED = "an answer"  # where a table has a fact from that is asked for by itself
AGREED = "yes"
SETTING = "setting"
REFUSED = ("no", "n", LEAVE_OUT)  # answers to a whole card
_NAMED = 4  # subjects that a line names
_YES = re.compile(r"(?i)(?:yes|y)(?![a-z])(?:\s*[,;]?\s*but\s*|\s*[,;]\s*)?")
_CORRECTED = re.compile(
    r"\s*(?:'(?P<quoted>[^']+)'|(?P<name>[^:;]{1,120}))\s*:(?P<answer>[^;]+)"
)


def spelt(answer: str) -> str:
    """Return *answer* as the choices are spelt that all lines have: ``leave-out``.

    A ``variant`` is what a setting of no other name tells.
    """
    choice = "-".join(answer.split()).casefold()
    choice = SETTING if choice == "variant" else choice
    return choice if choice in (LEAVE_OUT, NOT_STATED, SETTING) else answer.strip()


class Question(msgspec.Struct, frozen=True):
    """A line of a card. *key* stays the same for the same document.

    *lines* are those of the document where its tables begin. Where *free* says what
    may be typed instead, an answer need not be one of the *choices*. *likely* is the
    answer that holds as long as nobody objects; where there is none, one has to be
    given.
    """

    key: str
    text: str
    lines: tuple[int, ...]
    choices: Mapping[str, str] = {}
    free: str | None = None
    likely: str | None = None

    @property
    def short(self) -> str:
        """Return what lines of one kind are called."""
        return self.key.partition(" at line ")[0]

    def marks(self) -> frozenset[object]:
        """Return by what it is known again where it is about less than before."""
        return frozenset((self.short, line, self.likely) for line in self.lines)

    def reading(self) -> str:
        """Return the line with its likely answer, and what else may be."""
        if not self.choices:
            return self.text
        if self.likely is None:
            free = f", or {self.free}" if self.free else ""
            return f"{self.text} NEEDS AN ANSWER: {', '.join(self.choices)}{free}"
        others = ", ".join(key for key in self.choices if key != self.likely)
        words = self.choices.get(self.likely, self.likely)
        return f"{self.text} {words}; or {others}"


class AnswerError(UsageError):
    """An answer makes no sense: says which would."""


class Free(msgspec.Struct, frozen=True):
    """What may be typed instead of a choice; *fault* says why a text makes no sense."""

    words: str
    fault: Callable[[str], str | None]


class Doubt(msgspec.Struct, frozen=True):
    """Something of a document that is not known.

    Doubts of one *text*, *likeness* and *choices* are one line; ``{}`` in its text
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
    def is_about_figures(self) -> bool:
        """Tell whether it is about figures, as far as is known by now."""
        return self.columns is None or bool(self.columns())

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

    def accepted(self, key: str, answer: str) -> str:
        """Return *answer* as a choice or as typed; raise ``AnswerError`` for others."""
        for choice in self.choices:
            if choice.casefold() == answer.casefold():
                return choice
        why = self.free.fault(answer) if self.free and answer else "it is no choice"
        if why is None:
            return answer
        allowed = ", ".join((*self.choices, *([self.free.words] if self.free else ())))
        raise AnswerError(f"{key!r}: {answer!r}: {why}; allowed: {allowed}")


class Inquiry:
    """What is in doubt about a document, by the *answers* there are.

    What has a likely answer is settled by that; the rest stays open until it has one.
    """

    def __init__(
        self, answers: Mapping[str, str], shown: Mapping[str, str] = {}
    ) -> None:
        """Begin with nothing asked; *shown* are the lines of earlier cards by doubt."""
        self._answers, self._shown = answers, shown
        self._by_column = {plain_name(key): key for key in answers}
        self.known: dict[str, str] = {}  # the line of each key of a doubt
        self.used: set[str] = set()  # answers
        self.notes: list[str] = []  # what was answered
        self._keys: set[str] = set()
        self._kinds: dict[object, str] = {}
        # With those that are about figures still, once settled as is likely.
        self._unanswered: dict[str, list[tuple[Doubt, bool]]] = {}

    def settle(self, doubts: Iterable[Doubt]) -> None:
        """Settle *doubts* by the answers, and what these bring up; else as likely."""
        groups: dict[str, list[Doubt]] = {}
        more: list[Doubt] = []
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
                more += self._accept(answer_key, some)
        for key, doubt in rest:
            more += self._assume(key, doubt)
        if more:
            self.settle(more)

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
        answer = alive[0].accepted(key, self._answers[key])
        words = alive[0].choices.get(answer, answer)
        self.notes.append(f"{_question(key, alive).text} {words}")
        for doubt in alive:
            yield from doubt.settle(answer) or ()

    def _assume(self, key: str, doubt: Doubt) -> Iterable[Doubt]:
        """Settle a doubt that nobody answered by what is likely; else it stays open."""
        if not doubt.is_about_figures:
            return doubt.settle(doubt.leaving()) or ()
        more = () if doubt.likely is None else doubt.settle(doubt.likely) or ()
        entry = doubt, doubt.is_about_figures
        self._unanswered.setdefault(key, []).append(entry)
        return more

    def _line_of(self, doubt: Doubt) -> str:
        """Return the key of the line that a doubt belongs to; remember it."""
        kind = (doubt.text, doubt.likeness, tuple(doubt.choices.items()))
        key = self._kinds.get(kind)
        if key is None:
            key = doubt.short if doubt.short not in self._keys else doubt.key
            self._keys.add(key)
            self._kinds[kind] = key
        self.known |= dict.fromkeys((doubt.key, doubt.short, key), key)
        return key

    def _answered(self, doubt: Doubt, key: str) -> str | None:
        """Return by which key a doubt is answered: its own before that of its line.

        The name of its column is one where the answer makes sense for it.
        """
        short = [doubt.short] if doubt.short not in self._keys else []
        # Another answer may have left out what its line was called after.
        keys = [doubt.key, *short, key, self._shown.get(doubt.key, "")]
        column = self._by_column.get(plain_name(doubt.name), "")
        typed = self._answers.get(column, "")
        chosen = typed.casefold() in map(str.casefold, doubt.choices)
        if typed and (chosen or (doubt.free and doubt.free.fault(typed) is None)):
            keys.append(column)
        return next((name for name in keys if name in self._answers), None)


def unused(
    answers: Mapping[str, str], known: Collection[str], used: Collection[str]
) -> Iterator[str]:
    """Yield which *answers* were not needed; raise ``AnswerError`` for an unknown one.

    What one answer settles another may have been asked about before.
    """
    for key in sorted(answers.keys() - used):
        if key not in known:
            near = suggestion(key, known) if known else ""
            what = "the number of a line, a fact, the title of a column or a text"
            near = near if "mean" in near else f"; give {what} of the document"
            raise AnswerError(f"nothing asks {key!r}{near}")
        yield f"{key!r}: the answer {answers[key]!r} was not needed"


def _question(key: str, doubts: Sequence[Doubt]) -> Question:
    first = doubts[0]
    subjects = list(dict.fromkeys(doubt.subject for doubt in doubts))
    listed = ", ".join(subjects[:_NAMED])
    if len(subjects) > _NAMED:
        listed += f" and {len(subjects) - _NAMED} more"
    return Question(
        key=key,
        text=first.text.replace("{}", listed),
        lines=tuple(sorted({doubt.line for doubt in doubts})),
        choices=first.choices,
        free=first.free.words if first.free else None,
        likely=first.likely,
    )


def corrections(key: str, lines: Sequence[Question], answer: str) -> dict[str, str]:
    """Return what the *answer* to a card of *lines* corrects, by key or by name.

    ``yes, but 2: ms; precision: fp16`` does two. A number beyond the lines is a name.
    Raise ``AnswerError``, which names the card by *key*, where it makes no sense.
    """
    agreed = _YES.match(answer)
    rest = answer[agreed.end() :] if agreed else answer
    typed: list[tuple[str, str, bool]] = []
    for each in rest.split(";") if rest.strip() or not agreed else ():
        correction = _CORRECTED.fullmatch(each)
        said = spelt(correction["answer"]) if correction else ""
        if correction is None or not said:
            why = f"NUMBER: ANSWER, 1 to {len(lines)}, or NAME: ANSWER"
            why = f"give yes, or what is wrong as {why}"
            raise AnswerError(f"{key!r}: {each.strip()!r}: {why}")
        name = correction["quoted"] or correction["name"].strip()
        if name.casefold() == "new":  # as a choice of work says it
            name, said = "work", f"new: {said}"
        number = int(name) if name.isdecimal() and not correction["quoted"] else 0
        numbered = 0 < number <= len(lines)
        typed.append((lines[number - 1].key if numbered else name, said, numbered))
    corrected: dict[str, str] = {}
    own = {name for name, said, numbered in typed if numbered and "->" not in said}
    for name, said, numbered in typed:
        # By its name an answer is to all lines that are called so and have none of
        # their own, by a number to one.
        alike = [it.key for it in lines if it.short == name and it.key not in own]
        keys = [name] if numbered else [*{name} - own, *alike]
        for key_ in dict.fromkeys(keys):
            before = f"{corrected[key_]}; " if key_ in corrected else ""
            corrected[key_] = before + said
    return corrected
