"""``benchdb validate``: whether files are in the exchange format, line by line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import typer

from benchdb.bundles import container
from benchdb.cli.console import argument, counted, plain
from benchdb.errors import ExchangeError, UsageError
from benchdb.exchange import reader
from benchdb.exchange.record import Record

app = typer.Typer(add_completion=False)

_SHOWN = 100  # problems of a file


@app.command()
def validate(
    files: list[str] = argument(
        "Exchange files and bundles; - is standard input.", "FILE…"
    ),
) -> None:
    """Tell whether files are in the exchange format, line by line.

    Each problem is a line with its place, what is allowed there and what is near.
    Nothing is stored. Exit status: 0 valid, 1 not, 2 a file cannot be read.
    """
    valid = [_validated(name) for name in files]
    if not all(valid):
        raise typer.Exit(1)


def _validated(name: str) -> bool:
    """Print what is wrong with a file, and a line about all of it."""
    runs = problems = 0
    for what in _faults(name):
        if what is None:
            runs += 1
            continue
        problems += 1
        if problems <= _SHOWN:
            typer.echo(plain(f"{name}:{what}"))
    if problems > _SHOWN:
        typer.echo(f"{name}: and {problems - _SHOWN:,} more")
    verdict = counted(problems, "problem") if problems else "valid"
    typer.echo(plain(f"{name}: {verdict}, {counted(runs, 'run')}"))
    return not problems


def _faults(name: str) -> Iterator[str | None]:
    """Yield None for each run of a file, and each problem with its line."""
    with _lines_of(name) as stream:
        try:
            for item in reader.read(stream):
                if isinstance(item, reader.BadLine):
                    if item.reason.endswith(reader.WITHHELD):
                        continue  # which follows from a line that is named
                    yield f"{item.number}: {item.reason}"
                elif isinstance(item, Record):
                    yield None
                    if item.end.reason == reader.UNENDED:
                        yield f" run {item.run.key!r} has no line 'end'"
        except ExchangeError as error:
            yield f" {error}"


@contextmanager
def _lines_of(name: str) -> Iterator[IO[bytes]]:
    """Give the exchange lines of a file, of a bundle those that it holds."""
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            if not container.is_bundle(stream):
                yield stream
                return
            members = container.read(stream)
            with TemporaryFile() as lines:
                container.unpack(stream, members, lines)
                lines.seek(0)
                yield lines
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from error
