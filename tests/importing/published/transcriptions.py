"""An exchange file, and what stands in the document it was read from.

The file is the published one of a shipped map's name, else an export of our document.
"""

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from benchdb.exchange.messages import End, Line, Machine, Run, Value
from benchdb.resources import folder
from tests.documents import SHAPES, Mapped, map_path, ours
from tests.in_process import benchdb
from tests.leaving_line import LEAVES

NAMES = [*SHAPES, *SHAPES.values()]


def exported(shape: str) -> bytes:
    """Return what the commands make of our document and its map."""
    with tempfile.TemporaryDirectory() as room:
        database, file = Path(room) / "results.sqlite", Path(room) / "export.jsonl"
        document = ours(shape).path
        done = benchdb("import", "--map", map_path(shape), document, "--db", database)
        assert (done.status, done.err) == (0, "")
        done = benchdb("export", "-o", file, "--db", database)
        what = done.err.removesuffix(f" leave: {LEAVES}\n")
        # Claims alone leave without a word.
        words = r"benchdb: \d+ runs? of \d+ machines?"
        pattern = words if b'"type":"run"' in file.read_bytes() else ""
        assert done.status == 0
        assert re.fullmatch(pattern, what), done.err
        return file.read_bytes()


@cache
def lines_of(name: str) -> list[Line]:
    """Return the lines of the exchange file."""
    published = folder("published") / f"{name}.jsonl"
    content = exported(name) if name in SHAPES else published.read_bytes()
    return [msgspec.json.decode(line, type=Line) for line in content.splitlines()]


def values_of(name: str) -> Iterator[Value]:
    """Yield every figure."""
    for line in lines_of(name):
        if isinstance(line, End):
            yield from line.values


def runs_of(name: str) -> Iterator[tuple[int, str | None, Run, Machine]]:
    """Yield each run with its line and column, and its machine."""
    lines = lines_of(name)
    machines = {line.key: line for line in lines if isinstance(line, Machine)}
    for line in lines:
        if isinstance(line, Run):
            yield *place_of(line.locator), line, machines[line.machine]


def place_of(locator: str | None) -> tuple[int, str | None]:
    """Return the line of a locator, and its column or key if it names any."""
    match = re.fullmatch(r"line (\d+)(?:, (?:column )?(.+))?", locator or "")
    assert match, locator
    return int(match[1]), match[2]


def cells(row: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def text_at(mapped: Mapped, locator: str | None) -> str:
    """Return the cell that *locator* names, or the line where it names no column."""
    number, column = place_of(locator)
    text = mapped.document.lines
    line = text[number - 1]
    if column is None or not line.startswith("|"):
        assert column is None or line.startswith(f"{column}: ")
        return line
    head = next(row for row in reversed(text[:number]) if column in cells(row))
    return cells(line)[cells(head).index(column)]


def matches(mapped: Mapped, pattern: str) -> list[tuple[int, str]]:
    """Return line number and characters of every match in the document."""
    return [
        (number, match[0])
        for number, line in enumerate(mapped.document.lines, start=1)
        for match in re.finditer(pattern, line)
    ]


def transcribed(mapped: Mapped, prefix: str = "") -> list[tuple[int, str]]:
    """Return line number and characters of every figure, in the document's order.

    An export has an order of its own; a published file has that of its document.
    """
    places = [
        (place_of(value.locator)[0], value.printed or "")
        for value in values_of(mapped.name)
        if value.metric.startswith(prefix) and value.value is not None
    ]
    if not mapped.is_ours:
        return places
    return sorted(places, key=lambda place: (place[0], column_at(mapped, *place)))


def column_at(mapped: Mapped, number: int, printed: str) -> int:
    """Return how far from the left *printed* stands on its line."""
    return mapped.document.lines[number - 1].index(printed)
