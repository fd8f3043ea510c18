"""Campaigns that are not finished: their plans, kept until the last replicate."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchdb.collecting.plan import Cell, Item, Settings, ordered
from benchdb.collecting.request import Request
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing


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

    @property
    def items(self) -> list[Item]:
        """Return all its replicates in their order."""
        return ordered(self.cells, self.replicates, self.settings.seed)


def path_of(folder: Path, campaign: str) -> Path:
    """Return the file of a campaign in the *folder* of plans."""
    return folder / f"{campaign}.json"


def keep(folder: Path, campaign: Unfinished) -> Path:
    """Write the plan, so that it outlives us, and return its file."""
    path = path_of(folder, campaign.settings.campaign)
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
        path = path_of(folder, campaign)
        if os.sep in campaign or not path.is_file():
            raise UsageError(f"no unfinished campaign {campaign!r}; {_known(folder)}")
        return path
    unread: UsageError | None = None
    for path in _newest_first(folder):
        try:
            found = read(path).place.database == database
        except UsageError as error:
            unread = unread or error
            continue
        if found:
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
