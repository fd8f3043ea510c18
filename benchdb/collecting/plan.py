"""Which runs to make, on which devices, in which order.

What a request stands for, the collectors say: each is asked for every device, and its
answer is handed back to it word for word when the cell is measured.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchdb.collecting import request as asking
from benchdb.collecting.programs import Description, list_cells
from benchdb.collecting.request import DEVICES, Request
from benchdb.errors import BenchdbError, UsageError
from benchdb.exchange.record import Record

# For a collector that does not say when its processes count as hanging.
_TIME_LIMIT_SECONDS = 7200.0
STEPS = "steps_per_block"  # as the checks of a run name it


@dataclass(frozen=True)
class Cell:
    """One thing to measure; its replicates differ in nothing.

    *axes* are the parameters that tell it from the rest of a sweep, *arguments* the
    collector's command line for it.
    """

    workload: str
    framework: str
    device: str
    precision: str
    setting: str
    compiler: str
    axes: tuple[tuple[str, Any], ...]
    arguments: tuple[str, ...]
    parameters: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def title(self) -> str:
        """Return the cell in words."""
        points = [str(value) for _, value in self.axes]
        compiler = [] if self.compiler == "none" else [self.compiler]
        words = [self.workload, *points, self.framework, *compiler]
        return " ".join([*words, self.device, self.precision])

    @classmethod
    def listed(cls, framework: str, facts: Mapping[str, Any]) -> "Cell":
        """Return the cell that the collector of *framework* tells of."""
        names = ("workload", "device", "precision", "setting", "compiler", "parameters")
        return cls(
            framework=framework,
            axes=tuple(facts["axes"].items()),
            arguments=tuple(facts["arguments"]),
            **{name: facts[name] for name in names},
        )


class Item(msgspec.Struct, frozen=True):
    """One process: a replicate of a cell."""

    cell: Cell
    replicate: int
    replicates: int


class Plan(msgspec.Struct, frozen=True):
    """The cells, the processes each gets, and how long one takes in seconds.

    *warnings* say what of the request was left out, and why.
    """

    cells: tuple[Cell, ...]
    replicates: int
    least_seconds: float
    time_limit: float
    warnings: tuple[str, ...] = ()


def plan(
    request: Request, found: Sequence[Description], *, isolated: bool = False
) -> Plan:
    """Return what to measure: every asked workload on each device that can run it.

    Raise ``UsageError`` where nothing is left, with the reasons.
    """
    wanted = asking.members(request)
    on = devices(request, found)
    lists: list[_Listing] = []
    told: list[tuple[str, str | None]] = []
    for one in found:
        mine, why = _of_framework(request, one, on, isolated=isolated)
        lists += mine
        told.append((one.framework, why))
    reasons = _reasons(told)
    cells = tuple(dict.fromkeys(cell for one in lists for cell in one.cells))
    if not cells:
        nothing = (
            f"nothing to measure: {_names(found)} cannot run {', '.join(wanted)} here"
        )
        raise UsageError("; ".join(reasons) or nothing)
    if unknown := _known_to_none(request.workloads, found):
        reasons.append(f"{', '.join(unknown)}: not among what {_names(found)} can run")
    return Plan(
        cells,
        replicates=max(one.processes for one in lists),
        least_seconds=max(one.least_seconds for one in lists),
        time_limit=max(one.time_limit for one in lists),
        warnings=tuple(f"left out: {reason}" for reason in reasons),
    )


def _known_to_none(wanted: Sequence[str], found: Sequence[Description]) -> list[str]:
    known = {name for one in found for name in (*one.workloads, *one.missing)}
    return [name for name in wanted if name not in known]


def _names(found: Sequence[Description]) -> str:
    return ", ".join(one.framework for one in found)


def _reasons(told: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line for each reason, which names all frameworks that it holds for."""
    named: dict[str, list[str]] = {}
    for framework, why in told:
        if why:
            named.setdefault(why, []).append(framework)
    return [f"{', '.join(some)}: {why}" for why, some in named.items()]


def devices(request: Request, found: Sequence[Description]) -> tuple[str, ...]:
    """Return the devices to measure on; those asked for must be there."""
    asked = request.devices
    if only := [name for name in ("metal", "cuda") if asked.get(name)]:
        for name in only:
            if not any(_offers(one, name) for one in found):
                raise UsageError(_why_without(found, name))
        return tuple(only)
    return tuple(
        name
        for name in DEVICES
        if asked.get(name) is not False and any(_offers(one, name) for one in found)
    )


def _offers(description: Description, device: str) -> bool:
    capability = description.devices.get(device)
    return capability is not None and capability.available


def _why_without(found: Sequence[Description], device: str) -> str:
    able = [one for one in found if not _is_for_cpus(one)] or found
    reasons = _reasons((one.framework, _why(one, device)) for one in able)
    return "; ".join(reasons) or f"no framework here can use {device}"


def _why(description: Description, device: str) -> str | None:
    """Return why *description* lacks *device*, and what to install."""
    capability = description.devices.get(device)
    if capability is None or not capability.why:
        return None
    return "; ".join(filter(None, (capability.why, capability.install)))


def _is_for_cpus(description: Description) -> bool:
    """Return whether a framework that is there has no GPU, whatever the machine."""
    others = {name for name in DEVICES if name != "cpu"}
    reasons = {description.devices[n].why for n in others & {*description.devices}}
    return description.version is not None and len(reasons) == 1 and None not in reasons


class _Listing(msgspec.Struct, frozen=True):
    """What one collector said of one device; *absent* needs what is not installed."""

    cells: tuple[Cell, ...]
    absent: tuple[str, ...]
    processes: int
    least_seconds: float
    time_limit: float


def _of_framework(
    request: Request, one: Description, on: Sequence[str], *, isolated: bool
) -> tuple[list[_Listing], str | None]:
    """Return what *one* has of the request, and why there is not more."""
    known = {*one.workloads, *one.missing}
    mine = tuple(name for name in asking.members(request) if name in known)
    if not mine:
        return [], None
    if one.version is None:
        return [], one.why or "it is not installed"
    if why := asking.obstacle(request, one):
        return [], why
    if not any(_offers(one, device) for device in on):
        silent = _is_for_cpus(one) and one.framework not in request.frameworks
        return [], None if silent else "; ".join(
            filter(None, (_why(one, d) for d in on))
        )
    lists, refused = [], None
    for device in (name for name in on if _offers(one, name)):
        line = asking.arguments(request, mine, device)
        try:
            answer = list_cells(one.framework, line, isolated=isolated)
        except UsageError as error:
            refused = str(error)
        else:
            lists.append(_listing(one, answer))
    absent = dict.fromkeys(name for listing in lists for name in listing.absent)
    lacking = "; ".join(_lacking(one, absent))
    return lists, lacking or (None if lists else refused)


def _listing(one: Description, facts: Mapping[str, Any]) -> _Listing:
    try:
        cells = [Cell.listed(one.framework, cell) for cell in facts["cells"]]
        return _Listing(
            tuple(cell for cell in cells if cell.workload not in one.missing),
            tuple(c.workload for c in cells if c.workload in one.missing),
            facts["processes"],
            facts["least_seconds"],
            facts.get("process_limit", _TIME_LIMIT_SECONDS),
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise BenchdbError(
            f"with_{one.framework} lists cells that cannot be understood: {error!r}"
        ) from error


def _lacking(one: Description, absent: Iterable[str]) -> Iterator[str]:
    for name in absent:
        modules = " and ".join(one.missing[name])
        yield f"{name} needs {modules}; install with: {one.install}"


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


class Settings(msgspec.Struct, frozen=True):
    """What all processes of a campaign share.

    *time_limit* is the worker's, the collector has *grace* beyond it, both in seconds.
    *cool_down* is how long it may wait for the GPU to cool; None as its tier has it.
    """

    campaign: str
    tier: str
    seed: int
    time_limit: float
    grace: float = 120.0
    cool_down: int | None = None
    isolated: bool = False
    powermetrics: bool = False

    @property
    def patience(self) -> float:
        """Return the seconds after which a collector counts as hanging."""
        return self.time_limit + self.grace + (self.cool_down or 0)


class Memory(msgspec.Struct):
    """What later processes of a campaign take over from earlier ones.

    The steps of a block of each cell, the GPU's temperature in °C when it began, and
    the anonymous id of the machine.
    """

    steps_per_block: dict[Cell, int] = {}
    start_temperature: float | None = None
    machine: str | None = None

    def learn(self, cell: Cell, record: Record) -> None:
        """Keep what *record* found out."""
        self.take(cell, record.run.conditions, record.end.checks)

    def take(
        self, cell: Cell, before: Mapping[str, Any], checks: Mapping[str, Any]
    ) -> None:
        """Keep the temperature of the first run that read it, and a cell's block."""
        read, steps = before.get("gpu_temperature_celsius"), checks.get(STEPS)
        if self.start_temperature is None and isinstance(read, int | float):
            self.start_temperature = read
        if isinstance(steps, int):
            self.steps_per_block.setdefault(cell, steps)
