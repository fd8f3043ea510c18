"""The named figures in a line of a log, whatever stands between names and figures.

``Epoch [3/10] Loss: 0.5 Time: 12.3 s``, ``| lr 5.00 | ms/batch 12.3 |``, ``epoch=3``,
``Time  0.123 ( 0.456)``, ``123 tok/s``.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchdb.importing.logs.unit_names import is_time, is_unit

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
