"""Who read a source last: equal readings by several importers are one source."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from benchdb.store.tables import source

Age = tuple[tuple[int, ...], str, str]


def age(importer: str | None, version: str | None) -> Age:
    """Order readers, the oldest first: 0.10.0 is newer than 0.9.1."""
    return numbers(version), version or "", importer or ""


def numbers(version: str | None) -> tuple[int, ...]:
    """Return the numbers in a version."""
    return tuple(int(digits[:18]) for digits in re.findall(r"\d+", version or ""))


def renew(connection: Connection, some: Sequence[Mapping[str, Any]]) -> None:
    """Name the newest reader of each of these sources, in whichever order they came."""
    digests = [row["digest"] for row in some]
    query = select(source.c.digest, source.c.importer, source.c.importer_version)
    known = {
        row.digest: age(row.importer, row.importer_version)
        for row in connection.execute(query.where(source.c.digest.in_(digests)))
    }
    for row in some:
        newer = age(row["importer"], row["importer_version"])
        # What was forgotten here is not there.
        if row["digest"] in known and known[row["digest"]] < newer:
            known[row["digest"]] = newer
            named = {name: row[name] for name in ("importer", "importer_version")}
            there = source.c.digest == row["digest"]
            connection.execute(update(source).where(there).values(named))
