"""The tables of a document: those it is written in, or what a reader of logs finds."""

import re
from collections.abc import Callable

from benchdb.importing.document import LINE_LIMIT, Document
from benchdb.importing.logs import (
    aligned_columns,
    epochs,
    keras,
    key_value,
    shell_time,
    tqdm,
)
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.tables import csv, html_tables, markdown, notebook

_SEPARATED = (".csv", ".tsv")
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


def _or_printed(read: _Read) -> _Read:
    """Return *read* for what a notebook prints, where the document is a notebook."""
    return lambda document: (
        notebook.printed(document, read)
        if notebook.recognises(document)
        else read(document)
    )


# The readers of logs and other running text, by the names that a map calls them.
READERS: dict[Reader, _Read] = {
    "fixed-width": _or_printed(aligned_columns.sheets),
    "key-value": _or_printed(key_value.sheets),
    "bullets": _or_printed(key_value.lists),
    "keras": _or_printed(keras.sheets),
    "epochs": _or_printed(epochs.sheets),
    "time": _or_printed(shell_time.sheets),
    "tqdm": _or_printed(tqdm.sheets),
}
