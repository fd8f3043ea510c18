"""``benchdb machines``: which machines are the same, by rule or by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from sqlalchemy import Connection

from benchdb.cli.console import NAME_LIMIT, AsJson, counted, plain, print_list
from benchdb.cli.this_machine import here
from benchdb.cli.user_database import Db, opened
from benchdb.store import machines, results
from benchdb.store.database import reading, writing
from benchdb.store.machines import Known
from benchdb.store.signed_machines import flag_contradicting_signers

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="See which machines are the same; merge and split them.",
)
app.command()(here)

Id = Annotated[str, typer.Argument(help="An id of the list, or how it starts.")]


@app.command("list")
def list_machines(db: Db = None, as_json: AsJson = False) -> None:
    """List machines; those that count as one stand under each other.

    A machine of whose runs some are yours and others were contributed is listed twice.
    """
    with reading(opened(db)) as connection:
        print_list(machines.known_machines(connection), _line, as_json=as_json)


@contextmanager
def _deciding(db: str | None, *names: str) -> Iterator[tuple[Connection, list[str]]]:
    """Give the digests of machines, and let what is decided inside have its effects."""
    with writing(opened(db, create=True)) as connection:
        digests = [machines.find_machine(connection, name) for name in names]
        with results.following(connection) as changes:
            yield connection, digests
            changes.touch(flag_contradicting_signers(connection))


@app.command()
def merge(machine: Id, other: Id, db: Db = None) -> None:
    """Let OTHER be the same machine as MACHINE; 'split' or 'undo' takes it back."""
    with _deciding(db, machine, other) as (connection, (first, second)):
        machines.merge(connection, first, second)
    typer.echo(f"{second[:12]} is the same machine as {first[:12]}")


@app.command()
def split(machine: Id, db: Db = None) -> None:
    """Keep MACHINE apart from all others, also those with the same anonymous id."""
    with _deciding(db, machine) as (connection, (digest,)):
        machines.split(connection, digest)
    typer.echo(f"{digest[:12]} stands alone")


@app.command()
def undo(machine: Id, db: Db = None) -> None:
    """Forget what was decided by hand about MACHINE: the rule holds again."""
    with _deciding(db, machine) as (connection, (digest,)):
        machines.undo(connection, digest)
    typer.echo(f"the rule decides about {digest[:12]} again")


def _line(machine: Known) -> str:
    mark = (
        ""
        if machine.digest == machine.same_as
        else f"  = {machine.same_as[:12]} ({machine.why})"
    )
    names = filter(None, [machine.chip, machine.model, machine.label])
    what = " · ".join(plain(name, NAME_LIMIT) for name in names)
    if machine.mine:
        what += "  mine"
    elif machine.foreign_id:
        what += "  contributed, with the id of a machine of yours"
    return f"{machine.digest[:12]}  {counted(machine.runs, 'run'):>11}  {what}{mark}"
