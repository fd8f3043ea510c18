"""From a table and its map to observations: figures, and what is known of each."""

import re
from collections.abc import Iterator

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.mapping.cells import Figure, Place, figures
from benchdb.importing.mapping.headings import (
    Under,
    inside,
    is_emphasised,
    is_heading,
    under,
)
from benchdb.importing.mapping.language import Column
from benchdb.importing.mapping.layers import Layer, layer
from benchdb.importing.mapping.match import Explained, searched
from benchdb.importing.mapping.rows import (
    cell_layers,
    footnotes,
    looked_up,
    meanings,
    named_fields,
)
from benchdb.importing.quantities.cell import convention, unit_of
from benchdb.importing.quantities.quantity import Convention
from benchdb.importing.sheet import SheetRow

_KEYED = ("key-value", "bullets")  # kinds in which the first cell names the figure
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]\s*$")


class Observation(msgspec.Struct, frozen=True):
    """A figure with the layers of what is known of it, the deepest first.

    Where *fault* is set it could not be read: the run it belongs to is not whole.
    *line* is where it stands, *raw* what stands there.
    """

    layers: tuple[Layer, ...]
    line: int
    locator: str
    raw: str
    figure: Figure | None = None
    fault: str | None = None


class RatioCell(msgspec.Struct, frozen=True):
    """A ratio that the source computed, with what its row says."""

    column: Column
    header: str
    text: str
    layers: tuple[Layer, ...]
    line: int
    locator: str


Seen = Observation | RatioCell | BadLine


def observations(explained: Explained) -> Iterator[Seen]:
    """Yield what the rows of a table say, and ``BadLine`` for rows not understood."""
    yield from explained.sheet.bad
    reading = _Reading(explained)
    for row in explained.sheet.rows:
        yield from reading.row(row)


class _Row(msgspec.Struct, frozen=True):
    """A row with what it says, and the metric and unit that it names."""

    row: SheetRow
    raw: str
    layers: tuple[Layer, ...]
    metric: str | None
    unit: str | None


class _Reading:
    """A table being read: the headings that hold, and the words above."""

    def __init__(self, explained: Explained) -> None:
        self.table, self.sheet = explained.table, explained.sheet
        self.columns = explained.columns
        self.named = named_fields(self.columns)
        self.conventions = _conventions(explained)
        self.set_off = not all(map(is_emphasised, self.sheet.rows))
        self.outside = under(self.table, self.sheet.context)
        self.inside = Under()
        self.above: dict[int, str] = {}

    def row(self, row: SheetRow) -> Iterator[Seen]:
        """Yield what *row* says."""
        texts = [cell.text.strip() for cell in row.cells]
        skipped = any(searched(pattern, texts[0]) for pattern in self.table.skip)
        if skipped or not any(texts):
            return
        if is_heading(row, self.table, self.columns, set_off=self.set_off):
            self.inside = inside(self.table, texts[0])
            self.above = {}
            return
        raw = " | ".join(texts)
        try:
            said = _Row(row, raw, self._layers(row, texts[0]), *self._metric(row))
        except (RefusedError, ValueError) as why:
            yield building.bad(str(why), line=row.line, raw=raw)
            return
        for index, column in enumerate(self.columns):
            if column is not None and column.is_ == "ratio":
                yield self._ratio(said, index, column)
            elif column is not None and column.is_ == "value" and said.metric != "":
                yield from self._figures(said, index, column)

    def _layers(self, row: SheetRow, first: str) -> tuple[Layer, ...]:
        rows = (*self.table.rows.items(), *self.outside.rows, *self.inside.rows)
        return (
            layer(self.table),
            *self.outside.layers,
            *self.inside.layers,
            *meanings(first, rows),
            *cell_layers(row, self.sheet, self.columns, self.named, self.above),
        )

    def _metric(self, row: SheetRow) -> tuple[str | None, str | None]:
        """Return the metric that the row names, and the unit beside its name."""
        for cell, column in zip(row.cells, self.columns, strict=True):
            if column is not None and column.is_ == "metric":
                found, metric = looked_up(cell.text, column.values)
                if not found:
                    raise RefusedError(f"{cell.text!r} is no metric that the map names")
                return str(metric), column.unit or _unit_in(cell.text)
        return None, None

    def _figures(self, said: _Row, index: int, column: Column) -> Iterator[Observation]:
        """Yield the figures of a cell, or its fault."""
        cell, header = said.row.cells[index], self.sheet.header[index]
        place = Place(
            column,
            column.metric or said.metric,
            self._locator(said.row, index),
            self.conventions.get(index),
            column.unit or said.unit or self._unit(header),
        )
        layers = (*said.layers, Layer(column.set, column.basis))
        notes = footnotes(cell, self.sheet, place.metric or header)
        where = ((*layers, *notes), cell.line, place.locator, said.raw)
        try:
            found = list(figures(cell.text, place))
        except (RefusedError, ValueError) as why:
            yield Observation(*where, fault=str(why))
            return
        for one in found:
            yield Observation(*where, figure=one)

    def _unit(self, header: str) -> str | None:
        """Return the unit that *header* names; GNU time says kbytes of 1024."""
        unit = _unit_in(header)
        return "KiB" if self.sheet.kind == "time" and unit == "kbytes" else unit

    def _ratio(self, said: _Row, index: int, column: Column) -> RatioCell:
        cell = said.row.cells[index]
        layers = (*said.layers, Layer(column.set, column.basis))
        locator = self._locator(said.row, index)
        header = self.sheet.header[index]
        return RatioCell(column, header, cell.text, layers, cell.line, locator)

    def _locator(self, row: SheetRow, index: int) -> str:
        line = row.cells[index].line
        if self.sheet.kind in _KEYED and index:
            return f"line {line}, {row.cells[0].text}"
        return f"line {line}, column {self.sheet.header[index]}"


def _conventions(explained: Explained) -> dict[int, Convention]:
    """Return how each column of figures writes numbers, where anything settles it."""
    columns = {
        index: column
        for index, column in enumerate(explained.columns)
        if column is not None and column.is_ == "value"
    }
    rows = explained.sheet.rows
    texts = {index: [row.cells[index].text for row in rows] for index in columns}
    whole = convention(text for cells in texts.values() for text in cells)
    given = {
        index: Convention(column.decimal) if column.decimal else None
        for index, column in columns.items()
    }
    found = {
        index: given[index] or convention(cells) or whole
        for index, cells in texts.items()
    }
    return {index: one for index, one in found.items() if one is not None}


def _unit_in(name: str) -> str | None:
    """Return the unit that a header or label names in brackets, or that it is."""
    bracket = _BRACKET.search(name)
    for text in (bracket[1] if bracket else "", name):
        if text and unit_of(text.strip()) is not None:
            return text.strip()
    return None
