"""``benchdb import``: merge results that others shared."""

from pathlib import Path
from typing import Annotated

import typer

from benchdb.cli.options import Db, opened
from benchdb.cli.plain import plain
from benchdb.merge import Outcome, files, import_files

app = typer.Typer(add_completion=False)

_TOLD = 100  # bad lines of one file; the rest is counted


@app.command()
def import_command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH…", help="Exchange files, folders, or - for stdin."
        ),
    ],
    db: Db = None,
) -> None:
    """Merge results that others shared; twice or in any order, the outcome is the same.

    Each file is taken as a whole transaction. Lines that cannot be understood are
    reported with their number, and the rest is kept; the exit status is then 1.
    """
    chosen = files(paths)  # before a database is made for nothing
    engine = opened(db, create=True)
    outcomes = []
    for outcome in import_files(engine, chosen):
        _tell(outcome)
        outcomes.append(outcome)
    if not all(outcome.clean for outcome in outcomes):
        raise typer.Exit(1)


def _tell(outcome: Outcome) -> None:
    if outcome.error is not None:
        typer.echo(plain(f"benchdb: {outcome.path}: {outcome.error}"), err=True)
        return
    for bad in outcome.bad[:_TOLD]:
        where = f"{outcome.path}:{bad.number}"
        typer.echo(plain(f"benchdb: {where}: {bad.reason}"), err=True)
    if len(outcome.bad) > _TOLD:
        more = len(outcome.bad) - _TOLD
        typer.echo(f"benchdb: {outcome.path}: and {more} more bad lines", err=True)
    known = " (file imported before)" if outcome.known else ""
    typer.echo(f"{outcome.path}: {outcome.runs} runs, {outcome.added} new{known}")
