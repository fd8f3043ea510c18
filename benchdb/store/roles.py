"""Least-privilege roles on PostgreSQL, as SQL for whoever administers the server."""

from collections.abc import Iterator

from benchdb.store.tables import metadata

READER, CONTRIBUTOR, OWNER = "benchdb_reader", "benchdb_contributor", "benchdb_owner"

# What an import does besides adding rows that are not there yet.
_ALSO = {
    "finding": "DELETE",
    "imported_file": "DELETE, UPDATE (name)",
    "newest": "DELETE",
    "part": "DELETE",
    "quarantine": "DELETE",
    "source": "UPDATE (importer, importer_version)",
}
# Decisions by hand about everybody's results, and what migrations note.
_OWNERS_ONLY = (
    *("alembic_version", "forgotten", "machine_link", "made_by", "supersession"),
)


def grants(database: str, schema: str = "public") -> Iterator[str]:
    """Yield the statements that let three roles do what they are for, and no more.

    A reader reads. A contributor imports as well. An owner upgrades, decides which
    machines are the same and which sources are out of date, and forgets. Running them
    again changes nothing.
    """
    home, place = _quoted(database), _quoted(schema)
    everybody = f"{READER}, {CONTRIBUTOR}, {OWNER}"
    for role in (READER, CONTRIBUTOR, OWNER):
        yield (
            f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; "
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
        )
    yield f"REVOKE ALL ON DATABASE {home} FROM PUBLIC;"
    # Temporary tables: reports with filters and 'benchdb db check' make some.
    yield f"GRANT CONNECT, TEMPORARY ON DATABASE {home} TO {everybody};"
    yield f"REVOKE CREATE ON SCHEMA {place} FROM PUBLIC;"
    yield f"GRANT USAGE ON SCHEMA {place} TO {everybody};"
    yield f"GRANT CREATE ON SCHEMA {place} TO {OWNER};"
    content = sorted(metadata.tables)
    for name in sorted({*content, *_OWNERS_ONLY}):
        table = f"{place}.{_quoted(name)}"
        yield f"ALTER TABLE {table} OWNER TO {OWNER};"
        yield f"REVOKE ALL ON {table} FROM PUBLIC, {READER}, {CONTRIBUTOR};"
        yield f"GRANT SELECT ON {table} TO {READER}, {CONTRIBUTOR};"
        if name not in _OWNERS_ONLY:
            more = _ALSO.get(name)
            may = "INSERT" if more is None else f"INSERT, {more}"
            yield f"GRANT {may} ON {table} TO {CONTRIBUTOR};"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
