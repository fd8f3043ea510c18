"""What a notebook or a page says as a text of its own, line by line."""

import msgspec
from msgspec.structs import replace

from benchdb.importing.document import Document
from benchdb.importing.sheet import Sheet


class Flattened(msgspec.Struct, frozen=True):
    """A document as *text*. *places* are the lines of the file that its lines are from.

    With each is the number of its cell, where a notebook holds several lines in one.
    """

    text: Document
    places: tuple[tuple[int, int], ...]

    def moved(self, sheet: Sheet) -> Sheet:
        """Return *sheet* of the text with lines of the file; it may name its cell."""
        rows = tuple(
            replace(
                row,
                line=self._line(row.line),
                cells=tuple(
                    replace(item, line=self._line(item.line)) for item in row.cells
                ),
            )
            for row in sheet.rows
        )
        bad = tuple(
            replace(bad_line, number=line, locator=f"line {line}")
            for bad_line in sheet.bad
            for line in [self._line(bad_line.number)]
        )
        cell = self.places[sheet.line - 1][1]
        context = (*sheet.context, f"cell {cell}") if cell else sheet.context
        line = self._line(sheet.line)
        return replace(sheet, line=line, context=context, rows=rows, bad=bad)

    def _line(self, line: int) -> int:
        return self.places[line - 1][0]
