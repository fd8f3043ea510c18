"""Is a result normal? All results of the same work in one bin of machines, one marked.

A bin is a chip with its GPU cores and memory. Results are not machines: a source that
does not identify them may tell of one machine several times.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median, quantiles

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from benchdb.catalogue import metrics
from benchdb.conditions import Conditions
from benchdb.metric_kinds import BESIDE_THEIR_RATE, SPEEDS, TOKENS
from benchdb.report.bins import Bin, Bins, likeness, named_differences, reports
from benchdb.report.inputs import Inputs
from benchdb.report.measurement import Measurement, newest
from benchdb.report.quantities import quantity
from benchdb.report.systems import is_here
from benchdb.report.view.atoms import Quantity
from benchdb.report.workloads import workload_of
from benchdb.site.normal_strip import Dot, Strip
from benchdb.statistics import comparison
from benchdb.steps import lowest
from benchdb.store.machines import canonical
from benchdb.store.places import Place, chip_at_work, is_known
from benchdb.store.tables import source

_METRICS = (*TOKENS, *SPEEDS)
# Names that many different chips share: "Xeon", "Core i7", "Ryzen 9".
_FAMILY = re.compile(r"\D*|(?:Core(?: Ultra)?|Ryzen(?: AI)?|EPYC) ?i?\d", re.IGNORECASE)
Owner = tuple[str, bool, bool, str | None]
Cell = tuple[Bin, Conditions]


class _Result(msgspec.Struct, frozen=True):
    """One figure of a machine, with the bin and the owner that it is of."""

    own: Measurement
    bin: Bin
    owner: Owner


def strips(inputs: Inputs, bins: Bins) -> list[Strip]:
    """Return the work of each chip that has several results in one of its bins.

    It stands there in every bin, however few results that has; work of the marked
    machine always does. Where nothing is beyond doubt there is no strip.
    """
    owners = _Owners(inputs.connection)
    every = (*inputs.steady, *inputs.tokens)
    mine = frozenset(
        owners.of(measurement.place)
        for measurement in every
        if is_here(measurement.place, inputs.here)
    )
    cells = _cells(every, bins, owners)
    several = {_task(cell) for cell in cells if len(cell) > 1}
    result = (
        _strip(cell, inputs, mine)
        for cell in cells
        if _task(cell) in several or any(item.owner in mine for item in cell)
    )
    return sorted(filter(None, result), key=_interest)


def _task(results: Sequence[_Result]) -> tuple[object, ...]:
    """Return what is equal for the same work in other bins of a chip."""
    own, where = results[0].own.conditions, results[0].bin
    work = own.workload, tuple(own.facts.items()), own.choices, own.batch_size
    how = own.precision, own.compiler, own.metric, own.setting, own.framework
    return where.chip.casefold(), where.device, work, how


def _interest(strip: Strip) -> tuple[object, ...]:
    """Put first what most Macs ran: a card is another one in every host."""
    about = strip.chip, strip.device, strip.workload.name, strip.batch_size or 0
    counts = strip.device != "metal", -strip.machines, -strip.results
    return *counts, *about, repr(strip.facts), strip.dots[0].quantity.run


class _Owners:
    """Tells what is equal for results of one machine, as far as anybody can tell.

    Merged ones are one, however many sources tell of them. Two sources that describe
    their machines in the same words tell of two, unless a person has said otherwise;
    the documents of one tell of one. The source stands last where it does not identify
    its machines.
    """

    def __init__(self, connection: Connection) -> None:
        """Look up which machines are merged, and whose the documents are."""
        self._sizes = Counter(canonical(connection).values())
        slugs = connection.execute(select(source.c.digest, source.c.slug))
        self._slugs = {row.digest: row.slug for row in slugs}

    def of(self, place: Place) -> Owner:
        """Return who owns the results at *place*."""
        own = place.measured or place.anonymous_id is not None
        merged = self._sizes.get(place.machine, 1) > 1
        told_by = None if own or merged else self._slugs.get(place.source or "")
        return place.machine, place.mine, place.shipped, told_by


def _cells(
    every: Iterable[Measurement], bins: Bins, owners: _Owners
) -> list[list[_Result]]:
    """Return the results of each cell: of an identified machine the newest alone.

    Of several figures of the same work, the one that most machines have stands; of as
    many, the best defined.
    """
    groups: defaultdict[Cell, defaultdict[Owner, list[_Result]]]
    groups = defaultdict(lambda: defaultdict(list))
    for measurement in every:
        chip = chip_at_work(measurement.place)
        named = is_known(measurement.place) and not _FAMILY.fullmatch(chip)
        if named and measurement.conditions.metric not in BESIDE_THEIR_RATE:
            where, owner = bins.of(measurement.place), owners.of(measurement.place)
            cell = (
                replace(where, chip=chip.casefold(), memory=None),
                likeness(measurement),
            )
            groups[cell][owner].append(_Result(measurement, where, owner))
    tasks: defaultdict[Cell, list[Cell]] = defaultdict(list)
    for cell in groups:
        work = replace(cell[1], metric="", extent=None, told_by=None)
        tasks[cell[0], work].append(cell)
    best = (
        same[0]
        if len(same) == 1
        else max(
            sorted(same, key=repr),
            key=lambda it: (len(groups[it]), -_METRICS.index(it[1].metric)),
        )
        for same in tasks.values()
    )
    return [
        [result for some in groups[cell].values() for result in _results(some)]
        for cell in best
    ]


def _results(some: Sequence[_Result]) -> list[_Result]:
    """Return the results of one owner that are of a machine each, for all we know."""
    if some[0].owner[-1] is None:
        last = newest(result.own for result in some)
        return [next(result for result in some if result.own is last)]
    return [replace(result, own=it) for result in some for it in reports(result.own)]


def _strip(
    results: Sequence[_Result],
    inputs: Inputs,
    mine: frozenset[Owner],
) -> Strip | None:
    """Return the strip, or ``None`` where no figure is beyond doubt."""
    shown = {result.own.runs: quantity(result.own, inputs.notes) for result in results}
    ordered = sorted(results, key=lambda result: (_speed(result.own), result.own.runs))
    sound = [result for result in ordered if not shown[result.own.runs].notes]
    if not sound:
        return None
    speeds = [_speed(result.own) for result in sound]
    middle = median(speeds)
    first, own = ordered[0], next((it.own for it in results if it.owner in mine), None)
    conditions = first.own.conditions
    memory = [result.bin.memory for result in ordered if result.bin.memory]
    machines = len({result.owner for result in sound})
    # One result is in all of its quarters.
    several = speeds if len(speeds) > 1 else speeds * 2
    low, _, high = quantiles(several, n=4, method="inclusive")
    return Strip(
        chip=first.bin.chip,
        device=first.bin.device,
        gpu_cores=first.bin.gpu_cores,
        memory=(min(memory), max(memory)) if memory else None,
        framework=conditions.framework,
        setting=conditions.setting,
        workload=workload_of(conditions.workload),
        batch_size=conditions.batch_size,
        precision=conditions.precision,
        compiler=conditions.compiler,
        metric=conditions.metric,
        facts=(*conditions.facts.items(), *conditions.choices),
        dots=tuple(
            Dot(
                shown[result.own.runs],
                _speed(result.own) / middle,
                mine=result.own is own,
            )
            for result in ordered
        ),
        results=len(sound),
        machines=machines,
        at_least=machines < len(sound),
        median=_middle(sound, middle, [shown[result.own.runs] for result in sound]),
        middle=(low / middle, high / middle),
        slowest=shown[sound[0].own.runs],
        fastest=shown[sound[-1].own.runs],
        differs=named_differences([result.own for result in ordered]),
    )


def _speed(measurement: Measurement) -> float:
    return comparison.geometric_mean(measurement.speeds)


def _middle(
    sound: Sequence[_Result], speed: float, shown: Sequence[Quantity]
) -> Quantity:
    """Return the median; where no result is in the middle, from the two beside it."""
    nearest, above = shown[(len(shown) - 1) // 2], shown[len(shown) // 2]
    if len(sound) % 2:
        return nearest
    metric = metrics()[sound[0].own.conditions.metric]
    value = speed if metric.direction == "higher" else 1 / speed
    return replace(
        nearest,
        value=value,
        printed=None,
        low=None,
        high=None,
        n=1,
        derived=True,
        grade=max(filter(None, (nearest.grade, above.grade)), default=None),
        trust=lowest((nearest.trust, above.trust)),
        label=nearest.label if nearest.label == above.label else None,
        mine=nearest.mine and above.mine,
        sessions=1,
    )
