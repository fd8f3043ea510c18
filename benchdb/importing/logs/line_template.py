r"""Lines of any layout, read by one that a person gives with names in braces.

``wall={wall}s ttft={ttft} ms`` takes two figures out of each line that has these words
in this order. A name takes what stands up to the next printed words, the last one the
rest of the line; ``...`` stands for anything. A template without words before its first
name begins where the line does; one that begins with ``|`` is a row of a table, where a
name takes one cell. A line that may be read in several ways cannot be taken. A unit
right behind a name is that of its column; there, before the name ``unit``, and where
the name itself ends in a unit, a number must stand. Figures in units of several kinds
are a column for each. Blanks count as one, and may be missing beside a name. Marks of
bullets and of emphasis and what loggers print first are looked at in no line.

A template of several lines makes a row of each line that is like the last one, below
lines like the others. What those say holds for the rows below, until they come again; a
figure among it is of the next row alone. A line that is only a name stands right below
the one above it. In an option or a map ``\n`` is between them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise, product

import msgspec
from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.blocks import Line, bullet, unquoted
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.logs.line_text import shown, unmarked, unstamped
from benchdb.importing.logs.log_lines import (
    Entry,
    LineMatch,
    Named,
    as_sheets,
    cell,
    matching_lines,
)
from benchdb.importing.quantities.unit_names import doubts, understood
from benchdb.importing.sheet import Cell, Sheet, is_unit_header

_NAME = r"\{[^\W\d_][^{}\"]{0,60}\}"
_TOKEN = re.compile(rf"({_NAME}|\.\.\.|…)")
_UNIT = re.compile(  # "it" alone is a pronoun, and no iteration
    r" ?(?!it(?![\w/]))([^\W\d_](?:[\w/.]{0,19}\w)?"
    r"(?: (?:/|per) (?i:s|sec|second|minute|hour)\b)?)(?=[ .,;:|)\]}]|/(?!\w)|$)"
)
_SIGNED = r"[~≈<>]?[-+−]?\d"
_SPREAD = r"(?: ?(?:±|\+/-|[-–]) ?\d[\d.,]*)?"  # or the other end of a range
_NUMBER = rf"{_SIGNED}[\d.,'’]*+(?:[eE][-+]?\d{{1,3}})?{_SPREAD}"
_NAN = r"(?i:nan)(?!\w)"
_FIGURE = re.compile(rf"{_NUMBER} ?(.*)")
_ABOUT = re.compile(r"(\\~|≈)$")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_LINES = 8  # of a template
_LIMIT = 1000  # characters of one
_FEW = 3  # names whose ends are tried one by one
_SHORT = 500  # characters of a line for people
_SHOWN = 100
_CHIP_WORDS = 5
_JOINT = "\0"  # no blank, and in no text
_BREAK = "\n"  # in an expression: anything; it is in no line
_Way = tuple[tuple[int, int], ...]  # where the names of a template stand in a line
_Kind = tuple[str, str | None]  # the base of a unit, and what it counts per


class _Slot(msgspec.Struct, frozen=True):
    """A name of a template, as the title of its column; a *figure* is of one row."""

    title: str
    figure: bool = False


class _Pattern(msgspec.Struct, frozen=True, dict=True):
    """A line of a template: its names, and expressions for its parts, in order.

    *words* are the parts as they are written.
    """

    slots: tuple[_Slot, ...]
    parts: tuple[str, ...]
    words: tuple[str, ...]

    def match(self, plain: str) -> Sequence[Sequence[str]]:
        """Return the texts of its names in *plain*, if that is like it, in each way.

        A name ends at the first words that may be those printed behind it; of few
        names, in a line for people, at the first behind which all is like it:
        ``{model}: {rate} tok/s`` in ``qwen3:8b: 61 tok/s``. Where a blank alone follows
        it, it does not end inside the name of a chip.
        """
        few = len(self.slots) <= _FEW and len(plain) <= _SHORT
        pieces = self.loose if few else self.strict
        ways = _ways(plain, pieces)
        if ways and any(it.endswith("} ") for it in self.words[1:]):
            plain = _with_whole_chips(plain)  # of the same length
            ways = _ways(plain, pieces) or ways
        return [[plain[slice(*it)].replace(_JOINT, " ") for it in way] for way in ways]

    @cached_property
    def strict(self) -> Sequence[re.Pattern[str]]:
        """Return what finds lines like it, in which each name ends at once."""
        return _pieces("".join(self.parts))

    @cached_property
    def loose(self) -> Sequence[re.Pattern[str]]:
        """Return what finds lines like it, in which a name may end farther on."""
        return _pieces("".join(self.parts).replace("(?>", "(?:"))

    @cached_property
    def printed(self) -> Sequence[str]:
        """Return the words between its names."""
        return _TOKEN.sub(" ", self.text).split()

    @property
    def text(self) -> str:
        """Return it as it is written."""
        return "".join(self.words)

    @property
    def is_bare(self) -> bool:
        """Tell whether it has no printed words, so that any line may be like it."""
        return len(self.words) == 2 and not self.printed


@lru_cache(maxsize=16)
def _patterns(text: str) -> tuple[_Pattern, ...]:
    """Return the lines of a template; raise ``DocumentError`` where it can be none."""
    lines = [plain for raw in re.split(r"\\n|\n", text) if (plain := _plain(raw))]
    patterns = [_pattern(line) for line in lines[: _LINES + 1]]
    titles = [slot.title.casefold() for pattern in patterns for slot in pattern.slots]
    between = [words for line in lines for words in _TOKEN.split(line)[2:-1:2]]
    why = None
    if len(text) > _LIMIT or len(lines) > _LINES:
        size = f"{len(lines)} lines and {len(text)} characters"
        why = f"it has {size}; {_LINES} and {_LIMIT} are the most"
    elif not titles:
        why = "it needs a name in braces, as in 'ttft={ttft} ms'"
    elif len({*titles}) < len(titles):
        why = "two names are the same"
    elif not all(between):
        why = "between two names a blank or printed words are needed"
    if why:
        raise DocumentError(f"the line {text[:_SHOWN]!r}: {why}")
    return tuple(patterns)


def _plain(raw: str) -> str:
    """Return what of a line is compared: no bullet, emphasis, or stamp of a logger."""
    listed = bullet(raw)
    words = unmarked(listed[1] if listed else unstamped(raw))
    return " ".join(words.split())


def _with_whole_chips(plain: str) -> str:
    """Return *plain* with joints in place of the blanks in names of chips."""
    words = plain.split(" ")
    for size, at in product(range(_CHIP_WORDS, 1, -1), range(len(words))):
        name = " ".join(words[at : at + size])
        if (chip := naming.chip(name)) and not chip.rest:
            plain = plain.replace(name, name.replace(" ", _JOINT))
    return plain


def _pattern(line: str) -> _Pattern:
    first, *rest = _TOKEN.split(line)
    begins = r"(?<!\w)" if first[:1].isalnum() else ""
    parts = [(begins if re.search(r"\w", first) else r"\A") + _literal(first)]
    is_row = first.startswith("|")
    begin, inside = (r"[^\s|]", "[^|]") if is_row else (r"\S", ".")
    slots: list[_Slot] = []
    tokens = rest[::2]
    following = (*tokens, "")[1:]
    for token, words, after in zip(tokens, rest[1::2], following, strict=True):
        end = _literal(words) if words else r"\s*$"
        if token[0] != "{":
            parts.append(_BREAK + end if words else "")
            continue
        named, printed = token[1:-1].strip(), _UNIT.match(words)
        unit = printed[1] if printed and understood(printed[1]) else ""
        end += r"(?!\w)" if unit and words[-1:].isalnum() else ""
        last = re.split(r"[\s_(]", named.rstrip(")"))[-1]
        title, held = named, begin + inside + ("*?" if words else "*")
        if unit and understood(unit) != understood(last):  # the printed unit holds
            title = f"{named} ({unit})"
        elif _is_unit(last):  # which may be printed as well
            held = rf"{_SIGNED}{inside}*?|{_NAN}"
            end = rf"(?:\s?{re.escape(last)}(?!\w))?{end}"
        numeric = bool(unit) or is_unit_header(after.strip("{}"))
        held = rf"{_NUMBER}|{_NAN}" if numeric else held
        slots.append(_Slot(title, numeric or _is_unit(last)))
        parts.append(rf"(?>\s*({held}){end})")
    if is_row and line.endswith("|") and any(it[0] != "{" for it in tokens):
        parts[-1] += "$"  # else it would be open in which column a name stands
    written = map("".join, zip(tokens, rest[1::2], strict=True))
    return _Pattern(tuple(slots), tuple(parts), (first, *written))


def _is_unit(word: str) -> bool:
    """Tell whether *word*, the last of a name, is a unit of what is measured."""
    unit = understood(word)
    return len(word) > 1 and (unit.base != "1" if unit else bool(doubts(word)))


def _literal(words: str) -> str:
    """Return the expression for printed *words* between names."""
    if not words.strip():
        return r"\s+" if words else ""
    inside = r"\s+".join(map(re.escape, words.split()))
    inside = _ABOUT.sub(r"(?:\1(?!\\d)|(?=\1))", inside)  # it is part of a number
    return rf"\s*{inside}\s*"


def _pieces(expression: str) -> Sequence[re.Pattern[str]]:
    return [re.compile(piece) for piece in expression.split(_BREAK)]


def _ways(plain: str, pieces: Sequence[re.Pattern[str]]) -> Sequence[_Way]:
    """Return the first way in which *plain* is like *pieces*, and the first other one.

    In another way some name stands elsewhere, with another text.
    """
    if pieces[0].search(plain) is None:  # as most lines of a document
        return ()

    @cache  # so that many pieces take no longer than a few
    def ways_from(piece: int, start: int) -> Sequence[_Way]:
        if piece == len(pieces):
            return [()]
        ways: list[_Way] = []
        while start <= len(plain) and (match := pieces[piece].search(plain, start)):
            for rest in ways_from(piece + 1, match.end()):
                way = (*match.regs[1:], *rest)
                if not ways or _differ(plain, ways[0], way):
                    ways.append(way)
                if len(ways) > 1:
                    return ways
            start = match.start() + 1
        return ways

    return ways_from(0, 0)


def _differ(plain: str, way: _Way, other: _Way) -> bool:
    return any(
        (end <= start or stop <= begin) and plain[begin:end] != plain[start:stop]
        for (begin, end), (start, stop) in zip(way, other, strict=True)
    )


class _Match(msgspec.Struct, frozen=True):
    """A line that is like the line *level* of a template, with its texts by title.

    It may have a *fault*: why it is in no row.
    """

    level: int
    texts: dict[str, str]
    fault: str | None = None


def sheets(document: Document, template: str) -> tuple[Sheet, ...]:
    """Return the rows that lines of *document* make, by the *template* they are like.

    Raise ``DocumentError`` where it is no template, or no line is like it.
    """
    rows = _Rows(_patterns(template))
    lines = matching_lines(document, rows.match, everywhere=True)
    made = as_sheets("template", _by_units([*rows.entries(lines)]))
    if not any(sheet.rows for sheet in made):
        faults = [fault.reason for sheet in made for fault in sheet.bad]
        raise DocumentError(next(iter(faults), _difference(document, template)))
    return tuple(replace(sheet, template=template) for sheet in made)


class _Rows:
    """The rows of a template, line by line: what its upper lines say holds meanwhile.

    Of a line that is *fresh* no row was made yet.
    """

    def __init__(self, patterns: Sequence[_Pattern]) -> None:
        slots = [slot for pattern in patterns for slot in pattern.slots]
        self._patterns = patterns
        self._titles = [slot.title for slot in slots]
        self._figures = {slot.title for slot in slots if slot.figure}
        self._last = len(patterns) - 1
        self._above = -1  # the level of the line above, if it is like any
        self._held: dict[int, LineMatch[_Match]] = {}  # by level
        self._fresh: set[int] = set()

    def match(self, line: Line) -> _Match | None:
        """Return what *line* says.

        One that may be several is the next below the line above; else it has names and
        most printed characters, and of equals it is the next, or the last.
        """
        plain = _plain(line.text)
        following = (self._above + 1) % len(self._patterns)

        def likely(level: int) -> tuple[bool, bool, int, bool, int]:
            pattern, follows = self._patterns[level], level == following
            size = sum(map(len, pattern.printed))
            return level > 0 and follows, bool(pattern.slots), size, follows, level

        for level in sorted(range(len(self._patterns)), key=likely, reverse=True):
            pattern = self._patterns[level]
            if level and pattern.is_bare and self._above != level - 1:
                continue
            if ways := pattern.match(plain):
                titles = [slot.title for slot in pattern.slots]
                self._above = level
                fault = f"it can be read as {' or as '.join(map(', '.join, ways))}"
                texts = dict(zip(titles, ways[0], strict=True))
                return _Match(level, texts, fault if len(ways) > 1 else None)
        self._above = -1
        return None

    def entries(self, lines: Iterable[LineMatch[_Match]]) -> Iterator[Entry]:
        """Yield a row for each line like the last one of the template.

        Figures that no such line follows, and rows that lack a line above, are none;
        their entries say so.
        """
        for line in lines:
            level = line.made.level
            if level < self._last:
                yield from self._drop(level)
            self._held[level] = line
            self._fresh.add(level)
            if level == self._last:
                yield self._row([self._held[it] for it in sorted(self._held)])
                del self._held[level]
                self._fresh.clear()
        yield from self._drop(0)

    def _row(self, lines: Sequence[LineMatch[_Match]]) -> Entry:
        cells: dict[str, Cell | str] = {}
        for line in lines:
            for title, text in line.made.texts.items():
                figure = title in self._figures or _DECIMAL.fullmatch(text)
                if line.made.level in self._fresh or not figure:
                    cells[title] = cell(text, line.line, line.raw)
        named = tuple((title, cells.get(title, "")) for title in self._titles)
        if faults := [line.made.fault for line in lines if line.made.fault]:
            return lines[-1].entry(named, fault=faults[0])
        levels = {line.made.level for line in lines}
        for level, pattern in enumerate(self._patterns):
            if level not in levels:
                where = "follows it" if level == self._last else "stands above it"
                return lines[-1].entry(
                    named, fault=f"no line like {pattern.text!r} {where}"
                )
        return lines[-1].entry(named)

    def _drop(self, level: int) -> Iterator[Entry]:
        """Forget what lines from *level* on said; yield their figures, if unused."""
        for at in sorted(it for it in self._held if it >= level):
            line = self._held.pop(at)
            if at in self._fresh and self._figures & line.made.texts.keys():
                above = [self._held[it] for it in sorted(self._held) if it < at]
                yield self._row([*above, line])


def _by_units(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield *entries*; a name of times and of rates gets its unit, as printed first.

    What is measured differs with the kind of unit: each is a table of its own.
    """
    spelt: defaultdict[str, dict[_Kind, str]] = defaultdict(dict)
    units = [[*_units(entry.named)] for entry in entries]
    for title, kind, unit in chain.from_iterable(units):
        spelt[title].setdefault(kind, unit)
    for entry, own in zip(entries, units, strict=True):
        titles = {
            title: f"{title} ({spelt[title][kind]})"
            for title, kind, _ in own
            if len(spelt[title]) > 1
        }
        named = ((titles.get(title, title), it) for title, it in entry.named)
        yield replace(entry, named=tuple(named))


def _units(named: Named) -> Iterator[tuple[str, _Kind, str]]:
    """Yield the titles of figures, what kinds of unit these have, and how spelt."""
    texts = [(title, it if isinstance(it, str) else it.text) for title, it in named]
    for (title, text), (beside, unit) in pairwise([*texts, ("", "")]):
        figure = _FIGURE.fullmatch(text)
        spelt = figure[1] or unit * is_unit_header(beside) if figure else ""
        if known := understood(spelt):
            yield title, (known.base, known.per), spelt


def _difference(document: Document, template: str) -> str:
    """Return where the line that is most like *template* is another."""
    longest, nearest, pattern = 0, "", _patterns(template)[-1]
    for raw in document.lines:
        plain = _plain(unquoted(shown(raw)).text)
        for length in range(longest + 1, len(pattern.parts) + 1):
            if not _ways(plain, _pieces("".join(pattern.parts[:length]))):
                break
            longest, nearest = length, plain
    why = f"no line is like {pattern.text[:_SHOWN]!r}"
    begun = "".join(pattern.words[:longest])[-_SHOWN:]
    if begun and longest < len(pattern.parts):
        missing = pattern.words[longest][:_SHOWN]
        why += f"; {nearest[:_SHOWN]!r} has {begun!r}, but no {missing!r} behind it"
    return why
