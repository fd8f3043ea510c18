"""``benchdb export``: write results as an exchange file, or as Parquet."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import typer
from sqlalchemy import Connection

from benchdb.cli import run_filters as only
from benchdb.cli import sharing
from benchdb.cli.console import ONLY, counted, flag, option, plain, print_bytes
from benchdb.cli.export_bundle import signing_key, write_bundle
from benchdb.cli.user_database import Db, opened
from benchdb.errors import BenchdbError, UsageError
from benchdb.exchange import writer
from benchdb.files import new_folder, replacing
from benchdb.installation import to_add
from benchdb.leaving import Gate
from benchdb.store import read, retractions
from benchdb.store.database import reading
from benchdb.store.listing import Filter
from benchdb.store.tables import run

app = typer.Typer(add_completion=False)


@app.command()
def export(
    context: typer.Context,
    output: Path = option(
        "Write there; - is standard output. Parquet takes a new folder.",
        "PATH",
        "-o",
        "--output",
        default=Path("-"),
    ),
    kind: Literal["jsonl", "parquet"] = option(
        "jsonl (for import), parquet (for DuckDB, Spark, pandas)",
        "NAME",
        "--format",
        default="jsonl",
    ),
    mine: bool | None = flag(
        "Measured or planned here.", "--mine", panel=ONLY, default=None
    ),
    workload: str | None = only.WORKLOAD,
    source: str | None = only.SOURCE,
    label: str | None = only.LABEL,
    campaign: str | None = only.CAMPAIGN,
    machine: str | None = only.MACHINE,
    chip: str | None = only.CHIP,
    preview: bool = flag(
        "Write nothing; show each field that would be in it.", "--preview"
    ),
    bundle: Path | None = option(
        "Write a bundle, signed with your SSH key, that others can check.", "FILE"
    ),
    key: Path | None = option(
        "Sign the bundle with this key, not the usual one.", "FILE"
    ),
    unsigned: bool = flag("Do not sign the bundle.", "--unsigned"),
    yes: bool = flag("Do not ask what may leave this machine.", "--yes"),
    db: Db = None,
) -> None:
    """Write results for others: a file, a signed bundle, or Parquet.

    'benchdb import' reads it; the same results give the same bytes. At a terminal it
    shows what would leave this machine, and asks once about each new field. What names
    you, your computer or an address stays here and is said; the exit status is then 1.
    """
    if bundle is None and (key is not None or unsigned):
        raise UsageError("--key and --unsigned are about a bundle; add --bundle FILE")
    if bundle is not None and (output != Path("-") or kind != "jsonl"):
        raise UsageError("--bundle FILE is the whole output; leave out -o and --format")
    write = partial(_parquet if kind == "parquet" else _lines_to, output=output)
    if bundle is not None:
        signer = signing_key(key, unsigned=unsigned)
        write = partial(_bundle, output=bundle, key=signer)
    engine = opened(db)
    if kind == "parquet" and output == Path("-") and not preview:
        raise UsageError("Parquet is a folder of files; name a new one with -o")
    with reading(engine) as connection:
        wanted, there = only.settled(connection, context.params)
        gate = Gate()
        if preview:
            function = _parquet_fields if kind == "parquet" else _line_fields
            sharing.show(function(connection, wanted, gate))
        elif there or (kind == "jsonl" and bundle is None):
            if not yes and sharing.can_ask():
                sharing.agree(_line_fields(connection, wanted, Gate()))
            write(connection, wanted, gate)
            sharing.announce(connection, wanted)
    sharing.tell_kept(gate.kept)


def exchange_lines(
    connection: Connection, wanted: Filter, gate: Gate
) -> Iterator[bytes]:
    """Yield the exchange file of what is *wanted* and may leave through *gate*."""
    yield writer.header()
    for source in gate.sources(read.sources(connection, wanted)):
        yield writer.source_line(source)
    for claim, source in gate.claims(read.claims(connection, wanted)):
        yield writer.claim_line(claim, source)
    yield from writer.record_lines(gate.records(read.records(connection, wanted)))
    # Without a filter also those of runs that may come later.
    runs = None if wanted.is_empty else read.of_runs(run.c.digest, wanted)
    withdrawn = gate.retractions(retractions.lines(connection, runs))
    yield from map(writer.line, withdrawn)


def _line_fields(
    connection: Connection, wanted: Filter, gate: Gate
) -> Iterator[sharing.Field]:
    return sharing.fields(exchange_lines(connection, wanted, gate))


def _lines_to(connection: Connection, wanted: Filter, gate: Gate, output: Path) -> None:
    lines = exchange_lines(connection, wanted, gate)
    if output == Path("-"):
        print_bytes(lines)
        return
    with replacing(output) as stream:
        stream.writelines(lines)


def _bundle(
    connection: Connection, wanted: Filter, gate: Gate, output: Path, key: Path | None
) -> None:
    write_bundle(output, exchange_lines(connection, wanted, gate), key)


def _parquet(connection: Connection, wanted: Filter, gate: Gate, output: Path) -> None:
    rows = _tables(connection, wanted, gate, output)
    sizes = ", ".join(
        counted(count, table.removesuffix("_details").removesuffix("s"))
        for table, count in rows.items()
    )
    typer.echo(plain(f"benchdb: {output}: {sizes}; README.txt explains them"), err=True)


def _tables(
    connection: Connection, wanted: Filter, gate: Gate, folder: Path
) -> dict[str, int]:
    """Write Parquet; return the rows of each table."""
    try:
        from benchdb.parquet.dataset import write  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Parquet needs the package {str(error.name).partition('.')[0]}; "
            f"install it with: {to_add('pyarrow')}"
        ) from error
    with new_folder(folder) as room:
        rows = write(connection, wanted, room)
        for _ in exchange_lines(connection, wanted, gate):
            pass  # tables are whole, so one run that stays keeps them all here
        if gate.kept:
            raise BenchdbError(f"no Parquet is written: {sharing.kept_text(gate.kept)}")
        return rows


def _parquet_fields(
    connection: Connection, wanted: Filter, gate: Gate
) -> Iterator[sharing.Field]:
    with TemporaryDirectory() as room:
        _tables(connection, wanted, gate, Path(room, "tables"))
        from benchdb.parquet.dataset import cells  # noqa: PLC0415 - an extra

        yield from cells(Path(room, "tables"))
