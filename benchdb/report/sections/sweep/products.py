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
from benchdb.report.measurement import conditions
from benchdb.report.runs import Facts, Figure, StoredRun
from benchdb.report.sections.sweep import Held
from benchdb.report.systems import Place
from benchdb.sorted_json import sorted_json
from benchdb.store.tables import chip, machine, run, samples

# The best defined first; the last may stop the clock before the device has finished.
METRICS = ("teraflops", "operation_synced_seconds", "operation_seconds")
_TERA = 1e12
# Beyond these nothing is a size or a rate, and powers of them are no numbers.
_LARGEST = 10**7
_LEAST, _MOST = 1e-15, 1e15
_FASTEST_MHZ = 10**5
_BURSTS = 100  # products, the fastest, whose first seconds are looked up
_FIRST = 10  # products that are over before a power limit slows the card

_Timed = tuple[StoredRun, Figure]


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
    cores, clocks = _gpu_cores(connection), _clocks(connection)
    cells: defaultdict[tuple[object, ...], defaultdict[str, list[_Timed]]]
    cells = defaultdict(lambda: defaultdict(list))
    for one in runs:
        left_out = one.left_out or one.facts.disqualified
        if one.facts.workload == "matmul" and not left_out:
            figure = _telling(one)
            if figure is not None:
                campaign = one.facts.campaign or ""
                cells[_cell(one, figure)][campaign].append((one, figure))
    found = [
        max((_product(timed, cores, clocks) for timed in campaigns.values()), key=_age)
        for campaigns in cells.values()
    ]
    return sorted(_with_bursts(connection, found), key=lambda one: (one.size, one.runs))


def _with_bursts(connection: Connection, found: Iterable[Product]) -> Iterator[Product]:
    """Yield *found*, what a power limit slowed with the rate of its first products.

    A heading may name the fastest alone: of thousands of others nobody asks for it.
    """
    fastest = sorted(found, key=lambda one: -median(one.rates))
    for place, one in enumerate(fastest):
        burst = None
        limited = one.held and one.held.capped and one.conditions.batch_size is None
        if limited and place < _BURSTS:
            packed = select(samples.c.packed).where(samples.c.run.in_(one.runs))
            times = [*map(_first_seconds, connection.scalars(packed))]
            if len(times) == len(one.runs) and all(times):
                burst = 2 * float(one.size) ** 3 / median(times) / _TERA
        yield replace(one, held=replace(one.held, burst=burst)) if one.held else one


def _first_seconds(packed: bytes) -> float:
    """Return the median of what the first products took, 0 where they are not kept."""
    first = next(iter(unpack(packed)), None)
    if first is None or first.phase != "warmup" or first.per != 1:
        return 0.0
    return median(first.values[:_FIRST]) if len(first.values) >= _FIRST else 0.0


def _age(one: Product) -> tuple[object, ...]:
    return one.age


def _telling(one: StoredRun) -> Figure | None:
    """Return the figure of a run that says its rate best, if it tells one."""
    facts = one.facts
    if facts.status != "ok" or facts.tier == "smoke" or _size(facts) is None:
        return None
    there = {
        figure.metric: figure
        for figure in one.figures
        if figure.metric in METRICS and _rate(facts, figure) is not None
    }
    return next((there[name] for name in METRICS if name in there), None)


def _size(facts: Facts) -> int | None:
    size = facts.parameters.get("size")
    if not isinstance(size, int) or isinstance(size, bool):
        return None
    return size if 0 < size <= _LARGEST else None


def _rate(facts: Facts, figure: Figure) -> float | None:
    """Return TFLOPS; a time of several products at once tells none of them."""
    rate = figure.value
    if rate is None or not math.isfinite(rate) or rate <= 0:
        return None
    if figure.metric != "teraflops":
        if facts.batch_size not in (None, 1) or rate < _LEAST:
            return None
        rate = 2 * float(facts.parameters["size"]) ** 3 / rate / _TERA
    return rate if _LEAST < rate < _MOST else None


def _cell(one: StoredRun, figure: Figure) -> tuple[object, ...]:
    return one.place, one.facts.alike, figure.metric


def _conditions(one: StoredRun, metric: str) -> Conditions:
    """Return what must be equal for the rates of two sizes to stand on one line."""
    own = conditions(one, metric)
    work = json.loads(own.parameters)
    del work["size"]
    batch = None if own.batch_size == 1 else own.batch_size
    return replace(own, batch_size=batch, parameters=sorted_json(work) or "{}")


def _product(
    timed: Iterable[_Timed],
    cores: Mapping[str, int | None],
    clocks: Mapping[str, Held],
) -> Product:
    told = sorted(timed, key=_turn)
    first, figure = told[0]
    stated = figure.metric == "teraflops"
    rates = (_rate(one.facts, figure) for one, figure in told)
    return Product(
        place=first.place,
        gpu_cores=cores.get(first.facts.machine),
        conditions=_conditions(first, figure.metric),
        size=int(first.facts.parameters["size"]),
        rates=tuple(rate for rate in rates if rate is not None),
        runs=tuple(one.facts.digest for one, _ in told),
        started=max(one.facts.started or "" for one, _ in told),
        campaign=first.facts.campaign or "",
        printed=figure.printed if stated and len(told) == 1 else None,
        derived=not stated or any(one.derived is not None for _, one in told),
        grade=max(
            (one.facts.grade for one, _ in told if one.facts.grade), default=None
        ),
        label=first.facts.label,
        sessions=len({one.facts.session.name for one, _ in told}),
        held=_held(
            [clocks.get(one.facts.digest) for one, _ in told], first.facts.limit
        ),
        leads=all(one.facts.leads for one, _ in told),
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


def _turn(timed: _Timed) -> tuple[int, str]:
    return timed[0].facts.replicate or 0, timed[0].facts.digest


def _clocks(connection: Connection) -> dict[str, Held]:
    """Return the clock that the card of each run held, where it was read."""
    said = type_coerce(run.c.checks, Text)
    read = said.contains('"sm_clock_mhz_median"')
    query = select(run.c.digest, said).where(run.c.workload == "matmul", read)
    found: dict[str, Held] = {}
    for name, text in connection.execute(query):
        during = json.loads(text).get("during")
        facts = during if isinstance(during, dict) else {}
        clock = _between(0, facts.get("sm_clock_mhz_median"), _FASTEST_MHZ)
        if clock:
            capped = _between(0, facts.get("power_capped_fraction"), 1)
            found[name] = Held(clock, capped)
    return found


def _between(least: float, said: object, most: float) -> float | None:
    """Return what a run *said*, if it is a number that can be."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return float(said) if least <= said <= most else None


def _gpu_cores(connection: Connection) -> dict[str, int | None]:
    query = select(machine.c.digest, chip.c.gpu_cores)
    query = query.join(chip, machine.c.chip == chip.c.digest)
    return {row.digest: row.gpu_cores for row in connection.execute(query)}
