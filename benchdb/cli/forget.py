"""``benchdb forget``: delete a run, a machine or a source, and keep it away."""

import json
import sys
from typing import Annotated

import msgspec
import typer
from sqlalchemy import Engine

from benchdb.cli.console import NAME_LIMIT, AsJson, counted, plain
from benchdb.cli.database import Db, opened
from benchdb.errors import DatabaseError, UsageError
from benchdb.store import forgetting
from benchdb.store.database import reading, rehearsing, writing
from benchdb.store.forgetting import Act, Removed, Target, find, forget

app = typer.Typer(add_completion=False)


@app.command()
def forget_command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN|MACHINE|SOURCE",
            help="How its id starts, or the name of a source; run:, machine: or "
            "source: before it tell them apart.",
        ),
    ] = None,
    db: Db = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List what was forgotten here.")
    ] = False,
    undo: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Let imports take it again; an id of --list."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Delete a run, machine or source, and keep it away.

    It says what would go, and asks. Another import of the same file leaves it out; of
    a source, also runs that come later. What other runs use as well stays.
    """
    if (what is not None) + list_ + (undo is not None) != 1:
        raise UsageError(
            "name one run, machine or source; or give --list, or --undo ID"
        )
    if list_:
        _list(opened(db), as_json=as_json)
    elif undo is not None:
        _undo(opened(db, create=True), undo)
    else:
        _forget(opened(db, create=True), what or "", yes=yes)


def _forget(engine: Engine, what: str, *, yes: bool) -> None:
    with rehearsing(engine) as connection:
        target = find(connection, what)
        foreseen = forget(connection, target)
    for line in _preview(target, foreseen):
        typer.echo(plain(line))
    if not yes:
        if not _somebody():
            raise UsageError("nothing was forgotten: nobody can be asked, so say --yes")
        if not typer.confirm("Forget it?", default=False, err=True):
            typer.echo("nothing was forgotten")
            return
    with writing(engine) as connection:
        if forget(connection, target) != foreseen:
            raise DatabaseError(
                "somebody else changed the database meanwhile; nothing was forgotten, "
                "look again"
            )
    back = f"'benchdb forget --undo {target.act[:12]}' lets an import take it again"
    typer.echo(f"forgotten; {back}")


def _somebody() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _preview(target: Target, foreseen: Removed) -> list[str]:
    kinds = {
        "claim": foreseen.claims,
        "source": foreseen.sources,
        "machine": foreseen.machines,
        "environment": foreseen.environments,
        "document": foreseen.documents,
    }
    along = [counted(count, kind) for kind, count in kinds.items() if count]
    lines = [f"{target.what[:NAME_LIMIT]}: {counted(foreseen.runs, 'run')}"]
    if along:
        lines.append(f"with what nothing else uses: {', '.join(along)}")
    return lines


def _list(engine: Engine, *, as_json: bool) -> None:
    with reading(engine) as connection:
        found = forgetting.acts(connection)
    if as_json:
        rows = [msgspec.to_builtins(one) for one in found]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for one in found:
        typer.echo(plain(_line(one)))
    if not found:
        typer.echo("nothing was forgotten here")


def _line(one: Act) -> str:
    whole = ", and all that comes from it" if one.source else ""
    what = plain(one.what, NAME_LIMIT)
    return f"{one.id[:12]}  {counted(one.runs, 'run'):>11}  {what}{whole}"


def _undo(engine: Engine, prefix: str) -> None:
    with writing(engine) as connection:
        one = forgetting.undo(connection, prefix)
    what = plain(one.what, NAME_LIMIT)
    typer.echo(f"{what}: another import of its file takes {_it(one)} again")


def _it(one: Act) -> str:
    return counted(one.runs, "run") if one.runs else "it"
