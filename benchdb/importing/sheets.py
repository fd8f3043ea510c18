"""The tables of a document: those it is written in, or what a reader of logs finds."""

import re
from collections.abc import Callable, Iterable

from benchdb.importing.blocks import bullet, unquoted
from benchdb.importing.document import LINE_LIMIT, Document, DocumentError
from benchdb.importing.logs import (
    aligned_columns,
    bars,
    epochs,
    key_value,
    shell_time,
)
from benchdb.importing.logs.log_lines import shown
from benchdb.importing.sheet import Habit, Reader, Sheet
from benchdb.importing.tables import csv, html_tables, markdown, nested, notebook

_SEPARATED = (".csv", ".tsv")
_JSON = (".json", ".jsonl", ".ndjson")
_YAML = (".yaml", ".yml")
_MARKDOWN = (".md", ".markdown", ".mdx", ".rmd", ".qmd")
_PAGE = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html)\b", re.I
)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of the document in its order; none if it holds none.

    Its name counts only where what it holds leaves doubt: anything may be CSV. Raise
    ``DocumentError`` if its text cannot be read.
    """
    name = document.name.lower()
    if notebook.recognises(document):
        return notebook.sheets(document)
    if name.endswith(_SEPARATED):
        return csv.sheets(document)
    # Large JSON, as far as its ends show, is no table for people; to look for one would
    # take far more time and memory than the text.
    text = document.text.strip() if len(document.text) > LINE_LIMIT else ""
    if text[:1] + text[-1:] in ("[]", "{}"):
        return ()
    if _PAGE.match(document.text):
        return html_tables.sheets(document)
    found = markdown.sheets(document)
    if found or name.endswith(_MARKDOWN):
        return found
    return tuple(filter(csv.believable, csv.sheets(document)))


_Read = Callable[[Document], tuple[Sheet, ...]]
# Those of running text, what says more of a line before what says less.
_HABITS: dict[Habit, _Read] = {
    "keras": bars.keras_sheets,
    "tqdm": bars.tqdm_sheets,
    "time": shell_time.sheets,
    "epochs": epochs.sheets,
    "fixed-width": aligned_columns.sheets,
    "bullets": key_value.lists,
    "key-value": key_value.sheets,
}
# What tells lines of bars beside those where they stand last.
_OWN = {"keras": bars.of_keras, "tqdm": bars.of_tqdm}
_SCATTERED = ("keras", "tqdm", "time", "epochs", "bullets", "key-value")


def _or_printed(read: _Read) -> _Read:
    """Return *read* for what a notebook prints, where the document is a notebook."""
    return lambda document: (
        notebook.printed(document, read)
        if notebook.recognises(document)
        else read(document)
    )


# The readers by the names that a map calls them.
READERS: dict[Reader, _Read] = {
    **{name: _or_printed(read) for name, read in _HABITS.items()},
    "json": nested.json_sheets,
    "yaml": nested.yaml_sheets,
}


def readable(document: Document) -> tuple[Sheet, ...]:
    """Return all sheets of the document in its order; a line is in one of them alone.

    Those are its tables and, on lines that these leave, what each habit of running text
    finds; or the tables of JSON and YAML. Raise ``DocumentError`` if it cannot be read.
    """
    name = document.name.lower()
    if name.endswith(_YAML):
        return nested.yaml_sheets(document)
    if not notebook.recognises(document):
        try:
            if found := nested.json_sheets(document):
                return found
        except DocumentError:
            if name.endswith(_JSON):
                raise
    tables = sheets(document)
    if name.endswith(_SEPARATED) or _PAGE.match(document.text):
        return tables
    texts = _or_printed(_texts)(document)
    return tuple(sorted((*tables, *texts), key=lambda sheet: sheet.line))


def _texts(document: Document) -> tuple[Sheet, ...]:
    """Return what the habits find outside of tables, each on lines that are left."""
    lines = list(document.lines)
    texts: list[Sheet] = []
    _blank(lines, sheets(document))
    for name, read in _HABITS.items():
        found = read(Document(document.name, "\n".join((*lines, ".")).encode()))
        _blank(lines, found)
        texts += found
        for at, raw in enumerate(lines if found and name in _OWN else ()):
            if raw and _OWN[name](unquoted(shown(raw))):
                lines[at] = ""
    return tuple(texts)


def _blank(lines: list[str], taken: Iterable[Sheet]) -> None:
    """Blank those of *lines* that are part of a sheet."""
    for sheet in taken:
        own = {sheet.line, *(one.number for one in sheet.bad)}
        own |= {cell.line for row in sheet.rows for cell in row.cells}
        own |= {row.line for row in sheet.rows}
        while sheet.kind == "bullets" and bullet(lines[min(own) - 2]) and min(own) > 1:
            own.add(min(own) - 1)  # what its items stand under
        if sheet.kind not in _SCATTERED:
            own = set(range(min(own), max(own) + 1))
        for number in own:
            if 0 < number <= len(lines):
                lines[number - 1] = ""
