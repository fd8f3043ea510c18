"""The readers of running text by the names that a map calls them."""

from collections.abc import Callable

from benchdb.importing.document import Document
from benchdb.importing.mapping.language import Reader
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import notebook
from benchdb.importing.texts import (
    bullets,
    epochs,
    fixed_width,
    keras,
    key_value,
    progress,
    shell_time,
)

_Read = Callable[[Document], tuple[Sheet, ...]]


def _of_notebooks_too(read: _Read) -> _Read:
    """Return *read* for what a notebook prints, where the document is a notebook."""

    def sheets(document: Document) -> tuple[Sheet, ...]:
        if notebook.recognises(document):
            return notebook.printed(document, read)
        return read(document)

    return sheets


_OF_TEXT: dict[Reader, _Read] = {
    "fixed-width": fixed_width.sheets,
    "key-value": key_value.sheets,
    "bullets": bullets.sheets,
    "keras": keras.sheets,
    "epochs": epochs.sheets,
    "time": shell_time.sheets,
    "tqdm": progress.sheets,
}
READERS: dict[Reader, _Read] = {
    name: _of_notebooks_too(read) for name, read in _OF_TEXT.items()
}
