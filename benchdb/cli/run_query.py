"""``benchdb query``: ask in SQL, and nothing is changed by it."""

import csv
import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import typer

from benchdb.cli.console import aligned, argument, counted, option, plain, print_bytes
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.files import replacing
from benchdb.installation import to_add
from benchdb.store.database import open_to_read
from benchdb.store.query import Answer, asked
from benchdb.user_data import location_of

app = typer.Typer(add_completion=False)

_STDOUT = Path("-")
Cell = str | int | float | bool | None


@app.command()
def query(
    sql: str = argument(
        "One SELECT; - reads it from standard input.", "SQL", show_default=False
    ),
    format_: Literal["table", "csv", "json", "parquet"] = option(
        "table, csv, json, parquet", "NAME", "--format", default="table"
    ),
    output: Path = option(
        "Write there; - is standard output.", "FILE", "-o", "--output", default=_STDOUT
    ),
    timeout: float | None = option("Give up after this time.", "SECONDS", min=0.001),
    db: Db = None,
) -> None:
    """Ask in SQL.

    The views are results, figures, doubts, machine_details and samples. Only what reads
    is answered. 'samples' has a row for each raw time: run, phase, "index", steps,
    seconds; only those of the runs asked for are unpacked.
    """
    if format_ == "parquet" and output == _STDOUT:
        raise UsageError("Parquet is no text; name a file with -o")
    opened(db).dispose()  # makes what is not there yet, and offers to upgrade
    engine = open_to_read(location_of(db))
    statement = sys.stdin.read() if sql == "-" else sql
    with asked(engine, statement, timeout) as answer:
        if format_ == "table" and output == _STDOUT:
            _print_table(answer)
            return
        parts = _WRITTEN[format_](answer)
        if output == _STDOUT:
            print_bytes(parts)
            return
        with replacing(output) as stream:
            stream.writelines(parts)


def _cell(value: Any) -> Cell:
    """Return *value* as any format has it; bytes in hexadecimal digits."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, date | time):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)


def _rows(answer: Answer) -> Iterator[list[Cell]]:
    for row in answer.rows:
        yield [_cell(value) for value in row]


def _lines(answer: Answer) -> tuple[list[str], int]:
    """Return a table: its lines, and how many rows it has."""
    rows = list(_rows(answer))
    figures = [
        place
        for place, cells in enumerate(zip(*rows, strict=True))
        if all(isinstance(cell, int | float | None) for cell in cells)
    ]
    shown = [["–" if cell is None else str(cell) for cell in row] for row in rows]
    return aligned([answer.names, *shown], figures), len(rows)


def _print_table(answer: Answer) -> None:
    lines, rows = _lines(answer)
    for line in lines:
        typer.echo(line)
    typer.echo(plain(counted(rows, "row")), err=True)


def _table(answer: Answer) -> Iterator[bytes]:
    for line in _lines(answer)[0]:
        yield f"{line}\n".encode()


def _csv(answer: Answer) -> Iterator[bytes]:
    for row in (answer.names, *_rows(answer)):
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(row)
        yield stream.getvalue().encode()


def _json(answer: Answer) -> Iterator[bytes]:
    names = _distinct(answer.names)
    before = "["
    for row in _rows(answer):
        entry = dict(zip(names, row, strict=True))
        yield f"{before}\n{json.dumps(entry, ensure_ascii=False)}".encode()
        before = ","
    yield b"[]\n" if before == "[" else b"\n]\n"


def _parquet(answer: Answer) -> Iterator[bytes]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow.parquet import write_table  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Parquet needs the package {error.name}; "
            f"install it with: {to_add('pyarrow')}"
        ) from error
    names = _distinct(answer.names)
    rows = [list(row) for row in answer.rows]
    columns = []
    for name, cells in zip(
        names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True
    ):
        try:
            columns.append(pa.array(cells))
        except (pa.ArrowException, OverflowError) as error:
            why = str(error).splitlines()[0]
            raise UsageError(
                f"{name} has cells of several types ({why}); CAST it to one"
            ) from error
    stream = io.BytesIO()
    write_table(pa.table(columns, names=list(names)), stream, compression="zstd")
    yield stream.getvalue()


def _distinct(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two columns are called {name!r}; rename one with AS")
    return names


_WRITTEN = {"table": _table, "csv": _csv, "json": _json, "parquet": _parquet}
