"""What headings say, above a table and inside it."""

from collections.abc import Iterable, Sequence

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.language import Column, Meaning, Table
from benchdb.importing.mapping.layers import Layer, layer
from benchdb.importing.mapping.match import searched
from benchdb.importing.mapping.words import scalar
from benchdb.importing.quantities.cell import missing_of
from benchdb.importing.sheet import SheetRow

_EMPHASIS = ("**", "__", "<b>", "<strong>", "*", "_")
_UNNAMED = "a heading inside the table, which the map does not name"


class Under(msgspec.Struct, frozen=True):
    """What headings say: layers, and meanings of rows that hold under them alone."""

    layers: tuple[Layer, ...] = ()
    rows: tuple[tuple[str, Meaning], ...] = ()


def under(table: Table, texts: Iterable[str]) -> Under:
    """Return what the headings *texts*, the outermost first, say by *table*."""
    layers: list[Layer] = []
    rows: list[tuple[str, Meaning]] = []
    for text in texts:
        matches = (searched(pattern, text) for pattern in table.context)
        layers.extend(groups(match.groupdict()) for match in matches if match)
        for pattern, heading in table.headings.items():
            if searched(pattern, text):
                layers.append(layer(heading))
                rows.extend(heading.rows.items())
    return Under(tuple(layers), tuple(rows))


def inside(table: Table, text: str) -> Under:
    """Return what the heading *text* between the rows of a table says.

    One that the map does not name keeps its runs apart as the parameter ``section``.
    """
    found = under(table, [text])
    if found.layers:
        return found
    said = {"parameters.section": text}
    return Under((Layer(said, {"section": _UNNAMED}),))


def groups(found: dict[str, str | None]) -> Layer:
    """Return what the named groups of an expression set; ``__`` stands for a dot."""
    named = {name.replace("__", "."): text for name, text in found.items() if text}
    return Layer(
        {name: _scalar(name, text) for name, text in named.items()}, printed=True
    )


def _scalar(name: str, text: str) -> Scalar:
    """Return what *text* says of a field, as it is where it is not what is expected."""
    try:
        return scalar(name, text)
    except RefusedError:
        return text


def is_heading(
    row: SheetRow, table: Table, columns: Sequence[Column | None], *, set_off: bool
) -> bool:
    """Tell whether *row* is a heading between the rows of a table.

    It is if one text fills it; or if one stands alone in it and the map names that,
    another field is left blank as well, or it is emphasised where that sets it off.
    """
    texts = [cell.text.strip() for cell in row.cells]
    if len(texts) < 2 or not texts[0]:
        return False
    if any(texts[1:]):
        return len(texts) > 2 and len(set(texts)) == 1 and _is_words(texts[0])
    if any(searched(one, texts[0]) for one in (*table.context, *table.headings)):
        return True
    fields = [one for one in columns[1:] if one is None or one.is_ == "field"]
    return bool(fields) or (set_off and is_emphasised(row))


def is_emphasised(row: SheetRow) -> bool:
    """Tell whether the first cell of *row* is bold or italic as a whole."""
    return row.cells[0].raw.strip().startswith(_EMPHASIS)


def _is_words(text: str) -> bool:
    return any(char.isalpha() for char in text) and missing_of(text) is None
