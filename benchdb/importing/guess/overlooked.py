"""Lines of logs that stand beside what a map is proposed for: told, not lost."""

from collections.abc import Iterator, Sequence

from benchdb.importing.document import Document
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS

# The readers that take hardly anything which is no measurement.
_SURE: tuple[Reader, ...] = ("keras", "tqdm", "time", "epochs")
_LINES = 3  # a line or two may be a sentence
_LISTED = 80  # characters of the names of columns


def overlooked(document: Document, sheets: Sequence[Sheet]) -> Iterator[str]:
    """Yield what readers of running text find on lines that *sheets* do not have."""
    if any(one.kind == "csv" for one in sheets):
        return  # all of its lines are rows
    taken = {cell.line for one in sheets for row in one.rows for cell in row.cells}
    taken |= {bad.number for one in sheets for bad in one.bad}
    for name in _SURE:
        found = [
            (row.line, sheet)
            for sheet in READERS[name](document)
            for row in sheet.rows
            if row.line not in taken
        ]
        if len(found) >= _LINES:
            taken |= {line for line, _ in found}
            line, sheet = found[0]
            columns = ", ".join(sheet.header)[:_LISTED]
            yield (
                f"left out: {len(found)} lines of a log, the first on line {line} "
                f'({columns}); a [[table]] with read = "{name}" takes them'
            )
