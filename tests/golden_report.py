"""The reports of the golden runs, as they are committed: ``make goldens``.

To be read by people: of each language the Markdown, its tables without the padding
and the longest cut short, and the text of the page, one line for each block; and the
values as CSV. For machines: the SHA-256 of what is written itself, page, chart and
data.
"""

import hashlib
import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path

import pytest

from benchdb.report.charts import fonts
from benchdb.report.language import available
from tests.golden_runs import document
from tests.in_process import benchdb
from tests.leaving_line import LEAVES
from tests.page import Element, parse


@contextmanager
def no_system_fonts() -> Iterator[None]:
    """Draw charts as a machine does that has no font but matplotlib's own.

    Every other font has other outlines and widths. With none, Arabic, Chinese,
    Japanese and Korean letters stay text, and matplotlib's font says how wide they are.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fonts, "own_fonts", lambda _: ())
        yield


def digests(database: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of each of *files* and views, by its name."""
    named: dict[str, str] = {}
    for file in files:
        named[file.name] = _of_file(file)
    return named | {name: _sha(text) for name, text in _views(database)}


def _sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def _of_file(file: Path) -> str:
    if file.suffix == ".sqlite":
        return _sha("".join(_rows(file)))
    return _sha(file.read_bytes())


def _rows(database: Path) -> Iterator[str]:
    """Yield every row; the bytes of a database file are its library's affair."""
    with closing(sqlite3.connect(database)) as connection:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        for (table,) in connection.execute(tables).fetchall():
            rows = connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            yield f"{table} {[column[0] for column in rows.description]}\n"
            yield from sorted(json.dumps(row, default=bytes.hex) + "\n" for row in rows)


def _views(database: Path) -> Iterator[tuple[str, str]]:
    """Yield what commands print of the database for programs, by the command."""
    runs = _printed("list", "--runs", "--json", database)
    yield "benchdb list --runs --json", runs
    shown = (
        _printed("show", "--json", run["digest"], database) for run in json.loads(runs)
    )
    yield "benchdb show --json", "".join(shown)
    _, _, lines = _printed("export", database).partition("\n")
    yield "benchdb export", lines


def _printed(*command: object) -> str:
    *words, database = command
    done = benchdb(*words, "--db", database)
    says = f"benchdb: 48 runs of 11 machines leave: {LEAVES}\n"
    assert done.status == 0, done.err
    assert done.err == (says if words == ["export"] else ""), done.err
    return done.out


FOLDER = Path(__file__).parent / "golden"
DIGESTS = "sha256.txt"
_ROWS = 24  # of a table, its head among them; only that of all values is longer
_BLOCKS = {"title", "section", "header", "footer", "nav", "figure", "figcaption"}
_BLOCKS |= {"h1", "h2", "h3", "p", "ul", "ol", "li", "tr", "caption", "summary", "div"}
_BLOCKS |= {"article", "table", "tbody", "thead", "details", "main", "body", "html"}
_APART = {"small", "sub", "a", "div", "dd", "dt", "p"}
_CELLS = {"td", "th", "option", "text"}
_UNSEEN = {"style", "script", "template"}


def contents(room: Path) -> dict[str, str]:
    """Write the reports to *room*; return the golden files by name."""
    files = _written(room)
    values: dict[str, str] = {}
    for file in files:
        if file.suffix == ".md" and "snippet" not in file.name:
            values[file.name] = squeezed(file.read_text("utf-8"))
        elif file.suffix == ".html":
            values[f"{file.stem}.txt"] = text(parse(file.read_text("utf-8")))
        elif file.suffix == ".csv":
            values[file.name] = file.read_bytes().decode().replace("\r\n", "\n")
    named = digests(room / "results.sqlite", files)
    values[DIGESTS] = "".join(f"{sha}  {name}\n" for name, sha in named.items())
    return values


def _written(room: Path) -> list[Path]:
    (room / "golden.jsonl").write_bytes(document())
    database, report = room / "results.sqlite", room / "report"
    imported = benchdb("import", room / "golden.jsonl", "--db", database)
    assert (imported.status, imported.err) == (0, ""), imported.err
    with no_system_fonts():
        warning = f"benchdb: {fonts.missing_fonts(available())}\n"
        written = benchdb("report", "--lang", "all", "--db", database, "-o", report)
    assert (written.status, written.err) == (0, warning), written.err
    return sorted(report.iterdir())


def squeezed(markdown: str) -> str:
    """Return *markdown* without padding in its tables and with few rows of a long one.

    Its values are in the CSV, and the digest is of the whole.
    """
    lines = markdown.split("\n")
    texts = (re.sub("-{3,}", "---", re.sub(" {2,}", " ", line)) for line in lines)
    return "\n".join(_few(texts))


def _few(lines: Iterable[str]) -> Iterator[str]:
    for is_table, texts in groupby(lines, lambda line: line.startswith("|")):
        rows = list(texts)
        most = _ROWS if is_table else len(rows)
        yield from rows[:most]
        if rows[most:]:
            yield f"| and {len(rows) - most} more rows |"


def text(page: Element) -> str:
    """Return what a reader of *page* meets, line by line; cells end in a bar."""
    lines = "".join(_pieces(page)).split("\n")
    texts = (re.sub(r"[^\S\u00a0\u202f]+", " ", line).strip(" |") for line in lines)
    return "".join(f"{line}\n" for line in texts if line)


def _pieces(element: Element, *, is_cell: bool = False) -> Iterator[str]:
    if element.name in _UNSEEN:
        return
    block = element.name in _BLOCKS and not is_cell
    yield "\n" if block else " " if element.name in _APART else ""
    for name in ("aria-label", "placeholder", "title"):
        if name in element.attributes:
            yield f"({element.attributes[name]}) "
    for child in element.children:
        if isinstance(child, str):
            # A line break of the source is a space on the screen.
            yield child.replace("\n", " ")
        else:
            yield from _pieces(child, is_cell=is_cell or element.name in {"td", "th"})
    if block:
        yield "\n"
    elif element.name in _CELLS:
        yield " | "


def write(folder: Path, make: Callable[[Path], dict[str, str]]) -> None:
    """Replace the golden files in *folder* by what *make* makes in an empty one."""
    with tempfile.TemporaryDirectory() as room:
        values = make(Path(room))
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, result in values.items():
        (folder / name).write_bytes(result.encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, contents)
