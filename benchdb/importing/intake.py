"""Which files are read, and how: exchange files as streams, others as documents."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from benchdb import __version__
from benchdb.errors import UsageError
from benchdb.exchange import reader
from benchdb.exchange.messages import FORMAT_VERSION
from benchdb.exchange.reader import Item
from benchdb.exchange.validation import named
from benchdb.importing import plugins
from benchdb.importing.document import SIZE_LIMIT, Document, DocumentError
from benchdb.importing.formats import EXCHANGE, FORMATS
from benchdb.importing.mapping import maps, run_groups
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.provenance import NOTHING, About, mark_reading
from benchdb.importing.sheets import is_called_json, sheets
from benchdb.importing.tables.trees import are_json_lines
from benchdb.importing.tools.fields import content

STANDARD_INPUT = Path("-")

# What a folder is searched for. A file named by itself may be called anything.
_SUFFIXES = (
    *(".jsonl", ".json", ".csv", ".tsv", ".md", ".markdown", ".txt", ".log"),
    *(".sql", ".html", ".htm", ".ipynb", ".xml", ".sqlite", ".db", ".yaml", ".yml"),
    ".benchdb",
)
MUCH = 2**21  # bytes of a file, or of several
_START = 4096  # bytes that tell an exchange file from anything else


def files(
    paths: Sequence[Path], tell: Callable[[str], None] = lambda line: None
) -> list[Path]:
    """Return the files that *paths* stand for: a folder is the readable ones below.

    Hidden ones are left out, and links that lead out of their folder: *tell* gets a
    line about those. Raise ``UsageError`` if a path is not there, or a folder has none.
    """
    return [file for path in paths for file in _files_of(path, tell)]


def _files_of(path: Path, tell: Callable[[str], None]) -> list[Path]:
    try:
        if path != STANDARD_INPUT and not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if not path.is_dir():
            return [path]
        listed = [
            file
            for file in sorted(path.rglob("*"))
            if file.suffix.lower() in _SUFFIXES and file.is_file()
            if not any(part.startswith(".") for part in file.relative_to(path).parts)
        ]
        inside = path.resolve()
        outside = [file for file in listed if inside not in file.resolve().parents]
    except OSError as error:
        raise UsageError(f"cannot look into {path}: {error.strerror}") from error
    if outside:
        links = "a link" if len(outside) == 1 else f"{len(outside)} links"
        first = outside[0].relative_to(path)
        tell(
            f"{path}: passed over {links} out of this folder ({first}); to import "
            "what a link leads to, name the link itself"
        )
    if not listed:
        raise UsageError(f"no results in {path}: no {', '.join(_SUFFIXES)}")
    return [file for file in listed if file not in outside]


def size(path: Path) -> int:
    """Return how large a file is; of what is none, much."""
    try:
        return path.stat().st_size if path.is_file() else MUCH
    except OSError:  # it has a line of its own, soon
        return 0


@contextmanager
def open_file(path: Path) -> Iterator[IO[bytes]]:
    """Give a seekable stream; what comes through a pipe is kept on disk meanwhile."""
    with ExitStack() as stack:
        stream: IO[bytes] = sys.stdin.buffer
        if path != STANDARD_INPUT:
            stream = stack.enter_context(path.open("rb"))
        if not stream.seekable():
            spool = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=2**24))
            shutil.copyfileobj(stream, spool)
            spool.seek(0)
            stream = spool
        yield stream


class UnexplainedError(DocumentError):
    """A document may hold results, but nothing says what its parts mean."""


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
    agreed: Path | None = None,
    known: bool = True,
) -> Intake:
    """Return how the file called *name* is read, and its items, not yet read.

    With *map_* its tables are read so. Else the maps that are shipped are looked at for
    this very document, then formats of tools, then the maps in the folder *agreed* and
    the formats of other packages. Unless *known* all of these are passed over.
    Raise ``ExchangeError`` if nothing here can read it.
    """
    if map_ is None and _is_exchange_file(stream):
        return Intake(EXCHANGE, str(FORMAT_VERSION), reader.read(stream))
    data = stream.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise DocumentError(
            f"larger than {SIZE_LIMIT // 2**20} MiB; only benchdb's own exchange files "
            "may be (their first line is a header)"
        )
    document = Document(name, data)
    if map_ is None and not known:
        raise _unknown(document, ())
    map_ = map_ or maps.shipped_for(document)
    if map_ is not None and map_.map_.tool is not None:
        return _by_tool(document, map_, about)
    for tool, format_ in FORMATS.items() if map_ is None else ():
        if format_.recognises(document):
            items = mark_reading(format_.read(document, about), tool)
            return Intake(tool, __version__, items, document)
    if map_ is None and agreed is not None:
        map_ = maps.remembered(agreed, document)
    if map_ is not None:
        return mapped(document, map_, about)
    plugin, faults = plugins.recognise(document)
    if plugin is None:
        raise _unknown(document, faults)
    version = f"{plugin.version} (benchdb {__version__})"
    items_read = plugins.read(plugin, document, about)
    items = mark_reading(items_read, plugin.name, version)
    return Intake(plugin.name, version, items, document)


def mapped(document: Document, map_: LoadedMap, about: About) -> Intake:
    """Return how the tables of *document* are read by *map_*."""
    importer = f"map {map_.name}"
    # A corrected map counts for more than the benchdb that read with it.
    version = f"{map_.map_.version} (benchdb {__version__})"
    items = mark_reading(run_groups.read(document, map_.map_, about), importer, version)
    nothing = map_.map_.nothing
    return Intake(importer, __version__, items, document, map_, nothing)


def _by_tool(document: Document, map_: LoadedMap, about: About) -> Intake:
    """Return how *document* is read by the format of the tool that its map names."""
    tool = map_.map_.tool or ""
    format_ = FORMATS.get(tool)
    if format_ is None or not format_.recognises(document):
        raise DocumentError(f"the map {map_.name} says that it is of {tool}; it is not")
    about = run_groups.facts_of(document, map_.map_, about)
    path = map_.map_.path(document.sha256)
    document = replace(document, name=path or document.name)
    items = mark_reading(format_.read(document, about), tool)
    return Intake(tool, __version__, items, document, map_)


def _is_exchange_file(stream: IO[bytes]) -> bool:
    """Tell whether the first line is a header, or one that was damaged."""
    start = stream.read(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
    stream.seek(0)
    line = start.split(b"\n", 1)[0]
    return named(line).get("type") == "header" or b'"type":"header"' in line


def _unknown(document: Document, faults: Sequence[str]) -> DocumentError:
    """Return why *document* cannot be read: what it lacks, or what is wrong in it."""
    try:
        tables = sheets(document)  # raises where the bytes are no text
    except DocumentError as error:
        return DocumentError("; ".join((str(error), *faults)))
    lines = not tables and are_json_lines(document)
    if not tables and not lines and document.text.lstrip().startswith(("{", "[")):
        try:
            _ = content(document)  # raises with the place of what is wrong
        except DocumentError as error:
            faults = (str(error), *faults)
            if is_called_json(document):
                return DocumentError("; ".join(faults))
    why = (
        "no format that benchdb knows, and no table; exchange files come from "
        "collectors and 'benchdb export', and --guess proposes a map for other text"
    )
    if tables or lines:
        count = "a table" if len(tables) == 1 else f"{len(tables)} tables"
        count = "JSON Lines" if lines else count
        why = (
            f"{count}, but no map says what the columns mean; "
            f"'benchdb import --guess {document.name}' proposes one"
        )
    return UnexplainedError("; ".join((why, *faults)))
