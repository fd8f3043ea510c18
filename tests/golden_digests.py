"""Digests of the golden reports: of files, of each chart of a page, of JSON views.

They are the same on every machine. What may differ from machine to machine is left out:
the bytes of a database file (its rows are taken), the version of the producer of an
export, and the fonts of the system, with which the charts beside the Markdown must not
be drawn (``no_system_fonts``).
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from benchdb.report.charts import fonts
from tests.in_process import benchdb
from tests.page import Element, parse

_WORDS_BESIDE = {"figcaption", "details"}  # of a figure, they are no part of its chart


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
    """Return the SHA-256 of each of *files*, chart and view, by its name."""
    named: dict[str, str] = {}
    for file in files:
        named[file.name] = _of_file(file)
        if file.suffix == ".html":
            page = parse(file.read_text("utf-8"))
            charts = _charts(page)
            named |= {f"{file.name}#{name}": _sha(tree) for name, tree in charts}
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


def _charts(page: Element) -> Iterator[tuple[str, str]]:
    """Yield the tree of each section's chart, and that of the shapes of marks."""
    for section in page.all("section"):
        for figure in section.all("figure"):
            yield section.attributes["id"], _tree(figure)
    (body,) = page.all("body")
    parts = [child for child in body.children if isinstance(child, Element)]
    yield "shapes", "".join(_tree(part) for part in parts if part.name == "svg")


def _tree(element: Element) -> str:
    children = [
        child
        for child in element.children
        if isinstance(child, str) or child.name not in _WORDS_BESIDE
    ]
    chart = Element(element.name, element.attributes, children)
    return json.dumps(asdict(chart), ensure_ascii=False)


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
    assert (done.status, done.err) == (0, ""), done.err
    return done.out
