"""The matrix products that were timed: of which size, where, how fast."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Text, select, type_coerce

from benchdb.conditions import Conditions
from benchdb.exchange.packing import unpack
from benchdb.report.runs import StoredRun
from benchdb.sorted_json import sorted_json
from benchdb.store.places import Place
from benchdb.store.pooling import conditions
from benchdb.store.run_facts import Facts, Figure
from benchdb.store.tables import chip, machine, run, samples

# The best defined first; the last may stop the clock before the device has finished.
METRICS = ("teraflops", "operation_synced_seconds", "operation_seconds")
TERA = 1e12
# Beyond these nothing is a size or a rate, and powers of them are no numbers.
_LARGEST = 10**7
_LEAST, _MOST = 1e-15, 1e15
_FASTEST_MHZ = 10**5
_BURSTS = 100  # products, the fastest, whose first seconds are looked up
_FIRST = 10  # products that are over before a power limit slows the card

_Timed = tuple[StoredRun, Figure]


class Held(msgspec.Struct, frozen=True):
    """The clock that a chip held at work, and how much of the time power limited it.

    *limit* are the watts that it may draw, where they are stored. *burst* are the
    TFLOPS of the first products, before it was limited.
    """

    clock_mhz: float
    capped: float | None = None
    limit: float | None = None
    burst: float | None = None


class Product(msgspec.Struct, frozen=True):
    """One size on one machine: TFLOPS of each process, *runs* in the same order.

    *conditions* name no size: they are equal for what stands on one line. *printed* are
    the characters of a source that prints the rate itself; one that was computed from a
    time is *derived*.
    """

    place: Place
    gpu_cores: int | None
    conditions: Conditions
    size: int
    rates: tuple[float, ...]
    runs: tuple[str, ...]
    started: str
    campaign: str
    printed: str | None
    derived: bool
    grade: str | None
    label: str
    sessions: int
    held: Held | None = None
    leads: bool = True

    @property
    def age(self) -> tuple[object, ...]:
        """Return what is greater the newer it is, of what may lead if any does."""
        return self.leads, self.started, self.campaign, self.runs


def products(connection: Connection, runs: Iterable[StoredRun]) -> list[Product]:
    """Return the newest campaign of each size on each machine, processes together.

    Trial runs, disqualified ones and those that are left out are not among them.
    """
    query = select(machine.c.digest, chip.c.gpu_cores)
    query = query.join(chip, machine.c.chip == chip.c.digest)
    cores = {row.digest: row.gpu_cores for row in connection.execute(query)}
    clocks = _clocks(connection)
    cells: defaultdict[tuple[object, ...], defaultdict[str, list[_Timed]]]
    cells = defaultdict(lambda: defaultdict(list))
    for one in runs:
        left_out = one.left_out or one.facts.disqualified
        if one.facts.workload == "matmul" and not left_out:
            figure = _telling(one)
            if figure is not None:
                cell = one.place, one.facts.alike, figure.metric
                cells[cell][one.facts.campaign or ""].append((one, figure))
    newest = [
        max(
            (_product(timed, cores, clocks) for timed in campaigns.values()),
            key=lambda product: product.age,
        )
        for campaigns in cells.values()
    ]
    bursts = _with_bursts(connection, newest)
    return sorted(bursts, key=lambda one: (one.size, one.runs))


def _telling(one: StoredRun) -> Figure | None:
    """Return the figure of a run that says its rate best, if it tells one."""
    facts = one.facts
    size = facts.parameters.get("size")
    is_size = isinstance(size, int) and not isinstance(size, bool)
    if facts.status != "ok" or facts.tier == "smoke" or not is_size:
        return None
    if not 0 < facts.parameters["size"] <= _LARGEST:
        return None
    known = (it for it in one.figures if it.metric in METRICS)
    there = {it.metric: it for it in known if _rate(facts, it) is not None}
    return next((there[name] for name in METRICS if name in there), None)


def _rate(facts: Facts, figure: Figure) -> float | None:
    """Return TFLOPS; a time of several products at once tells none of them."""
    rate = figure.value
    if rate is None or not math.isfinite(rate) or rate <= 0:
        return None
    if figure.metric != "teraflops":
        if facts.batch_size not in (None, 1) or rate < _LEAST:
            return None
        rate = _teraflops(facts.parameters["size"], rate)
    return rate if _LEAST < rate < _MOST else None


def _teraflops(size: int, seconds: float) -> float:
    return 2 * float(size) ** 3 / seconds / TERA


def _product(
    timed: Iterable[_Timed],
    cores: Mapping[str, int | None],
    clocks: Mapping[str, Held],
) -> Product:
    pairs = sorted(
        timed, key=lambda it: (it[0].facts.replicate or 0, it[0].facts.digest)
    )
    (first, figure), every = pairs[0], [one.facts for one, _ in pairs]
    stated = figure.metric == "teraflops"
    rates = (_rate(one.facts, figure) for one, figure in pairs)
    own = conditions(first, figure.metric)
    # What must be equal for the rates of two sizes to stand on one line.
    work = json.loads(own.parameters)
    del work["size"]
    alike = replace(
        own,
        batch_size=None if own.batch_size == 1 else own.batch_size,
        parameters=sorted_json(work) or "{}",
    )
    return Product(
        place=first.place,
        gpu_cores=cores.get(first.facts.machine),
        conditions=alike,
        size=int(first.facts.parameters["size"]),
        rates=tuple(rate for rate in rates if rate is not None),
        runs=tuple(facts.digest for facts in every),
        started=max(facts.started or "" for facts in every),
        campaign=first.facts.campaign or "",
        printed=figure.printed if stated and len(pairs) == 1 else None,
        derived=not stated or any(one.derived is not None for _, one in pairs),
        grade=max((facts.grade for facts in every if facts.grade), default=None),
        label=first.facts.label,
        sessions=len({facts.session.name for facts in every}),
        held=_held([clocks.get(facts.digest) for facts in every], first.facts.limit),
        leads=all(facts.leads for facts in every),
    )


def _held(processes: Sequence[Held | None], limit: float | None) -> Held | None:
    """Return the clock of the middle process, if it is known of all."""
    known = [one for one in processes if one is not None]
    if len(known) < len(processes):
        return None
    capped = [one.capped for one in known if one.capped is not None]
    return Held(
        median(one.clock_mhz for one in known),
        median(capped) if len(capped) == len(known) else None,
        limit,
    )


def _with_bursts(connection: Connection, every: Iterable[Product]) -> Iterator[Product]:
    """Yield *every* product, what power limited with the rate of its first ones.

    A heading may name the fastest alone: of thousands of others nobody asks for it.
    """
    fastest = sorted(every, key=lambda one: -median(one.rates))
    for place, one in enumerate(fastest):
        burst = None
        limited = one.held and one.held.capped and one.conditions.batch_size is None
        if limited and place < _BURSTS:
            packed = select(samples.c.packed).where(samples.c.run.in_(one.runs))
            times = [*map(_first_seconds, connection.scalars(packed))]
            if len(times) == len(one.runs) and all(times):
                burst = _teraflops(one.size, median(times))
        yield replace(one, held=replace(one.held, burst=burst)) if one.held else one


def _first_seconds(packed: bytes) -> float:
    """Return the median of what the first products took, 0 where they are not kept."""
    first = next(iter(unpack(packed)), None)
    if first is None or first.phase != "warmup" or first.per != 1:
        return 0.0
    return median(first.values[:_FIRST]) if len(first.values) >= _FIRST else 0.0


def _clocks(connection: Connection) -> dict[str, Held]:
    """Return the clock that the card of each run held, where it was read."""
    checks = type_coerce(run.c.checks, Text)
    read = checks.contains('"sm_clock_mhz_median"')
    query = select(run.c.digest, checks).where(run.c.workload == "matmul", read)
    clocks: dict[str, Held] = {}
    for name, text in connection.execute(query):
        during = json.loads(text).get("during")
        facts = during if isinstance(during, dict) else {}
        clock = _between(0, facts.get("sm_clock_mhz_median"), _FASTEST_MHZ)
        if clock:
            capped = _between(0, facts.get("power_capped_fraction"), 1)
            clocks[name] = Held(clock, capped)
    return clocks


def _between(least: float, stated: object, most: float) -> float | None:
    """Return what a run *stated*, if it is a number that can be."""
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return None
    return float(stated) if least <= stated <= most else None
