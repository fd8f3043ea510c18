"""Options that several commands share, and what they mean."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Engine

from benchdb.merge import import_or_raise
from benchdb.resources import folder
from benchdb.store.database import open_database

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar="BENCHDB_DB",
        metavar="PATH|URL",
        help="Database: a file, or postgresql+psycopg://… "
        "[default: results.sqlite in your data folder]",
        show_default=False,
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def opened(db: str | None, *, create: bool = False) -> Engine:
    """Return the database that *db* asks for; *create* is for those who will write.

    Without *db* it is the user's own, which starts out with the published results
    that ship with benchdb.
    """
    if db is not None:
        return open_database(db, create=create)
    own = data_folder() / "results.sqlite"
    if own.exists():
        return open_database(str(own), create=create)
    return open_database(str(own), create=True, fill=_publish)


def _publish(engine: Engine) -> None:
    added = import_or_raise(engine, [folder("published")])
    own = data_folder() / "results.sqlite"
    typer.echo(f"benchdb: made {own} with {added} published runs", err=True)


def data_folder() -> Path:
    """Return where a user's data belong on this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "benchdb"
    root = os.environ.get("XDG_DATA_HOME")
    return (Path(root) if root else Path.home() / ".local" / "share") / "benchdb"
