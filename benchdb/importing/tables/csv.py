"""CSV and TSV: blocks of rows, each under its own header, with titles above them."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import footnotes, inline
from benchdb.importing.tables.table import (
    Place,
    RawRow,
    are_data,
    fitted,
    is_number,
    require_few_cells,
)

# In the order of doubt: a comma is also a decimal mark and a comma.
DELIMITERS = ("\t", ";", "|", ",")
_SURE = 0.8
_LIKELY = 0.5
_SAMPLE = 200  # rows


def delimiter_of(
    lines: Sequence[str], share: Callable[[Sequence[str], str], float]
) -> str | None:
    """Return the delimiter of *lines*; ``None`` if they are no table.

    It parts most rows into as many cells as the row before or after; *share* tells the
    part of the rows, from 0 to 1, for which one does.
    """
    sample = [line for line in lines[: 4 * _SAMPLE] if line.strip()][:_SAMPLE]
    shares = {
        one: share(sample, one)
        for one in DELIMITERS
        if any(one in line for line in sample)
    }
    sure = next((one for one, share in shares.items() if share >= _SURE), None)
    if sure is not None or not shares:
        return sure
    best = max(shares, key=lambda one: shares[one])
    return best if shares[best] >= _LIKELY else None


def neighbours(widths: Sequence[int]) -> float:
    """Return the share of rows with at least two cells and as many as a neighbour."""
    if not widths:
        return 0.0
    padded = [0, *widths, 0]
    agreeing = sum(
        here > 1 and here in (before, after)
        for before, here, after in zip(padded, padded[1:], padded[2:], strict=False)
    )
    return agreeing / len(widths)


_TOO_LONG = re.compile("field larger")


class Entry(msgspec.Struct, frozen=True):
    """A record in line *line*: its cells as they stand there.

    ``cells`` is empty for a blank line, and for one that cannot be read because of
    *fault*. *comment* is what stands behind the ``#`` of a comment.
    """

    line: int
    raw: str
    cells: tuple[str, ...] = ()
    comment: str | None = None
    fault: str | None = None

    @property
    def filled(self) -> tuple[str, ...]:
        """The cells that hold something."""
        return tuple(cell for cell in self.cells if cell)


def entries(lines: Sequence[str], first: int, delimiter: str) -> Iterator[Entry]:
    """Yield what stands in *lines*, the first of which is line *first*.

    A quote that is never closed makes its own line bad, and not those that follow.
    """
    at = 0
    while at < len(lines):
        raw = lines[at]
        if raw.lstrip().startswith("#"):
            yield _comment(raw, first + at, delimiter)
            at += 1
        elif '"' not in raw:
            yield Entry(first + at, raw, _plain(raw, delimiter))
            at += 1
        else:
            entry, taken = _quoted(lines, at, first, delimiter)
            yield entry
            at += taken


def _plain(raw: str, delimiter: str) -> tuple[str, ...]:
    if not raw.strip():
        return ()
    return tuple(cell.strip() for cell in raw.split(delimiter))


def _comment(raw: str, line: int, delimiter: str) -> Entry:
    behind = raw.lstrip()[1:]
    if behind[:1].isdigit() and delimiter in behind:  # "#1" is a rank
        return Entry(line, raw, _plain(raw, delimiter))
    return Entry(line, raw, comment=behind.lstrip("# ").rstrip())


def _quoted(
    lines: Sequence[str], at: int, first: int, delimiter: str
) -> tuple[Entry, int]:
    """Return the record that begins at place *at*, and how many lines it takes."""
    following = (lines[place] + "\n" for place in range(at, len(lines)))
    reader = csv.reader(
        following, delimiter=delimiter, strict=True, skipinitialspace=True
    )
    try:
        cells = next(reader)
    except csv.Error as error:
        why = "a field is too long" if _TOO_LONG.match(str(error)) else str(error)
        why = why.replace("unexpected end of data", "its quote is never closed")
        return Entry(first + at, lines[at], fault=why), 1
    taken = reader.line_num
    raw = "\n".join(lines[at : at + taken])
    return Entry(first + at, raw, tuple(cell.strip() for cell in cells)), taken


_EXCEL = re.compile(r"sep=(.)", re.IGNORECASE)
_NAME_LIMIT = 60  # characters of a column's name, where nothing says that it is CSV
_NO_HEADER = "the header above it cannot be read"
_DIGITS = re.compile(r"\d+")


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the blocks of a CSV file as sheets; none if nothing parts its cells."""
    return tuple(read(document.lines, 1))


def read(
    lines: Sequence[str],
    first: int,
    context: tuple[str, ...] = (),
    delimiter: str | None = None,
) -> list[Sheet]:
    """Return the blocks of *lines*, the first of which is line *first*.

    The *delimiter* is found from what they hold, unless it is known or Excel's first
    line names it.
    """
    named = _EXCEL.fullmatch(lines[0].strip()) if lines else None
    if named is not None:
        delimiter, lines, first = named[1], lines[1:], first + 1
    elif lines and lines[0].strip(" ").lower() == "sep=\t":
        delimiter, lines, first = "\t", lines[1:], first + 1
    delimiter = delimiter or delimiter_of(lines, _agreement)
    if delimiter is None:
        return []
    require_few_cells(sum(line.count(delimiter) + 1 for line in lines))
    blocks = _blocks(list(entries(lines, first, delimiter)))
    return [block.sheet(context) for block in blocks]


def _agreement(lines: Sequence[str], delimiter: str) -> float:
    """Return how well the rows agree, with the empty cells at their ends or without."""
    found = [one for one in entries(lines, 1, delimiter) if one.comment is None]
    whole = [len(one.filled and one.cells) for one in found]
    bare = [
        max((place for place, cell in enumerate(one.cells, 1) if cell), default=0)
        for one in found
    ]
    return max(neighbours(whole), neighbours(bare))


class _Block(msgspec.Struct):
    """Rows that stand together: *titles* above them, the header, the rows.

    The *tail* are lines of one cell below them, with no other table below.
    """

    line: int
    header: tuple[str, ...]
    titles: tuple[str, ...] = ()
    rows: list[Entry] = []
    tail: list[Entry] = []

    def sheet(self, context: tuple[str, ...]) -> Sheet:
        """Return the block as a sheet under *context* and its titles."""
        width = self._width()
        place = Place("csv", self.line, (*context, *self.titles))
        names = [inline.spaced(name) for name in self.header[:width]]
        rows = [*self.rows, *(one for one in self.tail if is_number(one.filled[0]))]
        told = footnotes.below((one.filled[0] for one in self.tail), frozenset())
        made = [_row(one, width) for one in rows]
        return fitted(place, names, made, tuple(told.items()))

    def _width(self) -> int:
        """Return the number of columns; one that nothing stands in is none."""
        said = [place for place, name in enumerate(self.header, start=1) if name]
        named = max(said, default=len(self.header))
        if any(any(row.cells[named : len(self.header)]) for row in self.rows):
            return len(self.header)
        return named


def _row(entry: Entry, width: int) -> RawRow:
    if not width:
        return RawRow(entry.line, (), entry.raw, entry.fault or _NO_HEADER)
    texts = list(entry.cells)
    while len(texts) > width and not texts[-1]:
        texts.pop()
    cells = tuple(_cell(text, entry.line) for text in texts)
    return RawRow(entry.line, cells, entry.raw, entry.fault)


def _cell(raw: str, line: int) -> Cell:
    text = inline.spaced(raw)
    if not text[:1].isdigit():  # in a name, * is a pattern
        return Cell(text, line, raw)
    said = inline.without_marks(text)
    return Cell(said.text, line, raw, said.notes)


def _blocks(found: Sequence[Entry]) -> Iterator[_Block]:
    """Yield the blocks; what stands alone in a line above one is its title."""
    titles: list[Entry] = []
    block: _Block | None = None
    is_open = False
    for place, entry in enumerate(found):
        if is_open and block is not None and (entry.filled or entry.fault):
            block.rows.append(entry)
        elif entry.comment is not None:
            titles += [] if is_open else [entry]
        elif not entry.filled and not entry.fault:
            is_open = False
        elif block is not None and not titles and _continues(block, entry):
            block.rows.append(entry)
            is_open = True
        elif len(entry.filled) == 1 and _has_more(found, place):
            titles.append(entry)
        elif len(entry.filled) == 1 and block is not None:
            block.tail.append(entry)
        else:
            if block is not None:
                yield block
            block, titles, is_open = _begun(entry, titles, block), [], True
    if block is not None:
        yield block


def _has_more(found: Sequence[Entry], place: int) -> bool:
    """Tell whether a row of several cells follows soon below *place*."""
    return any(len(one.filled) > 1 for one in found[place + 1 : place + 20])


def _continues(block: _Block, entry: Entry) -> bool:
    """Tell whether *entry*, below a gap, is one more row and not another header."""
    last = next((row.cells for row in reversed(block.rows) if row.cells), ())
    if len(entry.cells) != len(last):
        return False
    heads = zip(block.header, entry.cells, strict=False)
    if any(name and name.casefold() == cell.casefold() for name, cell in heads):
        return False
    pairs = zip(last, entry.cells, strict=True)
    numbers = [is_number(cell) for above, cell in pairs if is_number(above)]
    return bool(numbers) and all(numbers) and not are_data(block.header)


def _begun(entry: Entry, above: Sequence[Entry], before: _Block | None) -> _Block:
    """Return the block that begins with *entry*, its header if it can be one.

    Under a title of its own it may go on where the block *before* ended. Where the
    header cannot be read, nothing can be said of the rows below it.
    """
    told = [one.comment or " ".join(one.filled) for one in above]
    header, rows = entry.cells, [entry] if entry.fault else []
    if before is not None and not entry.fault and _continues(before, entry):
        return _Block(entry.line, before.header, tuple(filter(None, told)), [entry])
    names = _names_above(entry, above)
    if names or are_data(entry.cells):
        header, rows = names or ("",) * len(entry.cells), [entry]
        told = told[:-1] if names else told
    return _Block(entry.line, header, tuple(filter(None, told)), rows)


def _names_above(entry: Entry, above: Sequence[Entry]) -> tuple[str, ...]:
    """Return the names of columns if the comment right above *entry* is them."""
    if not above or above[-1].comment is None or above[-1].line != entry.line - 1:
        return ()
    if not any(map(is_number, entry.cells)):
        return ()
    names = _split_like(above[-1].comment, entry)
    return names if len(names) == len(entry.cells) > 1 else ()


def _split_like(text: str, entry: Entry) -> tuple[str, ...]:
    for delimiter in DELIMITERS:
        if delimiter in entry.raw and delimiter in text:
            return tuple(name.strip().strip('"') for name in text.split(delimiter))
    return ()


def believable(sheet: Sheet) -> bool:
    """Tell whether *sheet* is a table although nothing says that its text is CSV.

    Lines of a log have commas too; but there the first line looks like the second, and
    says what is what in every line.
    """
    if not sheet.rows or len(sheet.bad) > len(sheet.rows):
        return False
    texts = [cell.text for row in sheet.rows for cell in row.cells]
    first = [cell.text for cell in sheet.rows[0].cells]
    shapes = [[_DIGITS.sub("0", one) for one in row] for row in (sheet.header, first)]
    wordy = any(
        len(name) > _NAME_LIMIT or "=" in name or name.endswith((":", ".", "{"))
        for name in sheet.header
    )
    begins = sheet.header[0][:1] in ("{", "[", "<", "(", "-", "*", ">")
    figures = any(text[:1].isdigit() for text in texts)
    return figures and not wordy and not begins and shapes[0] != shapes[1]
