"""``benchdb quarantine``: what was refused at import, and why."""

from typing import Annotated, Any

import typer

from benchdb.cli.console import (
    NAME_LIMIT,
    PROSE_LIMIT,
    AsJson,
    counted,
    plain,
    print_list,
)
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.store.database import reading
from benchdb.store.documents import find_refused, refused_files, refused_records

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="See and retry what was refused at import.",
)

Entry = Annotated[str, typer.Argument(help="An id of the list, or how it starts.")]


@app.command("list")
def list_entries(db: Db = None, as_json: AsJson = False) -> None:
    """List what was refused: id, file, place, reason."""
    with reading(opened(db)) as connection:
        groups = refused_records(connection)
    print_list(groups, _line, as_json=as_json, empty="the quarantine is empty")


@app.command()
def show(entry: Entry, db: Db = None) -> None:
    """Show one refused record with the text that stands there."""
    with reading(opened(db)) as connection:
        result = find_refused(connection, entry)
    for name in ("digest", "name", "file", "importer", "locator", "reason", "raw"):
        typer.echo(plain(f"{name:<9} {result[name]}"))


@app.command("retry")
def retry_entries(
    entry: Annotated[
        str | None, typer.Argument(help="An id; without one, everything.")
    ] = None,
    db: Db = None,
) -> None:
    """Read the refused files again, as this benchdb reads them."""
    from benchdb.merge import retry  # noqa: PLC0415  heavy: all importers

    engine = opened(db, create=True)
    with reading(engine) as connection:
        wanted = None if entry is None else find_refused(connection, entry)["file"]
        chosen = [
            file for file in refused_files(connection) if wanted in (None, file.sha256)
        ]
    if not chosen:
        raise UsageError("the quarantine is empty")
    clean = True
    for refused in chosen:
        outcome = retry(engine, refused)
        clean = clean and outcome.clean
        if outcome.error is not None:
            typer.echo(plain(f"benchdb: {refused.name}: {outcome.error}"), err=True)
        else:
            runs = counted(outcome.runs, "run")
            taken = f"{runs}, {outcome.added:,} new, {outcome.bad_count} refused"
            typer.echo(plain(f"{refused.name}: {taken}"))
    if not clean:
        raise typer.Exit(1)


def _line(result: dict[str, Any]) -> str:
    name, place = (
        plain(result["name"], NAME_LIMIT),
        plain(result["locator"], NAME_LIMIT),
    )
    why = plain(result["reason"], PROSE_LIMIT)
    return f"{result['digest'][:12]}  {name}  {place}: {why}"
