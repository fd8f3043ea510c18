"""The tables of a document, whatever it is written in: told by what it holds."""

import re

from benchdb.importing.document import LINE_LIMIT, Document
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import csv, html, markdown, notebook

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
    if _is_large_json(document.text):
        return ()
    if _PAGE.match(document.text):
        return html.sheets(document)
    found = markdown.sheets(document)
    if found or name.endswith(_MARKDOWN):
        return found
    return tuple(filter(csv.believable, csv.sheets(document)))


def _is_large_json(text: str) -> bool:
    """Tell whether *text* is JSON as far as its ends show, and no table for people.

    To look for one would take far more time and memory than the text.
    """
    if len(text) <= LINE_LIMIT:
        return False
    text = text.strip()
    return text[:1] + text[-1:] in ("[]", "{}")
