"""Read a document with a map: items of an exchange file come out."""

from collections.abc import Iterator

import msgspec

from benchdb.exchange.lines import Source
from benchdb.exchange.reader import BadLine, Item, LoneSource
from benchdb.exchange.record import Record
from benchdb.exchange.validation import UNDERSTANDABLE, reason
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping import claims, doubts, transcription
from benchdb.importing.mapping.assembling import records
from benchdb.importing.mapping.headings import groups
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.layers import Layer, layer
from benchdb.importing.mapping.match import explained, searched
from benchdb.importing.mapping.observations import (
    Observation,
    RatioCell,
    Seen,
    observations,
)
from benchdb.importing.mapping.runs import Gathered, Ground, gathered
from benchdb.importing.mapping.time_limit import time_limit
from benchdb.importing.provenance import About

IMPORTER = "map"

# Of processor time; a table of one MiB takes about 7 s.
SECONDS = 10.0
SECONDS_PER_BYTE = 60 / 2**20


def read(document: Document, map_: Map, about: About) -> Iterator[Item]:
    """Yield what *map_* makes of *document*; what *about* says wins over the map.

    First comes the source, which stands even without a run. Raise ``DocumentError``
    where the document cannot be read, has no table that the map means, or takes far
    too long with this map.
    """
    with time_limit(SECONDS + SECONDS_PER_BYTE * len(document.content)):
        items = list(_items(document, map_, about))
    yield from items


def _items(document: Document, map_: Map, about: About) -> Iterator[Item]:
    if about.label is not None:
        map_ = msgspec.structs.replace(map_, label=about.label)
    source = _acceptable(_source(document, map_, about))
    seen = list(_seen(document, map_))
    ground = Ground(map_, (layer(map_), _named(document, map_)), source.slug)
    yield LoneSource(source)
    yield from (one for one in seen if isinstance(one, BadLine))
    figures = (one for one in seen if isinstance(one, Observation))
    runs: list[Gathered] = []
    for run in gathered(figures, ground):
        if isinstance(run, BadLine):
            yield run
        else:
            runs.append(run)
    yield from _records(runs, map_, source)
    cells = (one for one in seen if isinstance(one, RatioCell))
    yield from claims.claims(cells, runs, ground, source)
    yield from transcription.claims(document, map_, source)


def _acceptable(source: Source) -> Source:
    try:
        return building.acceptable(source)
    except UNDERSTANDABLE as why:
        raise DocumentError(f"its source: {reason(why)}") from why


def _seen(document: Document, map_: Map) -> Iterator[Seen]:
    yield from transcription.figures(document, map_)
    for one in explained(document, map_):
        yield from observations(one)


def _records(
    runs: list[Gathered], map_: Map, source: Source
) -> Iterator[Record | BadLine]:
    met: set[int] = set()
    for run in runs:
        about = doubts.met(map_.flag, run.observations)
        met.update(about)
        flags = [doubts.stated(map_.flag[index]) for index in about]
        yield from records(run, map_, source, flags)
    yield from doubts.unmet(map_, met)


def _named(document: Document, map_: Map) -> Layer:
    """Return what the document's name says."""
    match = searched(map_.name, document.name) if map_.name else None
    return groups(match.groupdict()) if match else Layer()


def _source(document: Document, map_: Map, about: About) -> Source:
    """Return the source line: facts from *about*, else those of the map."""
    mapped = msgspec.structs.asdict(map_.source)
    given = {
        name: getattr(about, name) or mapped[name]
        for name in About.__struct_fields__
        if name in mapped
    }
    missing = {
        name: why for name, why in map_.source.missing.items() if not given.get(name)
    }
    return building.source(
        document,
        About(**given),
        IMPORTER,
        protocol=map_.source.protocol,
        missing=missing,
    )
