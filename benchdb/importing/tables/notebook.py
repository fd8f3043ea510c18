"""Jupyter notebooks: what their cells say and print, at the lines of the file."""

import re
from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from benchdb.importing.document import LINE_LIMIT, Document
from benchdb.importing.outline import Outline
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import html_tables, markdown, trees
from benchdb.importing.tables.footnotes import Definitions
from benchdb.importing.tables.trees import Leaf, Node

_FENCE = "`" * 40  # longer than anything that is printed
_MARKED = ("text/html", "text/markdown")
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)


class _Part(msgspec.Struct, frozen=True):
    """What cell *cell* says or prints: *lines*, each with its line in the file."""

    cell: int
    kind: str
    lines: tuple[Leaf, ...]

    @property
    def is_exact(self) -> bool:
        """Tell whether every line has a line of the file for itself."""
        return len({one.line for one in self.lines}) == len(self.lines)


def recognises(document: Document) -> bool:
    """Tell whether the document looks like a notebook; it may be a damaged one."""
    head = document.text[:100].lstrip()
    return head.startswith("{") and all(
        name in document.text for name in ('"cells"', '"cell_type"')
    )


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of the cells of text, and of what the cells of code print.

    Where a file holds many lines of a cell in one of its own, the context names the
    cell (``cell 12``). Raise ``DocumentError`` if the document is no JSON.
    """
    outline = Outline()
    tables: list[Sheet] = []
    for part in _parts(document):
        lines = [one.text for one in part.lines]
        if part.kind == "text/html":
            part_sheets = html_tables.read("\n".join(lines), 1, outline, Definitions())
        elif part.kind == "text/markdown":
            part_sheets = markdown.read(lines, outline)
        else:
            part_sheets = markdown.read([_FENCE, *lines, _FENCE], outline)
        outline.leave_all()
        first = 1 if part.kind in _MARKED else 2  # below a fence
        tables += [_moved(sheet, part, first) for sheet in part_sheets]
    return tuple(tables)


def printed(
    document: Document, read: Callable[[Document], tuple[Sheet, ...]]
) -> tuple[Sheet, ...]:
    """Return what *read* finds in what a notebook says and prints.

    It reads one document that has all lines where they are in the file; where lines of
    the file hold several lines of text, one for each cell, which the context names.
    """
    parts = [part for part in _parts(document) if part.kind != "text/html"]
    parts = [part for part in parts if any(line.text for line in part.lines)]
    words = {line.line: line.text for part in parts for line in part.lines}
    if len(words) == sum(len(part.lines) for part in parts):
        padded = [words.get(place, "") for place in range(1, max(words, default=0) + 1)]
        return read(_document(document.name, padded)) if parts else ()
    return tuple(
        _moved(sheet, part, 1)
        for part in parts
        for sheet in read(_document(document.name, [line.text for line in part.lines]))
    )


def _document(name: str, lines: list[str]) -> Document:
    text = "\n".join(lines).replace("\0", "\ufffd")
    return Document(name, text.encode("utf-8", "replace"))


def _moved(sheet: Sheet, part: _Part, first: int) -> Sheet:
    """Return *sheet* with lines of the file in place of lines of *part*.

    *first* is the line that the first of *part* has in *sheet*.
    """

    def moved(line: int) -> int:
        return part.lines[min(line - first, len(part.lines) - 1)].line

    rows = tuple(
        replace(
            row,
            line=moved(row.line),
            cells=tuple(replace(item, line=moved(item.line)) for item in row.cells),
        )
        for row in sheet.rows
    )
    bad = tuple(
        replace(item, number=moved(item.number), locator=f"line {moved(item.number)}")
        for item in sheet.bad
    )
    cell = () if part.is_exact else (f"cell {part.cell}",)
    context = (*sheet.context, *cell)
    return replace(sheet, line=moved(sheet.line), context=context, rows=rows, bad=bad)


def _parts(document: Document) -> Iterator[_Part]:
    notebook = trees.json_tree(document.text)
    for number, cell in enumerate(_list(notebook, "cells"), start=1):
        if _words(cell, "cell_type") == "markdown":
            yield _Part(number, "text/markdown", _lines(_in(cell, "source")))
        for output in _list(cell, "outputs"):
            shown = _in(output, "data")
            if (printed := _in(output, "text")) is not None:
                yield _Part(number, "text/plain", _lines(printed))
            elif isinstance(shown, dict):
                # What people see: plain text only where there is no table.
                page = _lines(shown.get("text/html"))
                if _TABLE.search("\n".join(one.text for one in page)):
                    yield _Part(number, "text/html", page)
                elif "text/markdown" in shown:
                    yield _Part(number, "text/markdown", _lines(shown["text/markdown"]))
                else:
                    yield _Part(number, "text/plain", _lines(shown.get("text/plain")))


def _in(holder: Node | None, name: str) -> Node | None:
    """Return what is called *name* in *holder*, of whatever shape that is."""
    return holder.get(name) if isinstance(holder, dict) else None


def _list(holder: Node, name: str) -> list[Node]:
    held = _in(holder, name)
    return held if isinstance(held, list) else []


def _words(holder: Node, name: str) -> str:
    held = _in(holder, name)
    return held.text if isinstance(held, Leaf) else ""


def _lines(source: Node | None) -> tuple[Leaf, ...]:
    """Return the lines of *source*, one string or many, as a terminal leaves them."""
    lines: list[Leaf] = []
    begun, last = "", 0
    for text in source if isinstance(source, list) else [source]:
        if isinstance(text, Leaf):
            *whole, begun = (begun + text.text).split("\n")
            lines += (Leaf(words, text.line) for words in whole)
            last = text.line
    if begun:
        lines.append(Leaf(begun, last))
    return tuple(
        # Of a line that was written over, what remains to be seen.
        Leaf(line.text.rstrip("\r").rpartition("\r")[2], line.line)
        for line in lines
        if len(line.text) <= LINE_LIMIT
    )
