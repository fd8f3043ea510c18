"""Sheets of many columns, such as a record in JSON: those that may say something."""

from msgspec.structs import replace

from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    header_terms,
    profiles,
    words,
)
from benchdb.importing.guess.column_rules import field
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import Column
from benchdb.importing.sheet import Sheet, SheetRow

_WIDE = 100  # columns, beside which words that no rule knows are no settings
_LISTED = 5  # names of columns, in a line
_STATED = frozenset(words().kinds["stated"].split())


def narrowed(sheet: Sheet) -> tuple[Sheet, list[str]]:
    """Return the columns of a wide *sheet* that hold figures or facts.

    With them comes the line that names the others, but those without any cell, such as
    null in JSON. Other sheets stay as they are.
    """
    if len(sheet.header) <= _WIDE:
        return sheet, []
    looks = profiles([sheet])
    taken = set[str]()
    above = sheet.inherited  # beside which the columns of the rows are what tells them
    telling = [
        bool(it.texts) and (_may_tell(it, taken) or (above and it.header not in above))
        for it in looks
    ]
    kept = [n for n, it in enumerate(telling) if it]
    rows = (SheetRow(it.line, tuple(it.cells[n] for n in kept)) for it in sheet.rows)
    header = tuple(sheet.header[n] for n in kept)
    idle = [it.header for n, it in enumerate(looks) if it.texts and not telling[n]]
    where = f"line {sheet.line}, of {len(sheet.header)} columns"
    listed = ", ".join(map(repr, idle[:_LISTED]))
    more = f" and {len(idle) - _LISTED} more" * (len(idle) > _LISTED)
    line = f"{where}: {listed}{more}: words that no rule knows"
    inherited = type(above)(it for it in above if it in header)
    narrow = replace(sheet, header=header, rows=tuple(rows), inherited=inherited)
    return replace(narrow, narrowed=True), [line] if idle else []


def _may_tell(column: ColumnProfile, taken: set[str]) -> bool:
    """Tell whether a column holds figures, or what a rule or its own name says.

    Of a field that an earlier column has *taken* it does not.
    """
    if column.figures or column.several:
        return True
    known = field(column)
    name = known.field if isinstance(known, Column) else None
    if name in taken:
        return False
    taken |= {name} if name else set()
    of_rule = isinstance(known, Column) and name != f"parameters.{slug(column.header)}"
    own = header_terms(column.header.rpartition(".")[2])
    return of_rule or (bool(own & _STATED) and not column.truths)
