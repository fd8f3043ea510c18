"""``benchdb export``: write results as an exchange file."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection

from benchdb.cli.options import Db, opened
from benchdb.exchange import writer
from benchdb.files import replacing
from benchdb.store import read
from benchdb.store.database import reading

app = typer.Typer(add_completion=False)


@app.command()
def export(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="File to write; - is standard output."),
    ] = Path("-"),
    db: Db = None,
) -> None:
    """Write every run with its samples, machine, environment and source.

    The same database contents give the same bytes; 'benchdb import' reads them.
    """
    engine, _ = opened(db)
    with reading(engine) as connection:
        if output == Path("-"):
            for line in _lines(connection):
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return
        with replacing(output) as stream:
            stream.writelines(_lines(connection))


def _lines(connection: Connection) -> Iterator[bytes]:
    yield writer.header()
    for source in read.sources(connection):
        yield writer.source_line(source)
    for claim, source in read.claims(connection):
        yield writer.claim_line(claim, source)
    yield from writer.record_lines(read.records(connection))
