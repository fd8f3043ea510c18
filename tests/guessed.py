"""Maps proposed for fixtures and seeds, and what they say of each column."""

from pathlib import Path

from benchdb.exchange.record import Record
from benchdb.importing.about import NOTHING
from benchdb.importing.document import Document
from benchdb.importing.guessing import guess
from benchdb.importing.guessing.guess import Proposal
from benchdb.importing.mapped.mapping import Table
from benchdb.importing.mapped.reading import read
from benchdb.importing.sheets import sheets
from tests.shared_material import SHARED

FIXTURES = Path(__file__).parent / "fixtures" / "import"
GUESSED = sorted(FIXTURES.glob("guess-*"))
SEEDS = sorted((SHARED / "seeds").glob("*.txt"))


def document(path: Path) -> Document:
    return Document(path.name, path.read_bytes())


def proposal(name: str) -> Proposal:
    (path,) = FIXTURES.glob(f"guess-{name}.*")
    return guess.proposed(document(path), sheets(document(path)))


def of_seed(number: str) -> Proposal:
    (path,) = (SHARED / "seeds").glob(f"{number}_*.txt")
    return guess.proposed(document(path), sheets(document(path)))


def of_text(text: str, name: str = "results.md") -> Proposal:
    one = Document(name, text.encode())
    return guess.proposed(one, sheets(one))


def meanings(table: Table) -> dict[str, str]:
    """Return what each column is: its field, its metric, or what else."""
    return {
        name: one.field or one.metric or ",".join(one.parts.values()) or one.is_
        for name, one in table.columns.items()
    }


def records(found: Proposal, path: Path) -> list[Record]:
    items = read(document(path), found.map, NOTHING)
    return [one for one in items if isinstance(one, Record)]
