"""A campaign as independent items, which any scheduler can run on another machine."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

import msgspec

from benchdb.catalogue import workloads
from benchdb.collecting.history import Expected, Past, left
from benchdb.collecting.plan import Cell, Item, Memory, Settings, ordered
from benchdb.collecting.processes import is_by_uv
from benchdb.collecting.programs import launcher, program
from benchdb.collecting.runner import arguments
from benchdb.errors import UsageError
from benchdb.exchange.messages import Counted, Device, Seed, Turn

# It becomes the name of a folder and of a job.
_CAMPAIGN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OF_CELL = ("workload", "setting", "framework", "precision", "compiler", "parameters")


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
            device=self.device,
            axes=tuple(self.axes.items()),
            arguments=self.argv,
            **{name: getattr(self, name) for name in _OF_CELL},
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
    by_cell = {estimate.cell: estimate for estimate in estimates}
    ours = launcher(isolated=True) if is_by_uv(settings.isolated) else (python,)
    items = []
    order = ordered(
        [estimate.cell for estimate in estimates], replicates, settings.seed
    )
    for number, item in enumerate(order, start=1):
        cell = item.cell
        # With nothing remembered: items know nothing of each other.
        options = arguments(item, settings, Memory())
        its = program(cell.framework)
        start = (*ours, f"collectors/{its.path.name}") if its.ours else (str(its.path),)
        argv = (*start, *options)
        if any("\n" in part or "\0" in part for part in argv):
            raise UsageError("an option has a line break in it; leave it out")
        items.append(
            PlannedItem(
                item=number,
                campaign=settings.campaign,
                axes=dict(cell.axes),
                device=cast(Device, cell.device),
                tier=settings.tier,
                seed=settings.seed,
                replicate=item.replicate,
                replicates=item.replicates,
                seconds=by_cell[cell].seconds,
                at_least=by_cell[cell].at_least,
                limit_seconds=settings.patience,
                argv=argv,
                **{name: getattr(cell, name) for name in _OF_CELL},
            )
        )
    return items


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
    # What we would not have planned, or cannot.
    for item in items:
        check_campaign(item.campaign)
        if item.workload not in workloads():
            raise UsageError(
                f"the plan has a workload that this benchdb does not know, "
                f"{item.workload!r}; upgrade benchdb, or plan again"
            )
        its = program(item.framework).path.name
        if not any(PurePosixPath(part).name == its for part in item.argv):
            raise UsageError(
                f"item {item.item} of the plan runs no collector; plan again"
            )
    return items


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
    processes = [item.process for item in items]
    without = left(processes, past)
    not_fine = left(processes, [item for item in past if item.status == "ok"])
    pairs = list(zip(items, processes, strict=True))
    return (
        [item for item, process in pairs if process in without],
        [item for item, p in pairs if p in not_fine and p not in without],
    )
