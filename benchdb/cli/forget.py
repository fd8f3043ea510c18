"""``benchdb forget``: delete a run, a machine or a source, and keep it away."""

import sys

import typer
from sqlalchemy import Engine

from benchdb.cli.console import (
    NAME_LIMIT,
    AsJson,
    argument,
    counted,
    flag,
    option,
    plain,
    print_list,
)
from benchdb.cli.user_database import Db, opened
from benchdb.errors import DatabaseError, UsageError
from benchdb.site import output as outputs
from benchdb.store import forgetting
from benchdb.store.database import reading, rehearsing, writing
from benchdb.store.forgetting import Act, find, forget
from benchdb.user_data import cache_folder

app = typer.Typer(add_completion=False)


@app.command()
def forget_command(
    what: str | None = argument(
        "How its id starts, or the name of a source; run:, machine: or "
        "source: before it tell them apart.",
        "RUN|MACHINE|SOURCE",
        default=None,
    ),
    db: Db = None,
    yes: bool = flag("Delete without asking.", "--yes"),
    list_: bool = flag("List what was deleted so.", "--list"),
    undo: str | None = option("Let imports bring it again; an id of --list.", "ID"),
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
        with reading(opened(db)) as connection:
            acts = forgetting.acts(connection)
        print_list(acts, _line, as_json=as_json, empty="nothing was forgotten here")
    elif undo is not None:
        with writing(opened(db, create=True)) as connection:
            act = forgetting.undo(connection, undo)
        it = counted(act.runs, "run") if act.runs else "it"
        name = plain(act.what, NAME_LIMIT)
        typer.echo(f"{name}: another import of its file takes {it} again")
    else:
        _forget(opened(db, create=True), what or "", yes=yes)


def _forget(engine: Engine, what: str, *, yes: bool) -> None:
    with rehearsing(engine) as connection:
        target = find(connection, what)
        foreseen = forget(connection, target)
    along = [
        counted(getattr(foreseen, f"{kind}s"), kind)
        for kind in ("claim", "source", "machine", "environment", "document")
        if getattr(foreseen, f"{kind}s")
    ]
    runs = counted(foreseen.runs, "run")
    typer.echo(plain(f"{target.what[:NAME_LIMIT]}: {runs}"))
    if along:
        typer.echo(plain(f"with what nothing else uses: {', '.join(along)}"))
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
    outputs.forget(cache_folder())  # reports that are kept show it as well
    back = f"'benchdb forget --undo {target.act[:12]}' lets an import take it again"
    typer.echo(f"forgotten; {back}")


def _somebody() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _line(act: Act) -> str:
    whole = ", and all that comes from it" if act.source else ""
    what = plain(act.what, NAME_LIMIT)
    runs = counted(act.runs, "run")
    return plain(f"{act.id[:12]}  {runs:>11}  {what}{whole}")
