"""The rows of tables by a map: figures, and the layers of facts around each."""

import math
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.exchange.messages import Flag, Scalar, Status, Value
from benchdb.exchange.reader import BadLine
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping.fields import (
    Known,
    binary_factor,
    group_facts,
    plain_name,
    scalar,
    slug,
)
from benchdb.importing.mapping.language import (
    Column,
    Facts,
    Heading,
    Layer,
    Map,
    Table,
    bare_name,
)
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.quantities.missing_values import Missing, missing_of, status_of
from benchdb.importing.quantities.quantity import (
    Quantity,
    is_first_run,
    parsed,
    parts,
)
from benchdb.importing.quantities.tokens import Mark, convention
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Cell, Sheet, SheetRow
from benchdb.importing.sheets import READERS, sheets

_SEARCHED = 1000  # characters of a text in which a map's expressions are searched
_LISTED = 12  # tables that an error lists
_FIGURES = ("value", "samples")  # columns whose cells are figures
_KEYED = ("key-value", "bullets")  # kinds in which the first cell names the figure
_BRACKET = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]\s*$")
_EMPHASIS = ("**", "__", "<b>", "<strong>", "*", "_")
_UNNAMED = "a heading inside the table, which the map does not name"
_AS_IT_IS = (1.0, 1.0)
_SCALES = {("FLOP/s", "TFLOP/s"): 1e12, ("B/s", "GB/s"): 1e9}
# What a rate or a time of a metric may count; a metric that is not here may count all.
_COUNTS = {
    "reported_samples_per_second": ("img", "seq", "sample"),
    "fit_samples_per_second": ("img", "seq", "sample"),
    "samples_per_second": ("img", "seq", "sample"),
    "tokens_per_second": ("token",),
    "steps_per_second": ("step", "it", "batch"),
    "image_seconds": ("img",),
    "time_per_token_seconds": ("token",),
    "reported_step_seconds": ("step", "it", "batch"),
    "step_seconds": ("step",),
    "epoch_seconds": ("epoch",),
    "epochs_per_hour": ("epoch",),
}


class RowPlace(msgspec.Struct, frozen=True):
    """A row as printed, under its header and what stands above."""

    context: tuple[str, ...]
    header: tuple[str, ...]
    texts: tuple[str, ...]


class Observation(msgspec.Struct, frozen=True):
    """A figure with the layers of what is known of its run, the deepest first.

    *line* is where it stands, *raw* what stands there, *place* the row around it.
    *status* is ``ok``, or says how the run ended of which the cell has no figure. Where
    *fault* is set it could not be read. *pool* is the column of a sample.
    """

    layers: tuple[Facts, ...]
    line: int
    locator: str
    raw: str
    value: Value | None = None
    status: Status = "ok"
    flags: tuple[Flag, ...] = ()
    fault: str | None = None
    pool: Column | None = None
    place: RowPlace | None = None


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


class _TimeUpError(Exception):
    """The time is up; nothing but ``time_limit`` catches it without raising it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``DocumentError`` once the block has taken *seconds* of processor time.

    A stranger's regular expression may never end; Python looks for signals while it
    searches. Only the main thread gets them: there is no limit in another.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise _TimeUpError

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    except _TimeUpError as error:
        raise DocumentError(
            f"takes more than {seconds:.0f} s of processor time with this map{error}; "
            "simplify its expressions: repeats inside repeats, as in (a+)+, may never "
            "end"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def search(pattern: str, text: str) -> re.Match[str] | None:
    """Return where *pattern* is found in the beginning of *text*."""
    try:
        return re.search(pattern, text[:_SEARCHED])
    except _TimeUpError:
        raise _TimeUpError(f", last in the expression {pattern!r}") from None


def match_tables(document: Document, map_: Map) -> "list[MatchedTable]":
    """Return the sheets that *map_* explains, each with the first table that means it.

    Raise ``DocumentError`` with what is there if there is none although the map has
    tables.
    """
    every: list[Sheet] = []
    matched: list[MatchedTable] = []
    for reader in dict.fromkeys(table.read for table in map_.table):
        tables = [table for table in map_.table if table.read == reader]
        for sheet in READERS[reader](document) if reader else sheets(document):
            every.append(sheet)
            fitting = [table for table in tables if _explains(table, sheet)]
            fitting = [one for n, one in enumerate(fitting) if not n or one.again]
            matched += [MatchedTable(table, sheet) for table in fitting]
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
        f"line {sheet.line}: {', '.join(sheet.header)[:_SEARCHED]}"
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
        self.named = {name for one in given for name in (one.field, *one.set)}
        self.emphasis_tells = not all(map(_is_emphasised, sheet.rows))
        self.outside = self._under(*sheet.context)
        self.inside: list[Facts] = []
        self.above: dict[int, str] = {}

    def read(self) -> Iterator[Observation | RatioCell | BadLine]:
        """Yield what the rows say, and ``BadLine`` for those not understood."""
        left_out = self.table.without
        yield from (bad for bad in self.sheet.bad if str(bad.number) not in left_out)
        texts_of = {
            n: [row.cells[n].text for row in self.sheet.rows]
            for n, column in enumerate(self.columns)
            if column and column.is_ in _FIGURES
        }
        # How a column writes numbers, if anything settles it.
        whole = convention(chain.from_iterable(texts_of.values()))
        marks = {n: convention(texts) or whole for n, texts in texts_of.items()}
        for row in self.sheet.rows:
            texts = [cell.text.strip() for cell in row.cells]
            raw = " | ".join(texts)
            try:
                layers = self._layers(row, texts)
                metric, unit = self._metric(texts) if layers else ("", None)
            except (RefusedError, ValueError) as why:
                yield building.bad(str(why), line=row.line, raw=raw)
                continue
            around = RowPlace(self.sheet.context, self.sheet.header, tuple(texts))
            for index, column in enumerate(self.columns if layers else ()):
                if column is None or column.is_ not in (*_FIGURES, "ratio"):
                    continue
                cell, header = row.cells[index], self.sheet.header[index]
                locator = cell.pointer or f"line {cell.line}, column {header}"
                if self.sheet.kind in _KEYED and index:
                    locator = f"line {cell.line}, {row.cells[0].text}"
                known = (*layers, Facts(set=column.set, basis=column.basis))
                if column.is_ == "ratio":
                    yield RatioCell(
                        column, header, cell.text, known, cell.line, locator
                    )
                elif metric != "":
                    name = column.metric or metric or ""
                    known += tuple(self._footnotes(cell, name or header))
                    pool = column if column.is_ == "samples" else None
                    place = Observation(
                        known, cell.line, locator, raw, pool=pool, place=around
                    )
                    cell_unit = column.unit or unit or _unit_in(header)
                    decimal = column.decimal or marks[index]
                    reader = _CellReader(column, name, cell_unit, decimal)
                    yield from reader.read(cell.text, place)

    def _layers(self, row: SheetRow, texts: list[str]) -> tuple[Facts, ...]:
        """Return what is known of the figures of *row*; nothing if it has none.

        Raise ``RefusedError`` for a cell that cannot be what the map says.
        """
        first = texts[0]
        left_out = str(row.line) in self.table.without
        left_out = left_out or any(search(skip, first) for skip in self.table.skip)
        if left_out or not any(texts):
            return ()
        if self._is_heading(row, texts):
            name = "parameters.section"
            section = Facts(set={name: first}, basis={bare_name(name): _UNNAMED})
            self.inside, self.above = self._under(first) or [section], {}
            return ()
        texts = self._filled(texts)  # what is above goes on in rows left out as well
        for column, text in zip(self.columns, texts, strict=True):
            if column and any(search(pattern, text) for pattern in column.skip):
                return ()
        headings = [*self.outside, *self.inside]
        meanings = [*self.table.rows.items()]
        for heading in headings:
            meanings += heading.rows.items() if isinstance(heading, Heading) else ()
        return (
            self.table,
            *headings,
            *(meaning for pattern, meaning in meanings if search(pattern, first)),
            *self._of_cells(row, texts),
        )

    def _metric(self, texts: list[str]) -> tuple[str | None, str | None]:
        """Return the metric that the row names, and the unit beside its name."""
        for text, column in zip(texts, self.columns, strict=True):
            if column is not None and column.is_ == "metric":
                word = _word(text, column.values)
                if word is None and "*" in column.values:
                    word = "*"
                if word is None:
                    raise RefusedError(f"{text!r} is no metric that the map names")
                return str(column.values[word]), column.unit or _unit_in(text)
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
        if any(search(one, first) for one in (*table.context, *table.headings)):
            return True
        if any(one is None or one.is_ == "field" for one in self.columns[1:]):
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
        for index, column in enumerate(self.columns):
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
                yield from _of_field(text, column)
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


def _unit_in(name: str) -> str | None:
    if name.startswith("Maximum resident set size (kb"):
        return "KiB"  # GNU time counts by 1024
    bracket = _BRACKET.search(name)
    for text in (bracket[1].strip() if bracket else "", name.strip()):
        if understood(text) is not None:
            return text
    return None


class _CellReader(msgspec.Struct, frozen=True):
    """How the cells of a column are read, each as *metric* unless it has parts."""

    column: Column
    metric: str
    unit: str | None
    decimal: Mark | None

    def read(self, text: str, place: Observation) -> list[Observation]:
        """Return *place* with each figure in *text*, in the order printed.

        Where it is not clear what the text says, it is a fault.
        """
        matches = (search(pattern, text) for pattern in self.column.patterns)
        match = next(filter(None, matches), None)
        text = match["value"] if match else text
        try:
            absent = missing_of(text, self.column.missing)
            if absent and not absent.reason:
                return []
            if self.column.parts and absent is None:
                return [
                    self._observation(metric, part.printed, part, place)
                    for metric, part in self._parts(text)
                    if metric
                ]
            amount = absent or parsed(text, decimal=self.decimal, unit=self.unit)
            metrics_ = dict.fromkeys(self.column.parts.values() or [self.metric])
            return [
                self._observation(metric, text.strip(), amount, place)
                for metric in metrics_
                if metric
            ]
        except (RefusedError, ValueError) as why:
            return [replace(place, fault=str(why))]

    def _observation(
        self, metric: str, printed: str, amount: Quantity | Missing, place: Observation
    ) -> Observation:
        value = Value(metric=metric, printed=printed, locator=place.locator)
        if isinstance(amount, Missing):
            value = replace(value, reason=amount.reason)
            return replace(place, value=value, status=status_of(amount))
        if amount.bound in ("<", ">"):
            value = replace(value, reason="only a bound is printed")
            return replace(place, value=value)
        factor, divisor = self._conversion(amount, metric)
        figure, spread = amount.value * factor / divisor, amount.uncertainty
        if not math.isfinite(figure):
            raise RefusedError(f"{amount.printed!r} is too large for a number")
        if metrics()[metric].unit == "B":  # half a byte is never meant
            figure = float(round(figure))
        value = replace(
            value,
            value=figure,
            uncertainty=None if spread is None else spread * factor / divisor,
            derived=None if amount.low is None else "middle of the printed range",
        )
        flags: tuple[Flag, ...] = ()
        if amount.bound == "~":
            detail: dict[str, Scalar] = {"printed": printed}
            flags = (Flag(code="approximate", metric=metric, detail=detail),)
        beside: Facts = recognised(amount.beside, ["batch_size"])
        if is_first_run(amount.beside):
            beside = Facts(set={"conditions.remark": amount.beside})
        layers = (*place.layers, beside) if beside.set else place.layers
        return replace(place, value=value, flags=flags, layers=layers)

    def _parts(self, text: str) -> Iterator[tuple[str, Quantity]]:
        """Yield metric and figure of each part of a cell that has several."""
        figures, metrics_ = parts(text, decimal=self.decimal), self.column.parts
        if other := figures.keys() ^ metrics_.keys():
            why = "without a metric" if min(other) in figures else "not there"
            raise RefusedError(f"the part {min(other)!r} is {why}")
        yield from ((metrics_[name], it) for name, it in figures.items())

    def _conversion(self, amount: Quantity, metric: str) -> tuple[float, float]:
        """Return what a figure in base units is multiplied with, and divided by.

        Refuse a unit that cannot be that of *metric*.
        """
        target = metrics()[metric].unit
        counts = _COUNTS.get(metric, (amount.per,))
        if amount.per is not None and amount.per not in counts:
            raise RefusedError(
                f"{amount.printed!r} counts {amount.per}, {metric} does not"
            )
        if amount.unit == target:
            binary = target == "B"
            return binary_factor(amount.printed, self.unit) if binary else _AS_IT_IS
        if (amount.unit, target) in _SCALES:
            return 1.0, _SCALES[amount.unit, target]
        if (amount.unit, target, self.unit) == ("1", "%", "1"):
            return 100.0, 1.0
        if amount.unit == "1":
            raise RefusedError(
                f"{amount.printed!r} has no unit; the map must say it (unit = …), "
                f"{metric} is in {target}"
            )
        raise RefusedError(
            f"unit contradiction: {amount.printed!r} is in {amount.unit}, "
            f"{metric} in {target}"
        )
