"""llama-bench: its JSON, JSON Lines, CSV, SQL and the SQLite files made of that.

No version stands in the files; a version shows in the columns. Times of every sample
are in JSON only: CSV and SQL are ``aggregate``. Its Markdown tables are read by
``llama_bench_tables``.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from benchdb.exchange.lines import Source
from benchdb.exchange.reader import BadLine, Item
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import sqlite_tables
from benchdb.importing.tools.llama_bench_runs import MARKS, Result, record
from benchdb.importing.tools.printed_json import (
    PrintedFloat,
    elements,
    with_printed,
)
from benchdb.importing.tools.sql_text import inserted

_TABLES = ("test", "llama_bench")  # the second since 2025
_FIRST = "build_commit"  # the first column of every CSV file
_INTO = re.compile(rf"^INSERT INTO [\"`\[]?(?:{'|'.join(_TABLES)})\b", re.MULTILINE)
_START = re.compile(rf"\[\s*(?:\{{|$)|\{{|{_FIRST}")
# A document for people, with the tool's table and its other formats beside it.
_FENCE = "\n```"
_HEAD = re.compile(r"^\| *model +\|[^\n]*\| +t/s +\|", re.MULTILINE)
_LOOKED_AT = 20  # results; the first may be damaged
_WHOLE = re.compile(r"-?\d{1,18}")
_FRACTION = re.compile(r"-?\d{1,18}\.\d{1,18}")
_TEXTS = {
    *(_FIRST, "cpu_info", "gpu_info", "backends", "model_filename", "model_type"),
    *("cpu_mask", "type_k", "type_v", "split_mode", "devices", "tensor_split"),
    *("tensor_buft_overrides", "test_time", "moe_cache", "load_mode", "test"),
}


def recognises(document: Document) -> bool:
    """Tell whether these are results of llama-bench, but not as Markdown."""
    if document.content.startswith(sqlite_tables.MAGIC):
        return _table(document) is not None
    try:
        text = document.text
    except DocumentError:
        return False
    if not all(mark in text for mark in MARKS):
        return False
    if _FENCE in text and _HEAD.search(text):
        return False
    form = _form(document)
    return form is not None and (form not in _OBJECTS or _is_own(document, form))


def _is_own(document: Document, form: str) -> bool:
    """Tell whether the marks are of results, and not of something inside them."""
    first = list(islice(_FORMS[form](document), _LOOKED_AT))
    whole = [one.columns for one in first if isinstance(one, Result)]
    return not whole or any(mark in one for one in whole for mark in MARKS)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for each result; a broken result is a ``BadLine``."""
    source = building.source(document, about, "llama-bench")
    form = "sqlite" if _table(document) else _form(document)
    if form is None:
        raise DocumentError("no results of llama-bench")
    found = 0
    for one in _FORMS[form](document):
        found += 1
        yield one if isinstance(one, BadLine) else _item(one, source, about)
    if not found:
        raise DocumentError("llama-bench wrote its header, but no result")


def _item(result: Result, source: Source, about: About) -> Item:
    return building.attempt(
        lambda: record(result, source, about.label),
        line=result.line,
        locator="" if result.line else result.place.rstrip("/"),
        raw=str(dict(result.columns)),
    )


def _form(document: Document) -> str | None:
    start = _first_line(document.lines)
    line = document.lines[start] if start is not None else ""
    if line.startswith("["):
        return "json"
    if line.startswith("{"):
        return "json" if line.strip() == "{" else "jsonl"
    if line.startswith(_FIRST) and all(mark in line for mark in MARKS):
        return "csv"
    return "sql" if _INTO.search(document.text) else None


def _first_line(lines: Sequence[str]) -> int | None:
    """Return the index of the first line of results; a log may come before it."""
    return next((place for place, line in enumerate(lines) if _START.match(line)), None)


def _json(document: Document) -> Iterator[Result | BadLine]:
    start = _first_line(document.lines) or 0
    text = "\n" * start + "\n".join(document.lines[start:])
    if not text.lstrip().startswith("["):
        text = f"{text}\n]".replace("{", "[{", 1)  # one result alone
    line, seen = 1, 0
    try:
        for place, (at, raw) in enumerate(elements(text)):
            line += text.count("\n", seen, at)
            seen = at
            yield _parsed(raw, f"/{place}/", line)
    except DocumentError as error:
        yield building.bad(str(error), locator=str(error).split(":", 1)[0])


def _jsonl(document: Document) -> Iterator[Result | BadLine]:
    for line, raw in enumerate(document.lines, start=1):
        if raw.startswith("{"):
            parsed = _parsed(raw, "", line)
            if isinstance(parsed, Result):
                parsed = Result(parsed.columns, f"line {line}, /", line)
            yield parsed


def _parsed(raw: str, place: str, line: int) -> Result | BadLine:
    try:
        columns = with_printed(raw)
    except DocumentError as error:
        return building.bad(str(error), line=line, raw=raw)
    if not isinstance(columns, dict):
        return building.bad("a result is no object", line=line, raw=raw)
    return Result(columns, place)


def _csv(document: Document) -> Iterator[Result | BadLine]:
    start = _first_line(document.lines) or 0
    lines = (line + "\n" for line in document.lines[start:])
    rows = csv.reader(lines, strict=True)
    header: list[str] = []
    line = start + 1
    try:
        for cells in rows:
            if cells and cells[0] == _FIRST:  # again where outputs were joined
                header = cells
            elif cells:
                yield _row(header, cells, line)
            line = start + rows.line_num + 1
    except csv.Error as error:
        yield building.bad(f"no CSV from here on ({error})", line=line)


def _sql(document: Document) -> Iterator[Result | BadLine]:
    for one in inserted(document.text):
        if isinstance(one, BadLine):
            yield one
        elif one.table in _TABLES:
            yield _row(one.columns, one.values, one.line)
        else:
            why = f"table {one.table!r} is none of llama-bench"
            yield building.bad(why, line=one.line)


def _sqlite(document: Document) -> Iterator[Result | BadLine]:
    table = _table(document) or ""
    for place, columns in enumerate(sqlite_tables.rows(document, table)):
        told = {name: fact for name, fact in columns.items() if fact is not None}
        yield Result(told, f"/{table}/{place}/")


def _table(document: Document) -> str | None:
    """Return the table of results, if the document is a database that has one."""
    names = sqlite_tables.names(document)
    return next((name for name in reversed(_TABLES) if name in names), None)


def _row(
    names: Sequence[str], cells: Sequence[str | None], line: int
) -> Result | BadLine:
    raw = ",".join(cell or "" for cell in cells)
    if len(cells) != len(names):
        why = f"{len(cells)} values under {len(names)} columns"
        if "cuda" in names and "opencl" not in names:
            why += "; versions of 2023 print opencl after cuda: is that name missing?"
        return building.bad(why, line=line, raw=raw)
    if doubled := _doubled(names):
        return building.bad(f"column {doubled!r} appears twice", line=line, raw=raw)
    columns = {
        name: _typed(name, cell) for name, cell in zip(names, cells, strict=True)
    }
    return Result(columns, f"line {line}, column ", line)


def _doubled(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _typed(name: str, cell: str | None) -> Any:
    """Return a cell as JSON would have it: the tool quotes every number in CSV."""
    if cell is None or cell == "":
        return None
    if name not in _TEXTS and _WHOLE.fullmatch(cell):
        return int(cell)
    if name not in _TEXTS and _FRACTION.fullmatch(cell):
        return PrintedFloat(cell)
    return cell


_OBJECTS = ("json", "jsonl")
_FORMS = {"json": _json, "jsonl": _jsonl, "csv": _csv, "sql": _sql, "sqlite": _sqlite}
