"""The quarantine: records that were refused, by the file they stand in."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.errors import UsageError
from benchdb.store.tables import quarantine


class RefusedFile(msgspec.Struct, frozen=True):
    """A file with refused records, the map it was read by, what was told about it."""

    sha256: str
    name: str
    importer: str
    map_sha256: str | None
    about: Mapping[str, Any]


def entries(connection: Connection) -> list[dict[str, Any]]:
    """Return every refused record, by file and place."""
    query = select(quarantine).order_by(
        quarantine.c.name, quarantine.c.file, quarantine.c.line, quarantine.c.locator
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def find(connection: Connection, prefix: str) -> dict[str, Any]:
    """Return the one refused record whose id starts with *prefix*."""
    wanted = prefix.lower()
    query = select(quarantine).where(quarantine.c.digest.startswith(wanted)).limit(2)
    hexadecimal = wanted and not set(wanted) - set("0123456789abcdef")
    found = list(connection.execute(query).mappings()) if hexadecimal else []
    if not found:
        raise UsageError(f"nothing {prefix!r}; 'benchdb quarantine list' shows the ids")
    if len(found) > 1:
        raise UsageError(f"several ids start with {prefix!r}; give more digits")
    return dict(found[0])


def files_of(connection: Connection) -> list[RefusedFile]:
    """Return the files that have refused records."""
    columns = ("file", "name", "importer", "map_sha256", "about")
    query = select(*(quarantine.c[name] for name in columns)).distinct()
    found = [RefusedFile(*row) for row in connection.execute(query)]
    return sorted(found, key=lambda one: (one.name, one.sha256, one.importer))
