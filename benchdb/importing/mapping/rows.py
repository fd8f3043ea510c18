"""What the row of a table says before its figures: layers of fields."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from benchdb.exchange.lines import Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.language import Column, Meaning
from benchdb.importing.mapping.layers import Layer, bare, layer
from benchdb.importing.mapping.match import plain_name, searched
from benchdb.importing.mapping.words import scalar, slug
from benchdb.importing.quantities.cell import missing_of
from benchdb.importing.sheet import Cell, Sheet, SheetRow


def meanings(first: str, rows: Iterable[tuple[str, Meaning]]) -> Iterator[Layer]:
    """Yield what rows that begin with the cell *first* mean."""
    return (layer(meaning) for pattern, meaning in rows if searched(pattern, first))


def cell_layers(
    row: SheetRow,
    sheet: Sheet,
    columns: Sequence[Column | None],
    named: Container[str],
    above: dict[int, str],
) -> Iterator[Layer]:
    """Yield what the cells of *row* say that are no figures.

    *named* are fields that columns set, *above* the last words of columns whose blank
    cells repeat them. Raise ``RefusedError`` for a cell that cannot be what the map
    says.
    """
    for index, (cell, column) in enumerate(zip(row.cells, columns, strict=True)):
        if column is None:
            yield from _unnamed(cell, sheet.header[index], named)
        elif column.is_ == "field":
            text = cell.text.strip()
            if not text and column.blank == "above":
                text = above.get(index, "")
            above[index] = text
            yield from _field(text, column)
            yield from footnotes(cell, sheet, bare(column.field or ""))


def footnotes(cell: Cell, sheet: Sheet, name: str) -> Iterator[Layer]:
    """Yield what the footnotes of *cell* say of *name*."""
    texts = dict(sheet.footnotes)
    for mark in cell.notes:
        yield Layer(basis={name: f"footnote {mark}: {texts.get(mark, 'not printed')}"})


def _field(text: str, column: Column) -> Iterator[Layer]:
    name = column.field or ""
    found, value = looked_up(text, column.values)
    if not found:
        absent = missing_of(text, column.missing)
        if absent is not None:
            reason = "not printed" if not text else absent.reason
            yield Layer(blank={name: reason})
        else:
            yield Layer({name: scalar(name, text)}, column.basis, printed=True)
    else:
        yield Layer({name: value}, column.basis)
    for word, meaning in column.cells.items():
        if plain_name(word) == plain_name(text):
            yield layer(meaning)
    if column.set:
        yield Layer(column.set)


def looked_up(text: str, values: Mapping[str, Scalar]) -> tuple[bool, Scalar]:
    """Return whether *text* is one of the words in *values*, and what it means."""
    if text in values:
        return True, values[text]
    plain = plain_name(text)
    for word, value in values.items():
        if plain_name(word) == plain:
            return True, value
    return False, None


def named_fields(columns: Iterable[Column | None]) -> frozenset[str]:
    """Return the fields that *columns* set."""
    return frozenset(
        name
        for one in columns
        if one is not None
        for name in (one.field, *one.set)
        if name is not None
    )


def _unnamed(cell: Cell, header: str, named: Container[str]) -> Iterator[Layer]:
    """Yield a cell of a column that the map does not name: a parameter, never lost."""
    if not cell.text.strip():
        return
    name = f"parameters.{slug(header)}"
    if name in named:
        raise RefusedError(
            f"column {header!r} is not in the map, and another column sets {bare(name)}"
        )
    why = f"column {header}, which the map does not name"
    yield Layer({name: scalar("parameters.", cell.text)}, {bare(name): why})
