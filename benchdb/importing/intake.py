"""How a file is read: an exchange file as a stream, anything else as a document."""

from collections.abc import Iterator
from typing import IO

import msgspec

from benchdb import __version__
from benchdb.exchange import reader
from benchdb.exchange.framing import named
from benchdb.exchange.lines import FORMAT_VERSION
from benchdb.exchange.reader import Item
from benchdb.importing import plugins
from benchdb.importing.document import SIZE_LIMIT, Document, DocumentError
from benchdb.importing.formats import EXCHANGE, FORMATS, recognised
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.mapping.reading import read as read_with_map
from benchdb.importing.provenance import NOTHING, About
from benchdb.importing.readings import told_apart
from benchdb.importing.sheets import sheets
from benchdb.importing.tools.json_numbers import told

_START = 4096  # bytes that tell an exchange file from anything else


class Intake(msgspec.Struct, frozen=True):
    """A file about to be read. *nothing* says why it holds no run, where a map does.

    *document* is ``None`` for an exchange file, which is never in memory as a whole.
    """

    importer: str
    version: str
    items: Iterator[Item]
    document: Document | None = None
    map_: LoadedMap | None = None
    nothing: str | None = None


def intake(
    stream: IO[bytes],
    name: str,
    *,
    map_: LoadedMap | None = None,
    about: About = NOTHING,
) -> Intake:
    """Return how the file called *name* is read, and its items, not yet read.

    With *map_* its tables are read so. Raise ``ExchangeError`` if nothing here can.
    """
    if map_ is None and _is_exchange_file(stream):
        return Intake(EXCHANGE, str(FORMAT_VERSION), reader.read(stream))
    document = _document(stream, name)
    if map_ is not None:
        return _mapped(document, map_, about)
    if (found := recognised(document)) is not None:
        items = told_apart(FORMATS[found].read(document, about), found)
        return Intake(found, __version__, items, document)
    if (shipped := maps.shipped(document)) is not None:
        return _mapped(document, shipped, about)
    return _plugged(document, about)


def _mapped(document: Document, map_: LoadedMap, about: About) -> Intake:
    nothing = map_.map_.nothing
    importer = f"map {map_.name}"
    # A corrected map counts for more than the benchdb that read with it.
    version = f"{map_.map_.version} (benchdb {__version__})"
    items = told_apart(read_with_map(document, map_.map_, about), importer, version)
    return Intake(importer, __version__, items, document, map_, nothing)


def _plugged(document: Document, about: About) -> Intake:
    """Return how a format of another package reads *document*, or refuse it."""
    recognition = plugins.recognise(document)
    plugin = recognition.plugin
    if plugin is None:
        raise DocumentError("; ".join((_unknown(document), *recognition.faults)))
    importer = plugin.entry_point.name
    version = f"{plugin.entry_point.version} (benchdb {__version__})"
    items = told_apart(plugins.read(plugin, document, about), importer, version)
    return Intake(importer, version, items, document)


def _is_exchange_file(stream: IO[bytes]) -> bool:
    """Tell whether the first line is a header, or one that was damaged."""
    start = stream.read(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
    stream.seek(0)
    line = start.split(b"\n", 1)[0]
    return named(line).get("type") == "header" or b'"type":"header"' in line


def _document(stream: IO[bytes], name: str) -> Document:
    content = stream.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise DocumentError(
            f"larger than {SIZE_LIMIT // 2**20} MiB; only benchdb's own exchange files "
            "may be (their first line is a header)"
        )
    return Document(name, content)


def _unknown(document: Document) -> str:
    """Return why *document* cannot be read: what it lacks, or what is wrong in it."""
    try:
        return _lacking(document)
    except DocumentError as error:
        return str(error)


def _lacking(document: Document) -> str:
    found = sheets(document)  # raises where the bytes are no text
    if not found and document.text.lstrip().startswith(("{", "[")):
        _ = told(document)  # raises with the place of what is wrong, if that is why
    if not found:
        return (
            "no format that benchdb knows, and no table; exchange files come from "
            "collectors and 'benchdb export', and --map reads logs and other text"
        )
    count = "a table" if len(found) == 1 else f"{len(found)} tables"
    return (
        f"{count}, but no map says what the columns mean; "
        f"'benchdb import --guess {document.name}' proposes one"
    )
