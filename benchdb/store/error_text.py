"""What a database and its trouble are called where people read it."""

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from benchdb.store.postgresql.server import without_secrets
from benchdb.store.sqlite import cause


def name(engine: Engine) -> str:
    """Return the database's name for people: the path, or the URL less its secrets."""
    path: str | None = engine.get_execution_options().get("benchdb_location")
    return path or without_secrets(engine.url).render_as_string()


def why(error: BaseException) -> str:
    """Return the cause of *error* in one line."""
    # Where the disk is full, SQLite takes back everything at once: what SQLAlchemy then
    # cannot take back is not the cause.
    before = error.__context__
    while before is not None:
        error = before if isinstance(before, SQLAlchemyError) else error
        before = before.__context__
    return cause(getattr(error, "orig", None) or error)
