"""A campaign as independent items, which any scheduler can run on another machine."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from benchdb.catalogue import workloads
from benchdb.collecting.history import Expected, Past, left
from benchdb.collecting.plan import Cell, Item, Memory, Settings, ordered
from benchdb.collecting.programs import launcher, program
from benchdb.collecting.runner import arguments
from benchdb.errors import UsageError
from benchdb.exchange.lines import Counted, Device, Seed, Turn

# It becomes the name of a folder and of a job.
_CAMPAIGN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COLLECTOR = re.compile(r"collectors/with_\w+\.py")


class PlannedItem(msgspec.Struct, frozen=True):
    """One process of a campaign; *item* counts from 1, *replicate* from 0.

    *argv* is to be run in a folder that holds ``collectors``. It is expected
    to take *seconds*, or *at_least* so long where the tier alone says it, and
    hangs after *limit_seconds*.
    """

    item: int
    campaign: str
    workload: str
    setting: str
    framework: str
    device: Device
    precision: str
    compiler: str
    axes: dict[str, Any]
    parameters: dict[str, Any]
    tier: str
    seed: Seed
    replicate: Turn
    replicates: Counted
    seconds: float | None
    at_least: bool
    limit_seconds: float
    argv: tuple[str, ...]

    @property
    def process(self) -> Item:
        """Return the process that it is, as history and records know it."""
        cell = Cell(
            self.workload,
            self.framework,
            self.device,
            self.precision,
            self.setting,
            self.compiler,
            axes=tuple(self.axes.items()),
            arguments=self.argv,
            parameters=self.parameters,
        )
        return Item(cell, self.replicate, self.replicates)

    @property
    def settings(self) -> Settings:
        """Return what it shares with the others of its campaign."""
        return Settings(self.campaign, self.tier, self.seed, self.limit_seconds)


def planned(
    estimates: Sequence[Expected], replicates: int, settings: Settings, python: str
) -> list[PlannedItem]:
    """Return the items in the order in which ``collect`` would measure them.

    *python* is what runs a collector there, unless uv does. Raise ``UsageError`` for
    an argument that no line can hold.
    """
    by_cell = {one.cell: one for one in estimates}
    order = ordered([one.cell for one in estimates], replicates, settings.seed)
    return [
        _item(number, item, by_cell[item.cell], settings, python)
        for number, item in enumerate(order, start=1)
    ]


def _item(
    number: int, item: Item, expected: Expected, settings: Settings, python: str
) -> PlannedItem:
    cell = item.cell
    start = launcher(isolated=True) if settings.isolated else (python,)
    # With nothing remembered: items know nothing of each other.
    told = arguments(item, settings, Memory())
    argv = (*start, f"collectors/{program(cell.framework).name}", *told)
    if any("\n" in part or "\0" in part for part in argv):
        raise UsageError("an option has a line break in it; leave it out")
    return PlannedItem(
        number,
        settings.campaign,
        cell.workload,
        cell.setting,
        cell.framework,
        cast(Device, cell.device),
        cell.precision,
        cell.compiler,
        dict(cell.axes),
        cell.parameters,
        settings.tier,
        settings.seed,
        item.replicate,
        item.replicates,
        expected.seconds,
        expected.at_least,
        settings.patience,
        argv,
    )


def lines(items: Iterable[PlannedItem]) -> list[str]:
    """Return the plan as JSON Lines."""
    return [msgspec.json.encode(item).decode() for item in items]


def read(path: Path) -> list[PlannedItem]:
    """Return the items of the plan that was written to *path*, all of one campaign."""
    try:
        content = path.read_bytes()
        items = msgspec.json.Decoder(PlannedItem).decode_lines(content)
    except OSError as error:
        raise UsageError(f"cannot read the plan {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is no plan of benchdb ({error}); 'benchdb plan -o FILE' writes one"
        ) from error
    campaigns = {item.campaign for item in items}
    if len(campaigns) != 1:
        raise UsageError(f"{path} holds {len(campaigns)} campaigns; a plan is of one")
    for item in items:
        _check(item)
    return items


def _check(item: PlannedItem) -> None:
    """Raise ``UsageError`` for what we would not have planned, or cannot."""
    check_campaign(item.campaign)
    if item.workload not in workloads():
        raise UsageError(
            f"the plan has a workload that this benchdb does not know, "
            f"{item.workload!r}; upgrade benchdb, or plan again"
        )
    if not any(_COLLECTOR.fullmatch(part) for part in item.argv[1:]):
        raise UsageError(f"item {item.item} of the plan runs no collector; plan again")


def check_campaign(name: str) -> None:
    """Raise ``UsageError`` where *name* cannot name a campaign that runs elsewhere."""
    if not _CAMPAIGN.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a campaign: up to 64 letters, digits, dots, "
            "dashes and underscores, the first a letter or digit"
        )


def remaining(
    items: Sequence[PlannedItem], past: Sequence[Past]
) -> tuple[list[PlannedItem], list[PlannedItem]]:
    """Return the *items* that have no process yet, and those that did not succeed.

    One that was interrupted has none: it is to be run again.
    """
    fine = [one for one in past if one.status == "ok"]
    without = _without(items, past)
    failed = [one for one in _without(items, fine) if one not in without]
    return without, failed


def _without(items: Sequence[PlannedItem], past: Sequence[Past]) -> list[PlannedItem]:
    open_places = left([one.process for one in items], past)
    return [one for one in items if one.process in open_places]
