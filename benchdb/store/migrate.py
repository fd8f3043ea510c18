"""Schema revisions: which one a database has, and bringing it to ours."""

from collections.abc import Callable

from sqlalchemy import Connection, Engine, inspect, text

from benchdb.resources import folder
from benchdb.store.writers import writer

SCHEMA_REVISION = "0002"
KNOWN_REVISIONS = ("0001", "0002")  # oldest first; what we can upgrade from, and ours


def revision(engine: Engine) -> str | None:
    """Return the revision of the database, or ``None`` if it has none of ours."""
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        row = connection.execute(
            text("SELECT version_num FROM alembic_version")
        ).first()
    return None if row is None else str(row[0])


def is_empty(engine: Engine) -> bool:
    """Tell whether the database has no tables at all."""
    return not inspect(engine).get_table_names()


def upgrade(
    engine: Engine, after: Callable[[Connection], None] = lambda connection: None
) -> None:
    """Bring the database to ``SCHEMA_REVISION``, in one transaction with *after*."""
    # Imported here: Alembic costs more at start-up than most commands take.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    with writer(engine).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        after(connection)
