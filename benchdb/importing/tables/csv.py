"""CSV and TSV: blocks of rows, each under its own header, with titles above them."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from benchdb.importing.document import Document
from benchdb.importing.sheet import (
    Cell,
    Sheet,
    SheetRows,
    are_data,
    is_number,
    require_few_cells,
)
from benchdb.importing.tables import inline

# In the order of doubt: a comma is also a decimal mark and a comma.
DELIMITERS = ("\t", ";", "|", ",")
_SURE = 0.8
_LIKELY = 0.5
_SAMPLE = 200  # rows
_SOON = 20  # rows below which a title is no title


def _delimiter(lines: Sequence[str]) -> str | None:
    """Return the delimiter of *lines*; ``None`` if they are no table.

    It parts most rows into as many cells as the row before or after.
    """
    sample = [line for line in lines[: 4 * _SAMPLE] if line.strip()][:_SAMPLE]
    shares = {
        delimiter: _agreement(sample, delimiter)
        for delimiter in DELIMITERS
        if any(delimiter in line for line in sample)
    }
    best = max(shares, key=lambda delimiter: shares[delimiter], default=None)
    sure = next(
        (delimiter for delimiter, share in shares.items() if share >= _SURE), None
    )
    return sure or (best if best and shares[best] >= _LIKELY else None)


def _agreement(lines: Sequence[str], delimiter: str) -> float:
    """Return how well the rows agree, with the empty cells at their ends or without."""
    rows = [entry for entry in _entries(lines, 1, delimiter) if entry.comment is None]
    whole = [len(row.filled and row.cells) for row in rows]
    bare = [
        max((place for place, cell in enumerate(row.cells, 1) if cell), default=0)
        for row in rows
    ]
    return max(neighbours(whole), neighbours(bare))


def neighbours(widths: Sequence[int]) -> float:
    """Return the share of rows with at least two cells and as many as a neighbour."""
    padded = [0, *widths, 0]
    agreeing = sum(
        here > 1 and here in (before, after)
        for before, here, after in zip(padded, padded[1:], padded[2:], strict=False)
    )
    return agreeing / max(len(widths), 1)


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


def _entries(lines: Sequence[str], first: int, delimiter: str) -> Iterator[Entry]:
    """Yield what stands in *lines*, the first of which is line *first*.

    A quote that is never closed makes its own line bad, and not those that follow.
    """
    at = 0
    while at < len(lines):
        raw, line, taken = lines[at], first + at, 1
        behind = raw.lstrip()[1:]
        rank = behind[:1].isdigit() and delimiter in behind  # "#1" is a rank
        if raw.lstrip().startswith("#") and not rank:
            yield Entry(line, raw, comment=behind.lstrip("# ").rstrip())
        elif raw.lstrip().startswith("#") or '"' not in raw:
            cells = raw.split(delimiter) if raw.strip() else ()
            yield Entry(line, raw, tuple(cell.strip() for cell in cells))
        else:
            following = (f"{lines[place]}\n" for place in range(at, len(lines)))
            reader = csv.reader(
                following, delimiter=delimiter, strict=True, skipinitialspace=True
            )
            try:
                cells = next(reader)
            except csv.Error as error:
                why = str(error)
                why = "a field is too long" if "field larger" in why else why
                why = why.replace("unexpected end of data", "its quote is never closed")
                yield Entry(line, raw, fault=why)
            else:
                taken = reader.line_num
                raw = "\n".join(lines[at : at + taken])
                yield Entry(line, raw, tuple(cell.strip() for cell in cells))
        at += taken


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

    The *delimiter* is found from what they hold, unless it is known.
    """
    delimiter = delimiter or _delimiter(lines)
    if delimiter is None:
        return []
    require_few_cells(sum(line.count(delimiter) + 1 for line in lines))
    blocks = _blocks(list(_entries(lines, first, delimiter)))
    parts = chain.from_iterable(map(_parted, blocks))
    return [part.sheet(context) for part in parts]


class _Block(msgspec.Struct):
    """Rows that stand together: *titles* above them, the header, the rows."""

    line: int
    header: tuple[str, ...]
    titles: tuple[str, ...] = ()
    rows: list[Entry] = []

    def sheet(self, context: tuple[str, ...]) -> Sheet:
        """Return the block as a sheet under *context* and its titles."""
        width = len(self.header)
        named = max(
            (at for at, name in enumerate(self.header, 1) if name), default=width
        )
        if not any(any(row.cells[named:width]) for row in self.rows):
            width = named  # a column that nothing stands in is none
        rows = SheetRows([inline.spaced(name) for name in self.header[:width]])
        for row in self.rows:
            texts = list(row.cells) if width else []
            while len(texts) > width and not texts[-1]:
                texts.pop()
            cells = [_cell(text, row.line) for text in texts]
            rows.add(
                row.line, cells, row.raw, row.fault or (None if width else _NO_HEADER)
            )
        return rows.sheet("csv", self.line, (*context, *self.titles))


def _cell(raw: str, line: int) -> Cell:
    text = inline.spaced(raw)
    if not text[:1].isdigit():  # in a name, * is a pattern
        return Cell(text, line, raw)
    text, notes = inline.without_marks(text)
    return Cell(text, line, raw, notes)


def _blocks(entries: Sequence[Entry]) -> Iterator[_Block]:
    """Yield the blocks; what stands alone in a line above one is its title."""
    titles: list[Entry] = []
    block: _Block | None = None
    is_open = False
    for place, entry in enumerate(entries):
        if is_open and block is not None and (entry.filled or entry.fault):
            block.rows.append(entry)
        elif entry.comment is not None:
            titles += [] if is_open else [entry]
        elif not entry.filled and not entry.fault:
            is_open = is_open and _awaits(block, entries[place + 1 :])
        elif block is not None and not titles and _continues(block, entry):
            block.rows.append(entry)
            is_open = True
        elif len(entry.filled) == 1 and any(
            len(item.filled) > 1 for item in entries[place + 1 : place + _SOON]
        ):
            titles.append(entry)
        elif len(entry.filled) == 1 and block is not None:
            break  # a note below the last table
        else:
            if block is not None:
                yield block
            block, titles, is_open = _begun(entry, titles, block), [], True
    if block is not None:
        yield block


def _awaits(block: _Block | None, below: Sequence[Entry]) -> bool:
    """Tell whether only names of columns stand above a gap, with figures *below*."""
    following = next((entry.cells for entry in below if entry.cells), ())
    figures = any(cell[:1].isdigit() for cell in following)
    return block is not None and not block.rows and figures and any(block.header)


def _continues(block: _Block, entry: Entry) -> bool:
    """Tell whether *entry*, below a gap, is one more row and not another header."""
    last = next((row.cells for row in reversed(block.rows) if row.cells), ())
    if len(entry.cells) != len(last):
        return False
    if _names_again(block, entry):
        return False
    pairs = zip(last, entry.cells, strict=True)
    numbers = [is_number(cell) for above, cell in pairs if is_number(above)]
    return bool(numbers) and all(numbers) and not are_data(block.header)


def _names_again(block: _Block, entry: Entry) -> bool:
    """Tell whether some cell of *entry* is the name of the column that it stands in."""
    heads = zip(block.header, entry.cells, strict=False)
    return any(name and name.casefold() == cell.casefold() for name, cell in heads)


def _parted(block: _Block) -> Iterator[_Block]:
    """Yield *block* up to a line that names other columns, then what is below it."""
    part = replace(block, rows=[])
    for row in block.rows:
        named = all(row.cells) and not any(map(is_number, row.cells))
        if named and row.cells != part.header and _names_again(part, row):
            yield part
            part = _Block(row.line, row.cells, block.titles)
        else:
            part.rows.append(row)
    yield part


def _begun(entry: Entry, above: Sequence[Entry], before: _Block | None) -> _Block:
    """Return the block that begins with *entry*, its header if it can be one.

    Under a title of its own it may go on where the block *before* ended. Where the
    header cannot be read, nothing can be said of the rows below it.
    """
    titles = [item.comment or " ".join(item.filled) for item in above]
    header, rows = entry.cells, [entry] if entry.fault else []
    if before is not None and not entry.fault and _continues(before, entry):
        header, rows = before.header, [entry]
    elif names := _names_above(entry, above):
        header, rows = names, [entry]
        titles.pop()
    elif are_data(entry.cells):
        header, rows = ("",) * len(entry.cells), [entry]
    return _Block(entry.line, header, tuple(filter(None, titles)), rows)


def _names_above(entry: Entry, above: Sequence[Entry]) -> tuple[str, ...]:
    """Return the names of columns if the comment right above *entry* is them."""
    comment = above[-1].comment if above and above[-1].line == entry.line - 1 else None
    shared = [
        delimiter
        for delimiter in DELIMITERS
        if delimiter in entry.raw and delimiter in (comment or "")
    ]
    if comment is None or not shared or not any(map(is_number, entry.cells)):
        return ()
    names = tuple(name.strip().strip('"') for name in comment.split(shared[0]))
    return names if len(names) == len(entry.cells) > 1 else ()


def guessed(lines: Sequence[str]) -> Iterator[Sheet]:
    """Yield the blocks of *lines* that are tables, where nothing says that it is CSV.

    What follows the last row of one, and nothing parts, is left to other readers.
    """
    delimiter = _delimiter(lines)
    if delimiter is None:
        return
    for sheet in filter(_believable, read(lines, 1, delimiter=delimiter)):
        last = sheet.rows[-1].line
        bad = (it for it in sheet.bad if it.number < last or delimiter in it.raw)
        yield replace(sheet, bad=tuple(bad))


def _believable(sheet: Sheet) -> bool:
    """Tell whether *sheet* is a table although nothing says that its text is CSV.

    Lines of a log have commas too; but there the first line looks like the second, and
    says what is what in every line.
    """
    if not sheet.rows or len(sheet.bad) > len(sheet.rows):
        return False
    texts = [cell.text for row in sheet.rows for cell in row.cells]
    first = [cell.text for cell in sheet.rows[0].cells]
    shapes = [[_DIGITS.sub("0", text) for text in row] for row in (sheet.header, first)]
    wordy = any(
        len(name) > _NAME_LIMIT
        or any(mark in name for mark in ("=", ": "))
        or name.endswith((":", ".", "{"))
        for name in sheet.header
    )
    begins = sheet.header[0][:1] in ("{", "[", "<", "(", "-", "*", ">")
    figures = any(text[:1].isdigit() for text in texts)
    # "real 0m12.3s" above "user 0m20.1s": a figure above one of the same shape.
    alike = any(a == b and "0." in a for a, b in zip(*shapes, strict=True))
    return figures and not (wordy or begins or alike) and shapes[0] != shapes[1]
