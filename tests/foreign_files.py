"""What an importer makes of a file: of a sample, of one of ours, of a text.

A sample is a file as a tool writes it. Ours are made up, with the structure and the
oddities of the tools; where ``../shared`` stands beside the checkout, files that the
tools themselves have written are read as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchdb.exchange.reader import BadLine, SourceClaim
from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.formats import Format
from benchdb.importing.provenance import NOTHING, About
from tests.shared_material import SHARED

FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = FIXTURES / "tools"
SHARED_SAMPLES = SHARED / "research" / "formats"
OURS = FIXTURES / "import"


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
            (run.run.workload, value.metric): value.value
            for run in self.runs
            for value in run.end.values
        }


def sample_folders() -> list[Path]:
    """Return the folders of samples: ours, and the shared one where it is there."""
    return [SAMPLES, *([SHARED_SAMPLES] if SHARED_SAMPLES.is_dir() else [])]


def sample_paths(names: Iterable[str]) -> list[Path]:
    """Return ours of these *names*, each with the shared one that has its name."""
    paths = (folder / name for name in names for folder in sample_folders())
    return [path for path in paths if path.parent == SAMPLES or path.exists()]


def sample_id(path: Path) -> str:
    """Return the name of a sample for pytest to print, with that of its folder."""
    return f"{path.parent.name}-{path.name}"


def sample_cases(
    name: str, *, ours: tuple[Any, ...] = (), shared: tuple[Any, ...] = ()
) -> list[Any]:
    """Return the samples of this *name* to parametrize by, with what is expected."""
    expected = {SAMPLES: ours, SHARED_SAMPLES: shared}
    return [
        pytest.param(path, *expected[path.parent], id=sample_id(path))
        for path in sample_paths([name])
    ]


def document(path: Path) -> Document:
    return Document(path.name, path.read_bytes())


def written(text: str | bytes, name: str = "foreign.txt") -> Document:
    return Document(name, text.encode() if isinstance(text, str) else text)


def taken(reader: Format, result: Document, about: About = NOTHING) -> Read:
    """Return what *reader* reads of a document that it must know as its own."""
    assert reader.recognises(result)
    items = list(reader.read(result, about))
    return Read(_all(items, Record), _all(items, BadLine), _all(items, SourceClaim))


def _all(items: Iterable[object], kind: type[Any]) -> tuple[Any, ...]:
    return tuple(item for item in items if isinstance(item, kind))
