"""Is a result normal? All runs of the same work on the same chip, one marked."""

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.exchange.lines import Device
from benchdb.report.measurement import Measurement, newest
from benchdb.report.metric_kinds import BESIDE_THEIR_RATE, RATES, SPEEDS, workload_of
from benchdb.report.quantities import quantity
from benchdb.report.sections.material import Material
from benchdb.report.sections.normal import Dot, Normal, Standing, Strip
from benchdb.report.sections.normal.owners import Owner, owners
from benchdb.report.systems import chip_at_work, is_here, is_known
from benchdb.report.view.atoms import Quantity
from benchdb.statistics import comparison

_ENOUGH = 5  # independent machines; of fewer nobody can say what is normal
_FOR_PERCENTILES = 20
_DRAWN = 6
# Names that many different chips share: "Xeon", "Core i7", "Ryzen 9".
_FAMILY = re.compile(r"\D*|(?:Core(?: Ultra)?|Ryzen(?: AI)?|EPYC) ?i?\d", re.IGNORECASE)

Cell = tuple[str, Device, Conditions]
Machines = dict[Owner, Measurement]


def section(material: Material) -> Normal | None:
    """Return the section, or ``None`` without a cell that enough machines ran."""
    mine = _marked(material)
    found = [
        (strip, cell)
        for cell in _cells(material)
        if len(cell) >= _ENOUGH and (strip := _strip(cell, material, mine))
    ]
    if not found:
        return None
    found.sort(key=lambda pair: _interest(pair[0]))
    strips = [strip for strip, _ in found]
    marked = [strip for strip in strips if strip.mine]
    drawn = (marked or strips)[:_DRAWN]
    return Normal(
        strips=tuple(drawn),
        rest=tuple(one for one in strips if all(one is not it for it in drawn)),
        asked=material.here is not None or bool(mine),
        sources=material.sources.keys(
            one.place.source for _, cell in found for one in cell.values()
        ),
    )


def _marked(material: Material) -> frozenset[Owner]:
    """Return the machines to mark: whatever is the same as them."""
    who = owners(material.connection)
    return frozenset(
        who.of(one.place)
        for one in material.steady
        if is_here(one.place, material.here)
    )


def _cells(material: Material) -> list[Machines]:
    """Return the newest figure of each machine, by chip, device and conditions.

    Of several figures of the same work, the one that most machines have stands.
    """
    who = owners(material.connection)
    found: defaultdict[Cell, defaultdict[Owner, list[Measurement]]]
    found = defaultdict(lambda: defaultdict(list))
    for one in material.steady:
        chip = chip_at_work(one.place)
        named = is_known(one.place) and not _FAMILY.fullmatch(chip)
        if named and one.conditions.metric not in BESIDE_THEIR_RATE:
            cell = chip.casefold(), one.place.device, one.conditions
            found[cell][who.of(one.place)].append(one)
    best: dict[Cell, tuple[Cell, Machines]] = {}
    for cell in sorted(found, key=repr):
        machines = {owner: newest(some) for owner, some in found[cell].items()}
        task = *cell[:2], replace(cell[2], metric="", extent=None, told_by=None)
        if task not in best or _prefers((cell, machines), best[task]):
            best[task] = cell, machines
    return [machines for _, machines in best.values()]


def _prefers(one: tuple[Cell, Machines], other: tuple[Cell, Machines]) -> bool:
    """Tell whether *one* has more machines, or as many and the better metric."""
    (cell, machines), (against, others) = one, other
    ranks = [SPEEDS.index(it[2].metric) for it in (cell, against)]
    return (len(machines), -ranks[0]) > (len(others), -ranks[1])


def _strip(cell: Machines, material: Material, mine: frozenset[Owner]) -> Strip | None:
    """Return the strip, or ``None`` where too few figures are beyond doubt."""
    shown = {one.runs: quantity(one, material.notes) for one in cell.values()}
    ordered = sorted(cell.values(), key=lambda one: (_speed(one), one.runs))
    sound = [one for one in ordered if not shown[one.runs].notes]
    if len(sound) < _ENOUGH:
        return None
    middle = median(map(_speed, sound))
    own = next((one for owner, one in cell.items() if owner in mine), None)
    first = ordered[0]
    return Strip(
        chip=chip_at_work(first.place),
        device=first.place.device,
        framework=first.conditions.framework,
        workload=workload_of(first.conditions.workload),
        batch_size=first.conditions.batch_size,
        precision=first.conditions.precision,
        compiler=first.conditions.compiler,
        metric=first.conditions.metric,
        dots=tuple(
            Dot(shown[one.runs], _speed(one) / middle, mine=one is own)
            for one in ordered
        ),
        machines=len(sound),
        median=_middle(sound, middle, [shown[one.runs] for one in sound]),
        slowest=shown[sound[0].runs],
        fastest=shown[sound[-1].runs],
        standing=_standing(own, sound),
    )


def _speed(one: Measurement) -> float:
    return comparison.geometric_mean(one.speeds)


def _middle(
    sound: Sequence[Measurement], speed: float, shown: Sequence[Quantity]
) -> Quantity:
    """Return the median; where no machine is in the middle, from the two beside it."""
    nearest, above = shown[(len(shown) - 1) // 2], shown[len(shown) // 2]
    if len(sound) % 2:
        return nearest
    value = speed if sound[0].conditions.metric in RATES else 1 / speed
    return replace(
        nearest,
        value=value,
        printed=None,
        low=None,
        high=None,
        n=1,
        derived=True,
        grade=max(filter(None, (nearest.grade, above.grade)), default=None),
        label=nearest.label if nearest.label == above.label else None,
        mine=nearest.mine and above.mine,
        sessions=1,
    )


def _standing(own: Measurement | None, sound: Sequence[Measurement]) -> Standing | None:
    if own is None or all(one is not own for one in sound):
        return None
    others = [one for one in sound if one is not own]
    verdicts = [
        comparison.verdict([(one.sampled(one.speeds), own.sampled(own.speeds))])
        for one in others
    ]
    behind = sum(_speed(one) < _speed(own) for one in others)
    return Standing(
        others=len(others),
        faster=verdicts.count("faster"),
        slower=verdicts.count("slower"),
        below=behind / len(sound) if len(sound) >= _FOR_PERCENTILES else None,
    )


def _interest(strip: Strip) -> tuple[object, ...]:
    """Put first what most machines ran."""
    about = strip.chip, strip.device, strip.workload.name, strip.batch_size or 0
    return -strip.machines, *about, strip.dots[0].quantity.run
