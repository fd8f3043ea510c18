"""Two sites, each with a PostgreSQL server of its own, and who reports on both."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import Connection

from benchdb.resources import folder
from tests.in_process import benchdb
from tests.postgres import GUARDED, PASSWORD, Server

TWO_RUNS = Path(__file__).parents[1] / "fixtures" / "two_runs.jsonl"
_DIVIDED = folder("published") / "m1tensorbench.jsonl"
_OWN = {
    "bonn": ("benchdb-cpu.jsonl", "needle-metal.jsonl"),
    "oslo": ("pytorch-in-m1.jsonl",),
}
_SOURCE = {"type": "source", "key": "s", "slug": "both", "title": "Told twice"}
_SOURCE |= {"document_sha256": "ab" * 32, "importer": "a tool"}


@dataclass(frozen=True)
class Site:
    """A site's database, and how somebody who may only read gets there."""

    name: str
    server: Server
    database: str
    reader: str

    @property
    def url(self) -> str:
        return self.server.address(self.database)

    @property
    def option(self) -> str:
        return f"{self.name}={self.server.address(self.database, self.reader)}"


def bonn(server: Server, room: Path) -> Site:
    name = server.new_database()
    site = Site("bonn", server, name, "bonn_reader")
    _fill(site, room, half=0, version="0.9.1", seconds=1.5)
    return site


def oslo(server: Server, room: Path) -> Site:
    """A site that asks for a password, and sorts text as Danes do: aa after z."""
    name = server.new_database(locale="da-DK")
    site = Site("oslo", server, name, GUARDED)
    _fill(site, room, half=1, version="0.10.0", seconds=2.5)
    return site


def federated(server: Server, template: str, *sites: Site) -> str:
    """Return where a reporting database is that sees the tables of *sites*."""
    database = server.new_database(template)
    with server.connect(database) as connection:
        let_see(connection, *sites)
    return server.address(database)


def let_see(connection: Connection[Any], *sites: Site) -> None:
    """Run the SQL that is printed for *sites*, and the line about a password."""
    printed = benchdb("db", "federate", *(site.option for site in sites))
    assert printed.status == 0, printed.err
    for _ in range(2):  # a second time changes nothing
        connection.execute(printed.out.encode())
    for line in printed.out.splitlines():
        if line.startswith("-- ") and "SERVER site_oslo" in line:
            statement = line.partition(": ")[2].replace("…", PASSWORD)
            connection.execute(statement.encode())


def told_twice(path: Path, version: str, seconds: float) -> Path:
    """Write a file with one run of a source that tells it otherwise elsewhere."""
    header, machine, environment, run, *_ = map(
        json.loads, TWO_RUNS.read_text().splitlines()
    )
    of_source = {"label": "transcribed", "source": "s", "setting": "standard"}
    lines = (
        header,
        _SOURCE | {"importer_version": version},
        machine,
        environment,
        run | of_source,
        {"type": "end", "run": run["key"], "status": "ok"}
        | {"values": [{"metric": "step_seconds", "value": seconds}]},
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _fill(site: Site, room: Path, *, half: int, version: str, seconds: float) -> None:
    files = [folder("published") / name for name in _OWN[site.name]]
    files += [TWO_RUNS, _half(room / f"{site.name}-half.jsonl", half)]
    files.append(told_twice(room / f"{site.name}-told.jsonl", version, seconds))
    done = benchdb("import", *files, "--db", site.url)
    assert done.status == 0, done.err
    grants = benchdb("db", "grants", "--db", site.url).out
    with site.server.connect(site.database) as connection:
        connection.execute(grants.encode())
        if site.reader != GUARDED:
            connection.execute(f"CREATE ROLE {site.reader} LOGIN".encode())
        connection.execute(f"GRANT benchdb_reader TO {site.reader}".encode())


def _half(path: Path, half: int) -> Path:
    """Write every other run of a source, with all that they refer to."""
    lines = [json.loads(line) for line in _DIVIDED.read_text().splitlines()]
    runs = [line["key"] for line in lines if line["type"] == "run"]
    left_out = set(runs[half::2])
    kept = [
        line
        for line in lines
        if line.get("key", line.get("run")) not in left_out or line["type"] == "source"
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    return path
