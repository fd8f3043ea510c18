"""Many at once: importers and readers of one file; then a disk with no room."""

import resource
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from tools.torture.room import (
    FIXTURES,
    LARGE,
    PUBLISHED,
    Done,
    Room,
    Verdict,
    imported,
    rows,
    whole,
)

_MANY = 32
# What others published; some of it is refused, and whoever brings it is told.
DOCUMENTS = tuple(
    FIXTURES / "import" / name
    for name in ("llama_bench.csv", "llama_bench.sql", "llama_bench_thread.md")
)
_READ = (
    ("list", "--limit", "5"),
    ("export", "--yes"),
    ("list", "--campaigns"),
    ("db", "check"),
)


def attempt(room: Room, many: int = _MANY) -> Verdict:
    """Let *many* processes write and read at once: all end well, and agree."""
    database = room.folder / "r.sqlite"
    shutil.copyfile(room.base("small", imported(room, PUBLISHED[0])), database)
    commands: list[tuple[object, ...]] = []
    for number in range(many):
        files = [*PUBLISHED, *DOCUMENTS]
        room.chance.shuffle(files)
        reading = room.chance.choice(_READ) if number % 4 == 3 else ("import", *files)
        commands.append(reading)
    rooms = [_beside(room, number) for number in range(many)]
    started: list[subprocess.Popen[bytes]] = [
        result.start(*command, "--db", database)
        for result, command in zip(rooms, commands, strict=True)
    ]
    ended = [
        result.end(process) for result, process in zip(rooms, started, strict=True)
    ]
    lost = [
        f"{command[0]}: {why}"
        for command, done in zip(commands, ended, strict=True)
        if (why := done.fault(0, 1 if command[0] == "import" else 0))
    ]
    goal = room.base("documents", imported(room, *PUBLISHED, *DOCUMENTS))
    if why := whole(database) or _unlike(database, goal):
        lost.append(why)
    return Verdict(many, tuple(lost), max(done.peak for done in ended))


def _unlike(path: Path, goal: Path) -> str | None:
    return None if rows(path) == rows(goal) else "not what one importer would store"


def _beside(room: Room, number: int) -> Room:
    folder = room.folder / str(number)
    folder.mkdir()
    return replace(room, folder=folder)


def disk(room: Room) -> Verdict:
    """Let what is written find no room: one line says so, and nothing has changed."""
    database, page = room.folder / "r.sqlite", room.folder / "page"
    shutil.copyfile(room.base("small", imported(room, PUBLISHED[0])), database)
    before = rows(database)
    size = room.chance.randrange(1, 40) * 2**14 + room.chance.randrange(4096)
    command: tuple[object, ...] = room.chance.choice(
        (
            ("import", LARGE),
            ("import", "--strict", *PUBLISHED, LARGE),
            ("report", "--lang", "en", "-o", page),
            ("export", "--yes", "-o", room.folder / "e.jsonl"),
            ("db", "copy", database, room.folder / "copy.sqlite"),
        )
    )
    where = () if command[0] == "db" else ("--db", database)
    # A file may have so many bytes, and no more: as on a full disk, without a mount.
    done = room.run(*command, *where, limit={resource.RLIMIT_FSIZE: size})
    why = done.fault(0, 1) or _said(done) or whole(database)
    if why is None and done.status and command[0] != "import":
        why = None if rows(database) == before else "the database changed"
    if why is None and (lost := set(before["run"]) - set(rows(database)["run"])):
        why = f"{len(lost)} runs"
    shown = " ".join(map(str, command[:2]))
    return Verdict(1, (f"{shown}, {size} bytes: {why}",) if why else (), done.peak)


def _said(done: Done) -> str | None:
    lines = done.err.strip().splitlines()
    if done.status and not (lines and "benchdb: " in done.err):
        return "no word why"
    return "a word of SQL" if "savepoint" in done.err else None
