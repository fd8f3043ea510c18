"""A room for an attack: programs with limits, and what must stay equal."""

import fcntl
import os
import random
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PUBLISHED = tuple(
    ROOT / "published" / f"{name}.jsonl"
    for name in ("needle-metal", "m1tensorbench", "tf-metal-experiments")
)
LARGE = ROOT / "published" / "benchdb-h200.jsonl"
MEMORY_LIMIT = 256 * 2**20  # bytes; a file of a stranger must not take more
_PATIENCE = 900.0  # seconds; a program that takes longer hangs
_KIBI = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
BUG = "a bug of benchdb"  # as an import names what nobody foresaw
# Derived, or about when and whence: two ways to the same results differ in them.
_PASSING = (
    "alembic_version made_by import_part imported_file source_file future_date "
    "supersession newest"
)


@dataclass(frozen=True)
class Verdict:
    """What came of an attempt: inputs *tried*, a reason for each that was lost."""

    tried: int = 1
    lost: tuple[str, ...] = ()
    peak: int = 0  # bytes of memory


@dataclass(frozen=True)
class Done:
    """How a program ended; negative *status* is a signal. *peak* is in bytes."""

    status: int
    out: str
    err: str
    peak: int

    def fault(self, *allowed: int) -> str | None:
        """Return what is wrong with such an end, other than a status of *allowed*."""
        last = (self.err.strip().splitlines() or [""])[-1][:300]
        if "Traceback (most recent call last)" in self.err or BUG in self.err:
            return f"a bug: {last}"
        if self.status not in (allowed or (0,)):
            return f"status {self.status}: {last}"
        return None


@dataclass
class Room:
    """A folder for an attempt, its own chance, and where what fails is kept."""

    folder: Path
    chance: random.Random
    kept: Path
    name: str
    shared: Path  # what is made once for all attempts

    @cached_property
    def environment(self) -> dict[str, str]:
        """Return the environment of programs: nobody's home but the room's."""
        home = self.folder / "home"
        own = {"HOME": str(home), "BENCHDB_HOME": str(home / "benchdb")}
        more = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        return {**os.environ, **own, "PYTHONPATH": os.pathsep.join(more)}

    def start(
        self, *arguments: object, limit: Mapping[int, int] | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start benchdb in a group of its own; *limit* are limits of resources."""

        def limited() -> None:
            for what, size in (limit or {}).items():
                resource.setrlimit(what, (size, size))

        out, err = (self.folder / name for name in ("out", "err"))
        with out.open("wb") as stdout, err.open("wb") as stderr:
            return subprocess.Popen(
                [sys.executable, "-m", "benchdb", *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=self.environment,
                cwd=ROOT,
                process_group=0,
                preexec_fn=limited,  # noqa: PLW1509 - there are no threads
            )

    def run(self, *arguments: object, limit: Mapping[int, int] | None = None) -> Done:
        """Run benchdb to its end, or until nobody would wait any longer."""
        return self.end(self.start(*arguments, limit=limit))

    def end(self, process: "subprocess.Popen[bytes]") -> Done:
        """Return how *process* ended."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, 9)
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out, err = (
            (self.folder / name).read_text(errors="replace") for name in ("out", "err")
        )
        return Done(process.returncode, out, err, usage.ru_maxrss * _KIBI)

    def base(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the file *name*, made once for all attempts of all lanes."""
        path, new = self.shared / name, self.shared / f"{name}.new"
        if not path.exists():
            with (self.shared / f"{name}.lock").open("w") as turn:
                fcntl.flock(turn, fcntl.LOCK_EX)
                if not path.exists():
                    make(new)
                    new.rename(path)
        return path

    def keep(self, content: bytes, suffix: str, command: str) -> str:
        """Keep an input that something was lost by; return how it is tried again."""
        folder = self.kept / self.name.replace(":", "-")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"input-{len([*folder.iterdir()])}{suffix}"
        path.write_bytes(content)
        return command.format(file=path)


def imported(room: Room, *files: Path) -> Callable[[Path], None]:
    """Return what makes a database that holds *files*."""

    def make(path: Path) -> None:
        done = room.run("import", *files, "--db", path)
        if why := done.fault(0, 1):
            raise RuntimeError(why)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")

    return make


def rows(path: Path) -> dict[str, list[str]]:
    """Return what a database says, by table."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        tables = [
            name
            for (name,) in names
            if name not in _PASSING.split() and not name.startswith("sqlite_")
        ]
        return {
            name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"')))  # noqa: S608
            for name in tables
        }


def whole(path: Path) -> str | None:
    """Return what is damaged in a file of SQLite: pages, references, doubled runs."""
    with closing(sqlite3.connect(path)) as connection:
        (result,) = connection.execute("PRAGMA integrity_check").fetchone()
        if result != "ok":
            return f"integrity_check: {result}"
        if orphans := connection.execute("PRAGMA foreign_key_check").fetchall():
            return f"{len(orphans)} rows refer to nothing: {orphans[0]}"
    return None
