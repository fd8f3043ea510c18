"""Tables drawn with lines: ``+----+``, ``│``, and what ``psql`` prints.

A line across must end the header. Where most rows stand between such lines, texts below
each other between two of them are one row. A single cell over the whole width is a
title above the header, and a heading below it. Other rows with more or fewer cells than
the header are bad.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.rows import cell
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables.table import Place, RawRow, fitted

_WIDTH = 2000
_COLUMNS = 200
_SIDES = re.compile(r"[|│┃║┆┊]")
_ONE_OR_MORE = "lines with blank cells between two lines across: one row, or several?"
_CORNERS = "+┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛┡╇┩╒╤╕╞╪╡╘╧╛╔╦╗╠╬╣╚╩╝╭╮╰╯╟╫╢╥╨"
_ACROSS = frozenset("-=─━═ |│┃║:" + _CORNERS)
_BEGINS = frozenset("|│┃║" + _CORNERS)


class _Drawn(msgspec.Struct, frozen=True):
    """One line: the texts between its sides, or ``None`` for a line across."""

    texts: tuple[str, ...] | None


class _Row(msgspec.Struct):
    line: int
    raw: str
    texts: list[str] = []
    fault: str | None = None


_Line = Found[_Drawn]


def is_boxed(text: str) -> bool:
    """Tell whether *text* is a line of a table drawn with lines, or of Markdown."""
    stripped = text.strip()
    return bool(stripped) and (stripped[0] in _BEGINS or " | " in text)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables in *document* that are drawn with lines."""
    return tuple(
        sheet
        for _, lines in groupby(found(document, _own), attrgetter("block"))
        if (sheet := _sheet(list(lines))) is not None
    )


def _own(told: Told) -> _Drawn | None:
    text = told.text.strip()
    if len(text) > _WIDTH:
        return None
    if text[0] in _CORNERS + "|│┃║-─" and _ACROSS.issuperset(text):
        return _Drawn(None) if any(char in _CORNERS for char in text) else None
    if not is_boxed(told.text):
        return None
    sides = _SIDES.split(text)
    if text[0] in "|│┃║" and len(sides) > 1:
        sides = sides[1:-1] if not sides[-1].strip() else sides[1:]
    texts = tuple(side.strip() for side in sides)
    return _Drawn(texts) if len(texts) <= _COLUMNS else None


def _sheet(block: Sequence[_Line]) -> Sheet | None:
    """Return the table of *block*; ``None`` if no line across ends its header."""
    bands = _bands(block)
    titles: list[str] = []
    while bands and len(bands) > 1 and all(len(row.texts) == 1 for row in bands[0]):
        titles += filter(None, (row.texts[0] for row in bands[0]))
        bands = bands[1:]
    if len(bands) < 2 or len({len(row.texts) for row in bands[0]}) != 1:
        return None
    names = [" ".join(filter(None, one)) for one in zip(*_texts(bands[0]), strict=True)]
    place = Place("fixed-width", bands[0][0].line, (*block[0].context, *titles))
    rows = [_raw_row(row, len(names)) for row in _rows(bands[1:])]
    return fitted(place, names, rows)


def _raw_row(row: _Row, width: int) -> RawRow:
    texts = row.texts if len(row.texts) != 1 else row.texts + [""] * (width - 1)
    cells = tuple(cell(text, row.line, row.raw) for text in texts)
    return RawRow(row.line, cells, row.raw, row.fault)


def _texts(rows: Sequence[_Row]) -> list[list[str]]:
    return [row.texts for row in rows]


def _bands(block: Sequence[_Line]) -> list[list[_Row]]:
    """Return the rows between lines across; empty where no such line is below one."""
    bands: list[list[_Row]] = [[]]
    across = False
    for one in block:
        if one.made.texts is None:
            across = across or bool(bands[-1])
            bands.append([])
        else:
            bands[-1].append(_Row(one.line, one.raw, list(one.made.texts)))
    return [band for band in bands if band] if across else []


def _rows(bands: Sequence[Sequence[_Row]]) -> Iterator[_Row]:
    """Yield the rows; in a grid, the lines of a band are one."""
    alone = sum(len(band) == 1 for band in bands)
    is_grid = alone > 1 and alone > len(bands) - alone
    for band in bands:
        widths = {len(row.texts) for row in band}
        if is_grid and len(band) > 1 and len(widths) == 1 and _has_blank(band):
            texts = [
                " ".join(filter(None, one)) for one in zip(*_texts(band), strict=True)
            ]
            yield _Row(band[0].line, band[0].raw, texts)
        elif len(bands) > 1 and len(band) > 1 and _has_blank(band):
            yield from (_Row(row.line, row.raw, [], _ONE_OR_MORE) for row in band)
        else:
            yield from band


def _has_blank(band: Sequence[_Row]) -> bool:
    """Tell whether a line after the first leaves a cell blank, as one going on does."""
    return any(len(row.texts) > 1 and not all(row.texts) for row in band[1:])
