"""The figures of a document that no reader took: none is lost without a word."""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import msgspec

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.guess.column_profile import header_terms, pattern, unit_in
from benchdb.importing.guess.column_rules import PROSE
from benchdb.importing.logs.line_text import any_of, shown
from benchdb.importing.logs.sentences import figures
from benchdb.importing.logs.settings import begins_anew
from benchdb.importing.quantities.unit_names import doubts, understood
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import by_templates, printed_lines
from benchdb.importing.tables.page import recognises as is_page

_PARTS = 20  # that are named
_SHOWN = 120  # characters of the figures of a line
_NAMES = 8  # of a template
_TRIED = 3  # templates, each with all of the document
_TAIL = re.compile(r"(.{0,12}\S*).*")  # behind the last figure
_ESCAPED = re.compile(r"(?<!\\)\\[nrt]")  # blanks in texts of JSON
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_NAMED, _ALONE = pattern("named_number"), pattern("number_alone")
_COMPARED = pattern("compared_numbers")
_OPTION = any_of("options")
_HELD = any_of("held", re.IGNORECASE)
_MEASURED = ("s", "1/s", "FLOP/s", "B/s", "B")
_KINDS = frozenset(("throughput", "time", "latency", "fps", "ttft", "bandwidth"))
# What no run took; a word that is a unit as well; and files of source, with a line.
_NO_FIGURES = re.compile(r"(?i)timeout|limit|interval|^min$|\.(?:cc?|cpp|cu|h|py|rs)$")


class UnreadLine(msgspec.Struct, frozen=True):
    """A line of the document with *figures*, as printed, that are in no cell."""

    number: int
    figures: tuple[str, ...]
    text: str

    def template(self) -> str:
        """Return what reads lines like it: names stand in place of its figures.

        Numbers behind the first one differ as well, as far as nothing joins them.
        """
        text, made, end, names = " ".join(shown(self.text).split()), "", 0, 0
        wanted = Counter(chain.from_iterable(map(_NUMBER.findall, self.figures)))
        for number in _NUMBER.finditer(text):
            lone = names > 0 and not text[number.end() : number.end() + 1].isalpha()
            if names < _NAMES and (wanted[number[0]] > 0 or lone):
                wanted[number[0]] -= 1
                names += 1
                made += f"{text[end : number.start()]}{{figure {names}}}"
                end = number.end()
        return made + _TAIL.sub(r"\1", text[end:])


@lru_cache(maxsize=_TRIED)  # each answer of a card is followed by the same list
def _is_read(line: UnreadLine, document: Document) -> bool:
    """Tell whether the template of a *line* finds it in *document*."""
    try:
        sheets = by_templates(document, [line.template()])
    except DocumentError:
        return False
    return any(row.line == line.number for it in sheets for row in it.rows)


def unread_lines(document: Document, sheets: Iterable[Sheet]) -> tuple[UnreadLine, ...]:
    """Return the lines of *document* with figures that are in no cell of *sheets*.

    They are rates, times, and sizes beside them or beside words of memory: numbers with
    a unit, those whose name says what they are, and those that are compared; of a page
    those that stand alone, or in a few words. Long texts of JSON are read by nothing.
    """
    alone = is_page(document)
    cells: defaultdict[int, list[str]] = defaultdict(list)
    for sheet in sheets:
        cells[sheet.line] += sheet.header
        for row in sheet.rows:
            for cell in row.cells:
                read = sheet.kind != "json" or len(cell.text) <= PROSE
                cells[cell.line] += [cell.text] * read
    return tuple(
        UnreadLine(number, tuple(dict.fromkeys(left)), line)
        for number, line in printed_lines(document)
        if any(map(str.isdigit, line)) and not line.lstrip().startswith("|")
        if (
            left := _left_over(line, cells.get(number))
            or [line] * bool(alone and number not in cells and _ALONE.fullmatch(line))
        )
    )


def named_with_lines(
    document: Document, lines: Iterable[UnreadLine], taken: Iterable[Sheet]
) -> Iterator[str]:
    """Yield what says which figures are unread, and how such lines are read.

    Of many lines of *document* it is said by ranges of them. Rows that cannot be read
    are named with their sheet, if it is *taken*.
    """
    refused = {bad.number for sheet in taken for bad in sheet.bad}
    parts = _parts([line for line in lines if line.number not in refused])
    for part in parts:
        text = ", ".join(part[0].figures)
        text = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rpartition(',')[0]} …"
        where = f"line {part[0].number}: {text!r}"
        if len(part) > 1:
            many = sum(len(line.figures) for line in part)
            where = f"lines {part[0].number}-{part[-1].number}: {many} figures, "
            where += f"such as {text!r}"
        yield f"{where}: in no table and no list that can be read"
    if parts:
        lines = [line for part in parts for line in part]
        shapes = Counter(map(_shape, lines))
        likely = sorted(lines, key=lambda line: -shapes[_shape(line)])
        if read := next((it for it in likely[:_TRIED] if _is_read(it, document)), None):
            answer = shlex.quote(f"line={read.template()}")
            yield f"to read such lines, name what differs: --answer {answer}"


def _shape(line: UnreadLine) -> tuple[str, ...]:
    """Return the figures of *line* without their numbers; lone ones are not alike."""
    shape = tuple(_NUMBER.sub("", figure) for figure in line.figures)
    return shape if any(shape) else (line.text,)


def _parts(lines: Sequence[UnreadLine]) -> list[list[UnreadLine]]:
    """Return *lines* in parts of which each ends at one of the widest gaps."""
    gaps = sorted((b.number - a.number for a, b in pairwise(lines)), reverse=True)
    widest = gaps[_PARTS - 1] if len(gaps) >= _PARTS else 0
    parts = [[*lines[:1]]] if lines else []
    for before, line in pairwise(lines):
        if line.number - before.number > widest:
            parts.append([])
        parts[-1].append(line)
    return parts


def _left_over(line: str, cells: Sequence[str] | None) -> list[str]:
    """Return the figures of *line* that none of its *cells* holds, if any.

    A number may stand in a cell without its unit or its name: then no other number of
    the line is the same, or a cell holds that as well.
    """
    line = _ESCAPED.sub(" ", line)
    result = _stated(line)
    if cells is None:
        return result or pattern("aligned").findall(line)
    texts = "\n".join(cells)
    read = Counter(map(_closed_up, _stated(texts)))
    numbers = Counter(_NUMBER.findall(texts))
    numbers.subtract(_NUMBER.findall(line))
    left = []
    for text in result:
        if read[_closed_up(text)] > 0:
            read[_closed_up(text)] -= 1
        elif any(numbers[number] < 0 for number in _NUMBER.findall(text)):
            left.append(text)
    return left


def _closed_up(figure: str) -> str:
    return figure.replace(" ", "")


def _stated(text: str) -> list[str]:
    """Return the figures in *text* from left to right: with a unit, or with a name.

    Sizes count beside others, or as those of the memory of a device, and numbers that
    are compared with each other. What lists settings names no figure.
    """
    if anew := begins_anew(text):
        text = _OPTION.sub(" ", text)
    texts = figures(text)
    if texts or _HELD.search(text):
        texts = figures(text, sizes=True)
    numbers = Counter(chain.from_iterable(map(_NUMBER.findall, texts)))
    for it in () if anew else _NAMED.finditer(text):
        if numbers[it["number"]] > 0:  # with a unit: latency: 12.3 ms
            numbers[it["number"]] -= 1
        elif _is_of_figures(it["name"]):
            texts.append(it[0])
    for number in chain.from_iterable(it.groups() for it in _COMPARED.finditer(text)):
        if numbers[number] > 0:
            numbers[number] -= 1
        else:
            texts.append(number)
    return sorted(texts, key=text.find)


@lru_cache(maxsize=1024)
def _is_of_figures(name: str) -> bool:
    """Tell whether a number called *name* is a rate, a time or a size of memory."""
    unit = understood(unit_in(name) or "")
    known = unit is not None and unit.base in _MEASURED
    last = re.split(r"[_ .]", name)[-1]
    known = known or bool(header_terms(name) & _KINDS)
    known = known or (len(last) > 1 and bool(doubts(last)))  # tps
    return known and not _NO_FIGURES.search(name)
