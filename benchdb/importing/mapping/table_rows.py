"""The rows of a table by its map: figures, and the layers of facts around each."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Scalar
from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.mapping.cell_values import CellFormat, Observation, read_cell
from benchdb.importing.mapping.fields import bare_name, group_facts, scalar, slug
from benchdb.importing.mapping.language import Column, Facts, Heading, Layer
from benchdb.importing.mapping.match import MatchedTable, plain_name, search
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Cell, SheetRow

_KEYED = ("key-value", "bullets")  # kinds in which the first cell names the figure
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]\s*$")
_EMPHASIS = ("**", "__", "<b>", "<strong>", "*", "_")
_UNNAMED = "a heading inside the table, which the map does not name"


class RatioCell(msgspec.Struct, frozen=True):
    """A ratio that the source computed, with what its row says."""

    column: Column
    header: str
    text: str
    layers: tuple[Facts, ...]
    line: int
    locator: str


def read_rows(matched: MatchedTable) -> Iterator[Observation | RatioCell | BadLine]:
    """Yield what the rows of a table say, and ``BadLine`` for rows not understood."""
    yield from matched.sheet.bad
    table = _Table(matched)
    for row in matched.sheet.rows:
        texts = [cell.text.strip() for cell in row.cells]
        raw = " | ".join(texts)
        try:
            layers = table.layers(row, texts)
            metric, unit = table.metric(texts) if layers else ("", None)
        except (RefusedError, ValueError) as why:
            yield building.bad(str(why), line=row.line, raw=raw)
            continue
        for index, column in enumerate(table.columns if layers else ()):
            if column is None or column.is_ not in ("value", "ratio"):
                continue
            if column.is_ == "value" and metric == "":
                continue
            cell, header = row.cells[index], table.sheet.header[index]
            locator = table.locator(row, index)
            of_cell = (*layers, Facts(set=column.set, basis=column.basis))
            if column.is_ == "ratio":
                yield RatioCell(column, header, cell.text, of_cell, cell.line, locator)
                continue
            how = CellFormat(
                column,
                column.metric or metric or "",
                column.unit or unit or table.unit(header),
                table.conventions.get(index),
            )
            of_cell += tuple(table.footnotes(cell, how.metric or header))
            place = Observation(of_cell, cell.line, locator, raw)
            try:
                found = list(read_cell(cell.text, how, place))
            except (RefusedError, ValueError) as why:
                found = [replace(place, fault=str(why))]
            yield from found


class _Table:
    """A table being read: the headings that hold, and the words above."""

    def __init__(self, matched: MatchedTable) -> None:
        self.table, self.sheet = matched.table, matched.sheet
        self.columns = matched.columns
        given = [column for column in self.columns if column is not None]
        self.named = {name for one in given for name in (one.field, *one.set)}
        self.conventions = _conventions(matched)
        self.emphasis_tells = not all(map(_is_emphasised, self.sheet.rows))
        self.outside = self._under(*self.sheet.context)
        self.inside: list[Facts] = []
        self.above: dict[int, str] = {}

    def layers(self, row: SheetRow, texts: list[str]) -> tuple[Facts, ...]:
        """Return what is known of the figures of *row*; nothing if it has none.

        Raise ``RefusedError`` for a cell that cannot be what the map says.
        """
        first = texts[0]
        skipped = any(search(pattern, first) for pattern in self.table.skip)
        if skipped or not any(texts):
            return ()
        if self._is_heading(row, texts):
            name = "parameters.section"
            section = Facts(set={name: first}, basis={bare_name(name): _UNNAMED})
            self.inside, self.above = self._under(first) or [section], {}
            return ()
        headings = [*self.outside, *self.inside]
        rows = [*self.table.rows.items()]
        rows += [
            row
            for one in headings
            if isinstance(one, Heading)
            for row in one.rows.items()
        ]
        return (
            self.table,
            *headings,
            *(meaning for pattern, meaning in rows if search(pattern, first)),
            *self._of_cells(row, texts),
        )

    def metric(self, texts: list[str]) -> tuple[str | None, str | None]:
        """Return the metric that the row names, and the unit beside its name."""
        for text, column in zip(texts, self.columns, strict=True):
            if column is not None and column.is_ == "metric":
                word = _word(text, column.values)
                if word is None:
                    raise RefusedError(f"{text!r} is no metric that the map names")
                return str(column.values[word]), column.unit or _unit_in(text)
        return None, None

    def unit(self, header: str) -> str | None:
        """Return the unit that *header* names; GNU time says kbytes of 1024."""
        unit = _unit_in(header)
        return "KiB" if self.sheet.kind == "time" and unit == "kbytes" else unit

    def locator(self, row: SheetRow, index: int) -> str:
        """Return where a cell stands, as people would say it."""
        line = row.cells[index].line
        if self.sheet.kind in _KEYED and index:
            return f"line {line}, {row.cells[0].text}"
        return f"line {line}, column {self.sheet.header[index]}"

    def footnotes(self, cell: Cell, name: str) -> Iterator[Facts]:
        """Yield what the footnotes of *cell* say of *name*."""
        texts = dict(self.sheet.footnotes)
        for mark in cell.notes:
            text = texts.get(mark, "not printed")
            yield Facts(basis={name: f"footnote {mark}: {text}"})

    def _under(self, *headings: str) -> list[Facts]:
        """Return what *headings*, the outermost first, say by the map."""
        layers: list[Facts] = []
        for text in headings:
            matches = (search(pattern, text) for pattern in self.table.context)
            layers += [group_facts(match) for match in matches if match]
            named = self.table.headings.items()
            layers += [facts for pattern, facts in named if search(pattern, text)]
        return layers

    def _is_heading(self, row: SheetRow, texts: list[str]) -> bool:
        """Tell whether *row* is a heading between the rows of a table.

        It is if one text fills it; or if one stands alone in it and the map names that,
        another field is left blank as well, or it is emphasised where others are not.
        """
        first, table = texts[0], self.table
        if len(texts) < 2 or not first:
            return False
        if any(texts[1:]):
            words = any(char.isalpha() for char in first) and missing_of(first) is None
            return len(texts) > 2 and len(set(texts)) == 1 and words
        if any(search(one, first) for one in (*table.context, *table.headings)):
            return True
        if any(one is None or one.is_ == "field" for one in self.columns[1:]):
            return True
        return self.emphasis_tells and _is_emphasised(row)

    def _of_cells(self, row: SheetRow, texts: list[str]) -> Iterator[Facts]:
        """Yield what the cells of *row* say that are no figures."""
        for index, column in enumerate(self.columns):
            text = texts[index]
            if column is None:
                yield from self._unnamed(text, self.sheet.header[index])
            elif column.is_ == "field":
                if not text and column.blank == "above":
                    text = self.above.get(index, "")
                self.above[index] = text
                yield from _of_field(text, column)
                yield from self.footnotes(
                    row.cells[index], bare_name(column.field or "")
                )

    def _unnamed(self, text: str, header: str) -> Iterator[Facts]:
        """Yield a cell of a column that the map does not name: never lost."""
        name = f"parameters.{slug(header)}"
        if text and name in self.named:
            raise RefusedError(
                f"column {header!r} is not in the map, and another column sets "
                f"{bare_name(name)}"
            )
        if text:
            why = f"column {header}, which the map does not name"
            yield Facts(
                set={name: scalar("parameters.", text)}, basis={bare_name(name): why}
            )


def _of_field(text: str, column: Column) -> Iterator[Facts]:
    name = column.field or ""
    word = _word(text, column.values)
    if word is not None:
        yield Facts(set={name: column.values[word]}, basis=column.basis)
    elif absent := missing_of(text, column.missing):
        yield Layer(blank={name: absent.reason if text else "not printed"})
    else:
        value = scalar(name, text)
        yield Layer(set={name: value}, basis=column.basis, printed=True)
    for word, meaning in column.cells.items():
        if plain_name(word) == plain_name(text):
            yield meaning
    if column.set:
        yield Facts(set=column.set)


def _word(text: str, values: Mapping[str, Scalar]) -> str | None:
    """Return which of the words in *values* the *text* is."""
    plain = plain_name(text)
    same = (word for word in values if plain_name(word) == plain)
    return text if text in values else next(same, None)


def _is_emphasised(row: SheetRow) -> bool:
    """Tell whether the first cell of *row* is bold or italic as a whole."""
    return row.cells[0].raw.strip().startswith(_EMPHASIS)


def _conventions(matched: MatchedTable) -> dict[int, Mark]:
    """Return how each column of figures writes numbers, where anything settles it."""
    texts: dict[int, list[str]] = {}
    marks: dict[int, Mark] = {}
    for index, column in enumerate(matched.columns):
        if column is not None and column.is_ == "value":
            texts[index] = []
            if column.decimal:
                marks[index] = column.decimal
    for row in matched.sheet.rows:
        for index, cells in texts.items():
            cells.append(row.cells[index].text)
    whole = convention(chain.from_iterable(texts.values()))
    for index, cells in texts.items():
        own = marks.get(index) or convention(cells) or whole
        if own is not None:
            marks[index] = own
    return marks


def _unit_in(name: str) -> str | None:
    """Return the unit that a header or label names in brackets, or that it is."""
    bracket = _BRACKET.search(name)
    for text in (bracket[1] if bracket else "", name):
        if text and understood(text.strip()) is not None:
            return text.strip()
    return None
