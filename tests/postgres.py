"""A PostgreSQL server of our own for a session; its databases sort as people do."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

USER = "benchdb"
_numbers = count()
# Nothing has to outlive the session, so nothing waits for a disk.
_OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c jit=off"


def programs() -> Path | None:
    """Return where the server's programs are, if PostgreSQL is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    if named is not None:
        found.append(Path(named).resolve())
    return found[-1].parent if found else None


@contextmanager
def server(room: Path) -> Iterator[Path]:
    """Run a server whose data and socket are in *room*; yield the socket's folder."""
    folder = programs()
    assert folder is not None
    data = room / "data"
    if os.geteuid() == 0:  # the server refuses to run as root
        shutil.chown(room, "nobody")
    _run(folder / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "-N")
    control = (folder / "pg_ctl", "-D", data, "-w", "-l", room / "log")
    try:
        _run(*control, "-o", f"-k {room} {_OPTIONS}", "start")
        yield room
    finally:
        _run(*control, "-m", "immediate", "stop")


def new_database(socket: Path) -> str:
    """Make an empty database; return its address."""
    name = f"results{next(_numbers)}"
    folder = programs()
    assert folder is not None
    sorting = ("--template=template0", "--locale-provider=icu", "--icu-locale=en-US")
    _run(folder / "createdb", "-h", socket, "-U", USER, *sorting, name)
    return f"postgresql+psycopg://{USER}@/{name}?host={socket}"


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
