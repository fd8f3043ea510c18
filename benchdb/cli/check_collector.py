"""``benchdb check-collector``: a collector tried against the protocol."""

from collections import Counter
from pathlib import Path

import typer

from benchdb.cli.console import PROSE_LIMIT, argument, counted, plain
from benchdb.collecting.protocol_check import points

app = typer.Typer(add_completion=False)

_MARKS = {True: "[ok]", False: "[NO]", None: "[--]"}


@app.command()
def check_collector(
    path: Path = argument("An executable, in any language.", "PATH"),
) -> None:
    """Try a collector against the protocol, point by point.

    It describes itself, runs each workload once in tier smoke, refuses what it cannot
    do, and ends when it is asked to; nothing is stored. collectors/README.md has the
    protocol. Exit status: 0 all of it holds, 1 something does not.
    """
    counts: Counter[bool | None] = Counter()
    for point in points(path):
        counts[point.holds] += 1
        line = f"{_MARKS[point.holds]} {point.name}: {point.text}"
        typer.echo(plain(line, PROSE_LIMIT))
    notes = f", {counted(counts[None], 'note')}" if counts[None] else ""
    typer.echo(f"{path}: {counts[True]} held, {counts[False]} did not{notes}")
    if counts[False]:
        raise typer.Exit(1)
