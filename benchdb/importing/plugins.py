"""Formats of installed packages: their entry points in the group ``benchdb.formats``.

A package is imported only when a document is of no format of ours. What is wrong with
it is a fault, told where no format knows a document; it ends no import.
"""

from collections.abc import Iterator
from functools import partial

import msgspec

from benchdb.errors import ExchangeError
from benchdb.exchange.reader import BadLine, Item, LoneSource, SourceClaim
from benchdb.exchange.record import Record
from benchdb.exchange.validation import RefusedError
from benchdb.extensions import ANYTHING, Extension, installed
from benchdb.importing import building
from benchdb.importing.building import acceptable
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.formats import EXCHANGE, FORMATS
from benchdb.importing.provenance import About


def formats() -> tuple[Extension, ...]:
    """Return the formats of installed packages, in the order they are asked."""
    return installed("format", (EXCHANGE, *FORMATS))


def recognise(document: Document) -> tuple[Extension | None, list[str]]:
    """Return the format of a package that *document* has, or why there may be none."""
    faults = [plugin.fault for plugin in formats() if plugin.fault]
    for plugin in formats():
        try:
            if not plugin.fault and plugin.loaded.recognises(document):
                return plugin, []
        except ANYTHING as error:
            what = "failed to recognise the document"
            faults.append(plugin.failure(what, error))
    return None, faults


def read(plugin: Extension, document: Document, about: About) -> Iterator[Item]:
    """Yield the items that *plugin* reads, as acceptable as those of our formats.

    Raise ``DocumentError`` that names the package where it fails otherwise than it may.
    """
    try:
        for item in plugin.loaded.read(document, about):
            yield _check(item)
    except ExchangeError:
        raise
    except ANYTHING as error:
        what = "failed to read the document"
        raise DocumentError(plugin.failure(what, error)) from error


def _check(item: object) -> Item:
    match item:
        case Record():
            make = partial(building.accepted, item)
            return building.attempt(make, locator=item.run.locator or "")
        case SourceClaim():
            return SourceClaim(acceptable(item.claim), acceptable(item.source))
        case LoneSource():
            return LoneSource(acceptable(item.source))
        case BadLine():
            return msgspec.convert(msgspec.structs.asdict(item), BadLine)
    kind = type(item).__name__
    raise RefusedError(f"'read' yields {kind}, which is no item of an exchange file")
