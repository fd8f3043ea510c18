"""Jupyter notebooks as Markdown: what their cells say, and in code blocks, print."""

from collections.abc import Iterator

from benchdb.importing.blocks import Scanner
from benchdb.importing.document import LINE_LIMIT, Document
from benchdb.importing.tables import trees
from benchdb.importing.tables.flattened import Flattened
from benchdb.importing.tables.trees import Leaf, Node

_FENCE = "`" * 40  # longer than anything that is printed


def recognises(document: Document) -> bool:
    """Tell whether the document looks like a notebook; it may be a damaged one."""
    head = document.text[:100].lstrip()
    return head.startswith("{") and all(
        name in document.text for name in ('"cells"', '"cell_type"')
    )


def flattened(document: Document) -> Flattened:
    """Return a notebook as Markdown. Raise ``DocumentError`` if it is no JSON."""
    lines: list[Leaf] = []
    cells: list[int] = []
    for cell, mark, part in _parts(trees.json_tree(document.text)):
        scanner = Scanner([leaf.text for leaf in part])
        for _ in scanner:
            pass
        last = mark or _FENCE * scanner.fenced  # a block that is open ends here
        exact = len({leaf.line for leaf in part}) == len(part)
        whole = [Leaf(mark, part[0].line), *part, Leaf(last, part[-1].line)]
        lines += whole
        cells += [0 if exact else cell] * len(whole)
    text = "\n".join(line.text for line in lines) or "\n."
    content = text.replace("\0", "\ufffd").encode("utf-8", "replace")
    places = zip((line.line for line in lines), cells, strict=True)
    return Flattened(Document("notebook.md", content), tuple(places))


def _parts(notebook: Node) -> Iterator[tuple[int, str, list[Leaf]]]:
    """Yield what is said and printed: the number of its cell, a fence, its lines."""
    for number, cell in enumerate(_list(notebook, "cells"), start=1):
        kind = _in(cell, "cell_type")
        prose = isinstance(kind, Leaf) and kind.text == "markdown"
        texts = [("", _in(cell, "source"))] if prose else []
        for output in _list(cell, "outputs"):
            data = _in(output, "data")
            page, marked = _in(data, "text/html"), _in(data, "text/markdown")
            # What people see: plain text only where there is no table.
            if any("<table" in line.text.lower() for line in _lines(page)):
                texts.append(("", page))
            elif marked is not None:
                texts.append(("", marked))
            else:
                plain = _in(data, "text/plain")
                texts.append((_FENCE, _in(output, "text") or plain))
        for mark, text in texts:
            if lines := _lines(text):
                yield number, mark, lines


def _in(holder: Node | None, name: str) -> Node | None:
    """Return what is called *name* in *holder*, of whatever shape that is."""
    return holder.get(name) if isinstance(holder, dict) else None


def _list(holder: Node, name: str) -> list[Node]:
    held = _in(holder, name)
    return held if isinstance(held, list) else []


def _lines(source: Node | None) -> list[Leaf]:
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
    return [
        # Of a line that was written over, what remains to be seen.
        Leaf(line.text.rstrip("\r").rpartition("\r")[2], line.line)
        for line in lines
        if len(line.text) <= LINE_LIMIT
    ]
