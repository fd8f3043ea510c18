"""``benchdb db``: look after the database itself."""

import re
from collections.abc import Iterator
from typing import Annotated

import typer
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from benchdb import __version__
from benchdb.cli.console import argument, counted, option, plain
from benchdb.cli.datasette import datasette
from benchdb.cli.user_database import Db, opened, renewed
from benchdb.cli.waiting_line import awaited
from benchdb.errors import DatabaseError, UsageError
from benchdb.store.copy_database import Copied
from benchdb.store.copy_database import copy as copy_contents
from benchdb.store.database import connected, open_database, reading, writing
from benchdb.store.error_text import name, why
from benchdb.store.migrate import SCHEMA_REVISION, Older, maker, revision
from benchdb.store.postgresql.server import is_address, parsed
from benchdb.user_data import location_of

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Check, upgrade, copy and share a database.",
)
app.command()(datasette)

_COLUMNS = re.compile(r"\ASELECT .*?(?=\sFROM\b)", re.DOTALL)
_WIDTH = 200  # of a query; what tells it from others stands near its start
_TOLD = 100  # problems of a kind; more of them say nothing new

Place = Annotated[
    str, typer.Argument(metavar="PATH|URL", help="A file, or an address of PostgreSQL.")
]


@app.command()
def version(db: Db = None) -> None:
    """Show the database's schema, who made it, and what this benchdb knows."""
    engine = connected(location_of(db))
    with reading(engine) as connection:
        schema = revision(connection)
    if schema is None:
        raise DatabaseError(f"{name(engine)} has no schema of benchdb's")
    by = maker(engine, schema)
    made = "" if by is None else f", made by benchdb {by}"
    typer.echo(plain(f"{name(engine)}: schema {schema}{made}"))
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
    sample: int | None = option(
        "Recompute the digests of so many runs; else of all.", min=0
    ),
) -> None:
    """Check schema, references, digests, and that derived tables equal a recount.

    One line for each problem, and exit status 1; nothing is changed.
    """
    engine = opened(db)
    count = 0
    with reading(engine) as connection:
        texts = problems(connection, sample)
        for problem in awaited(texts, lambda _: "checking the database"):
            typer.echo(plain(problem))
            count += 1
    if count:
        typer.echo(plain(f"benchdb: {name(engine)}: {count} problems"), err=True)
        raise typer.Exit(1)
    typer.echo(plain(f"{name(engine)}: schema {SCHEMA_REVISION}, nothing wrong"))


def problems(connection: Connection, sample: int | None) -> Iterator[str]:
    """Yield a line for each problem; *sample* runs are looked into, or all of them.

    Where one check cannot go on, the next ones still can.
    """
    from benchdb.store import checks  # noqa: PLC0415  it needs Alembic, and what derives

    problems_by_kind = {
        "damage": checks.damage(connection),
        "schema": checks.schema_differences(connection),
        "reference": checks.dangling(connection),
        "digest": checks.wrong_digests(connection, sample),
        "derived": checks.derived_differences(connection),
    }
    for kind, texts in problems_by_kind.items():
        try:
            with connection.begin_nested():
                for number, problem in enumerate(texts):
                    if number == _TOLD:
                        yield f"{kind}: and more than {_TOLD}"
                        break
                    yield f"{kind}: {problem}"
        except (SQLAlchemyError, *checks.UNREADABLE) as error:
            yield f"{kind}: cannot be checked: {why(error)}"


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
    schema: str = option("Where the tables are.", default="public"),
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
    sites: list[str] = argument(
        "A name for each site, and the address of its database.", "NAME=URL…"
    ),
    schema: str = option("Where the sites' tables are.", default="public"),
) -> None:
    """Print the SQL by which a reporting database sees other sites' tables.

    Run it there as who may create extensions, and again after an upgrade; both are on
    PostgreSQL. Then 'benchdb db gather' takes what is new.
    """
    # The dialect of PostgreSQL is heavy.
    from benchdb.store.postgresql import setup  # noqa: PLC0415

    for site in setup.sites(sites):
        for statement in setup.statements(site, schema):
            typer.echo(statement)


@app.command()
def gather(
    sites: list[str] | None = argument(
        "Only these sites; else all.", "[NAME…]", default=None
    ),
    db: Db = None,
) -> None:
    """Take what sites have and this database has not; what is derived is made anew.

    One transaction. A site that cannot be read is told, the others are taken, and the
    exit status is 1.
    """
    # It needs all rules.
    from benchdb.store.postgresql import gather as gathering  # noqa: PLC0415

    # An empty database gets its tables; a file, which can see no sites, is not made.
    on_server = is_address(location_of(db))
    lines: list[str] = []
    failures: list[str] = []
    with writing(opened(db, create=on_server)) as connection:
        added = 0
        for site in gathering.known_sites(connection, sites or ()):
            try:
                with connection.begin_nested():
                    count = gathering.gather(connection, site)
            except (SQLAlchemyError, DatabaseError) as error:
                if connection.invalidated:  # it is our own server that is gone
                    raise
                failures.append(f"benchdb: {site}: {_reason(error)}")
            else:
                added += count
                lines.append(f"{site}: {counted(count, 'new run')}")
        if added:
            gathering.derive(connection)
    for line in lines:
        typer.echo(plain(line))
    for line in failures:
        typer.echo(plain(line), err=True)
    if failures:
        raise typer.Exit(1)


def _reason(error: Exception) -> str:
    """Return the cause in one line; why a server cannot be reached is its detail."""
    cause = str(error) if isinstance(error, DatabaseError) else why(error)
    diagnosis = getattr(getattr(error, "orig", None), "diag", None)
    detail = getattr(diagnosis, "message_detail", None)
    return f"{cause}: {' '.join(detail.split())}" if detail else cause


@app.command()
def explain(db: Db = None) -> None:
    """Show how the database goes about the queries of a report: for maintainers."""
    from benchdb.report.summary import summarise  # noqa: PLC0415 - heavy
    from benchdb.store import query_plans  # noqa: PLC0415

    used: set[str] = set()
    with reading(opened(db)) as connection:
        with query_plans.recorded(connection) as queries:
            summarise(connection)
        for number, query in enumerate(queries.values(), start=1):
            plan = query_plans.explained(connection, query)
            used.update(plan.indexes)
            text = " ".join(_COLUMNS.sub("SELECT …", query.statement).split())
            short = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
            lines = [
                f"{number}. asked {query.times} ×: {short}",
                *(f"   {line}" for line in plan.lines),
                f"   indexes: {', '.join(plan.indexes) or 'none'}",
                f"   read whole: {', '.join(plan.whole) or 'none'}",
                "",
            ]
            typer.echo("\n".join(map(plain, lines)))
    unused = ", ".join(sorted(query_plans.indexes() - used)) or "none"
    typer.echo(f"{len(queries)} queries; indexes that none of them uses: {unused}")
