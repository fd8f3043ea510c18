"""The databases that benchdb works on: a test says of both kinds that they are alike.

A test that takes the fixture ``backend`` runs twice: on a SQLite file, and on a real
PostgreSQL server, which the first of them starts.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, make_url

from benchdb.merge import import_or_raise
from benchdb.store.database import open_database, writing
from tests.observed_runs import database
from tests.postgres import Server, server

SQLITE, POSTGRESQL = "sqlite", "postgresql"
# What was imported once, by kind and files: the bytes of a file, or where a server has
# it. Tests work on copies.
_IMPORTED: dict[tuple[object, ...], bytes | str] = {}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    # The path of a socket may have 107 characters; folders of tests are deeper.
    with tempfile.TemporaryDirectory() as room, server(Path(room)) as result:
        yield result


@pytest.fixture(scope="session")
def template(postgres: Server) -> str:
    """A database with our tables and nothing in them, to be copied."""
    name = postgres.new_database()
    open_database(postgres.address(name), create=True)
    return name


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with our tables and nothing in them, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "results.sqlite"
    open_database(str(path), create=True).dispose()
    return path


class Backend:
    """Makes databases of one kind."""

    def __init__(self, kind: str, request: pytest.FixtureRequest) -> None:
        self.kind = kind
        self._request = request
        self._room: Path = request.getfixturevalue("tmp_path")
        self._made = 0
        self._on_server: list[str] = []
        request.addfinalizer(self._end)

    def database(self) -> str:
        """Return where a new database is, with our tables and nothing in them."""
        if self.kind == POSTGRESQL:
            return self._new(self._request.getfixturevalue("template"))
        location = self.nothing()
        shutil.copyfile(self._request.getfixturevalue("empty_file"), location)
        return location

    def nothing(self) -> str:
        """Return where a database can be made: no file yet, or an empty database."""
        if self.kind == POSTGRESQL:
            return self._new()
        self._made += 1
        return str(self._room / f"results{self._made}.sqlite")

    def copy_of(self, location: str) -> str:
        """Return where a copy of a database of ours is; nobody may be using it."""
        if self.kind == POSTGRESQL:
            return self._new(str(make_url(location).database))
        return str(shutil.copyfile(location, self.nothing()))

    def holding(self, *files: Path) -> str:
        """Return where a new database is that holds what is in these *files*."""
        key = (self.kind, *files)
        if key not in _IMPORTED:
            location = self.database()
            engine = open_database(location)
            import_or_raise(engine, files)
            engine.dispose()
            _IMPORTED[key] = self.kept(location)
            if self.kind == SQLITE:
                with closing(sqlite3.connect(location)) as connection:
                    _IMPORTED[key] = connection.serialize()
        imported = _IMPORTED[key]
        if isinstance(imported, str):
            return self.copy_of(imported)
        copy = Path(self.nothing())
        copy.write_bytes(imported)
        return str(copy)

    def kept(self, location: str) -> str:
        """Let the database at *location* outlive the test; return where it is."""
        if self.kind == POSTGRESQL:
            self._on_server.remove(str(make_url(location).database))
        return location

    def _end(self) -> None:
        """Give back what the server holds for a test."""
        for name in self._on_server:
            self._server.drop(name)

    def _new(self, *template: str) -> str:
        name = self._server.new_database(*template)
        self._on_server.append(name)
        return self._server.address(name)

    @property
    def _server(self) -> Server:
        result: Server = self._request.getfixturevalue("postgres")
        return result


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def backend(request: pytest.FixtureRequest) -> Backend:
    return Backend(request.param, request)


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def fleeting(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A connection to an empty database of each kind; what is written is forgotten."""
    if request.param == SQLITE:
        with database() as connection:
            yield connection
        return
    result: Server = request.getfixturevalue("postgres")
    engine = open_database(result.address(request.getfixturevalue("template")))
    with writing(engine) as connection:
        yield connection
        connection.rollback()
