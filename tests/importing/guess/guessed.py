"""Maps proposed for documents, and what they say of each column."""

from pathlib import Path

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.draft import Proposal
from benchdb.importing.mapping.language import Table
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import sheets
from tests.documents import SHAPES, like

FIXTURES = Path(__file__).parents[2] / "fixtures" / "import"
GUESSED = sorted(FIXTURES.glob("guess-*"))
DOCUMENTS = [mapped.path for shape in SHAPES for mapped in like(shape)]


def document(path: Path) -> Document:
    return Document(path.name, path.read_bytes())


def of_file(path: Path) -> Proposal:
    return draft.propose(document(path), sheets(document(path)))


def proposal(name: str) -> Proposal:
    (path,) = FIXTURES.glob(f"guess-{name}.*")
    return of_file(path)


def of_text(text: str, name: str = "results.md") -> Proposal:
    one = Document(name, text.encode())
    return draft.propose(one, sheets(one))


def meanings(table: Table) -> dict[str, str]:
    """Return what each column is: its field, its metric, or what else."""
    return {
        name: one.field or one.metric or ",".join(one.parts.values()) or one.is_
        for name, one in table.columns.items()
    }


def records(found: Proposal, path: Path) -> list[Record]:
    items = read(document(path), found.map, NOTHING)
    return [one for one in items if isinstance(one, Record)]
