"""All rows of a database, so that two databases can be compared table by table."""

from typing import Any

from sqlalchemy import Engine, select

from benchdb.store.database import reading
from benchdb.store.tables import import_part, metadata


def contents(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    with reading(engine) as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
            if table is not import_part  # when what was imported is no content
        }
