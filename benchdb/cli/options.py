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
        "[default: results.sqlite here, else in your data folder]",
        show_default=False,
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def opened(db: str | None, *, create: bool = False) -> tuple[Engine, str]:
    """Return the engine and the name of the database that *db* asks for.

    Without *db*: ``results.sqlite`` in the current folder, else in the user's data
    folder, where it starts out with the published results that ship with benchdb.
    """
    if db is not None:
        return open_database(db, create=create), db
    here = Path("results.sqlite")
    if here.exists():
        return open_database(str(here)), str(here)
    own = data_folder() / "results.sqlite"
    if own.exists():
        return open_database(str(own)), str(own)
    return _started(own), str(own)


def _started(path: Path) -> Engine:
    engine = open_database(str(path), create=True)
    added = import_or_raise(engine, [folder("published")])
    typer.echo(f"benchdb: made {path} with {added} published runs", err=True)
    return engine


def data_folder() -> Path:
    """Return where a user's data belong on this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "benchdb"
    root = os.environ.get("XDG_DATA_HOME")
    return (Path(root) if root else Path.home() / ".local" / "share") / "benchdb"
