"""HTML pages: their text as Markdown, without tables, and the JSON in their scripts."""

import html
import json
import re
from collections.abc import Iterator
from contextlib import suppress

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.quantities.characters import SIGNS
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import inline, nested, trees
from benchdb.importing.tables.flattened import Flattened
from benchdb.importing.tables.inline import Tag, tags
from benchdb.importing.tables.trees import Leaf, Node

_PAGE = re.compile(SIGNS["tags"]["page"], re.I)
_WITHIN = re.compile(SIGNS["tags"]["within"])  # an element of text
_MARKS = {"li": "- ", **{f"h{level}": f"{'#' * level} " for level in range(1, 7)}}
_TAG = re.compile(r"<[^<>]*>")
_BESIDE = re.compile(r"(?<=</span>)(?=<span\b)")  # a style sheet sets them apart
_FENCE = "`" * 40
_VALUE = re.compile(r"(?:\A|=)\s*(?=[\[{])")
_DECODER = json.JSONDecoder()


def recognises(document: Document) -> bool:
    """Tell whether the document is a page, or what its head or body holds."""
    return bool(_PAGE.match(document.text))


def flattened(document: Document) -> Flattened:
    """Return the text of a page as Markdown: each element in a line of its own.

    Preformatted lines are a code block. What stands in tables is left out.
    """
    text, lines = document.text, list[Leaf]()
    place = inline.Lines(text)
    begun, mark, preformatted = 0, "", False
    tables, lists = 0, 0  # that are open
    for tag in (*tags(text), Tag("html", len(text), len(text))):
        if _WITHIN.fullmatch(tag.name):
            continue
        inside = "" if tables else text[begun : tag.start]
        first = place.line(tag.start - len(inside.lstrip()))
        words = inline.words(_BESIDE.sub(" ", inside.strip()), markdown=False)[0]
        if words and preformatted:
            inside = inside[inside.rfind("\n", 0, inside.find(inside.lstrip())) + 1 :]
            parts = html.unescape(_TAG.sub("", inside.rstrip())).split("\n")
            last = first + len(parts) - 1
            lines += [Leaf(_FENCE, first), *map(Leaf, parts, range(first, last + 1))]
            lines.append(Leaf(_FENCE, last))
        elif words:
            lines += [] if mark == _MARKS["li"] else [Leaf("", first)]
            lines.append(Leaf("  " * (lists - 1) + mark + words, first))
            mark = ""
        begun = tag.end
        step = -1 if tag.closing else 1
        tables = max(0, tables + step * (tag.name == "table"))
        lists = max(0, lists + step * (tag.name in ("ul", "ol")))
        preformatted = tag.name == "pre" and not tag.closing
        if tag.name in _MARKS:
            mark = "" if tag.closing else _MARKS[tag.name]
    lines.append(Leaf(".", 1))  # no document is empty
    content = "\n".join(line.text for line in lines).encode()
    places = tuple((line.line, 0) for line in lines)
    return Flattened(Document("page.md", content), places)


def data_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of results in the JSON that scripts of a page hold, if any."""
    if not recognises(document):
        return ()
    sheets: list[Sheet] = []
    for node in _data(document):
        with suppress(DocumentError):  # too large: its lines are named as unread
            sheets += nested.result_sheets(node)
    return tuple(sheets)


def printed(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the lines of text and of scripts of a page, with their numbers.

    Of code, tags in its strings are left out.
    """
    flat = flattened(document)
    for (number, _), text in zip(flat.places, flat.text.lines, strict=True):
        yield number, text
    for first, script in _scripts(document):
        for number, text in enumerate(script.split("\n"), first):
            yield number, _TAG.sub("", text)


def _scripts(document: Document) -> Iterator[tuple[int, str]]:
    """Yield what the scripts of a page hold, each with its first line."""
    text = document.text
    place = inline.Lines(text)
    for tag in tags(text):
        if tag.name == "script" and not tag.closing:
            begun = text.find(">", tag.start, tag.end) + 1
            yield place.line(begun), text[begun : tag.end].rpartition("</")[0]


def _data(document: Document) -> Iterator[Node]:
    """Yield the arrays and objects that scripts are, or name: ``const DATA = {…}``."""
    for first, script in _scripts(document):
        end, place = 0, inline.Lines(script, first)
        for match in _VALUE.finditer(script):
            if match.end() >= end:
                with suppress(ValueError, RecursionError, DocumentError):
                    end = _DECODER.raw_decode(script, match.end())[1]
                    line = place.line(match.end())
                    yield trees.json_tree(script[match.end() : end], line)
