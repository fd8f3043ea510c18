"""The rows of tables by a map: figures, and the layers of facts around each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Scalar
from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.fields import (
    GROUPED,
    Known,
    group_facts,
    plain_name,
    scalar,
    slug,
)
from benchdb.importing.mapping.language import (
    FIGURES,
    PARTS,
    RESULTS,
    Column,
    Facts,
    Heading,
    Layer,
    Map,
    Table,
    bare_name,
)
from benchdb.importing.mapping.mapped_figures import (
    SEARCHED,
    CellReader,
    Observation,
    RowPlace,
    search,
)
from benchdb.importing.mapping.recognition import instance_in, recognised
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.tokens import convention
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Cell, Sheet, SheetRow, names_metric_of
from benchdb.importing.sheets import (
    HABITS,
    READERS,
    by_templates,
    readable,
    sheets,
    without_lines,
)
from benchdb.importing.tables.divided import divided, with_rows_of_statistics

_LISTED = 12  # tables that an error lists
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


class RunGroup(msgspec.Struct):
    """A run in the making: what is known of it, and its figures so far."""

    known: Known
    observations: list[Observation] = []


def match_tables(document: Document, map_: Map) -> "list[MatchedTable]":
    """Return the sheets that *map_* explains, by the first table that means each.

    Running text is read for a habit alone, and then as what others leave of it, where
    a line above may say something else.
    """
    every: list[Sheet] = []
    matched: list[MatchedTable] = []

    def match(tables: Sequence[Table], sheet: Sheet) -> None:
        every.append(sheet)
        whole = with_rows_of_statistics(sheet)
        views = (whole, divided(whole))
        fitting = [
            (table, view)
            for table in tables
            for view in [it for it in views if _explains(table, it)][:1]
        ]
        fitting = [it for n, it in enumerate(fitting) if not n or it[0].again]
        matched.extend(MatchedTable(*it) for it in fitting)

    templates = dict.fromkeys(it.template for it in map_.table if it.template)
    own = by_templates(document, templates)
    for read, template in dict.fromkeys((it.read, it.template) for it in map_.table):
        tables = [it for it in map_.table if (it.read, it.template) == (read, template)]
        if template:
            read_sheets = [sheet for sheet in own if sheet.template == template]
        else:
            others = READERS[read](document) if read else sheets(document)
            read_sheets = [*without_lines(others, own)]
        for sheet in read_sheets:
            match(tables, sheet)
    of_text = [it for it in map_.table if it.read in HABITS]
    taken = [*own, *(it.sheet for it in matched if it.sheet.kind in HABITS)]
    for sheet in without_lines(readable(document) if of_text else (), taken):
        match([it for it in of_text if it.read == sheet.kind], sheet)
    if map_.table and not matched:
        raise DocumentError(_no_match(every))
    return matched


def _explains(table: Table, sheet: Sheet) -> bool:
    if table.lines and not table.lines[0] <= sheet.line <= table.lines[1]:
        return False
    names = set(map(plain_name, sheet.header))
    if not names.issuperset(map(plain_name, (*table.header, *table.columns))):
        return False
    under = table.under
    return under is None or any(search(under, text) for text in sheet.context)


def _no_match(every: list[Sheet]) -> str:
    if not every:
        return "no table in it, so the map explains nothing"
    headers = "; ".join(
        f"line {sheet.line}: {', '.join(sheet.header)[:SEARCHED]}"
        for sheet in every[:_LISTED]
    )
    more = f"; and {len(every) - _LISTED} more" if len(every) > _LISTED else ""
    return f"no table is one that the map means; found were {headers}{more}"


class MatchedTable:
    """A sheet that a table of a map means, and what holds where it is being read."""

    def __init__(self, table: Table, sheet: Sheet) -> None:
        """Begin above the first row."""
        self.table, self.sheet = table, sheet
        meanings = {plain_name(name): it for name, it in table.columns.items()}
        self.columns = [meanings.get(plain_name(name)) for name in sheet.header]
        given = [column for column in self.columns if column is not None]
        labels = (n for n, it in enumerate(self.columns) if it and it.is_ == "metric")
        # The name of a machine unsets its parts, but no column of their own.
        self.by_order = sorted(
            enumerate(self.columns), key=lambda it: bool(it[1] and it[1].field in PARTS)
        )
        self.label = next(labels, 0)  # the column whose cells *rows* of a map mean
        self.results = {
            n: it for n, it in enumerate(self.columns) if it and it.is_ in RESULTS
        }
        self.named = {name for column in given for name in (column.field, *column.set)}
        self.emphasis_tells = not all(map(_is_emphasised, sheet.rows))
        self.outside = self._under(*sheet.context)
        self.inside: list[Facts] = []
        self.above: dict[int, str] = {}
        self.meant: dict[tuple[int, str], tuple[Facts, ...]] = {}  # by column and text

    def read(self) -> Iterator[Observation | RatioCell | BadLine]:
        """Yield what the rows say, and ``BadLine`` for those not understood."""
        left_out = self.table.without
        yield from (bad for bad in self.sheet.bad if str(bad.number) not in left_out)
        texts_of = {
            n: [row.cells[n].text for row in self.sheet.rows]
            for n, column in enumerate(self.columns)
            if column and column.is_ in FIGURES
        }
        # How a column writes numbers, if anything settles it.
        whole = convention(chain.from_iterable(texts_of.values()))
        marks = {n: convention(texts) or whole for n, texts in texts_of.items()}
        for row in self.sheet.rows:
            texts = [cell.text.strip() for cell in row.cells]
            raw = " | ".join(texts)
            try:
                if not self._holds_figures(row, texts):
                    continue
                texts = self._filled(texts)  # with what is above of rows left out, too
                layers = self._layers(row, texts)
                results = self.results if layers else ()
                named = {n: self._metric(texts, n) for n in results}
            except (RefusedError, ValueError) as why:
                yield building.bad(str(why), line=row.line, raw=raw)
                continue
            around = RowPlace(self.sheet.context, self.sheet.header, tuple(texts))
            for index, (metric, unit) in named.items():
                column = self.results[index]
                cell, header = row.cells[index], self.sheet.header[index]
                locator = cell.pointer or f"line {cell.line}, column {header}"
                if self.sheet.kind in _KEYED and index:
                    locator = f"line {cell.line}, {row.cells[0].text}"
                known = layers
                if column.set or column.basis:
                    known = (*layers, Facts(set=column.set, basis=column.basis))
                if column.is_ == "ratio":
                    yield RatioCell(
                        column, header, cell.text, known, cell.line, locator
                    )
                elif metric != "":
                    name = column.metric or metric or ""
                    known += tuple(self._footnotes(cell, name or header))
                    pool = column if column.is_ in ("samples", "once") else None
                    place = Observation(
                        known, cell.line, locator, raw, pool=pool, place=around
                    )
                    cell_unit = column.unit or unit or named_unit(header)
                    decimal = column.decimal or marks[index]
                    reader = CellReader(column, name, cell_unit, decimal)
                    yield from reader.read(cell.text, place)

    def _holds_figures(self, row: SheetRow, texts: list[str]) -> bool:
        """Tell whether *row* may have figures; enter what it says as a heading."""
        first = texts[0]
        left_out = str(row.line) in self.table.without
        left_out = left_out or any(search(skip, first) for skip in self.table.skip)
        if left_out or not any(texts):
            return False
        if self._is_heading(row, texts):
            name = "parameters.section"
            section = Facts(set={name: first}, basis={bare_name(name): _UNNAMED})
            self.inside, self.above = self._under(first) or [section], {}
            return False
        return True

    def _layers(self, row: SheetRow, texts: list[str]) -> tuple[Facts, ...]:
        """Return what is known of the figures of *row*; nothing if it is left out.

        Raise ``RefusedError`` for a cell that cannot be what the map says.
        """
        for column, text in zip(self.columns, texts, strict=True):
            if column and any(search(pattern, text) for pattern in column.skip):
                return ()
        headings = [*self.outside, *self.inside]
        meanings, label = [*self.table.rows.items()], texts[self.label]
        for heading in headings:
            meanings += heading.rows.items() if isinstance(heading, Heading) else ()
        return (
            self.table,
            *headings,
            *(meaning for pattern, meaning in meanings if search(pattern, label)),
            *self._of_cells(row, texts),
        )

    def _metric(self, texts: list[str], of: int) -> tuple[str | None, str | None]:
        """Return the metric that the row names of column *of*, and the unit beside it.

        A column that holds units of some columns names that of these alone.
        """
        header = self.sheet.header
        for text, name, column in zip(texts, header, self.columns, strict=True):
            if column is not None and column.is_ == "metric":
                if not names_metric_of(name, header[of]):
                    continue
                word = _word(text, column.values)
                if word is None and "*" in column.values:
                    word = "*"
                if word is None:
                    raise RefusedError(f"{text!r} is no metric that the map names")
                unit = column.units.get(word) or column.unit or named_unit(text)
                return str(column.values[word]), unit
        return None, None

    def _footnotes(self, cell: Cell, name: str) -> Iterator[Facts]:
        texts = dict(self.sheet.footnotes)
        for mark in cell.notes:
            text = texts.get(mark, "not printed")
            yield Facts(basis={name: f"footnote {mark}: {text}"})

    def _under(self, *headings: str) -> list[Facts]:
        """Return what *headings*, the outermost first, say by the map."""
        layers: list[Facts] = []
        for text in headings:
            layers += filter(_tells, [instance_in(text)])
            if self.table.names:
                layers += filter(_tells, [recognised(text, self.table.names)])
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
        if any(search(text, first) for text in (*table.context, *table.headings)):
            return True
        if any(column is None or column.is_ == "field" for column in self.columns[1:]):
            return True
        return self.emphasis_tells and _is_emphasised(row)

    def _filled(self, texts: list[str]) -> list[str]:
        """Return *texts* with what stands above in place of blanks that repeat it."""
        filled = list(texts)
        for index, column in enumerate(self.columns):
            if column is not None and column.blank == "above":
                filled[index] = texts[index] or self.above.get(index, "")
                self.above[index] = filled[index]
        return filled

    def _of_cells(self, row: SheetRow, texts: list[str]) -> Iterator[Facts]:
        """Yield what the cells of *row* say that are no figures."""
        for index, column in self.by_order:
            text, header = texts[index], self.sheet.header[index]
            if column is None and self.table.others == "ignore":
                continue
            if column is None:  # never lost
                name = f"parameters.{slug(header)}"
                if text and name in self.named:
                    raise RefusedError(
                        f"column {header!r} is not in the map, and another column sets "
                        f"{bare_name(name)}"
                    )
                if text:
                    why = f"column {header}, which the map does not name"
                    value = scalar("parameters.", text)
                    yield Facts(set={name: value}, basis={bare_name(name): why})
            elif column.is_ == "field":
                if (index, text) not in self.meant:
                    self.meant[index, text] = tuple(_of_field(text, column))
                yield from self.meant[index, text]
                name = bare_name(column.field or (*column.names, "")[0])
                yield from self._footnotes(row.cells[index], name)


def _of_field(text: str, column: Column) -> Iterator[Facts]:
    matches = [search(pattern, text) for pattern in column.patterns]
    yield from (group_facts(match) for match in matches if match)
    if column.field is not None or column.names:
        yield from _of_cell(text, column, whole=not any(matches))
    for word, meaning in column.cells.items():
        if plain_name(word) == plain_name(text):
            yield meaning
    if column.set:
        yield Facts(set=column.set)


def _of_cell(text: str, column: Column, *, whole: bool) -> Iterator[Facts]:
    """Yield what *text* sets as a word of the source, or as a *whole*."""
    name = column.field or (*column.names, "")[0]
    word = _word(text, column.values)
    if word is not None:
        yield Facts(set={name: column.values[word]}, basis=column.basis)
    elif absent := missing_of(text, column.missing):
        yield Layer(blank={name: absent.reason if text else "not printed"})
    elif column.names:
        yield replace(recognised(text, column.names, whole=True), basis=column.basis)
    elif whole:
        if column.decimal == "." and GROUPED.fullmatch(text):
            text = text.replace(",", "")
        value = scalar(name, text + column.ending)
        yield Layer(set={name: value}, basis=column.basis, printed=True)


def _tells(facts: Facts) -> bool:
    return bool(facts.set or facts.missing)


def _word(text: str, values: Mapping[str, Scalar]) -> str | None:
    plain = plain_name(text)
    same = (word for word in values if plain_name(word) == plain)
    return text if text in values else next(same, None)


def _is_emphasised(row: SheetRow) -> bool:
    return row.cells[0].raw.strip().startswith(_EMPHASIS)


def named_unit(name: str) -> str | None:
    """Return the unit that stands in brackets behind *name*, or is all of it."""
    if name.startswith("Maximum resident set size (kb"):
        return "KiB"  # GNU time counts by 1024
    bracket = _BRACKET.search(name)
    for text in (bracket[1].strip() if bracket else "", name.strip()):
        if understood(text) is not None:
            return text
    return None
