"""``benchdb export``: write results as an exchange file, or as Parquet."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from sqlalchemy import Connection, Engine

from benchdb.cli.console import counted, plain, print_bytes
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.exchange import writer
from benchdb.files import new_folder, replacing
from benchdb.store import read
from benchdb.store.database import reading
from benchdb.store.listing import Filter

app = typer.Typer(add_completion=False)

Output = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        help="File to write; - is standard output. For parquet a new folder.",
    ),
]
Kind = Annotated[
    Literal["jsonl", "parquet"],
    typer.Option(
        "--format",
        help="jsonl, which import reads; parquet, for DuckDB, Spark or pandas.",
    ),
]


@app.command()
def export(
    output: Output = Path("-"),
    kind: Kind = "jsonl",
    mine: Annotated[
        bool, typer.Option("--mine", help="Only what was measured or planned here.")
    ] = False,
    workload: Annotated[str | None, typer.Option(help="Only this workload.")] = None,
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None,
    label: Annotated[str | None, typer.Option(help="measured, transcribed …")] = None,
    db: Db = None,
) -> None:
    """Write results as an exchange file, or as Parquet.

    It holds runs with their samples, machines, environments and sources. The same
    database contents give the same bytes; 'benchdb import' reads them.
    """
    engine = opened(db)
    wanted = Filter(
        workload=workload,
        source=source,
        label=label,
        mine=mine or None,
    )
    if kind == "parquet":
        _parquet(engine, wanted, output)
        return
    with reading(engine) as connection:
        lines = _Counted(_lines(connection, wanted))
        if output == Path("-"):
            print_bytes(lines)
        else:
            with replacing(output) as stream:
                stream.writelines(lines)
    if lines.count == 1:  # the header
        typer.echo(
            "benchdb: no run matches; 'benchdb list' shows what is there", err=True
        )


class _Counted:
    """Lines that are counted as they are written."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self.count = lines, 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.count += 1
            yield line


def _parquet(engine: Engine, wanted: Filter, folder: Path) -> None:
    if folder == Path("-"):
        raise UsageError("Parquet is a folder of files; name a new one with -o")
    try:
        from benchdb.parquet.dataset import write  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Parquet needs the package {error.name}; "
            f"install it with: {sys.executable} -m pip install pyarrow"
        ) from error
    with new_folder(folder) as room, reading(engine) as connection:
        rows = write(connection, wanted, room)
    told = ", ".join(
        counted(count, table.removesuffix("_details").removesuffix("s"))
        for table, count in rows.items()
    )
    typer.echo(plain(f"benchdb: {folder}: {told}; README.txt explains them"), err=True)


def _lines(connection: Connection, wanted: Filter) -> Iterator[bytes]:
    yield writer.header()
    for source in read.sources(connection, wanted):
        yield writer.source_line(source)
    for claim, source in read.claims(connection, wanted):
        yield writer.claim_line(claim, source)
    yield from writer.record_lines(read.records(connection, wanted))
