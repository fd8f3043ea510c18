"""A table as every reader hands it over, whatever it was written in.

Markdown and HTML tables, CSV blocks, training logs, ``key: value`` output and bullets
all become sheets, so that one map language says what their columns mean.
"""

from typing import Literal

import msgspec

from benchdb.exchange.reader import BadLine

Reader = Literal[
    "fixed-width", "key-value", "bullets", "keras", "epochs", "time", "tqdm"
]
Kind = Literal["markdown", "html", "csv", Reader]


class Cell(msgspec.Struct, frozen=True):
    """One cell: its words without markup, and as it stands in the document.

    *line* is where it stands, 1 for the first; for a cell over several rows, where it
    is written. *notes* are the marks of footnotes (``*``, ``†``, ``1``) taken off it.
    """

    text: str
    line: int
    raw: str = ""
    notes: tuple[str, ...] = ()


class SheetRow(msgspec.Struct, frozen=True):
    """The cells of one row, as many as the sheet has columns. *line* is where it is."""

    line: int
    cells: tuple[Cell, ...]


class Sheet(msgspec.Struct, frozen=True):
    """A table with what stands around it.

    *header* are the names of the columns as printed, markup removed; a doubled name
    gets `` (2)``. *context* are the headings above, outermost first, then the bold
    line, caption or paragraph right above. *footnotes* are texts by mark. *bad* are
    rows that do not fit the header: quarantined, never shifted.
    """

    kind: Kind
    line: int
    context: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    bad: tuple[BadLine, ...] = ()
