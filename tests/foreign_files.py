"""What an importer makes of a file: of the reference material, of ours, of a text."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchdb.exchange.reader import BadLine, SourceClaim
from benchdb.exchange.record import Record
from benchdb.importing.about import NOTHING, About
from benchdb.importing.document import Document
from benchdb.importing.formats import Format
from tests.shared_material import SHARED

SAMPLES = SHARED / "research" / "formats"
OURS = Path(__file__).parent / "fixtures" / "import"


@dataclass(frozen=True)
class Read:
    """The items that one document gave, by their kind."""

    runs: tuple[Record, ...]
    bad: tuple[BadLine, ...]
    claims: tuple[SourceClaim, ...]

    @property
    def values(self) -> dict[tuple[str, str], float | None]:
        """Return every figure by workload and metric."""
        return {
            (one.run.workload, value.metric): value.value
            for one in self.runs
            for value in one.end.values
        }


def document(path: Path) -> Document:
    return Document(path.name, path.read_bytes())


def written(text: str | bytes, name: str = "foreign.txt") -> Document:
    return Document(name, text.encode() if isinstance(text, str) else text)


def taken(reader: Format, found: Document, about: About = NOTHING) -> Read:
    """Return what *reader* reads of a document that it must know as its own."""
    assert reader.recognises(found)
    items = list(reader.read(found, about))
    return Read(_all(items, Record), _all(items, BadLine), _all(items, SourceClaim))


def _all(items: Iterable[object], kind: type[Any]) -> tuple[Any, ...]:
    return tuple(one for one in items if isinstance(one, kind))
