"""Inputs that nobody made: each is taken, or refused in a line; no third way.

A child of this process reads many of them, so that what ends it is known, and how much
memory the worst took. It is forked once all modules are there, which would take longer
to import than the inputs take. Some are stored, in a transaction that is taken back.
"""

import os
import resource
import shutil
import signal
import traceback
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from benchdb.bundles.allowed_signers import Signers
from benchdb.bundles.verifying import verify
from benchdb.errors import BenchdbError
from benchdb.exchange.record import Record
from benchdb.importing import bundled, intake
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.mapping import maps, run_groups
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import readable
from benchdb.merge import How, import_together
from benchdb.store.database import open_database
from tools.torture.mutations import Seeds
from tools.torture.room import BUG, MEMORY_LIMIT, Room, Verdict

_AT_ONCE = 200  # inputs of an attempt
_SLOW, _HANGING = 20, 120  # seconds of a processor, and of a clock, for one of them
_STORED = 25  # each of so many is stored as well
_MOST_DATA = 8 * MEMORY_LIMIT  # bytes; what wants more must not take the machine along


@cache
def _seeds() -> Seeds:
    return Seeds()


def attempt(room: Room, most: int = _AT_ONCE) -> Verdict:
    """Feed *most* inputs to a child; name those that it did not survive."""
    log, current = room.folder / "log", room.folder / "current"
    _seeds()
    shutil.copyfile(room.base("empty", _empty), room.folder / "r.sqlite")
    child = os.fork()
    if not child:
        _feed(room, most)
    _, status, usage = os.wait4(child, 0)
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    tried, lost = lines.count("."), [line for line in lines if line != "."]
    code = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss * 1024
    if code:
        lost.append(f"the process ended with {code}")
    if peak > MEMORY_LIMIT:
        lost.append(f"{peak / 2**20:.0f} MiB of memory")
    if lost and (inputs := sorted(current.parent.glob("current*"))):
        path = inputs[-1]
        command = "python -m benchdb import {file} --db /tmp/torture.sqlite"
        again = room.keep(path.read_bytes(), path.suffix, command)
        lost = [f"{why}; {again}" for why in lost]
    return Verdict(tried, tuple(lost), peak)


def _empty(path: Path) -> None:
    open_database(str(path), create=True).dispose()


def _feed(room: Room, most: int) -> NoReturn:
    """Be the child: note a dot for each input that ended as it should."""
    try:
        os.environ.update(room.environment)
        most_data = _data_of_this_process() + _MOST_DATA
        resource.setrlimit(resource.RLIMIT_DATA, (most_data, most_data))
        with (room.folder / "log").open("w", encoding="utf-8", buffering=1) as log:
            for why in _outcomes(room, most):
                log.write(f"{why or '.'}\n")
                if why:
                    break  # the input is the current one
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def _data_of_this_process() -> int:
    """Return bytes of data that a fork brings along; 0 where no system says it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[5])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _outcomes(room: Room, most: int) -> Iterator[str | None]:
    """Yield for each input why it was lost, None for one that was not."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    engine = open_database(str(room.folder / "r.sqlite"), create=True)
    for _ in range(most):
        kind = room.chance.choice((*_seeds().by_kind, "exchange", "plain"))
        signal.setitimer(signal.ITIMER_PROF, _SLOW)
        signal.setitimer(signal.ITIMER_REAL, _HANGING)
        yield _outcome(room, engine, kind)


def _outcome(room: Room, engine: object, kind: str) -> str | None:
    suffix, content = _seeds().mutant(room.chance, kind)
    path = room.folder / f"current{suffix}"
    for former in room.folder.glob("current*"):
        former.unlink()
    path.write_bytes(content)
    try:
        how, document = How(), path
        if kind == "map":
            how = How(maps.parse(path.read_bytes(), "fuzzed"))
            document = room.folder / "document.md"
            document.write_bytes(room.chance.choice(_seeds().by_kind["plain"])[1])
        if room.chance.randrange(_STORED):
            _read(document, how.map_, guess=kind == "plain")
            return None
        (outcome,) = import_together(engine, [document], how, rehearse=True)  # type: ignore[arg-type]
    except BenchdbError as error:
        # Also from what asks about tables that no map explains.
        return BUG if BUG in str(error) else None
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        name = Path(place.filename).name
        return f"{kind}: {type(error).__name__} at {name}:{place.lineno}: {error}"[:300]
    if outcome.error and BUG in outcome.error:
        return f"{kind}: {outcome.error}"[:300]
    return None


def _read(path: Path, map_: Any, *, guess: bool) -> None:
    """Read what would be stored; tables that no map explains as ``--guess`` does."""
    nobody = Signers()
    if path.suffix == ".benchdb":
        verify(path, known=nobody, at=date(2026, 11, 27))
    try:
        with (
            path.open("rb") as stream,
            bundled.opened(stream, nobody, required=False) as (lines, _),
        ):
            for item in intake.intake(lines, path.name, map_=map_).items:
                if isinstance(item, Record):
                    _ = item.digest
    except intake.UnexplainedError:
        if guess:
            _guess(path)


def _guess(path: Path) -> None:
    document = Document(path.name, path.read_bytes())
    if sheets := readable(document):
        list(run_groups.read(document, propose(document, sheets).map, NOTHING))
