"""Markdown tables whose columns also line up when the file is read as it is."""

from collections.abc import Sequence
from itertools import zip_longest

from wcwidth import wcswidth

from benchdb.report.markdown.escape import MdSafe, escape
from benchdb.report.wording.cells import Table

_WIDEST = 40  # a longer cell sticks out instead of stretching every row


def written(table: Table) -> MdSafe:
    """Return *table* as GitHub-flavoured Markdown, every cell escaped."""
    rows = [[escape(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [_width(column) for column in zip_longest(*rows, fillvalue="")]
    head, *body = (_line(row, widths, table.figures) for row in rows)
    return MdSafe("\n".join([head, _rule(widths, table.figures), *body]))


def _width(column: Sequence[str]) -> int:
    widths = [_shown(cell) for cell in column]
    return max(3, *(width for width in widths if width <= _WIDEST), 0)


def _shown(cell: str) -> int:
    # Terminals show a CJK character in two columns and an isolate in none.
    width: int = wcswidth(cell)
    return width if width >= 0 else len(cell)


def _line(row: Sequence[str], widths: Sequence[int], figures: frozenset[int]) -> str:
    cells = []
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * max(0, width - _shown(cell))
        cells.append(space + cell if place in figures else cell + space)
    return f"| {' | '.join(cells)} |"


def _rule(widths: Sequence[int], figures: frozenset[int]) -> str:
    cells = [
        "-" * (width - 1) + (":" if place in figures else "-")
        for place, width in enumerate(widths)
    ]
    return f"| {' | '.join(cells)} |"
