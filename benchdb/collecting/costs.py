"""What a process of a cell takes: as it took here, else from what others saw, or FLOPs.

Most cells take what the protocol takes. Long steps are what costs: they are guessed
from the operations of a step and a rate, which is that of a stored figure of the same
work on the nearest chip, scaled by the peaks of both, or a usual share of the peak.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.catalogue import find_chip, workloads
from benchdb.collecting.budget import Cost, Known
from benchdb.collecting.history import AROUND, Guess, Past, source_protocol
from benchdb.collecting.plan import STEPS, Cell, Plan, Protocol
from benchdb.statistics.spreads import shipped, spread_of, work_class
from benchdb.store.tables import chip, machine, result, run

VENDORS = {"metal": "Apple", "cuda": "NVIDIA"}
# Seconds for interpreter, import, model and data, as laptops take them; of frameworks
# that are imported faster or slower.
_SET_UP = 5.0
_SET_UPS = {"mlx": 2.0, "numpy": 1.5, "tensorflow": 8.0}
_ON_CUDA = 4.0  # more: its driver, and kernels that a profiler looks at
_AROUND = 1.0  # of which that is the end of the programs, with their gates
_SINGLES = 1.0  # for steps that are timed one by one, where there is a term
_LONGEST_PAIR = 30.0  # of blocks, of which the second is twice as long
# Of the window of the tier: blocks may end by half of it earlier, most of which counts.
_SQUEEZED = 0.4
_STARTS = 2.0  # other work for each CPU by which starting takes twice as long
# Operations a second of a CPU core in frameworks: as networks, and as products have.
_CORE = {"operation": 50e9, "network": 20e9}
# The usual share of a GPU's peak.
_SHARE = {"operation": 0.6, "network": 0.25}
# Seconds of a training step at least, whatever computes: its launches take as long.
_LAUNCHES = {"rnn": 2e-3, "mlp": 3e-4}
# On the device and on the CPU, in the first process of a network, of few samples.
_REFERENCE_STEPS, _REFERENCE_SAMPLES, _REFERENCE_TOKENS = 3, 8, 64
_OF_TEXTS = ("gpt2-train", "llm-train")  # whose tokens are few there as well
# What the source did: all of it in as many seconds, else a part, at tier quick; so many
# steps at tier smoke, the whole at others.
_WHOLE, _PART, _FEW_STEPS = 30.0, 10.0, 4
_RATES = ("step_seconds", "operation_seconds", "samples_per_second", "teraflops")
_SEEN = (*_RATES, "fit_samples_per_second")


class Device(msgspec.Struct, frozen=True):
    """A device of this machine, with its peak in operations a second."""

    kind: str
    chip: str | None
    peak: float | None


class Seen(msgspec.Struct, frozen=True):
    """A stored figure as a rate: operations a second on a device with this peak."""

    workload: str
    framework: str
    device: str
    chip: str
    size: int | None
    rate: float
    peak: float


def devices_of(
    facts: Mapping[str, Any], cards: Mapping[str, str | None]
) -> list[Device]:
    """Return the devices of a machine: *facts* of its chip, *cards* by their kind."""
    name, cores = facts.get("name"), facts.get("cpu_cores")
    devices = [Device("cpu", name, _CORE["operation"] * (cores or 4))]
    for kind, card in cards.items():
        own = str(name) if kind == "metal" else str(card)
        gpu_cores = facts.get("gpu_cores") if kind == "metal" else None
        devices.append(Device(kind, own, _peak(kind, own, gpu_cores, None)))
    return devices


def _peak(
    device: str, name: str, gpu_cores: int | None, cpu_cores: int | None
) -> float | None:
    """Return the operations a second of a device at most, in fp32."""
    if device == "cpu":
        return _CORE["operation"] * cpu_cores if cpu_cores else None
    vendor = VENDORS.get(device)
    known = find_chip(vendor, name, gpu_cores) if vendor else None
    peak = known and known.peaks.get("fp32")
    return float(peak.flops_per_second) if peak else None


def stored_rates(connection: Connection, cells: Sequence[Cell]) -> list[Seen]:
    """Return the stored figures of the work of *cells*, on whatever chip."""
    amounts = {
        (cell.workload, dict(cell.axes).get("size")): cell.operations
        for cell in cells
        if cell.operations
    }
    batches = {cell.workload: cell.parameters.get("batch_size") for cell in cells}
    columns = (
        *(run.c.workload, run.c.framework, run.c.device, run.c.batch_size),
        *(result.c.size, result.c.metric, result.c.value, result.c.accelerator),
        *(chip.c.name, chip.c.gpu_cores, chip.c.cpu_cores),
    )
    query = (
        select(*columns)
        .join_from(result, run, run.c.digest == result.c.run)
        .join(machine, machine.c.digest == run.c.machine)
        .join(chip, chip.c.digest == machine.c.chip)
        .where(
            run.c.workload.in_(sorted(batches)),
            result.c.metric.in_(_SEEN),
            result.c.value > 0,
            result.c.grade != "X",
            run.c.precision == "fp32",
        )
    )
    rates = []
    for row in connection.execute(query):
        own = amounts.get((row.workload, row.size))
        rate = _rate(row.metric, row.value, own, batches[row.workload], row.batch_size)
        name = row.accelerator if row.device == "cuda" else row.name
        peak = _peak(row.device, str(name), row.gpu_cores, row.cpu_cores)
        if rate and peak:
            facts = (row.workload, row.framework, row.device, str(name), row.size)
            rates.append(Seen(*facts, rate=rate, peak=peak))
    return rates


def _rate(
    metric: str,
    figure: float,
    operations: int | None,
    batch: int | None,
    theirs: int | None,
) -> float | None:
    """Return a figure in operations a second; *operations* are those of our batch."""
    if metric == "teraflops":
        return figure * 1e12
    if operations is None or not batch:
        return None
    each = operations / batch
    if metric.endswith("samples_per_second"):
        return figure * each
    return each * (theirs or batch) / figure


def step_seconds(
    cell: Cell, devices: Iterable[Device], seen: Sequence[Seen], load: float
) -> tuple[float, str]:
    """Return the seconds of a step that nobody took here, and what they follow from.

    Of the CPU, other work that is a *load* on each core takes its share.
    """
    here = next((device for device in devices if device.kind == cell.device), None)
    if not cell.operations or here is None or not here.peak:
        return 0.0, "the protocol alone"
    size = dict(cell.axes).get("size")
    peak = here.peak
    slowed = 1 + load if cell.device == "cpu" else 1.0
    amount = cell.operations * slowed

    def distance(rate: Seen) -> tuple[object, ...]:
        return (
            rate.chip != here.chip,
            abs(math.log(rate.peak / peak)),
            rate.framework != cell.framework,
            rate.size != size,
            rate.rate,
        )

    like = [
        item
        for item in seen
        if (item.workload, item.device) == (cell.workload, cell.device)
    ]
    if like:
        near = min(like, key=distance)
        return amount / (near.rate * peak / near.peak), f"figures of {near.chip}"
    kind = workloads()[cell.workload].kind
    share = "network" if workloads()[cell.workload].trains else "operation"
    part = _CORE[share] / _CORE["operation"] if cell.device == "cpu" else _SHARE[share]
    step = max(amount / (peak * part), _LAUNCHES.get(kind, 0.0) * slowed)
    return step, "operations and peak"


def reference_seconds(
    cell: Cell, devices: Iterable[Device], seen: Sequence[Seen], load: float
) -> float | None:
    """Return the seconds of a step that the first process of *cell* compares with.

    The CPU takes it in float32, of a few samples; None where there is none.
    """
    here = (cell.device, cell.precision, cell.compiler)
    if not workloads()[cell.workload].trains or here == ("cpu", "fp32", "eager"):
        return None
    step, _ = step_seconds(replace(cell, device="cpu"), devices, seen, load)
    part = _REFERENCE_SAMPLES / (cell.parameters.get("batch_size") or 1)
    if cell.workload in _OF_TEXTS:
        part *= _REFERENCE_TOKENS / cell.parameters["sequence_length"]
    return step * min(1.0, part)


def guessed(
    step: float,
    protocol: Protocol,
    reference: float | None,
    starting: float = _SET_UP,
    *,
    has_term: bool = True,
) -> Cost:
    """Return the cost of a process whose steps take so long, as the protocol has it.

    *reference* are the seconds of ``reference_seconds``, *starting* those of
    ``start_seconds``. What is no part of the headline is cut short where it *has_term*.
    """

    def within(seconds: float, limit: float | None) -> float:
        return max(step, seconds if limit is None else min(seconds, limit))

    its = protocol
    warm = within(max(its.warmup_seconds, its.warmup_steps * step), its.warmup_limit)
    block = max(its.block_seconds, step)
    window = within(max(its.window_seconds, its.blocks * block), its.window_limit)
    singles, pairs, first = max(step, _SINGLES), its.gate_seconds, its.idle_seconds
    later = starting + step + warm + window
    if not has_term:
        singles = within(its.single_steps * step, its.single_seconds)
        pairs, first, later = its.pair_seconds, 0.0, later + its.idle_seconds
    later += singles
    if pairs and 3 * block <= _LONGEST_PAIR:
        first += max(pairs, 3 * block)
    if reference is not None:
        first += _REFERENCE_STEPS * 2 * reference
    return Cost(
        later + first,
        later,
        closing=singles + 2 * _AROUND,
        stretch=max(0.0, (its.window_limit or window) - window),
        squeeze=_SQUEEZED * its.window_seconds,
    )


def start_seconds(cell: Cell, load: float) -> float:
    """Return what starting a process takes, beside a *load* on each CPU."""
    usual = _SET_UPS.get(cell.framework, _SET_UP)
    more = _ON_CUDA if cell.device == "cuda" else 0.0
    return (usual + more) * (1 + load / _STARTS)


def guesses(
    plan: Plan,
    tier: str,
    devices: Sequence[Device],
    seen: Sequence[Seen],
    load: float,
) -> dict[Cell, Guess]:
    """Return what a process of each cell takes on average, and what that follows from.

    Cells whose steps nobody can guess are left out: their tier says the least.
    """
    by_cell = {}
    for cell in plan.cells:
        step, basis = step_seconds(cell, devices, seen, load)
        if not step:
            continue
        reference = reference_seconds(cell, devices, seen, load)
        starting = start_seconds(cell, load)
        cost = guessed(step, plan.protocol, reference, starting, has_term=False)
        whole = cost.first + (plan.replicates - 1) * cost.later
        source = _source_seconds(cell, tier, step)
        around = AROUND * (1 + load / _STARTS)
        by_cell[cell] = Guess(whole / plan.replicates + source + around, basis)
    return by_cell


def _source_seconds(cell: Cell, tier: str, step: float) -> float:
    """Return what doing as the source did takes, in each process."""
    plan = source_protocol(cell)
    if not plan:
        return 0.0
    steps = plan.get("trials", 0)
    if plan["kind"] == "fit":
        epochs = plan.get("warmup_epochs", 0) + plan.get("epochs", 1)
        steps = epochs * plan["steps_per_epoch"]
    elif plan["kind"] == "epoch":
        steps = plan["samples"] / (cell.parameters.get("batch_size") or 1)
    whole: float = steps * step
    if tier == "smoke":
        return min(whole, _FEW_STEPS * step)
    if tier == "quick" and whole > _WHOLE:
        return max(_PART, 3 * step)
    return whole


class Shares(msgspec.Struct, frozen=True):
    """Where the time of processes went, in seconds; starting belongs to the set-up."""

    blocks: float = 0.0
    working: float = 0.0
    checks: float = 0.0
    set_up: float = 0.0
    rest: float = 0.0

    @property
    def measuring(self) -> float:
        """Return the seconds in which processes ran, but for their rest."""
        return self.blocks + self.working + self.checks + self.set_up


_SET_UP_PHASES = ("import", "build", "data")
_RESTS = ("idle", "rest")


def shares(processes: Iterable[tuple[float, Mapping[str, Any]]]) -> Shares:
    """Return where time went, of the wall time and the checks of each process."""
    sums: defaultdict[str, float] = defaultdict(float)
    for wall, checks in processes:
        phases = checks.get("phase_seconds", {})
        sums["set_up"] += max(0.0, wall - math.fsum(phases.values()))
        for name, seconds in phases.items():
            if name == "measure":
                sums["blocks"] += seconds
            elif name in _RESTS:
                sums["rest"] += seconds
            elif name in _SET_UP_PHASES:
                sums["set_up"] += seconds
            elif name == "gates":
                sums["checks"] += seconds
            else:
                sums["working"] += seconds
    return Shares(**sums)


def learned(
    past: Sequence[Past], protocol: Protocol, around: float, guess: Cost
) -> Cost:
    """Return the cost as the processes of a cell have shown it, the newest last.

    *around* are the seconds that a process takes beyond what it counts itself.
    """
    done = [item for item in past if item.seconds and item.checks.get("phase_seconds")]
    if not done:
        return guess
    firsts = [_least(item, protocol) for item in done if not item.replicate]
    laters = [item for item in done if item.replicate]
    newest = (laters or done)[-1]
    phases = newest.checks["phase_seconds"]
    gates = phases.get("gates", 0.0) + phases.get("idle", 0.0)
    later = _least(newest, protocol) - gates
    if laters:
        later = median(_least(item, protocol) for item in laters)
    inside = math.fsum(phases.values())
    own = max(0.0, (newest.seconds or 0.0) - inside) / 2
    closing = phases.get("step", 0.0) + (phases.get("gates", 0.0) if laters else 0.5)
    natural = _window(newest, protocol)
    return Cost(
        first=(median(firsts) if firsts else guess.first) + around,
        later=later + around,
        closing=closing + own + around,
        stretch=max(0.0, (protocol.window_limit or natural) - natural),
        squeeze=_SQUEEZED * protocol.window_seconds,
        measured=True,
    )


def _least(past: Past, protocol: Protocol) -> float:
    """Return what a process would have taken with the usual window."""
    measured: float = past.checks["phase_seconds"].get("measure", 0.0)
    return (past.seconds or 0.0) - measured + _window(past, protocol)


def _window(past: Past, protocol: Protocol) -> float:
    steps: int = past.checks.get(STEPS, 1)
    block = (past.step_seconds or 0.0) * steps
    return max(protocol.window_seconds, protocol.blocks * block)


def known(cell: Cell, past: Sequence[Past], step: float) -> Known:
    """Return what is known of a cell whose step takes about so long."""
    sessions: defaultdict[str, list[float]] = defaultdict(list)
    for item in past:
        if item.step_seconds:
            sessions[item.campaign or ""].append(item.step_seconds)
    values = [value for some in sessions.values() for value in some]
    kind = workloads()[cell.workload].kind == "operation"
    name = work_class(cell.device, fmean(values) if values else step, operation=kind)
    spread = spread_of(name, shipped())
    usual = None if spread is None else spread.process
    some = {name: tuple(values) for name, values in sessions.items()}
    return Known(some) if usual is None else Known(some, spread=usual)
