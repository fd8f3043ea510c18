"""Documents as people publish them, with the maps that read them.

Ours are small and made up, with the shapes of those that maps are shipped for. Those
belong to other people: they are read as well where they lie beside the checkout.
"""

import csv
from functools import cache, cached_property
from operator import attrgetter
from pathlib import Path

import msgspec
import pytest

from benchdb.exchange import reader
from benchdb.exchange.messages import Source
from benchdb.exchange.reader import Item, LoneSource
from benchdb.importing.document import Document
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.resources import folder
from tests.shared_material import SHARED

FOLDER = Path(__file__).parent / "fixtures" / "documents"
SHARED_FOLDER = SHARED / "seeds"
# Ours, and the shipped map that reads a document of the same shape.
SHAPES = {
    "throughput": "tf-metal-experiments",
    "script-times": "m1tensorbench",
    "prose": "needle-metal",
    "epochs": "pytorch-in-m1",
    "assertions": "m1-vs-v100",
}


class Mapped(msgspec.Struct, frozen=True, dict=True):
    """A document in the file *path*, and the map that reads it; both by *name*."""

    name: str
    path: Path
    map_: Map

    @property
    def is_ours(self) -> bool:
        """Tell whether the document is one of the project's own."""
        return self.name in SHAPES

    @cached_property
    def document(self) -> Document:
        """Return the document, with the file's name."""
        return Document(self.path.name, self.path.read_bytes())

    @cached_property
    def items(self) -> list[Item]:
        """Return what the map makes of the document."""
        return list(read(self.document, self.map_, NOTHING))


@cache
def ours(shape: str) -> Mapped:
    """Return our document of that shape."""
    (path,) = FOLDER.glob(f"{shape}.*")
    return Mapped(shape, path, maps.load(map_path(shape)).map_)


def map_path(shape: str) -> Path:
    """Return where the map of our document of that shape is."""
    return FOLDER / "maps" / f"{shape}.toml"


@cache
def like(shape: str) -> list[Mapped]:
    """Return our document of that shape, and the published one if it is here."""
    slug = SHAPES[shape]
    path = SHARED_FOLDER / (source_of(slug).document or "")
    theirs = [Mapped(slug, path, maps.find(slug).map_)] if path.is_file() else []
    return [ours(shape), *theirs]


def each(*shapes: str) -> pytest.MarkDecorator:
    """Run a test with every document of these shapes, or of all."""
    documents = [mapped for shape in shapes or SHAPES for mapped in like(shape)]
    return pytest.mark.parametrize("mapped", documents, ids=attrgetter("name"))


@cache
def published(slug: str) -> list[Item]:
    """Return what is published of a document."""
    with (folder("published") / f"{slug}.jsonl").open("rb") as stream:
        return list(reader.read(stream))


def source_of(slug: str) -> Source:
    """Return the source line of what is published."""
    items = published(slug)
    return next(item.source for item in items if isinstance(item, LoneSource))


def by_hand(shape: str, kind: str) -> list[dict[str, str]]:
    """Return the ``runs`` or ``claims`` of our document, as written down by hand."""
    with (FOLDER / kind / f"{shape}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
