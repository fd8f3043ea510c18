"""Which runs to make, on which devices, in which order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchdb.catalogue import SUITES, workloads
from benchdb.collecting.programs import Description, Tier
from benchdb.errors import UsageError

DEVICES = ("cpu", "metal", "cuda")
PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp64")


@dataclass(frozen=True)
class Request:
    """What the user asked for; an empty tuple or ``None`` leaves the choice to us.

    *devices* maps ``metal`` and ``cuda`` to True (only that), False (not that) or
    None (where it is there, besides the CPU).
    """

    workloads: tuple[str, ...]
    suite: str
    frameworks: tuple[str, ...]
    devices: dict[str, bool | None]
    tier: str
    batch_size: int | None = None
    precision: str | None = None
    replicates: int | None = None


@dataclass(frozen=True)
class Cell:
    """One thing to measure; its replicates differ in nothing."""

    workload: str
    framework: str
    device: str
    size: int | None = None

    @property
    def title(self) -> str:
        """Return the cell in words."""
        size = f" {self.size}" if self.size else ""
        return f"{self.workload}{size} {self.framework} {self.device}"


@dataclass(frozen=True)
class Item:
    """One process: a replicate of a cell."""

    cell: Cell
    replicate: int
    replicates: int


def names(request: Request) -> tuple[str, ...]:
    """Return the workloads asked for, by name or by suite."""
    if not request.workloads:
        if request.suite not in SUITES:
            raise UsageError(
                f"no suite {request.suite!r}; there are: {', '.join(SUITES)}"
            )
        return SUITES[request.suite]
    known = {name for name, one in workloads().items() if one.collected}
    for name in request.workloads:
        if name not in known:
            raise UsageError(
                f"no workload {name!r} to collect; "
                f"there are: {', '.join(sorted(known))}"
            )
    return tuple(dict.fromkeys(request.workloads))


def devices(request: Request, found: Sequence[Description]) -> tuple[str, ...]:
    """Return the devices to measure on.

    Raise ``UsageError`` when one was asked for that no framework here can use.
    """
    asked = [device for device, wanted in request.devices.items() if wanted]
    for device in asked:
        if not any(_offers(one, device) for one in found):
            raise UsageError(_missing(device, found))
    if asked:
        return tuple(asked)
    refused = {device for device, wanted in request.devices.items() if wanted is False}
    return tuple(
        device
        for device in DEVICES
        if device not in refused and any(_offers(one, device) for one in found)
    )


def _offers(description: Description, device: str) -> bool:
    capability = description.devices.get(device)
    return capability is not None and capability.available


def _missing(device: str, found: Sequence[Description]) -> str:
    for one in found:
        capability = one.devices.get(device)
        if capability and capability.why:
            hint = f"; {capability.install}" if capability.install else ""
            return f"{one.framework}: {capability.why}{hint}"
    return f"no framework here can use {device}"


def cells(request: Request, found: Sequence[Description]) -> tuple[Cell, ...]:
    """Return what to measure: every asked workload on each device that can run it."""
    on = devices(request, found)
    if request.precision not in (None, *PRECISIONS):
        raise UsageError(
            f"no precision {request.precision!r}; there are: {', '.join(PRECISIONS)}"
        )
    tiers = {one.framework: _tier(one, request.tier) for one in found}
    planned = tuple(
        Cell(name, one.framework, device, size)
        for name in names(request)
        for one in found
        if name in one.workloads
        for device in on
        if _offers(one, device)
        for size in tiers[one.framework].sizes.get(name, (None,))
    )
    if not planned:
        wanted = ", ".join(names(request))
        have = ", ".join(one.framework for one in found)
        raise UsageError(f"nothing to measure: {have} cannot run {wanted} here")
    return planned


def _tier(description: Description, name: str) -> Tier:
    if name not in description.tiers:
        known = ", ".join(description.tiers)
        raise UsageError(f"no tier {name!r}; there are: {known}")
    return description.tiers[name]


def replicates(request: Request, found: Sequence[Description]) -> int:
    """Return the processes per cell: as asked for, else what the tier demands."""
    if request.replicates is not None:
        return request.replicates
    return max(_tier(one, request.tier).processes for one in found)


def ordered(planned: Sequence[Cell], replicates: int, seed: int) -> list[Item]:
    """Return all replicates, round by round, each round in its own random order.

    Neighbours in time share a machine's mood; interleaving keeps that from looking
    like a difference between cells.
    """
    shuffle = random.Random(seed)  # noqa: S311 - an order, not a secret
    items: list[Item] = []
    for replicate in range(replicates):
        round_ = [Item(cell, replicate, replicates) for cell in planned]
        shuffle.shuffle(round_)
        items += round_
    return items
