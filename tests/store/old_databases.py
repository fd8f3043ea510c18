"""Databases as an older benchdb left them, on either kind of database."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, create_engine, insert, select

from benchdb.resources import folder
from benchdb.store.database import connected
from tests.backends import SQLITE, Backend

FIXTURES = Path(__file__).parents[1] / "fixtures"
# What every one of them was filled with, by the benchdb of its time.
FILES = [FIXTURES / "two_runs.jsonl", folder("published") / "needle-metal.jsonl"]


_OLD: dict[str, str] = {}  # where the server has each, to be copied


def old_file(revision: str) -> Path:
    return FIXTURES / "databases" / f"{revision}.sqlite"


def old_database(backend: Backend, revision: str) -> str:
    """Return where a database with the schema *revision* is, filled with ``FILES``."""
    if backend.kind == SQLITE:
        return backend.copy_of(str(old_file(revision)))
    if revision not in _OLD:
        _OLD[revision] = backend.kept(_on_a_server(backend, revision))
    return backend.copy_of(_OLD[revision])


def _on_a_server(backend: Backend, revision: str) -> str:
    location = backend.nothing()
    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    old, tables = create_engine(f"sqlite:///{old_file(revision)}"), MetaData()
    new = connected(location)
    with old.connect() as source, new.begin() as target:
        config.attributes["connection"] = target
        command.upgrade(config, revision)
        tables.reflect(source)
        tables.remove(tables.tables["alembic_version"])
        for table in tables.sorted_tables:
            rows = [row._asdict() for row in source.execute(select(table))]
            if rows:
                target.execute(insert(table), rows)
    new.dispose()
    return location
