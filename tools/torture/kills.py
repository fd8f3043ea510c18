"""SIGKILL in the middle: afterwards nothing is lost, doubled, or half there."""

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.machine_needs import server_programs
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

_OLD = ("0001.sqlite", "0003.sqlite", "0007.sqlite", "0008.sqlite")
_WORK = ("matmul", "--framework", "numpy", "--size", 4, "--size", 8, "--tier", "smoke")
_lasts: dict[str, float] = {}  # seconds that a command takes undisturbed


def attempt(room: Room, kinds: Sequence[str] = ()) -> Verdict:
    """Kill a command at some moment; look at what is left, and do it again.

    It is one of *kinds*; of all, imports more often than others, where there are none.
    """
    kind = room.chance.choice(kinds or (*_KINDS, "import", "import"))
    why, peak = _KINDS[kind](room)
    return Verdict(1, (f"{kind}: {why}",) if why else (), peak)


Found = tuple[str | None, int]  # what was lost, and the most bytes of memory


def _killed(room: Room, kind: str, *arguments: object) -> int:
    """Start a command and kill it, with all it started; return its memory."""
    moment = _lasts.get(kind, 3.0) * room.chance.random()
    begun = time.monotonic()
    process = room.start(*arguments)
    while process.poll() is None and time.monotonic() - begun < moment:
        time.sleep(0.002)
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        return room.end(process).peak
    _lasts[kind] = time.monotonic() - begun
    return 0


def _finished(room: Room, kind: str, *arguments: object) -> Done:
    begun = time.monotonic()
    done = room.run(*arguments)
    _lasts[kind] = time.monotonic() - begun
    return done


def _import(room: Room) -> Found:
    files = [LARGE, *PUBLISHED]
    room.chance.shuffle(files)
    database = room.folder / "r.sqlite"
    shutil.copyfile(room.base("small", imported(room, PUBLISHED[0])), database)
    peak = _killed(room, "import", "import", *files, "--db", database)
    if why := whole(database) or _half_a_file(database):
        return why, peak
    done = _finished(room, "import", "import", *files, "--db", database)
    goal = room.base("all", imported(room, LARGE, *PUBLISHED))
    return done.fault() or _differs(database, goal), max(peak, done.peak)


def _half_a_file(path: Path) -> str | None:
    """Tell whether some runs are of a file that is not noted: none shares any."""
    query = "SELECT (SELECT sum(runs) FROM imported_file), (SELECT count(*) FROM run)"
    with closing(sqlite3.connect(path)) as connection:
        result, there = connection.execute(query).fetchone()
    return None if result == there else f"{there} runs, of files that had {result}"


def _upgrade(room: Room) -> Found:
    database = room.folder / "old.sqlite"
    shutil.copyfile(FIXTURES / "databases" / room.chance.choice(_OLD), database)
    before = _runs(database)
    peak = _killed(room, "upgrade", "db", "upgrade", "--db", database)
    done = _finished(room, "upgrade", "db", "upgrade", "--db", database)
    if why := done.fault() or whole(database):
        return why, peak
    checked = room.run("db", "check", "--db", database)
    lost = len(before - _runs(database))
    return checked.fault() or (f"{lost} runs" if lost else None), done.peak


def _copy(room: Room) -> Found:
    source = room.base("all", imported(room, LARGE, *PUBLISHED))
    target = room.folder / "copy.sqlite"
    peak = _killed(room, "copy", "db", "copy", source, target)
    if not target.exists():
        done = _finished(room, "copy", "db", "copy", source, target)
        if why := done.fault():
            return why, peak
    return _differs(target, source), peak


def _report(room: Room) -> Found:
    database = room.folder / "r.sqlite"
    shutil.copyfile(room.base("small", imported(room, PUBLISHED[0])), database)
    before, page = rows(database), room.folder / "page"
    what = ("report", "--lang", "en", "--format", "all", "-o", page, "--db", database)
    peak = _killed(room, "report", *what)
    torn = [
        path.name
        for path in page.glob("*.html")
        if not path.read_text("utf-8").rstrip().endswith("</html>")
    ]
    if torn:
        return f"half a page: {torn}", peak
    done = _finished(room, "report", *what)
    changed = None if rows(database) == before else "the database changed"
    return done.fault() or changed, done.peak


def _collect(room: Room) -> Found:
    database = room.folder / "r.sqlite"
    where = ("--no-metal", "--no-cuda", "--db", database)
    peak = _killed(room, "collect", "collect", *_WORK, *where)
    kept = _runs(database) if database.exists() else set()
    begun = [*(room.folder / "home" / "benchdb" / "campaigns").glob("*")]
    if begun and kept:
        again = _finished(room, "collect", "collect", "--resume", "--db", database)
    else:
        again = _finished(room, "collect", "collect", *_WORK, *where)
    # A campaign that had ended has nothing to resume, which is wrong use.
    if (why := again.fault(0, 2)) or (why := whole(database)):
        return why, peak
    lost = len(kept - _runs(database))
    return (f"{lost} runs" if lost else None), peak


def _server(room: Room) -> Found:
    """Kill an import into PostgreSQL; what it exports is what a file would."""
    from tests.postgres import server  # noqa: PLC0415  psycopg is an extra

    with TemporaryDirectory() as place, server(Path(place)) as postgres:
        database = postgres.address(postgres.new_database())
        files = [*PUBLISHED]
        room.chance.shuffle(files)
        first = room.run("import", files[0], "--db", database)
        peak = _killed(room, "server", "import", *files, "--db", database)
        again = _finished(room, "server", "import", *files, "--db", database)
        goal = room.base("three", imported(room, *PUBLISHED))
        exports = [room.folder / name for name in ("a.jsonl", "b.jsonl")]
        ended = [
            room.run("export", "--yes", "-o", path, "--db", of)
            for path, of in zip(exports, (database, goal), strict=True)
        ]
        for done in (first, again, *ended):
            if why := done.fault():
                return why, peak
        same = exports[0].read_bytes() == exports[1].read_bytes()
        return (None if same else "other runs than in a file"), peak


_KINDS: dict[str, Callable[[Room], Found]] = {
    "import": _import,
    "upgrade": _upgrade,
    "copy": _copy,
    "report": _report,
    "collect": _collect,
    **({"server": _server} if server_programs() else {}),
}


def _runs(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        try:
            return {
                result for (result,) in connection.execute("SELECT digest FROM run")
            }
        except sqlite3.OperationalError:
            return set()  # killed before there were tables


def _differs(path: Path, goal: Path) -> str | None:
    """Return how what is in two databases differs."""
    if why := whole(path):
        return why
    groups, wanted = rows(path), rows(goal)
    names = [name for name in wanted if groups.get(name) != wanted[name]]
    return f"other rows in {', '.join(names)}" if names else None
