"""CSV and TSV: blocks of rows, each under its own header, with titles above them."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import delimiters, fitting, footnotes, inline
from benchdb.importing.tables.fitting import Place, RawRow, require_few_cells
from benchdb.importing.tables.plain_numbers import are_data, is_number
from benchdb.importing.tables.records import Entry, entries

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
    delimiter = delimiter or delimiters.found(lines, _agreement)
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
    return max(delimiters.agreement(whole), delimiters.agreement(bare))


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
        return fitting.sheet(place, names, made, tuple(told.items()))

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
    for delimiter in delimiters.DELIMITERS:
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
