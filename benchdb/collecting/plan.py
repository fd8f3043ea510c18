"""Which runs to make, on which devices, in which order.

What a request stands for, the collectors say: each is asked for every device, and its
answer is handed back to it word for word when the cell is measured.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import collected, suites, workloads
from benchdb.collecting.offered_cells import Choice, axes_of, offered_cells
from benchdb.collecting.processes import Isolation
from benchdb.collecting.programs import (
    Capability,
    Description,
    list_cells,
    survey,
    workload_names,
)
from benchdb.collecting.reported import Reported
from benchdb.errors import BenchdbError, UsageError, suggestion
from benchdb.titles import PRECISIONS

DEVICES = ("cpu", "metal", "cuda")
TIERS = ("smoke", "quick", "standard", "reference")
# For a collector that does not say when its processes count as hanging.
_TIME_LIMIT_SECONDS = 7200.0
STEPS = "steps_per_block"  # as the checks of a run name it
# Options of a collector that are those of a request, and choices not all have.
_OF_COLLECTORS = (
    *("tier", "precision", "batch_size", "size", "points", "setting", "compiler"),
    *("steps_per_epoch", "data", "replicates"),
)
_CHOICES = ("memory_format", "optimizer_implementation")


class Request(msgspec.Struct, frozen=True):
    """What the user asked for; ``None`` leaves the choice to us.

    *metal* and *cuda* are True (only that), False (not that) or None (where it is
    there, besides the CPU); *points* are NAME=VALUE of sweeps.
    """

    workloads: Sequence[str] | None = None
    suite: str = "standard"
    framework: Sequence[str] | None = None
    metal: bool | None = None
    cuda: bool | None = None
    tier: str = "quick"
    precision: Sequence[str] | None = None
    batch_size: Sequence[int] | None = None
    size: Sequence[int] | None = None
    setting: str | None = None
    points: Sequence[str] | None = None
    compiler: str | None = None
    memory_format: str | None = None
    optimizer_implementation: str | None = None
    blocks_only: bool = False
    steps_per_epoch: int | None = None
    data: str | None = None
    replicates: int | None = None

    @property
    def devices(self) -> dict[str, bool | None]:
        """Return for each device whether only it, or not it, was asked for."""
        return {"cpu": None, "metal": self.metal, "cuda": self.cuda}

    def members(self) -> tuple[str, ...]:
        """Return the workloads asked for, by name or by suite, once each.

        Raise ``UsageError`` for names that there are not, and for two GPUs.
        """
        if self.metal and self.cuda:
            raise UsageError(
                "--metal and --cuda contradict each other: no machine has both; "
                "leave out one"
            )
        if self.tier not in TIERS:
            raise UsageError(f"no tier {self.tier!r}{suggestion(self.tier, TIERS)}")
        for name in self.workloads or ():
            if name not in collected() and name not in (others := workload_names()):
                raise _not_measured(name, others)
        for name in self.precision or ():
            if name not in PRECISIONS:
                raise UsageError(f"no precision {name!r}{suggestion(name, PRECISIONS)}")
        if self.workloads:
            return tuple(dict.fromkeys(self.workloads))
        if self.suite not in suites():
            hint = suggestion(self.suite, suites())
            raise UsageError(f"no suite {self.suite!r}{hint}")
        entries = suites()[self.suite].entries
        return tuple(dict.fromkeys(entry.workload for entry in entries))

    def obstacle(self, framework: Description) -> str | None:
        """Return why *framework* cannot do what was chosen; None if it can try."""
        offered = {"compiler": framework.compilers, **framework.options}
        for option in ("compiler", *_CHOICES):
            value, values = getattr(self, option), offered.get(option, ())
            words = option.replace("_", " ")
            if value is not None and not values:
                return f"no choice of {words}; there is one of {', '.join(offered)}"
            if value is not None and value not in values:
                return f"no {words} {value!r}{suggestion(value, values)}"
        return None

    def arguments(self, known: Sequence[str], device: str) -> list[str]:
        """Return the command line that asks a collector, which knows these workloads.

        Options that may be repeated stand once for each value.
        """
        line = [*known] if self.workloads else ["--suite", self.suite]
        line += ["--device", device]
        for name in (*_OF_COLLECTORS, *_CHOICES):
            value = getattr(self, name)
            option = "--set" if name == "points" else f"--{name.replace('_', '-')}"
            for each in value if isinstance(value, list | tuple) else (value,):
                line += [] if each is None else [option, str(each)]
        return [*line, "--blocks-only"] if self.blocks_only else line

    def choice(self, device: str) -> Choice:
        """Return what can be asked of a collector that only offers workloads."""
        for name in ("setting", "steps_per_epoch", "data"):
            if getattr(self, name) is not None:
                raise UsageError(f"no choice of {name.replace('_', ' ')}")
        sizes = {"batch_size": self.batch_size, "size": self.size}
        return Choice(
            device,
            self.tier,
            self.precision,
            axes_of(self.points or ()) | {k: v for k, v in sizes.items() if v},
            self.compiler,
            self.replicates,
        )


@dataclass(frozen=True)
class Cell:
    """One thing to measure; its replicates differ in nothing.

    *axes* are the parameters that tell it from the rest of a sweep, *arguments* the
    collector's command line for it. A process takes *least_seconds* by its protocol.
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
    least_seconds: float = field(default=0, compare=False)
    operations: int | None = field(default=None, compare=False)  # of one step

    @property
    def title(self) -> str:
        """Return the cell in words."""
        points = [str(value) for _, value in self.axes]
        compiler = [] if self.compiler == "none" else [self.compiler]
        words = [self.workload, *points, self.framework, *compiler]
        return " ".join([*words, self.device, self.precision])


class Item(msgspec.Struct, frozen=True):
    """One process: a replicate of a cell.

    Its blocks go on until *blocks_until* seconds after its start, if it has a term.
    """

    cell: Cell
    replicate: int
    replicates: int
    blocks_until: int | None = None


class Protocol(msgspec.Struct, frozen=True):
    """What decides how long a process takes; see ``harness/timing.py``."""

    warmup_steps: int = 0
    warmup_seconds: float = 0.0
    warmup_limit: float | None = None
    blocks: int = 0
    block_seconds: float = 0.0
    window_seconds: float = 0.0
    window_limit: float | None = None
    idle_seconds: float = 0.0
    gate_seconds: float = 0.0
    pair_seconds: float = 0.0
    single_steps: int = 0
    single_seconds: float | None = None


class Plan(msgspec.Struct, frozen=True):
    """The cells, the processes each gets, and how long one takes in seconds.

    *warnings* say what of the request was left out, and why.
    """

    cells: tuple[Cell, ...]
    replicates: int
    least_seconds: float
    time_limit: float
    warnings: tuple[str, ...] = ()
    protocol: Protocol = Protocol()


def plan(
    request: Request,
    descriptions: Sequence[Description],
    *,
    isolated: Isolation = False,
) -> Plan:
    """Return what to measure: every asked workload on each device that can run it.

    Raise ``UsageError`` where nothing is left, with the reasons.
    """
    wanted = request.members()
    on = devices(request, descriptions)
    lists: list[Listing] = []
    refusals: list[tuple[str, str | None]] = []
    for description in descriptions:
        known = {*description.workloads, *description.missing}
        if mine := [name for name in wanted if name in known]:
            some, why = _of_framework(request, description, mine, on, isolated=isolated)
            lists += some
            refusals.append((description.framework, why))
    reasons = _reasons(refusals)
    frameworks = ", ".join(item.framework for item in descriptions)
    cells = tuple(dict.fromkeys(cell for item in lists for cell in item.cells))
    if not cells:
        nothing = (
            f"nothing to measure: {frameworks} cannot run {', '.join(wanted)} here"
        )
        raise UsageError("; ".join(reasons) or nothing)
    known = {name for item in descriptions for name in (*item.workloads, *item.missing)}
    if unknown := [name for name in request.workloads or () if name not in known]:
        reasons.append(f"{', '.join(unknown)}: not among what {frameworks} can run")
    return Plan(
        cells,
        replicates=max(item.processes for item in lists),
        least_seconds=max(item.least_seconds for item in lists),
        time_limit=max(item.time_limit for item in lists),
        warnings=tuple(f"left out: {reason}" for reason in reasons),
        protocol=lists[0].protocol,  # of the harness, which they share
    )


def _reasons(refusals: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line for each reason, which names all frameworks that it holds for."""
    named: dict[str, list[str]] = {}
    for framework, why in refusals:
        if why:
            named.setdefault(why, []).append(framework)
    return [f"{', '.join(some)}: {why}" for why, some in named.items()]


def devices(request: Request, descriptions: Sequence[Description]) -> tuple[str, ...]:
    """Return the devices to measure on; those asked for must be there."""
    asked = request.devices
    only = tuple(name for name in DEVICES if asked[name])
    for name in only:
        if not any(_offers(description, name) for description in descriptions):
            able = [
                description
                for description in descriptions
                if not _is_for_cpus(description)
            ] or descriptions
            reasons = _reasons(
                (description.framework, _why(description, name)) for description in able
            )
            raise UsageError("; ".join(reasons) or f"no framework here can use {name}")
    return only or tuple(
        name
        for name in DEVICES
        if asked[name] is not False
        and any(_offers(description, name) for description in descriptions)
    )


def _offers(description: Description, device: str) -> bool:
    capability = description.devices.get(device)
    return capability is not None and capability.available


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


class Listing(msgspec.Struct, frozen=True):
    """What one collector said of one device; *absent* needs what is not installed."""

    cells: tuple[Cell, ...]
    absent: tuple[str, ...]
    processes: int
    least_seconds: float
    time_limit: float
    protocol: Protocol


def _of_framework(
    request: Request,
    framework: Description,
    mine: Sequence[str],
    on: Sequence[str],
    *,
    isolated: Isolation,
) -> tuple[list[Listing], str | None]:
    """Return what a framework has of its workloads *mine*, and why not more."""
    if framework.version is None:
        return [], framework.why or "it is not installed"
    if why := request.obstacle(framework):
        return [], why
    offered = [device for device in on if _offers(framework, device)]
    if not offered:
        asked = request.framework or ()
        silent = _is_for_cpus(framework) and framework.framework not in asked
        reasons = () if silent else filter(None, (_why(framework, d) for d in on))
        return [], "; ".join(reasons) or None
    lists, refused = [], None
    for device in offered:
        line = request.arguments(mine, device)
        try:
            answer = (
                list_cells(framework.framework, line, isolated=isolated)
                if framework.list_cells
                else offered_cells(framework, mine, request.choice(device))
            )
        except UsageError as error:
            refused = str(error)
        else:
            lists.append(listing(framework, answer))
    lacking = "; ".join(
        f"{name} needs {' and '.join(framework.missing[name])}"
        f"; install with: {framework.install}"
        for name in dict.fromkeys(name for some in lists for name in some.absent)
    )
    return lists, lacking or (None if lists else refused)


def listing(framework: Description, facts: Mapping[str, Any]) -> Listing:
    """Return what a collector lists, typed; raise ``BenchdbError`` for what is none."""
    names = ("workload", "device", "precision", "setting", "compiler", "parameters")
    try:
        cells = [
            Cell(
                framework=framework.framework,
                axes=tuple(cell["axes"].items()),
                arguments=tuple(cell["arguments"]),
                least_seconds=cell.get("least_seconds", facts["least_seconds"]),
                operations=cell.get("operations"),
                **{name: cell[name] for name in names},
            )
            for cell in facts["cells"]
        ]
        return Listing(
            tuple(cell for cell in cells if cell.workload not in framework.missing),
            tuple(c.workload for c in cells if c.workload in framework.missing),
            facts["processes"],
            facts["least_seconds"],
            facts.get("process_limit", _TIME_LIMIT_SECONDS),
            msgspec.convert(facts.get("protocol", {}), Protocol),
        )
    except (AttributeError, KeyError, TypeError, msgspec.ValidationError) as error:
        raise BenchdbError(
            f"{framework.name} lists cells that cannot be understood: {error!r}"
        ) from error


def assumed(request: Request, *, isolated: Isolation = False) -> list[Description]:
    """Return the frameworks asked for as if all of them and their devices were there.

    A GPU is there if it is asked for. An item that finds it is not leaves a failed run.
    """
    if not request.framework:
        raise UsageError(
            "--elsewhere cannot ask what the other machines have; "
            "name it with --framework"
        )
    there = [name for name in DEVICES if name == "cpu" or request.devices[name]]
    described = survey(tuple(dict.fromkeys(request.framework)), isolated=isolated)
    for description in described:
        if not description.tiers:  # it could not even say what it knows
            raise UsageError(
                description.why
                or f"with_{description.framework} says nothing of itself"
            )
    return [
        replace(
            item,
            devices={name: Capability(available=True) for name in there},
            workloads=(*item.workloads, *item.missing),
            missing={},
        )
        for item in described
    ]


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
    *originals* are the digests of the runs that it reproduces, one for each process of
    a cell in their order. *term* is when the blocks of each process end, in seconds
    after its start, if no item says otherwise.
    """

    campaign: str
    tier: str
    seed: int
    time_limit: float
    grace: float = 120.0
    cool_down: int | None = None
    isolated: Isolation = False
    powermetrics: bool = False
    originals: tuple[str, ...] = ()
    term: int | None = None

    @property
    def patience(self) -> float:
        """Return the seconds after which a collector counts as hanging."""
        return self.time_limit + self.grace + (self.cool_down or 0)


class Memory(msgspec.Struct):
    """What later processes of a campaign take over from earlier ones.

    The steps of a block of each cell, the GPU's temperature in °C when it began, and
    the anonymous id of the machine. Where somebody looks on, the running one tells of
    its progress.
    """

    steps_per_block: dict[Cell, int] = {}
    start_temperature: float | None = None
    machine: str | None = None
    reported: Reported | None = None

    def take(
        self, cell: Cell, before: Mapping[str, Any], checks: Mapping[str, Any]
    ) -> None:
        """Keep the temperature of the first run that read it, and a cell's block."""
        read, steps = before.get("gpu_temperature_celsius"), checks.get(STEPS)
        if self.start_temperature is None and isinstance(read, int | float):
            self.start_temperature = read
        if isinstance(steps, int):
            self.steps_per_block.setdefault(cell, steps)


def _not_measured(name: str, others: Iterable[str]) -> UsageError:
    """Return what to say of a workload that neither we measure nor *others*."""
    if name in workloads():
        return UsageError(
            f"no collector here measures {name!r}; 'benchdb doctor' ends with those "
            "that were added, and why one cannot be used"
        )
    return UsageError(
        f"no workload {name!r}{suggestion(name, {*collected(), *others})}"
    )
