"""A table as every reader hands it over, whatever it was written in.

Markdown and HTML tables, CSV blocks, training logs, ``key: value`` output and bullets
all become sheets, so that one map language says what their columns mean.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import DocumentError
from benchdb.importing.quantities.characters import SIGNS
from benchdb.importing.quantities.unit_names import understood

Habit = Literal[
    "timings",
    "fixed-width",
    "key-value",
    "bullets",
    "keras",
    "epochs",
    "tqdm",
    "sentences",
]
Reader = Literal[Habit, "json", "yaml"]
Kind = Literal["markdown", "html", "csv", "template", Reader]

COLUMN_LIMIT = 1000
CELL_LIMIT = 200_000  # of one document; each takes a few hundred bytes
DITTO, _UNITS, _STATISTICS, _COMPARED = (
    frozenset(SIGNS["columns"][it])
    for it in ("ditto", "units", "statistics", "compared")
)
_NUMBER = re.compile(r"[-+−]?\d[\d.,'’ \u00a0\u202f]{0,40}(?:[eE][-+]?\d{1,4})?\s?%?")
# 1,024 may be a batch size; 188.278 is a time.
_DIGIT = re.compile(r"\d")
_MEASURED = re.compile(r"[-+−]?\d{1,20}(?:\.\d{3,30}|,\d{4,30})")


class Cell(msgspec.Struct, frozen=True):
    """One cell: its words without markup, and as it stands in the document.

    *line* is where it stands, 1 for the first; for a cell over several rows, where it
    is written. *notes* are the marks of footnotes (``*``, ``†``, ``1``) taken off it.
    *pointer* is its JSON pointer, where it has one.
    """

    text: str
    line: int
    raw: str = ""
    notes: tuple[str, ...] = ()
    pointer: str = ""


class SheetRow(msgspec.Struct, frozen=True):
    """The cells of one row, as many as the sheet has columns. *line* is where it is."""

    line: int
    cells: tuple[Cell, ...]


class Sheet(msgspec.Struct, frozen=True):
    """A table with what stands around it.

    *header* are the names of the columns as printed, markup removed; a doubled name
    gets `` (2)``. *context* are the headings above, outermost first, then the bold
    line, caption or paragraph right above. *footnotes* are texts by mark. *bad* are
    rows that do not fit the header: quarantined, never shifted. *inherited* are columns
    of what holds the rows, in JSON: a figure there is none of the row. *narrowed*
    tells that it has more columns, which are left out. *template* is that of its lines.
    """

    kind: Kind
    line: int
    context: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    bad: tuple[BadLine, ...] = ()
    inherited: tuple[str, ...] = ()
    narrowed: bool = False
    template: str | None = None


class SheetRows:
    """The rows of a table under *columns*, as a reader finds them one by one."""

    def __init__(self, columns: Sequence[str]) -> None:
        """Begin with no row."""
        self._columns = list(columns)
        self._rows: list[SheetRow] = []
        self._bad: list[BadLine] = []
        self._other: str | None = None

    def add(
        self, line: int, cells: Sequence[Cell], raw: str, fault: str | None = None
    ) -> None:
        """Take a row; *fault* says why it can be none, where the reader knows.

        One that does not fit the columns is bad. Empty ones are left out, and those
        that only repeat the header, as in files strung together; below one that says
        something else, such as another unit, rows are bad. A mark of repetition says
        what stands above it.
        """
        texts = [cell.text.casefold() for cell in cells]
        if fault is None and not any(map(str.strip, texts)):
            return  # blank, however many cells it has
        names = [name.casefold() for name in self._columns]
        fault = fault or misfit(len(texts), len(names))
        repeats = texts == names
        if fault is None and not repeats and _begin_alike(texts, names):
            self._other = f"below another header of the same table, in line {line}"
        elif repeats:
            self._other = None
        if fault := fault or self._other:
            self._bad.append(building.bad(fault, line=line, raw=raw))
        elif not repeats:
            if self._rows and not DITTO.isdisjoint(texts):
                above = zip(self._rows[-1].cells, cells, strict=True)
                cells = [
                    replace(cell, text=before.text)
                    if cell.text.casefold() in DITTO
                    else cell
                    for before, cell in above
                ]
            self._rows.append(SheetRow(line, tuple(cells)))

    def sheet(
        self,
        kind: Kind,
        line: int,
        context: tuple[str, ...],
        footnotes: tuple[tuple[str, str], ...] = (),
    ) -> Sheet:
        """Return the table that begins in *line*, under *context*."""
        self._cut(line)
        rows = tuple(_with_units(self._columns, self._rows))
        header, bad = self._header(), tuple(self._bad)
        return Sheet(kind, line, context, header, rows, footnotes, bad)

    def _cut(self, line: int) -> None:
        """Leave ``COLUMN_LIMIT`` columns, those first in which a cell has a digit."""
        width = len(self._columns)
        if width <= COLUMN_LIMIT:
            return
        texts = [[row.cells[n].text for row in self._rows] for n in range(width)]
        numbered = [any(map(_DIGIT.search, it)) for it in texts]
        kept = sorted(
            sorted(range(width), key=lambda n: not numbered[n])[:COLUMN_LIMIT]
        )
        self._columns = [self._columns[n] for n in kept]
        self._rows = [
            SheetRow(row.line, tuple(row.cells[n] for n in kept)) for row in self._rows
        ]
        why = f"{width:,} columns; {COLUMN_LIMIT:,} are read"
        self._bad.append(building.bad(why, line=line))

    def _header(self) -> tuple[str, ...]:
        """Return distinct names: one met before, in whatever case, gets `` (2)``."""
        counted: dict[str, int] = {}
        header: dict[str, str] = {}  # by the name in lower case
        for place, text in enumerate(self._columns, start=1):
            base = name = text or f"column {place}"
            while name.casefold() in header:
                counted[base.casefold()] = counted.get(base.casefold(), 1) + 1
                name = f"{base} ({counted[base.casefold()]})"
            header[name.casefold()] = name
        return tuple(header.values())


def _with_units(names: Sequence[str], rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
    """Yield *rows* with each unit that stands in a column of its own at its number.

    Of several numbers that is the last one, and those that columns of statistics hold.
    """
    unit = next((n for n, it in enumerate(names) if is_unit_header(it)), 0)
    rows = list(rows)
    named = {understood(row.cells[unit].text) for row in rows} - {None}
    mixed = len({(item.base, item.per) for item in named if item}) > 1
    for row in rows:
        cells = list(row.cells)
        numbers = [n for n in range(unit) if is_number(cells[n].text.strip())]
        if numbers and cells[unit].text:
            for n in numbers:
                if n == numbers[-1] or names[n].casefold() in _STATISTICS:
                    text = f"{cells[n].text} {cells[unit].text}"
                    cells[n] = replace(cells[n], text=text)
            if not mixed:  # else it tells what the numbers are of
                cells[unit] = replace(cells[unit], text="")
        yield SheetRow(row.line, tuple(cells))


def is_unit_header(name: str) -> bool:
    """Tell whether a column called *name* holds units of figures: ``metric_unit``."""
    *of, last = _words(name) or [""]
    return last in _UNITS and of in ([], ["metric"], ["value"], ["result"])


def holds_units_of(name: str, header: str) -> bool:
    """Tell whether a column called *name* may hold the units of the column *header*.

    ``throughput_unit`` holds those of ``throughput`` and of ``mac_throughput``, but of
    no ratio: ``pc_over_mac_throughput``.
    """
    of, words = _words(name)[:-1], _words(header)
    if not _is_unit_of_some(name):
        return is_unit_header(name) and name != header
    return words[-len(of) :] == of and _COMPARED.isdisjoint(words)


def names_metric_of(name: str, header: str) -> bool:
    """Tell whether a column of metrics called *name* is about the column *header*.

    One that holds the units of some columns is about these alone.
    """
    return not _is_unit_of_some(name) or holds_units_of(name, header)


def _is_unit_of_some(name: str) -> bool:
    return not is_unit_header(name) and not _UNITS.isdisjoint(_words(name)[-1:])


def _words(name: str) -> list[str]:
    return name.casefold().replace("_", " ").split()


def _begin_alike(texts: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether *texts* are the names again with other ends: ``Time (ms)``."""
    pairs = zip(texts, names, strict=True)
    return len(names) > 1 and all(
        text and text.split("(")[0].split() == name.split("(")[0].split()
        for text, name in pairs
    )


def unread_sheet(
    kind: Kind, line: int, context: tuple[str, ...], why: str, raw: str = ""
) -> Sheet:
    """Return the sheet of a table that cannot be read: a bad line, and no columns."""
    refused = building.bad(why, line=line, raw=raw)
    return Sheet(kind, line, context, (), (), bad=(refused,))


def misfit(cells: int, columns: int) -> str | None:
    """Return why a row of *cells* is no row of *columns*; ``None`` if it is."""
    if cells == columns:
        return None
    many = "1 cell" if cells == 1 else f"{cells:,} cells"
    under = "1 column" if columns == 1 else f"{columns:,} columns"
    return f"{many} under {under}"


def require_few_cells(number: int) -> None:
    """Raise ``DocumentError`` if *number* cells are more than a document may have."""
    if number > CELL_LIMIT:
        raise DocumentError(f"more than {CELL_LIMIT:,} cells; split the file")


def is_number(text: str) -> bool:
    """Tell whether *text* is only a number, a percentage included."""
    return bool(_NUMBER.fullmatch(text))


def are_data(cells: Sequence[str]) -> bool:
    """Tell whether *cells*, a first row, can be no header.

    They are all numbers, or one has so many decimals that nobody names a column so.
    """
    texts = [cell for cell in cells if cell]
    return bool(texts) and (
        all(map(is_number, texts)) or any(map(_MEASURED.fullmatch, texts))
    )
