"""Maps proposed for documents, what they ask, and what the answers make of them."""

from collections.abc import Mapping
from pathlib import Path

from benchdb.exchange.reader import BadLine
from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.draft import Proposal
from benchdb.importing.guess.questions import (
    AGREED,
    Question,
)
from benchdb.importing.mapping.language import Table
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import READERS, sheets
from tests.documents import SHAPES, like

FIXTURES = Path(__file__).parents[2] / "fixtures" / "import"
GUESSED = sorted(FIXTURES.glob("guess-*"))
DOCUMENTS = [mapped.path for shape in SHAPES for mapped in like(shape)]
# What is answered to a question that a test says nothing of.
INDIFFERENT = ("not-stated", "leave-out", "not-run", "nothing", "training", "point")


def document(path: Path) -> Document:
    return Document(path.name, path.read_bytes())


def of_file(path: Path, answers: Mapping[str, str] = {}) -> Proposal:
    result = document(path)
    return draft.propose(result, sheets(result), answers)


def proposal(name: str, answers: Mapping[str, str] = {}) -> Proposal:
    (path,) = FIXTURES.glob(f"guess-{name}.*")
    return of_file(path, answers)


def of_text(
    text: str, answers: Mapping[str, str] = {}, name: str = "results.md"
) -> Proposal:
    result = Document(name, text.encode())
    outcome = sheets(result) or READERS["key-value"](result)
    return draft.propose(result, outcome, answers)


def table(header: str, *rows: str) -> str:
    """Return a table in Markdown of rows whose cells are parted by ``|``."""
    ruler = "|".join("---" for _ in header.split("|"))
    return "\n".join([header, ruler, *rows]) + "\n"


FOO = "# matmul in JAX on M2 GPU\n\n" + table("Size | Foo", "512 | 12.5")
TIME = "# Training, JAX, M2 GPU\n\n" + table("Model | Time", "lenet | 12.5")


def asked(result: Proposal) -> set[str]:
    """Return the keys of what the document leaves open, but of the precision.

    What was inferred is on the card as well: see ``inferred`` and ``metrics_of``.
    """
    open_ = (
        it
        for it in result.questions
        if it.likely != AGREED and not it.key.startswith("metric of ")
    )
    keys = {it.key if it.choices else it.key.partition(" at ")[0] for it in open_}
    return keys - {"precision"}


def inferred(result: Proposal) -> dict[str, str]:
    """Return the lines of what was inferred, by their keys."""
    lines = (it for it in result.questions if it.likely == AGREED)
    return {line.key.partition(" at ")[0]: line.text for line in lines}


def metrics_of(result: Proposal) -> dict[str, str | None]:
    """Return the metrics that were inferred, by the names of their columns."""
    return {
        it.key.removeprefix("metric of ").partition(" at ")[0]: it.likely
        for it in result.questions
        if it.key.startswith("metric of ")
    }


def question(result: Proposal, topic: str) -> Question:
    """Return the only question of that topic."""
    (line,) = [line for line in result.questions if line.key.startswith(topic)]
    return line


def number(result: Proposal, text: str) -> int:
    """Return the number of the line that asks what has *text* in its key or words."""
    (n,) = [
        n
        for n, line in enumerate(result.lines(), 1)
        if any(text in f"{it.key}: {it.text}" for it in line.questions)
    ]
    return n


def choices(result: Proposal, topic: str) -> set[str]:
    return {*question(result, topic).choices}


def converse(
    text: str, chosen: Mapping[str, str] = {}, name: str = "results.md"
) -> tuple[Proposal, int]:
    """Return the map after all is answered, and how many cards that took.

    *chosen* are answers by the beginning of a question's key.
    """
    answers: dict[str, str] = {}
    cards = 0
    while questions := of_text(text, answers, name).questions:
        cards += 1
        assert cards < 5, [item.key for item in questions]
        for item in questions:
            texts = [it for key, it in chosen.items() if item.key.startswith(key)]
            keys = [*item.choices] or [str(item.likely)]
            plain = [it for it in INDIFFERENT if it in keys] + keys
            if item.key.startswith("metric of "):
                plain = [str(item.likely)]  # what its words say
            answers[item.key] = (texts + plain)[0]
    return of_text(text, answers, name), cards


def meanings(table: Table) -> dict[str, str]:
    """Return what each column is: its field, its metric, or what else."""
    return {
        name: column.field
        or ",".join(column.names)
        or column.metric
        or ",".join(column.parts.values())
        or column.is_
        for name, column in table.columns.items()
    }


def records(result: Proposal, text: str, name: str = "results.md") -> list[Record]:
    items = read(Document(name, text.encode()), result.map, NOTHING)
    return [record for record in items if isinstance(record, Record)]


def bad_lines(result: Proposal, text: str, name: str = "results.md") -> list[BadLine]:
    items = read(Document(name, text.encode()), result.map, NOTHING)
    return [record for record in items if isinstance(record, BadLine)]


def of_statistics(result: Proposal, text: str) -> list[tuple[str, str, float | None]]:
    """Return statistic (``""`` without one), metric and value of all that is stored."""
    return [
        (str(record.run.parameters.get("statistic", "")), value.metric, value.value)
        for record in records(result, text)
        for value in record.end.values
    ]


def figures(result: Proposal, text: str) -> list[tuple[str, str, float | None]]:
    """Return workload, metric and value of all that is stored."""
    return [
        (record.run.workload, value.metric, value.value)
        for record in records(result, text)
        for value in record.end.values
    ]
