"""Sheets of documents and of running text, short to compare."""

from pathlib import Path

from benchdb.importing.document import Document
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS, sheets

FIXTURES = Path(__file__).parents[1] / "fixtures" / "import"


def tables(text: str, name: str) -> tuple[Sheet, ...]:
    return sheets(Document(name, text.encode()))


def table(text: str, name: str) -> Sheet:
    """Return the only table of *text*."""
    (sheet,) = tables(text, name)
    return sheet


def read(reader: Reader, text: str) -> tuple[Sheet, ...]:
    return READERS[reader](Document("log.txt", text.encode()))


def read_file(reader: Reader, path: Path) -> tuple[Sheet, ...]:
    return READERS[reader](Document(path.name, path.read_bytes()))


def texts(sheet: Sheet) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in sheet.rows]


def faults(sheet: Sheet) -> list[tuple[int, str]]:
    return [(line.number, line.reason) for line in sheet.bad]


def only_row(reader: Reader, text: str) -> dict[str, str]:
    """Return the only row of the only sheet by its columns."""
    (sheet,) = read(reader, text)
    (row,) = texts(sheet)
    return dict(zip(sheet.header, row, strict=True))
