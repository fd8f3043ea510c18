"""Markdown tables whose columns also line up when the file is read as it is."""

from itertools import zip_longest

from wcwidth import wcswidth

from benchdb.report.markdown.escape import MdSafe, escape
from benchdb.report.wording.cells import Table

_WIDEST = 40  # a longer cell sticks out instead of stretching every row


def written(table: Table) -> MdSafe:
    """Return *table* as GitHub-flavoured Markdown, every cell escaped."""
    rows = [[escape(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [
        max(3, *(wide for wide in map(_shown, column) if wide <= _WIDEST), 0)
        for column in zip_longest(*rows, fillvalue="")
    ]
    lines = []
    for row in rows:
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * max(0, width - _shown(cell))
            padded.append(space + cell if place in table.figures else cell + space)
        lines.append(f"| {' | '.join(padded)} |")
    rules = [
        "-" * (width - 1) + (":" if place in table.figures else "-")
        for place, width in enumerate(widths)
    ]
    lines.insert(1, f"| {' | '.join(rules)} |")
    return MdSafe("\n".join(lines))


def _shown(cell: str) -> int:
    # Terminals show a CJK character in two columns and an isolate in none.
    width: int = wcswidth(cell)
    return width if width >= 0 else len(cell)
