"""Lines of a training log, each with several named figures: one row a line.

``Epoch 3, time 12.3s``, ``Epoch [3/10] Loss: 0.5 Time: 12.3s``, ``epoch=3 step=100``,
``| epoch 3 | 200/ 2983 batches | lr 5.00 | ms/batch 12.3 |``, ``{'runtime': 12.3}``.

A column has the name that is printed, with these exceptions. ``epoch`` is whatever
counts epochs, ``of`` how many there are; ``step`` and ``steps`` are the same for
steps, iterations, and batches with a total. ``phase`` is the word before ``Epoch``
(``Train``). A figure without a name is called by its unit (``tok/s``), else ``value``;
what stands in brackets behind a figure, often its mean, is ``NAME (in brackets)``.
Lines with equal names under equal headings are one sheet, up to where the epochs start
again.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchdb.importing.blocks import Line, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.log_lines import (
    Entry,
    Found,
    as_sheets,
    command,
    found,
    shows_bar,
    unstamped,
)
from benchdb.importing.logs.phrases import is_figure, is_name, is_time, is_unit
from benchdb.importing.sheet import Sheet

_ENTRIES_LIMIT = 200  # entries
_STRING = re.compile(
    r"\s*+(?:'((?>(?:[^'\\]++|\\.)*))'|\"((?>(?:[^\"\\]++|\\.)*))\")\s*+"
)
_BARE = re.compile(
    r"\s*+([^\s,{}\[\]'\"()][^,{}\[\]'\"()]{0,60}(?:\([^(){}\[\],]{0,60}\))?)"
)


def flat(text: str) -> tuple[tuple[str, str], ...] | None:
    """Return the entries of the dict that ends *text*, values as printed.

    ``None`` if there is none, or it holds lists or other dicts.
    """
    begins = text.find("{")
    if begins < 0 or not text.rstrip().endswith("}"):
        return None
    return _flat_entries(text.rstrip()[begins + 1 : -1])


def _flat_entries(inner: str) -> tuple[tuple[str, str], ...] | None:
    entries: list[tuple[str, str]] = []
    at = 0
    while at < len(inner) and len(entries) < _ENTRIES_LIMIT:
        name = _STRING.match(inner, at)
        if name is None or inner[name.end() : name.end() + 1] != ":":
            return None
        value = _STRING.match(inner, name.end() + 1) or _BARE.match(
            inner, name.end() + 1
        )
        if value is None:
            return None
        entries.append((_said(name), _said(value).strip()))
        at = value.end()
        if at < len(inner) and inner[at] != ",":
            return None
        at += 1
        if not inner[at:].strip():
            break
    return tuple(entries) if at >= len(inner) or not inner[at:].strip() else None


def _said(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


UNNAMED = "value"
IN_BRACKETS = " (in brackets)"
_WORDS = 4  # behind a figure that has no name before it

_TOKEN = re.compile(
    r"(?P<bracket>[(\[{][^()\[\]{}]{0,200}+[)\]}])"
    r"|(?P<figure>[~<>≈]?[+\-−]?\.?\d[\w.,:%µ°^+\-]*+(?:/\w[\w.%]*+)?)"
    r"|(?P<join>±|\+/-|\+-|/)"
    r"|(?P<break>[|;·•]|,(?!\d)|\t|(?<=\s)(?:-{1,2}|–|—)(?=\s))"
    r"|(?P<sep>-{1,2}>|=>|→|[:=：])"
    r"|(?P<word>[^\s()\[\]{}:=|;,：]++)"
    r"|(?P<stray>[()\[\]{},])"
)


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    start: int
    end: int


class Named(msgspec.Struct, frozen=True):
    """A value with its name as printed; *explicit* if ``:`` or ``=`` joins them."""

    name: str
    value: str
    explicit: bool = False


class Read(msgspec.Struct):
    """What a line says: *named* in its order, and how many words say nothing."""

    named: list[Named] = []
    loose: int = 0


def read(text: str) -> Read:
    """Return the named figures of *text*."""
    result = Read()
    _read(text, result, nested=False)
    return result


def _read(text: str, result: Read, *, nested: bool) -> None:
    chunk: list[_Token] = []
    for token in _tokens(text):
        if token.kind == "break":
            _Chunk(text, chunk, result, nested=nested).read()
            chunk = []
        elif token.kind != "stray":
            chunk.append(token)
    _Chunk(text, chunk, result, nested=nested).read()


def _tokens(text: str) -> Iterator[_Token]:
    for one in _TOKEN.finditer(text):
        kind, words, start = str(one.lastgroup), one[0], one.start()
        if kind == "figure":
            words = words.rstrip(".,:")
        yield _Token(kind, words, start, start + len(words))


class _Chunk:
    """The tokens between two breaks, read from left to right."""

    def __init__(
        self, text: str, tokens: Sequence[_Token], result: Read, *, nested: bool
    ) -> None:
        self.text, self.tokens, self.result = text, tokens, result
        self.nested = nested
        self.at = 0
        self.name: tuple[int, int] | None = None  # where the name at hand stands
        self.joined = False

    def read(self) -> None:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "sep":
                self.joined = self.joined or self.name is not None
            elif token.kind == "figure":
                self._figure(token)
            elif token.kind == "bracket":
                self._bracket(token)
            elif self.joined and self.name is not None:
                self._word(token)
            elif token.kind == "word":
                self._extend(token)
        self.result.loose += len(self._named().split())

    def _extend(self, token: _Token) -> None:
        self.name = (self.name[0] if self.name else token.start, token.end)

    def _named(self) -> str:
        return self.text[self.name[0] : self.name[1]].strip() if self.name else ""

    def _add(self, name: str, value: str) -> None:
        self.result.named.append(Named(name, value, self.joined))
        self.name, self.joined = None, False

    def _next(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _figure(self, token: _Token) -> None:
        """Take a figure with its unit; without a name it goes by the words after it."""
        end = self._quantity_end(token)
        value = self.text[token.start : end]
        name = self._named()
        if not name:
            name = value[len(token.text) :].strip(" /0123456789")
            name = name or self._words_to_the_end() or _unit_of(token.text) or UNNAMED
        self._add(name, value)
        after = self._next()
        if after is not None and after.kind == "bracket" and _begins_figure(after.text):
            inner = after.text[1:-1].strip()
            if ":" not in inner and "=" not in inner:
                self.at += 1
                self._add(name + IN_BRACKETS, inner)

    def _quantity_end(self, token: _Token) -> int:
        """Return where the quantity ends: units, ``± 0.1``, ``/ 2983``."""
        end = token.end
        while (after := self._next()) is not None:
            following = self.tokens[self.at + 1 : self.at + 2]
            if after.kind == "join" and following and following[0].kind == "figure":
                end = following[0].end
                self.at += 2
            elif self._is_unit(after, following):
                end = after.end
                self.at += 1
                if is_time(after.text) and following and following[0].kind == "figure":
                    end = following[0].end
                    self.at += 1
            else:
                break
        return end

    def _is_unit(self, after: _Token, following: Sequence[_Token]) -> bool:
        if after.kind == "bracket":
            return is_unit(after.text[1:-1].strip())
        if after.kind != "word" or not is_unit(after.text):
            return False
        if following and following[0].kind == "figure":
            return is_time(after.text)
        return not (following and following[0].kind == "sep")

    def _words_to_the_end(self) -> str:
        rest = self.tokens[self.at : self.at + _WORDS + 1]
        if not 0 < len(rest) <= _WORDS or any(one.kind != "word" for one in rest):
            return ""
        self.at = len(self.tokens)
        return self.text[rest[0].start : rest[-1].end]

    def _bracket(self, token: _Token) -> None:
        """Take what brackets hold: a figure, named figures, or a part of a name."""
        inner = token.text[1:-1].strip()
        if self.joined or (self.name and token.text[0] == "[" and inner[:1].isdigit()):
            self._add(self._named(), token.text)
        elif self.name is not None and not _begins_figure(token.text):
            self._extend(token) if "=" not in inner else self._nested(inner)
        elif _begins_figure(token.text):
            self._add(self._named() or UNNAMED, token.text)
        else:
            self._nested(inner)

    def _nested(self, inner: str) -> None:
        if not self.nested and inner:
            _read(inner, self.result, nested=True)

    def _word(self, token: _Token) -> None:
        """Take the words after a colon, up to the next name."""
        end = token.end
        while (after := self._next()) is not None and after.kind in ("word", "figure"):
            following = self.tokens[self.at + 1 : self.at + 2]
            if following and following[0].kind == "sep":
                break
            end = after.end
            self.at += 1
        self._add(self._named(), self.text[token.start : end])


def _begins_figure(bracket: str) -> bool:
    return bracket[1:].lstrip(" +-−~<>≈").lstrip(".")[:1].isdigit()


def _unit_of(figure: str) -> str:
    """Return the letters that stand right behind the digits, as in ``12s``."""
    unit = figure.lstrip("~<>≈+-−.,:0123456789")
    return unit if unit and is_unit(unit) else ""


_LIMIT = 2000  # characters; a longer line is no line of a log
_COLUMNS = 60
_PHASES = frozenset(
    ("train", "training", "test", "testing", "val", "valid", "validation", "eval")
)
_EPOCH_WORDS = _PHASES | {"epoch", "epochs", "ep", "number", "no", "no.", "#", "global"}
_STEP = frozenset(
    ("step", "steps", "iter", "iters", "iteration", "iterations", "global_step", "it")
)
_BATCH = frozenset(("batch", "batches"))
_COUNT = re.compile(
    r"[\[(]?\s{0,9}(\d{1,12})\s{0,9}(?:(?:/|of)\s{0,9}(\d{1,12}))?\s{0,9}"
    r"[A-Za-z]{0,12}[\])]?"
)
_PLACE = re.compile(r"\[\s{0,9}(\d{1,9})\s{0,3},\s{0,9}(\d{1,9})\s{0,9}\]:?\s")
_FOR_EPOCH = re.compile(
    r"(\w[\w .\-()]{1,60}?) (?:for|of|in|at|after) (epoch|step|iteration)s? "
    r"(\d{1,9}(?:/\d{1,9})?)\s{0,4}[:=\-]\s{0,4}(?=[\d.])",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\d{1,9}/\d{1,9} - \d|CPU times: ")  # Keras, IPython
_BRACKETED = re.compile(r"\[([A-Za-z ]{2,20}[:\s]\s{0,8}\d{1,9}(?:\s?/\s?\d{1,9})?)\]")


class _Row(msgspec.Struct, frozen=True):
    cells: tuple[tuple[str, str], ...]
    epoch: int | None = None


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the lines of named figures in *document*."""
    return as_sheets("epochs", _entries(found(document, _own)))


def _entries(lines: Iterator[Found[_Row]]) -> Iterator[Entry]:
    part, latest = 0, 0
    for one in lines:
        epoch = one.made.epoch
        if epoch is not None:
            part += epoch < latest
            latest = epoch
        yield Entry(one.line, one.raw, one.context, one.made.cells, part)


def _own(line: Line) -> _Row | None:
    text = line.text.strip()
    if len(text) > _LIMIT or not any(char.isdigit() for char in text):
        return None
    if text.endswith("}") and (entries := flat(text)) is not None:
        return _from_dict(entries)
    if text.startswith("{"):
        return None
    if bullet(line.text) or command(text) or shows_bar(text) or _OTHERS.match(text):
        return None
    return _from_log(unstamped(text))


def _from_dict(entries: tuple[tuple[str, str], ...]) -> _Row | None:
    if len(entries) < 2 or not any(is_figure(value) for _, value in entries):
        return None
    return _row([Named(name, value, explicit=True) for name, value in entries])


def _from_log(text: str) -> _Row | None:
    place = _PLACE.match(text)
    if place is not None:
        text = f"epoch={place[1]} step={place[2]} {text[place.end() :]}"
    elif behind := _FOR_EPOCH.match(text):
        text = f"{behind[2]}={behind[3]}, {behind[1]}: {text[behind.end() :]}"
    said = read(_BRACKETED.sub(r"\1 ", text) if text.startswith("[") else text)
    marked = any(_is_epoch(one.name) or _is_step(one) for one in said.named)
    figures = [one for one in said.named if is_figure(one.value.lstrip("[("))]
    if len(said.named) > _COLUMNS or not all(
        is_unit(one.name) or is_name(one.name, words=6) for one in said.named
    ):
        return None
    if marked:
        ours = len(figures) > 1 and said.loose <= 2
    else:
        explicit = sum(one.explicit for one in said.named)
        ours = bool(figures) and explicit > 1 and said.loose == 0
    return _row(said.named) if ours else None


def _is_epoch(name: str) -> bool:
    words = name.casefold().split()
    return bool({"epoch", "epochs", "ep"} & set(words)) and set(words) <= _EPOCH_WORDS


def _is_step(one: Named) -> bool:
    name = one.name.casefold()
    found_ = _COUNT.fullmatch(one.value)
    if found_ is None:
        return False
    return name in _STEP or (name in _BATCH and found_[2] is not None)


def _row(named: list[Named]) -> _Row:
    cells: list[tuple[str, str]] = []
    epoch: int | None = None
    for one in named:
        counted = _COUNT.fullmatch(one.value)
        if counted is not None and _is_epoch(one.name):
            epoch = int(counted[1]) if epoch is None else epoch
            cells += [("phase", word) for word in one.name.split() if _is_phase(word)]
            cells += _counts("epoch", "of", counted)
        elif counted is not None and (_is_step(one) or _follows_epoch(one, cells)):
            cells += _counts("step", "steps", counted)
        else:
            cells.append((one.name, one.value))
    return _Row(tuple(cells), epoch)


def _is_phase(word: str) -> bool:
    return word.casefold() in _PHASES


def _follows_epoch(one: Named, cells: list[tuple[str, str]]) -> bool:
    """Tell whether *one* is a bare count right behind the epoch: ``[0][ 10/391]``."""
    return (
        one.name == UNNAMED
        and "/" in one.value
        and bool(cells)
        and cells[-1][0] in ("epoch", "of")
    )


def _counts(name: str, total: str, counted: re.Match[str]) -> list[tuple[str, str]]:
    cells = [(name, counted[1])]
    return [*cells, (total, counted[2])] if counted[2] is not None else cells
