"""SQL for whoever administers a server: least-privilege roles, and tables of sites.

A reporting database sees the tables of each site as foreign ones (postgres_fdw), in a
schema of the site's own. ``gather`` takes from them what is new.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from sqlalchemy import URL, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import ArgumentError

from benchdb.errors import UsageError
from benchdb.store import tables
from benchdb.store.derived import DERIVED
from benchdb.store.postgresql.server import parsed, without_secrets
from benchdb.store.tables import metadata

READER, CONTRIBUTOR, OWNER = "benchdb_reader", "benchdb_contributor", "benchdb_owner"

# What an import does besides adding rows that are not there yet.
_ALSO = {
    "finding": "DELETE",
    "imported_file": "DELETE, UPDATE (name)",
    "newest": "DELETE",
    "part": "DELETE",
    "quarantine": "DELETE",
    "result": "DELETE",
    "source": "UPDATE (importer, importer_version)",
}
# Decisions by hand about everybody's results, and what migrations note.
_OWNERS_ONLY = (
    *("alembic_version", "forgotten", "machine_link", "made_by", "signer"),
    "supersession",
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
    for name in tables.VIEWS:
        view = f"{place}.{_quoted(name)}"
        yield f"ALTER VIEW {view} OWNER TO {OWNER};"
        yield f"REVOKE ALL ON {view} FROM PUBLIC, {READER}, {CONTRIBUTOR};"
        yield f"GRANT SELECT ON {view} TO {READER}, {CONTRIBUTOR};"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


PREFIX = "site_"  # of a site's schema and server: nobody else's is ever touched
VERSIONS = "alembic_version"

# What a site keeps to itself, as when it exports: what it read and refused, documents
# of others, decisions by hand or by its clock. What is derived follows from the runs
# of all sites.
_KEPT = (
    tables.imported_file,
    tables.import_part,
    tables.document,
    tables.quarantine,
    tables.source_file,
    tables.supersession,
    tables.forgotten,
    tables.future_date,
    tables.machine_link,
    tables.signer,
    tables.made_by,
    *DERIVED,
)
SHARED = tuple(
    table for table in tables.metadata.sorted_tables if table not in _KEPT
)  # parents before children
OF_A_RUN = tuple(
    table
    for table in SHARED
    if table is tables.run or ("run" in table.c and table.c.run.foreign_keys)
    if table is not tables.signed_run  # somebody may sign a run that has been taken
)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_WAITS = {"connect_timeout": "10"}  # seconds; a site that is gone may not answer at all
_ROWS = "1000"  # fetched at a time; postgres_fdw's own 100 are slow


class Site(msgspec.Struct, frozen=True):
    """A site's database: its *name* here, who we are there, where it is (libpq)."""

    name: str
    user: str | None
    place: Mapping[str, str]


def sites(texts: Sequence[str]) -> list[Site]:
    """Return what each ``NAME=URL`` means; a password in it is left out."""
    named = [_site(text) for text in texts]
    for name, count in Counter(site.name for site in named).items():
        if count > 1:
            raise UsageError(f"two addresses for {name!r}; give each site a name")
    return named


def _site(text: str) -> Site:
    name, _, address = text.partition("=")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name.partition(':')[0]!r} is no name for a site: small letters, digits "
            "and _; give NAME=postgresql+psycopg://user@host/database"
        )
    try:
        url = without_secrets(parsed(address))
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if not url.drivername.startswith("postgresql"):
        raise UsageError(
            f"the address of {name} must be postgresql+psycopg://user@host/database; "
            "results in a file come by 'benchdb export' and 'benchdb import'"
        )
    if url.database is None:
        raise UsageError(f"the address of {name} names no database")
    named = {"host": url.host, "port": url.port and str(url.port)}
    query = {
        key: texts if isinstance(texts, str) else ",".join(texts)
        for key, texts in url.query.items()
    }
    own = {key: number for key, number in named.items() if number}
    return Site(name, url.username, {**own, "dbname": url.database, **query})


def statements(some: Site, schema: str = "public") -> Iterator[str]:
    """Yield the SQL that lets a reporting database see *some* site's tables.

    Running it again, as after an upgrade, makes the foreign tables anew and leaves
    address, user and password as they are.
    """
    home = PREFIX + some.name
    place = {**_WAITS, "fetch_size": _ROWS, **some.place}
    user = {} if some.user is None else {"user": some.user}
    yield "SET client_min_messages = warning;"
    yield "CREATE EXTENSION IF NOT EXISTS postgres_fdw;"
    yield (
        f"CREATE SERVER IF NOT EXISTS {home} FOREIGN DATA WRAPPER postgres_fdw "
        f"{_options(place)};"
    )
    yield (
        f"CREATE USER MAPPING IF NOT EXISTS FOR CURRENT_USER SERVER {home}"
        f"{' ' if user else ''}{_options(user)};"
    )
    yield (
        "-- Where a password is asked for: ALTER USER MAPPING FOR CURRENT_USER "
        f"SERVER {home} OPTIONS (ADD password '…');"
    )
    yield f"CREATE SCHEMA IF NOT EXISTS {home};"
    version = f"{_quoted('version_num')} text"
    for name, columns in (
        (VERSIONS, version),
        *((table.name, _columns(table)) for table in SHARED),
    ):
        theirs = f"{home}.{_quoted(name)}"
        where = _options({"schema_name": schema, "table_name": name})
        yield f"DROP FOREIGN TABLE IF EXISTS {theirs};"
        yield f"CREATE FOREIGN TABLE {theirs} ({columns}) SERVER {home} {where};"


def _columns(table: Table) -> str:
    kinds = postgresql.dialect()  # type: ignore[no-untyped-call]
    return ", ".join(
        f"{_quoted(column.name)} {column.type.compile(dialect=kinds)}"
        for column in table.columns
    )


def _options(named: Mapping[str, str]) -> str:
    if not named:
        return ""
    texts = (f"{_quoted(name)} {_literal(value)}" for name, value in named.items())
    return f"OPTIONS ({', '.join(texts)})"


def _literal(text: str) -> str:
    # E'' means the same whatever standard_conforming_strings says.
    quoted = text.replace("\\", "\\\\").replace("'", "''")
    return f"E'{quoted}'" if "\\" in text else f"'{quoted}'"
