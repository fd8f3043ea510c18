"""``benchdb db``: look after the database itself."""

from typing import Annotated

import typer
from sqlalchemy import Engine
from sqlalchemy.exc import ArgumentError

from benchdb import __version__
from benchdb.cli.console import plain
from benchdb.cli.database import Db, location_of, opened, renewed
from benchdb.errors import DatabaseError, UsageError
from benchdb.store.copy_database import Copied
from benchdb.store.copy_database import copy as copy_contents
from benchdb.store.database import connected, open_database, reading, writing
from benchdb.store.error_text import name
from benchdb.store.migrate import SCHEMA_REVISION, Older, maker, revision
from benchdb.store.postgresql.server import is_address, parsed

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="See the schema, upgrade, check and copy a database; roles, query plans.",
)

Place = Annotated[str, typer.Argument(metavar="PATH|URL")]


@app.command()
def version(db: Db = None) -> None:
    """Show the database's schema, who made it, and what this benchdb knows."""
    engine = connected(location_of(db))
    with reading(engine) as connection:
        found = revision(connection)
    if found is None:
        raise DatabaseError(f"{name(engine)} has no schema of benchdb's")
    by = maker(engine, found)
    made = "" if by is None else f", made by benchdb {by}"
    typer.echo(plain(f"{name(engine)}: schema {found}{made}"))
    typer.echo(f"benchdb {__version__}: schema {SCHEMA_REVISION}")


@app.command()
def upgrade(db: Db = None) -> None:
    """Bring the database to this benchdb's schema; a file is backed up first."""
    done: list[Older] = []

    def agreed(older: Older) -> bool:
        done.append(older)
        return True

    engine = open_database(location_of(db), renew=renewed, agree=agreed)
    if not done:
        typer.echo(plain(f"{name(engine)}: schema {SCHEMA_REVISION} already"))
        return
    (older,) = done
    typer.echo(
        plain(f"{older.name}: upgraded from schema {older.schema} to {SCHEMA_REVISION}")
    )
    if older.backup is not None:
        typer.echo(plain(f"as it was, it stays in {older.backup}"))
    else:
        typer.echo("new tables have no grants yet: run the SQL of 'benchdb db grants'")


@app.command()
def check(
    db: Db = None,
    sample: Annotated[
        int | None,
        typer.Option(min=0, help="Recompute the digests of so many runs; else of all."),
    ] = None,
) -> None:
    """Check schema, references, digests, and that derived tables equal a recount.

    One line for each problem, and exit status 1; nothing is changed.
    """
    from benchdb.cli.maintenance import problems  # noqa: PLC0415 - needs Alembic

    engine = opened(db)
    count = 0
    with reading(engine) as connection:
        for problem in problems(connection, sample):
            typer.echo(plain(problem))
            count += 1
    if count:
        typer.echo(plain(f"benchdb: {name(engine)}: {count} problems"), err=True)
        raise typer.Exit(1)
    typer.echo(plain(f"{name(engine)}: schema {SCHEMA_REVISION}, nothing wrong"))


@app.command()
def copy(source: Place, target: Place) -> None:
    """Copy everything from one database into another, empty one, of either kind.

    All of it or nothing, in one transaction. The digest that is told is of all rows:
    equal digests, equal contents.
    """
    read = open_database(source, agree=lambda older: False)
    made: list[Copied] = []

    def fill(engine: Engine) -> None:
        with reading(read) as from_, writing(engine, much=True) as into:
            made.append(copy_contents(from_, into))

    written = open_database(target, create=True, fill=fill, agree=lambda older: False)
    if not made:
        fill(written)
    (copied,) = made
    what = "the same already" if copied.already else f"{copied.rows:,} rows copied"
    typer.echo(plain(f"{name(read)} → {name(written)}: {what}"))
    typer.echo(f"digest of both: {copied.digest}")


@app.command()
def grants(
    db: Db = None,
    schema: Annotated[str, typer.Option(help="Where the tables are.")] = "public",
) -> None:
    """Print the SQL of three roles: reader, contributor, owner; for PostgreSQL.

    Run it as the database's owner or a superuser, and again after an upgrade. Then
    GRANT benchdb_reader TO somebody.
    """
    location = location_of(db)
    if not is_address(location):
        raise UsageError(
            f"{location} is a file, which has no roles: its permissions decide who may "
            "read and write; --db postgresql+psycopg://… has"
        )
    try:
        database = parsed(location).database
    except (ArgumentError, ValueError):
        database = None
    if not database:
        raise UsageError("the URL names no database: postgresql+psycopg://host/name")
    # The dialect of PostgreSQL is heavy.
    from benchdb.store.postgresql import setup  # noqa: PLC0415

    for statement in setup.grants(database, schema):
        typer.echo(statement)


@app.command()
def federate(
    sites: Annotated[list[str], typer.Argument(metavar="NAME=URL…")],
    schema: Annotated[
        str, typer.Option(help="Where the sites' tables are.")
    ] = "public",
) -> None:
    """Print the SQL by which a reporting database sees other sites' tables.

    Run it there as who may create extensions, and again after an upgrade; both are on
    PostgreSQL. Then 'benchdb db gather' takes what is new.
    """
    # The dialect of PostgreSQL is heavy.
    from benchdb.store.postgresql import setup  # noqa: PLC0415

    for one in setup.sites(sites):
        for statement in setup.statements(one, schema):
            typer.echo(statement)


@app.command()
def gather(
    sites: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…")] = None,
    db: Db = None,
) -> None:
    """Take what sites have and this database has not; what is derived is made anew.

    One transaction. A site that cannot be read is told, the others are taken, and the
    exit status is 1.
    """
    from benchdb.cli.maintenance import gathered  # noqa: PLC0415 - needs all rules

    # An empty database gets its tables; a file, which can see no sites, is not made.
    on_server = is_address(location_of(db))
    with writing(opened(db, create=on_server)) as connection:
        lines = list(gathered(connection, sites or ()))
    for line in lines:
        typer.echo(plain(line.text), err=line.failed)
    if any(line.failed for line in lines):
        raise typer.Exit(1)


@app.command()
def explain(db: Db = None) -> None:
    """Show how the database goes about the queries of a report: for maintainers."""
    from benchdb.cli.maintenance import explanation  # noqa: PLC0415 - as well

    with reading(opened(db)) as connection:
        for line in explanation(connection):
            typer.echo(plain(line))
