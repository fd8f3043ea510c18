"""Plans that are kept: of campaigns not finished here, and for other machines.

Both lie in the data folder of who planned, whatever database the answers go into. A run
that answers an item of them is mine; an item is answered once, by the first run that
succeeded.
"""

import fcntl
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from sqlalchemy import Connection, Text, select, type_coerce

from benchdb.collecting import items
from benchdb.collecting.item_runs import difference, run_line
from benchdb.collecting.items import PlannedItem
from benchdb.collecting.plan import (
    Cell,
    Item,
    Plan,
    Protocol,
    Request,
    Settings,
    ordered,
)
from benchdb.errors import BenchdbError, UsageError
from benchdb.exchange.messages import Run
from benchdb.files import replacing
from benchdb.store.tables import run

_NAMES = run.columns.keys()
_CAMPAIGN = _NAMES.index("campaign")
_COLUMNS = [
    type_coerce(column, Text) if column is run.c.parameters else column
    for column in run.columns
]
# Alike in these, a run and an item are worth a closer look.
_KEY = ("workload", "setting", "framework", "device", "replicate")


class Place(msgspec.Struct, frozen=True):
    """Where a campaign is measured: database, machine, and by which programs.

    *database* is an address without its password, *machine* the anonymous id, if
    there is one, *facts* a digest of what else the machine says of itself.
    """

    database: str
    machine: str | None
    facts: str
    collectors: str


class Unfinished(msgspec.Struct, frozen=True):
    """A campaign as it was planned; with the seed, its cells give the order."""

    settings: Settings
    request: Request
    cells: tuple[Cell, ...]
    replicates: int
    started: str
    place: Place
    protocol: Protocol = Protocol()

    @property
    def plan(self) -> Plan:
        """Return what was planned, as far as it is kept."""
        least, limit = 0.0, self.settings.time_limit
        return Plan(self.cells, self.replicates, least, limit, (), self.protocol)

    @property
    def items(self) -> list[Item]:
        """Return all its replicates in their order."""
        return ordered(self.cells, self.replicates, self.settings.seed)


def keep(folder: Path, campaign: Unfinished) -> Path:
    """Write the plan, so that it outlives us, and return its file."""
    path = folder / f"{campaign.settings.campaign}.json"
    try:
        plan = msgspec.json.encode(campaign)
    except UnicodeEncodeError as error:
        raise UsageError(
            f"a name that is not UTF-8 cannot be kept in a plan: {error.object!a}; "
            "rename it, or give a link to it"
        ) from error
    try:
        with replacing(path) as stream:
            stream.write(msgspec.json.format(plan, indent=1))
    except BenchdbError as error:
        raise BenchdbError(
            f"{error}; name a folder for plans that can be written with BENCHDB_HOME"
        ) from error
    return path


def read(path: Path) -> Unfinished:
    """Return the campaign that was kept as *path*."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Unfinished)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"the plan {path} cannot be read ({why}); delete it, what was measured is "
            "in the database"
        ) from error


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep every other benchdb from going on with the campaign of *path* meanwhile."""
    with path.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"campaign {path.stem} is being measured by another benchdb; "
                "wait for it, or start another campaign"
            ) from error
        # The lock goes with the file, however we end.
        yield


def find(
    folder: Path, campaign: str | None, database: str, warn: Callable[[str], None]
) -> Path:
    """Return the plan of *campaign*, or the newest one that is for *database*.

    Of a newer one that cannot be read, *warn*; it may have been for any database.
    """
    if campaign is not None:
        path = folder / f"{campaign}.json"
        if os.sep in campaign or not path.is_file():
            raise UsageError(f"no unfinished campaign {campaign!r}; {_known(folder)}")
        return path
    unread: UsageError | None = None
    for path in _newest_first(folder):
        try:
            fits = read(path).place.database == database
        except UsageError as error:
            unread = unread or error
            continue
        if fits:
            if unread:
                warn(f"passed over: {unread}")
            return path
    raise unread or UsageError(f"nothing to resume in {database}; {_known(folder)}")


def _newest_first(folder: Path) -> list[Path]:
    # A campaign's name begins with the time at which it began.
    return sorted(folder.glob("*.json"), reverse=True)


def _known(folder: Path) -> str:
    names = [path.stem for path in _newest_first(folder)]
    return f"unfinished are: {', '.join(names)}" if names else "none is unfinished"


def keep_items(folder: Path, planned: Sequence[PlannedItem]) -> None:
    """Keep a plan in *folder*, beside what was planned for its campaign before."""
    path = folder / f"{planned[0].campaign}.jsonl"
    before = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    whole = dict.fromkeys((*before, *items.lines(planned)))
    with replacing(path) as stream:
        stream.write("".join(f"{line}\n" for line in whole).encode())


class Plans:
    """The plans that were made here: of other machines, and unfinished ones of this."""

    def __init__(self, elsewhere: Path, here: Path) -> None:
        """Look into these folders when a campaign is met for the first time."""
        self._elsewhere, self._here = elsewhere, here
        self._known: dict[str, list[Run]] = {}

    def answers(
        self, connection: Connection, rows: Iterable[Sequence[Any]]
    ) -> set[str]:
        """Return the digests of those *rows* of runs that answer what was planned."""
        given: defaultdict[str, list[Any]] = defaultdict(list)
        for row in rows:
            campaign = row[_CAMPAIGN]
            if campaign is None:
                continue
            if campaign not in self._known:
                self._known[campaign] = self._read(campaign)
            if self._known[campaign]:
                given[campaign].append(_run(row))
        digests = set[str]()
        for campaign, runs in given.items():
            open_ = _Open(self._known[campaign])
            done = (run.c.campaign == campaign, run.c.mine, run.c.status == "ok")
            for row in connection.execute(select(*_COLUMNS).where(*done)):
                open_.take(_run(row))
            runs.sort(key=lambda item: (item.started or "", item.digest))
            digests |= {item.digest for item in runs if open_.take(item)}
        return digests

    def _read(self, campaign: str) -> list[Run]:
        """Return the runs that were planned; none of a plan that cannot be read."""
        runs = []
        with suppress(UsageError):
            items.check_campaign(campaign)  # a stranger's word, and part of a path
            there = self._elsewhere / f"{campaign}.jsonl"
            if there.is_file():
                known = items.read(there)
                runs += [run_line(item.process, item.settings) for item in known]
            here = self._here / f"{campaign}.json"
            if here.is_file():
                plan = read(here)
                runs += [run_line(item, plan.settings) for item in plan.items]
        return runs


class _Open:
    """The items of a campaign that no run has answered yet."""

    def __init__(self, asked: Iterable[Run]) -> None:
        self._asked: defaultdict[tuple[Any, ...], list[Run]] = defaultdict(list)
        for item in asked:
            self._asked[_key(item)].append(item)

    def take(self, given: Any) -> bool:
        """Tell whether *given* answers an item, which one that succeeded closes."""
        some = self._asked[_key(given)]
        item = next((entry for entry in some if difference(entry, given) is None), None)
        if item is not None and given.status == "ok":
            some.remove(item)
        return item is not None


def _key(result: Any) -> tuple[Any, ...]:
    return tuple(getattr(result, name) for name in _KEY)


def _run(row: Sequence[Any]) -> Any:
    facts = dict(zip(_NAMES, row, strict=True))
    return SimpleNamespace(**facts | {"parameters": json.loads(facts["parameters"])})
