"""A PostgreSQL server of our own for a session; its databases sort as people do."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from socket import socket
from typing import Any

import psycopg
from psycopg import sql

from tools.machine_needs import server_programs

USER = "benchdb"
GUARDED = "guarded"  # the only role that is asked for a password
PASSWORD = "open sesame"  # noqa: S105 - of a server that nobody else can reach
_numbers = count()
# Nothing has to outlive the session, so nothing waits for a disk.
_OPTIONS = "-c fsync=off -c full_page_writes=off -c jit=off -c autovacuum=off"
_OPTIONS += " -c max_wal_size=96MB -c dynamic_shared_memory_type=mmap"
_OPTIONS += " -c wal_level=logical"  # documents replicate


@dataclass(frozen=True)
class Server:
    """Where a server listens: a socket in *room*, and TLS on *port* of this machine."""

    room: Path
    port: int

    @property
    def certificate(self) -> Path:
        return self.room / "server.crt"

    def address(self, name: str, user: str = USER) -> str:
        return f"postgresql+psycopg://{user}@/{name}?host={self.room}&port={self.port}"

    def connect(self, name: str = "postgres") -> psycopg.Connection[Any]:
        """Return a connection of the superuser, each statement a transaction."""
        return psycopg.connect(
            autocommit=True, user=USER, host=str(self.room), port=self.port, dbname=name
        )

    def new_database(
        self, template: str = "template0", space: str = "", locale: str = "en-US"
    ) -> str:
        """Make a database, empty or as *template* is; return its name."""
        name = f"results{next(_numbers)}"
        made = sql.SQL(
            "CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy "
            "LOCALE_PROVIDER icu ICU_LOCALE {}"
        ).format(sql.Identifier(name), sql.Identifier(template), locale)
        if space:
            made += sql.SQL(" TABLESPACE {}").format(sql.Identifier(space))
        with self.connect() as connection:
            connection.execute(made)
        return name

    def drop(self, name: str) -> None:
        with self.connect() as connection:
            gone = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(gone.format(sql.Identifier(name)))


@contextmanager
def server(room: Path) -> Iterator[Server]:
    """Run a server whose data and socket are in *room*."""
    folder = server_programs()
    assert folder is not None
    data = room / "data"
    if os.geteuid() == 0:  # the server refuses to run as root
        shutil.chown(room, "nobody")
    _run(folder / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "-N")
    rules = data / "pg_hba.conf"
    rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
    _certify(room)
    result = Server(room, _free_port())
    options = f"-k {room} -p {result.port} -c listen_addresses=127.0.0.1 {_OPTIONS}"
    options += f" -c ssl=on -c ssl_cert_file={result.certificate}"
    options += f" -c ssl_key_file={room / 'server.key'}"
    control = (folder / "pg_ctl", "-D", data, "-w", "-l", room / "log")
    try:
        _run(*control, "-o", options, "start")
        with result.connect() as connection:
            connection.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")
        yield result
    finally:
        _run(*control, "-m", "immediate", "stop")


def _certify(room: Path) -> None:
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    files = ("-keyout", room / "server.key", "-out", room / "server.crt")
    _run("openssl", "req", "-x509", "-days", "2", *curve, *names, *files)


def _free_port() -> int:
    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _run(*command: object) -> None:
    user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*user, *map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # of the server too, which goes on after pg_ctl
        stderr=subprocess.STDOUT,
        cwd="/",
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()
