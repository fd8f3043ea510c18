"""The database that a command works on: where it is, opened, made and upgraded."""

import os
import sys
from pathlib import Path

import typer
from sqlalchemy import Connection, Engine

from benchdb.cli import console
from benchdb.cli.console import counted, plain
from benchdb.cli.waiting_line import waiting
from benchdb.resources import folder
from benchdb.store.database import open_database
from benchdb.store.error_text import name
from benchdb.store.migrate import SCHEMA_REVISION, Older
from benchdb.store.postgresql.server import is_address
from benchdb.user_data import location_of

Db = console.Db

_DECISIONS = "0007"  # the schema that brought them


def opened(db: str | None, *, create: bool = False) -> Engine:
    """Return the database that *db* asks for; *create* is for those who will write.

    Without *db* it is the user's own, which starts out with the published results
    that ship with benchdb.
    """
    if db is not None:
        return open_database(db, create=create, renew=renewed, agree=offered)
    own = location_of(None)
    if Path(own).exists():
        return open_database(own, create=create, renew=renewed, agree=offered)
    return open_database(own, create=True, fill=_publish)


def existing(db: str | None) -> Engine | None:
    """Return the database that *db* asks for, None where there is none yet."""
    location = location_of(db)
    if not is_address(location) and not Path(location).exists():
        return None
    return open_database(location, renew=renewed, agree=offered)


def address(engine: Engine) -> str:
    """Return where a database is, whatever folder we are in; never its password."""
    path = engine.get_execution_options().get("benchdb_location")
    if path is None:
        return name(engine)
    # A name of other bytes than UTF-8 can be opened, but not kept in a plan.
    return os.fsencode(Path(path).resolve()).decode(errors="backslashreplace")


def _publish(engine: Engine) -> None:
    # All importers: most commands never need them.
    from benchdb.merge import import_or_raise  # noqa: PLC0415  heavy

    with waiting("taking in the published results, the first time"):
        added = import_or_raise(engine, [folder("published")])
    runs = counted(added, "published run")
    typer.echo(f"benchdb: made {location_of(None)} with {runs}", err=True)


def offered(older: Older) -> bool:
    """Ask whether to upgrade; where nobody can answer, upgrade a file and say so.

    A server is of others as well: there nobody upgrades by the way.
    """
    what = f"{older.name} has the older schema {older.schema}"
    asking = sys.stdin.isatty() and sys.stderr.isatty()
    if older.backup is None:
        if asking:
            question = f"{what}. Back it up (pg_dump). Upgrade to {SCHEMA_REVISION}?"
            return typer.confirm(plain(question), default=False, err=True)
        return False
    kept = f"as it is now, it stays in {older.backup}"
    if asking:
        question = f"{what}. Upgrade to {SCHEMA_REVISION}; {kept}?"
        return typer.confirm(plain(question), default=True, err=True)
    text = f"benchdb: {what}; upgrading it to {SCHEMA_REVISION}, {kept}"
    typer.echo(plain(text), err=True)
    return True


def renewed(connection: Connection, since: str) -> None:
    """Derive anew what the older schema *since* had less of."""
    # All rules, and what reads and writes runs: most commands never need them.
    from benchdb.store.derived import renew  # noqa: PLC0415  heavy
    from benchdb.store.editions import proposals  # noqa: PLC0415  heavy

    renew(connection, since)
    if since < _DECISIONS and (result := proposals(connection)):
        some = counted(len({proposal.outdated for proposal in result}), "source")
        typer.echo(
            f"benchdb: outdated so far by what other sources say: {some}; that is a "
            "proposal now, and both count: decide with 'benchdb sources'",
            err=True,
        )
