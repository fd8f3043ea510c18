"""What is published of the documents of others, held against them.

A source is a folder of documents by its slug, a map that says what they are, and an
exchange file with their figures. The documents are no part of the project: whoever
fetches them again can check every figure.
"""

import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.errors import ExchangeError
from benchdb.exchange import reader
from benchdb.exchange.messages import Source
from benchdb.exchange.reader import BadLine, Item, LoneSource, SourceClaim
from benchdb.exchange.record import Record, content, digest_of
from benchdb.identity import digest
from benchdb.importing.document import Document
from benchdb.importing.intake import intake
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap

# What a run is, wherever it stands and however that is known.
_PLACES = ("key", "machine", "environment", "source", "locator", "basis", "missing")


def document_at(folder: Path, path: str) -> Document | None:
    """Return the document of a source that stands at *path*, if there is one."""
    file = folder / path
    return Document(path, file.read_bytes()) if file.is_file() else None


def read(document: Document, map_: LoadedMap) -> Iterator[Item]:
    """Yield what *map_* makes of *document*, whichever version of benchdb reads it."""
    version = None if map_.map_.tool else str(map_.map_.version)
    sources: dict[str, Source] = {}
    taken = intake(io.BytesIO(document.content), document.name, map_=map_)
    for item in taken.items:
        if isinstance(item, BadLine) or item.source is None:
            yield item
            continue
        named = digest_of(item.source)
        if named not in sources:
            sources[named] = replace(item.source, importer_version=version)
            yield LoneSource(sources[named])
        if not isinstance(item, LoneSource) and not _is_blank(item):
            yield replace(item, source=sources[named])


def _is_blank(item: Item) -> bool:
    """Tell whether a cell of a pivot is blank, which is worth no run in a corpus."""
    return isinstance(item, Record) and item.end.status == "not-measured"


class Comparison(msgspec.Struct):
    """What became of the figures of a source.

    *absent* are documents that are not there, *other* those with another digest,
    *unread* those that cannot be read, with the reason. Figures are *equal*; *moved*,
    at another place; *changed*, another value or other characters; *gone*; *new*, where
    a document has some that are not published.
    """

    slug: str
    documents: int = 0
    absent: list[str] = []
    other: list[str] = []
    unread: list[str] = []
    equal: int = 0
    moved: int = 0
    changed: int = 0
    gone: int = 0
    new: int = 0

    @property
    def figures(self) -> int:
        """Return how many published figures were looked for."""
        return self.equal + self.moved + self.changed + self.gone

    @property
    def is_clean(self) -> bool:
        """Tell whether all documents are the published ones, and all figures in them.

        A figure that benchdb reads and nobody published is a difference as well.
        """
        unlike = self.absent or self.other or self.unread
        return not unlike and self.equal == self.figures and not self.new


# A figure or claim as printed: value, deviation, characters, its place and its run's.
_Figure = tuple[float | None, float | None, str | None, str | None, str | None]
_Figures = Mapping[str, list[_Figure]]


def compare(map_: LoadedMap, published: Path, folder: Path) -> Comparison:
    """Hold what is *published* of a source against the documents in *folder*.

    Raise ``ExchangeError`` where the published file is damaged.
    """
    result = Comparison(map_.name)
    stated: dict[str, list[Record | SourceClaim]] = {}
    sources: dict[str, Source] = {}
    with published.open("rb") as stream:
        for item in reader.read(stream):
            if isinstance(item, BadLine):
                raise ExchangeError(f"{published}:{item.number}: {item.reason}")
            if item.source is not None:
                sources.setdefault(digest_of(item.source), item.source)
                items = stated.setdefault(digest_of(item.source), [])
                items += [item] if isinstance(item, Record | SourceClaim) else []
    for key, source in sources.items():
        _compare_document(result, map_, source, stated[key], folder)
    return result


def _compare_document(
    result: Comparison,
    map_: LoadedMap,
    source: Source,
    stated: Sequence[Record | SourceClaim],
    folder: Path,
) -> None:
    path = source.document or ""
    result.documents += 1
    document = document_at(folder, path)
    if document is None:
        result.absent.append(path)
        return
    if document.sha256 != source.document_sha256:
        result.other.append(path)
    try:
        items = list(read(document, map_))
    except ExchangeError as error:
        result.unread.append(f"{path}: {error}")
        return
    result.unread += [
        f"{path}, {item.locator or f'line {item.number}'}: {item.reason}"
        for item in items
        if isinstance(item, BadLine)
    ]
    figures = [item for item in items if isinstance(item, Record | SourceClaim)]
    _count(result, _figures(stated), _figures(figures))


def _figures(items: Sequence[Record | SourceClaim]) -> _Figures:
    """Return the figures of *items* by what they are of."""
    figures: dict[str, list[_Figure]] = defaultdict(list)
    for item in items:
        if isinstance(item, SourceClaim):
            claim = item.claim
            figures[digest(claim.statement)].append(
                (claim.value, None, claim.printed, claim.locator, None)
            )
        elif not _is_blank(item):
            run, end = item.run, item.end
            about: list[Any] = [
                content(run, drop=_PLACES),
                digest_of(item.machine),
                digest_of(item.environment),
                end.status,
            ]
            for it in end.values:
                figures[digest([*about, it.metric])].append(
                    (it.value, it.uncertainty, it.printed, it.locator, run.locator)
                )
            if not end.values:
                figures[digest([*about, end.reason])].append(
                    (None, None, None, run.locator, None)
                )
    return figures


def _count(result: Comparison, published: _Figures, read: _Figures) -> None:
    """Count what became of the *published* figures in those that were *read*."""
    for key in {*published, *read}:
        left = list(read.get(key, ()))
        for figure in published.get(key, ()):
            if not left:
                result.gone += 1
                continue
            # That with the same characters at the same place, else the most alike.
            row = min(left, key=lambda it: (it[:3] != figure[:3], it[3:] != figure[3:]))
            left.remove(row)
            if row[:3] != figure[:3]:
                result.changed += 1
            elif row != figure:
                result.moved += 1
            else:
                result.equal += 1
        result.new += len(left)


def published_file(published: Path, slug: str) -> Path:
    """Return the exchange file of a source in the folder *published*."""
    first = published / f"{slug}.jsonl"  # of those that benchdb began with
    return first if first.is_file() else published / "corpus" / f"{slug}.jsonl"


def sources(published: Path) -> dict[str, LoadedMap]:
    """Return the maps of the sources in the folder *published*, by slug."""
    loaded_maps = (maps.load(path) for path in sorted(published.glob("maps/*.toml")))
    return {map_.name: map_ for map_ in loaded_maps}
