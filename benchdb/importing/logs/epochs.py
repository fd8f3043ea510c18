"""Lines of a training log, each with several named figures: one row a line.

``Epoch 3, time 12.3s``, ``Epoch [3/10] Loss: 0.5 Time: 12.3s``, ``epoch=3 step=100``,
``| epoch 3 | 200/ 2983 batches | lr 5.00 | ms/batch 12.3 |``, ``{'runtime': 12.3}``;
and what ``time`` prints in one line, ``./x  1.5s user 0.2s system 98% cpu 1.7 total``.

A column has the name that is printed, with these exceptions. ``epoch`` is whatever
counts epochs, ``of`` how many there are; ``step`` and ``steps`` are the same for
steps, iterations, and batches with a total. ``phase`` is the word before ``Epoch``
(``Train``). A figure without a name is called by its unit (``tok/s``), else ``value``;
what stands in brackets behind a figure, often its mean, is ``NAME (in brackets)``. The
total of what is counted in words that are not known is ``NAME in all``.
Lines with equal names under equal headings are one sheet, up to where the epochs start
again.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing.blocks import Line, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import (
    STATISTIC,
    any_of,
    command,
    is_chatter,
    is_figure,
    is_moment,
    is_name,
    is_time,
    is_unit,
    shows_bar,
    unmarked,
    unstamped,
)
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
from benchdb.importing.logs.sentences import figures
from benchdb.importing.logs.settings import settings_in
from benchdb.importing.quantities.quantity import TIMED
from benchdb.importing.sheet import Sheet


class Named(msgspec.Struct, frozen=True):
    """A value with its name as printed; *explicit* if ``:`` or ``=`` joins them."""

    name: str
    value: str
    explicit: bool = False


_ENTRIES_LIMIT = 200  # entries
_STRING = r"\s*+(?:'((?>(?:[^'\\]++|\\.)*))'|\"((?>(?:[^\"\\]++|\\.)*))\")\s*+"
_BARE = r"\s*+([^\s,{}\[\]'\"()][^,{}\[\]'\"()]{0,60}(?:\([^(){}\[\],]{0,60}\))?)"
_BEFORE = re.compile(r"(?<![\w.-])([A-Za-z]\w*)=([^\s{}=]+)")
_ENTRY = re.compile(rf"{_STRING}:(?:{_STRING}|{_BARE})(?:,|\Z)")


def _dict_entries(text: str) -> list[Named] | None:
    """Return the entries of the dict in *text*, values as printed.

    A name with a colon before it is the ``key``; pairs before it come first. ``None``
    if there is none, or it holds lists or other dicts.
    """
    before, brace, inner = text.partition("{")
    inner, closing, _ = inner.partition("}")
    if not (brace and closing):
        return None
    before = unstamped(before)
    head, colon, _ = before.strip().partition(":")
    entries = [Named("key", head)] if colon and is_name(head) else []
    pairs = _BEFORE.findall(before)
    entries += [Named(name, value, explicit=True) for name, value in pairs]
    inner, at = inner.rstrip(), 0
    while at < len(inner) and len(entries) < _ENTRIES_LIMIT:
        entry = _ENTRY.match(inner, at)
        if entry is None:
            return None
        name, value = (group for group in entry.groups() if group is not None)
        entries.append(Named(name, value.strip(), explicit=True))
        at = entry.end()
    return entries if at >= len(inner) else None


UNNAMED = "value"
IN_BRACKETS = " (in brackets)"
_FOR = frozenset(("for", "of", "over", "after", "in", "across", "per"))
_WORDS = 4  # behind a figure that has no name before it

_TOKEN = any_of("tokens")


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    start: int
    end: int


class _Words:
    """The named figures of a text, in their order, and how many words say nothing."""

    def __init__(self, text: str, *, nested: bool = False) -> None:
        self.named: list[Named] = []
        self.loose = 0
        self._nested = nested
        self._text = text
        self._tokens: list[_Token] = []  # between two breaks
        self._at = 0
        self._name: tuple[int, int] | None = None  # where the name at hand stands
        self._joined = False
        self._head = ""  # of what statistics are that follow: "Latency (ms): mean=3"
        for match in _TOKEN.finditer(text):
            kind, words, start = str(match.lastgroup), match[0], match.start()
            if kind == "break":
                self._read()
            elif kind != "stray":
                words = words.rstrip(".,:") if kind == "figure" else words
                self._tokens.append(_Token(kind, words, start, start + len(words)))
                if kind == "figure" and match[0].endswith(","):
                    self._read()
        self._read()

    def _read(self) -> None:
        """Read the tokens at hand from left to right."""
        self._at, self._name, self._joined = 0, None, False
        while (token := self._next()) is not None:
            self._at += 1
            if token.kind == "sep":
                self._joined = self._joined or self._name is not None
            elif token.kind == "figure":
                self._take_figure(token)
            elif token.kind == "bracket":
                self._take_bracket(token)
            elif self._joined and self._name is not None:
                self._take_words(token)
            elif token.kind == "word":
                self._extend(token)
        self.loose += len(self._named().split())
        self._tokens = []

    def _next(self, further: int = 0) -> _Token | None:
        at = self._at + further
        return self._tokens[at] if at < len(self._tokens) else None

    def _kind(self, further: int) -> str:
        token = self._next(further)
        return token.kind if token else ""

    def _extend(self, token: _Token) -> None:
        self._name = (self._name[0] if self._name else token.start, token.end)

    def _named(self) -> str:
        return self._text[self._name[0] : self._name[1]].strip() if self._name else ""

    def _add(self, name: str, value: str) -> None:
        if self._head and STATISTIC.fullmatch(name):
            name = f"{self._head} {name}"
        self.named.append(Named(name, value, self._joined))
        self._name, self._joined = None, False

    def _take_figure(self, token: _Token) -> None:
        """Take a figure with its unit; without a name it goes by the words after it."""
        begun = self._at
        end = self._quantity_end(token)
        value = self._text[token.start : end]
        if self._counts_for(begun):  # "Time for 5 epochs = 12 s"
            self._extend(token)
            self._at = begun
            return
        name = self._named() or value[len(token.text) :].strip(" /0123456789")
        if not name:
            rest = self._tokens[self._at :]
            if 0 < len(rest) <= _WORDS and all(item.kind == "word" for item in rest):
                self._at = len(self._tokens)
                name = self._text[rest[0].start : rest[-1].end]
        if not name:
            # The letters right behind the digits, as in "12s".
            unit = token.text.lstrip("~<>≈+-−.,:0123456789")
            name = unit if unit and is_unit(unit) else UNNAMED
        self._add(name, value)
        after = self._next()
        if after is not None and after.kind == "bracket" and is_figure(after.text[1:]):
            inner = after.text[1:-1].strip()
            inside = _Words(inner, nested=True)
            if len(inside.named) > 1 and not inside.loose:  # (2 iter/s, 45s/100 iters)
                self._at += 1
                self.named += inside.named
            elif ":" not in inner and "=" not in inner:
                self._at += 1
                self._add(name + IN_BRACKETS, inner)

    def _counts_for(self, at: int) -> bool:
        """Tell whether the figure before *at* says for what the next one is."""
        rest = [token.kind for token in self._tokens[at : at + _WORDS]]
        words = self._named().split()
        behind = rest.index("sep") if "sep" in rest else 0
        follows = behind > 0 and set(rest[:behind]) == {"word"}
        return follows and not self._joined and bool(_FOR.intersection(words[-1:]))

    def _quantity_end(self, token: _Token) -> int:
        """Return where the quantity ends: units, ``± 0.1``, ``/ 2983``."""
        end = token.end
        while (after := self._next()) is not None:
            following, taken = self._next(1), 1
            figured = following is not None and following.kind == "figure"
            if after.kind == "bracket":
                goes_on = is_unit(after.text[1:-1].strip())
                further = is_time(after.text)
            elif after.kind == "join":
                goes_on = further = figured
            else:
                further = is_time(after.text)
                goes_on = after.kind == "word" and is_unit(after.text)
                goes_on = goes_on and (further if figured else self._kind(1) != "sep")
            if not goes_on:
                break
            end = after.end
            if following is not None and figured and further:
                end, taken = following.end, 2
            self._at += taken
        return end

    def _take_bracket(self, token: _Token) -> None:
        """Take what brackets hold: a figure, named figures, or a part of a name."""
        inner = token.text[1:-1].strip()
        indexed = token.text[0] == "[" and inner[:1].isdigit()
        if self._joined or (self._name and indexed):
            self._add(self._named(), token.text)
        elif is_figure(token.text[1:]):
            self._add(self._named() or UNNAMED, token.text)
        elif self._name is not None and "=" not in inner:
            self._extend(token)
        elif not self._nested and inner:
            inside = _Words(inner, nested=True)
            self.named += inside.named
            self.loose += inside.loose

    def _take_words(self, token: _Token) -> None:
        """Take the words after a colon, up to the next name.

        One that is a name itself makes what stands before the colon the head of all.
        """
        if self._kind(0) == "sep":
            self._head, self._name = self._named(), (token.start, token.end)
            self._joined = False
            return
        end = token.end
        while (after := self._next()) is not None and after.kind in ("word", "figure"):
            if self._kind(1) == "sep":
                break
            end = after.end
            self._at += 1
        self._add(self._named(), self._text[token.start : end])


_LIMIT = 2000  # characters; a longer line is no line of a log
_COLUMNS = 60
_PHASE = any_of("phases", re.IGNORECASE)
_EPOCH, _OF_EPOCH = any_of("epochs"), any_of("epoch")
_STEP, _BATCH = any_of("steps"), any_of("batches")
_COUNT = any_of("count_in_all")
_AMOUNT = re.compile(r"(\d[\d.]* ?(?:ms|s)) ?/ ?(\d+ [A-Za-z]{3,12})")
_OTHERS = re.compile(r"\d{1,9}/\d{1,9} - \d")  # Keras
_WARMING = re.compile(r"(?i)[(\[](?:warm(?:ing)?[ -]?up|cold)(?: run)?[)\]]$")
_WARM = "a run of warming up"
_VARIABLE = re.compile(r"[A-Z]+(?:_[A-Z]+)+")  # of the environment
_JOINED = re.compile(r"/(?=[A-Za-z]\w{0,40}=)")  # epoch=0/step=10
_BRACKETED = re.compile(r"\[([A-Za-z ]{2,20}[:\s]\s{0,8}\d{1,9}(?:\s?/\s?\d{1,9})?)\]")


class _Row(msgspec.Struct, frozen=True):
    cells: tuple[tuple[str, str], ...]
    epoch: int | None = None
    fault: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the cells."""
        return tuple(name for name, _ in self.cells)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the lines of named figures in *document*."""
    return as_sheets("epochs", _entries([*matching_lines(document, _own)]))


def _entries(lines: Sequence[LineMatch[_Row]]) -> Iterator[Entry]:
    """Yield the rows; what alone is another name in lines of one form is their key."""
    heads: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for line in lines:
        (name, text), *_ = line.made.cells
        if " " in text and not is_figure(text):
            heads[line.made.names[1:]].add(name)
    part, latest = 0, 0
    for line in lines:
        epoch = line.made.epoch
        if epoch is not None:
            part += epoch < latest
            latest = epoch
        (name, text), *others = cells = line.made.cells
        alike = heads[line.made.names[1:]]
        if len(alike) > 1 and name in alike:
            cells = (("key", name), (UNNAMED, text), *others)
        cells = tuple(
            (name, text)
            for name, text in cells
            if name != "key" or text not in line.context  # which says so already
        )
        yield line.entry(cells, part, line.made.fault)


def _own(line: Line) -> _Row | None:
    """Return the row that a line is; one of warming up is at fault."""
    text = line.text.strip().strip("`")  # in Markdown it may be marked as code
    if len(text) > _LIMIT or not any(char.isdigit() for char in text):
        return None
    row = _row_of(line, _WARMING.sub("", text).rstrip())
    return replace(row, fault=_WARM) if row and _WARMING.search(text) else row


def _row_of(line: Line, text: str) -> _Row | None:
    if settings_in(text):
        return None
    named = _dict_entries(text) or _taken(text) or _listed(text)
    if named is not None:
        measured = any(is_figure(pair.value) for pair in named)
        return _row(named) if measured and len(named) > 1 else None
    if text.startswith("{") or bullet(line.text) or command(text):
        return None
    if shows_bar(text) or is_chatter(text) or _OTHERS.match(text):
        return None
    text = unstamped(text).removeprefix("CPU times: ")
    text = _JOINED.sub(", ", text)
    words = _Words(_BRACKETED.sub(r"\1 ", text) if text.startswith("[") else text)
    if len(words.named) > _COLUMNS or not all(map(_may_name, words.named)):
        return None
    timed = [it for it in words.named if not is_moment(it.name, it.value)]
    words.named = _headed(timed)
    figures = sum(is_figure(pair.value.lstrip("[(")) for pair in words.named)
    if any(_is_epoch(pair.name) or _is_step(pair) for pair in words.named):
        ours = figures > 1 and words.loose <= 2
    else:
        explicit = sum(pair.explicit for pair in words.named)
        holds = explicit > 1 or _is_counted(words.named)
        ours = figures > 0 and holds and words.loose == 0
    return _row(words.named) if ours else None


def _headed(named: list[Named]) -> list[Named]:
    """Return *named*, before it what they are of, which no mark sets apart.

    A gap does, ``run-1   wall= 12s ttft= 107ms``, or that statistics follow,
    ``vgg min = 1 max = 3``.
    """
    name = named[0].name if len(named) > 1 else ""
    label, gap, first = name.rpartition("  ")
    if gap and all(item.explicit for item in named):
        return [Named("key", label.strip()), replace(named[0], name=first), *named[1:]]
    matches = [*STATISTIC.finditer(name)]
    if len(matches) != 1 or matches[0].end() < len(name) or not matches[0].start():
        return named
    if not all(STATISTIC.fullmatch(item.name) for item in named[1:]):
        return named
    head = Named("key", name[: matches[0].start()].strip())
    return [head, replace(named[0], name=matches[0][0]), *named[1:]]


def _is_counted(named: list[Named]) -> bool:
    """Tell whether two counts, one of them with a total, stand before what they count.

    In whatever language, they are of progress: ``epoka 0  krok 100/1487  5 img/s``.
    """
    counts = [_COUNT.fullmatch(item.value) for item in named[:2]]
    return len(named) > 2 and all(counts) and any(it and it[2] for it in counts)


def _may_name(pair: Named) -> bool:
    """Tell whether *pair* has a name, and no figure is lost in it: "chunks in 36 s"."""
    named = is_unit(pair.name) or is_name(pair.name, words=6)
    lost = pair.name not in pair.value and figures(pair.name)
    return named and not (lost or _VARIABLE.fullmatch(pair.name))


def _listed(text: str) -> list[Named] | None:
    """Return what a line lists of a thing: ``short: decode 168 tok/s, ttft 0.2 s``."""
    item = bullet(text)
    text = unmarked(item[1] if item else text).removeprefix("CPU times: ")
    head, colon, rest = text.partition(": ")
    words = _Words(rest) if colon and is_name(head) else None
    if words is None or words.loose or len(words.named) < 2:
        return None
    unit = head.rpartition(" in ")[2]  # "Timings in us: first: 12, mean: 9"
    unit = f" {unit}" if is_time(unit) else ""
    pairs = [Named(entry.name, f"{entry.value}{unit}") for entry in words.named]
    measured = (
        is_figure(pair.value) and is_unit(pair.value.lstrip("~≈<>+-−.,0123456789 "))
        for pair in pairs
    )
    named = all(
        is_name(pair.name) and not is_unit(pair.name) and pair.name != UNNAMED
        for pair in pairs
    )
    return [Named("key", head), *pairs] if named and all(measured) else None


def _taken(text: str) -> list[Named] | None:
    """Return the times of a command, which may stand before them: ``1s user …``."""
    times = list(TIMED.finditer(text))
    command_ = Named("command", text[: times[0].start()].strip() if times else "")
    named = [command_, *(Named(time[2], time[1]) for time in times)]
    return named if len(times) > 2 else None


def _is_epoch(name: str) -> bool:
    words = name.casefold().split()
    named = any(map(_EPOCH.fullmatch, words))
    return named and all(map(_OF_EPOCH.fullmatch, words))


def _is_step(named: Named) -> bool:
    name, count = named.name.casefold(), _COUNT.fullmatch(named.value)
    if count is None:
        return False
    counts = _BATCH.fullmatch(name) is not None and count[2] is not None
    return counts or _STEP.fullmatch(name) is not None


def _row(named: list[Named]) -> _Row:
    cells: list[tuple[str, str]] = []
    epoch: int | None = None
    for pair in named:
        count = _COUNT.fullmatch(pair.value)
        # A bare count right behind the epoch: "[0][ 10/391]".
        bare = pair.name == UNNAMED and "/" in pair.value
        follows = bare and bool(cells) and cells[-1][0] in ("epoch", "of")
        if count is None:
            names: tuple[str, ...] = ()
        elif _is_epoch(pair.name):
            names = ("epoch", "of")
            epoch = int(count[1]) if epoch is None else epoch
            phases = filter(_PHASE.fullmatch, pair.name.split())
            cells += [("phase", word) for word in phases]
        elif follows or _is_step(pair):
            names = ("step", "steps")
        else:
            counted = pair in named[:2] and _is_counted(named)
            names = (pair.name, f"{pair.name} in all") if counted else ()
        if amount := _AMOUNT.fullmatch(pair.value):
            cells.append((f"time per {amount[2]}", amount[1]))
        elif count is None or not names:
            cells.append((pair.name, pair.value))
        else:
            counts = zip(names, count.groups(), strict=True)
            cells += [(name, digits) for name, digits in counts if digits is not None]
    return _Row(tuple(cells), epoch)
