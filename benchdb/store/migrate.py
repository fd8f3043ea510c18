"""Schema revisions: which one a database has, and bringing it to ours."""

import re
from collections.abc import Callable

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from benchdb import __version__
from benchdb.resources import folder
from benchdb.store.tables import made_by
from benchdb.store.writers import writer

SCHEMA_REVISION = "0007"
# Oldest first: what we can upgrade from, and ours.
KNOWN_REVISIONS = ("0001", "0002", "0003", "0004", "0007")

_OURS = re.compile(r"\d{4}", re.ASCII)  # others let Alembic make theirs up
_VERSIONS = "alembic_version"


def revision(connection: Connection) -> str | None:
    """Return the revision of the database, or ``None`` if it has none of ours."""
    if not inspect(connection).has_table(_VERSIONS):
        return None
    row = connection.execute(text(f"SELECT version_num FROM {_VERSIONS}")).first()  # noqa: S608
    return str(row[0]) if row is not None and _OURS.fullmatch(str(row[0])) else None


def maker(engine: Engine, found: str) -> str | None:
    """Return which benchdb brought the database to the revision *found*, if told.

    It may be a newer one's database: nothing is certain about its tables.
    """
    query = made_by.select().where(made_by.c.revision == found)
    try:
        with engine.connect() as connection:
            row = connection.execute(query).first()
    except SQLAlchemyError:
        return None
    return None if row is None else str(row.benchdb)


def is_empty(connection: Connection) -> bool:
    """Tell whether the database has no tables at all."""
    return not inspect(connection).get_table_names()


def upgrade(
    engine: Engine,
    after: Callable[[Connection], None] = lambda connection: None,
    *,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Bring the database to ``SCHEMA_REVISION``, in one transaction with *after*.

    *before* is called when nobody else can write any more. Where another process was
    first, nothing is left to do.
    """
    # Imported here: Alembic costs more at start-up than most commands take.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    with writer(engine).begin() as connection:
        if revision(connection) == SCHEMA_REVISION:
            return
        before()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        own = {"revision": SCHEMA_REVISION, "benchdb": __version__}
        connection.execute(made_by.insert(), [own])
        after(connection)
