"""Hosts of PostgreSQL that the documents name: databases of two servers of our own."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg import sql

from benchdb.resources import folder
from benchdb.store.database import open_database
from tests.command_line import benchdb
from tests.postgres import Server, server

# Citus cannot be had here: what its two functions refuse of these tables.
CITUS = """
CREATE TABLE citus_table (name regclass PRIMARY KEY, distributed_by text);
CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = table_name
             AND NOT EXISTS (SELECT FROM citus_table
                             WHERE name = confrelid AND distributed_by IS NULL)) THEN
    RAISE 'referenced table must be a reference table: %', table_name;
  END IF;
  INSERT INTO citus_table VALUES (table_name, NULL);
END $$ LANGUAGE plpgsql;
CREATE FUNCTION create_distributed_table(
  table_name regclass, distribution_column text, colocate_with text DEFAULT 'default'
) RETURNS void AS $$
DECLARE
  number smallint := (SELECT attnum FROM pg_attribute WHERE attrelid = table_name
                      AND attname = distribution_column);
BEGIN
  IF EXISTS (SELECT FROM pg_index WHERE indrelid = table_name AND indisunique
             AND NOT number = ANY (indkey)) OR number IS NULL THEN
    RAISE 'cannot create constraint on %: no distribution column', table_name;
  END IF;
  IF EXISTS (SELECT FROM pg_constraint c LEFT JOIN citus_table ON name = confrelid
             WHERE contype = 'f' AND conrelid = table_name
             AND (name IS NULL OR distributed_by IS NOT NULL
                  AND (conkey[1] <> number
                       OR colocate_with <> confrelid::regclass::text)))
  THEN
    RAISE 'cannot create foreign key constraint of %', table_name;
  END IF;
  INSERT INTO citus_table VALUES (table_name, distribution_column);
END $$ LANGUAGE plpgsql;
"""
_SITES: dict[str, tuple[str, ...]] = {
    "oslo": ("pytorch-in-m1.jsonl",),
    "bonn": ("benchdb-cpu.jsonl", "needle-metal.jsonl"),
}
_DATABASES = {
    "db.oslo.example": "oslo",
    "db.bonn.example": "bonn",
    "host": "host",
    "server": "host",
    "reporting": "reporting",
    "replica": "replica",
}
_ON_SECOND = {"reporting", "replica"}
_ROLES = {"admin": "SUPERUSER LOGIN", "reader": "LOGIN", "alice": "LOGIN"}


class Hosts:
    """Two servers, and which database of which of them is called what."""

    def __init__(self, first: Server, second: Server) -> None:
        """Make the databases that are named, but for the empty one of a replica."""
        self.first, self.second = first, second
        with first.connect() as connection:
            for name, options in _ROLES.items():
                connection.execute(f"DROP ROLE IF EXISTS {name}".encode())
                connection.execute(f"CREATE ROLE {name} {options}".encode())
        for name in {*_DATABASES.values()}:
            its = second if name in _ON_SECOND else first
            with its.connect() as connection:
                create = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
                connection.execute(create)
            if name != "replica":
                open_database(its.address(name), create=True).dispose()
        for site, files in _SITES.items():
            self._fill(site, files)

    def _fill(self, site: str, files: tuple[str, ...]) -> None:
        """Import *files* into the database of a *site*, for a reader to see."""
        address = self.first.address(site)
        paths = [folder("published") / name for name in files]
        done = benchdb("import", *paths, "--db", address)
        assert done.status == 0, done.err
        with self.first.connect(site) as connection:
            connection.execute(benchdb("db", "grants", "--db", address).out.encode())
            connection.execute("GRANT benchdb_reader TO reader")

    def reached(self, text: str) -> str:
        """Return *text* with the addresses at which its hosts are."""
        names = "|".join(map(re.escape, _DATABASES))
        forms = {
            rf"(//(?:\w+@)?)({names})/results": r"\g<1>localhost:{}/{}",
            rf"(-h )({names}) results": r"\g<1>localhost -p {} {}",
            rf"(host=)({names}) dbname=results": r"\g<1>localhost port={} dbname={}",
        }
        for pattern, form in forms.items():
            for match in [*re.finditer(pattern, text)]:
                port, database = self._place(match[2])
                reached = match.expand(form.format(port, database))
                text = text.replace(match[0], reached)
        return text

    def _place(self, host: str) -> tuple[int, str]:
        """Return the port and the database of a *host*."""
        database = _DATABASES[host]
        its = self.second if database in _ON_SECOND else self.first
        return its.port, database


@contextmanager
def hosts(first: Server) -> Iterator[Hosts]:
    """Run a second server, which trusts the certificate of the *first*."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as room:
        patch.setenv("PGSSLROOTCERT", str(first.certificate))
        patch.setenv("PGUSER", "benchdb")
        with server(Path(room)) as second:
            yield Hosts(first, second)
