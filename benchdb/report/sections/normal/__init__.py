"""Is a result normal? All runs of the same work on the same chip, one marked."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.exchange.messages import Device
from benchdb.metric_kinds import BESIDE_THEIR_RATE, RATES, SPEEDS
from benchdb.report.measurement import Measurement, newest
from benchdb.report.quantities import quantity
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.systems import is_here
from benchdb.report.view.atoms import Quantity, Workload
from benchdb.report.workloads import workload_of
from benchdb.statistics import comparison
from benchdb.store.machines import canonical
from benchdb.store.places import Place, chip_at_work, is_known

_ENOUGH = 5  # independent machines; of fewer nobody can say what is normal
_FOR_PERCENTILES = 20
_DRAWN = 6
# Names that many different chips share: "Xeon", "Core i7", "Ryzen 9".
_FAMILY = re.compile(r"\D*|(?:Core(?: Ultra)?|Ryzen(?: AI)?|EPYC) ?i?\d", re.IGNORECASE)
Owner = tuple[str, bool, bool, str | None]
Cell = tuple[str, Device, Conditions]
Machines = dict[Owner, Measurement]


class Dot(msgspec.Struct, frozen=True):
    """The newest figure of one machine; *share* is its speed over the median's."""

    quantity: Quantity
    share: float
    mine: bool = False


class Standing(msgspec.Struct, frozen=True):
    """Of *others*, how many are clearly faster and slower than the marked machine.

    *below* is the share of all machines that is slower by the figures alone, where
    there are enough for a percentile.
    """

    others: int
    faster: int
    slower: int
    below: float | None = None

    @property
    def even(self) -> int:
        """Return from how many there is no clear difference."""
        return self.others - self.faster - self.slower


class Strip(msgspec.Struct, frozen=True):
    """One work on one chip under like conditions: a dot for each machine, by speed.

    *median*, *slowest* and *fastest* are those of the *machines* whose figures nothing
    is noted about; between two machines the median is derived from both. *standing* is
    the marked machine's, unless there is none or its own figure is doubtful.
    """

    chip: str
    device: Device
    framework: str
    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    dots: tuple[Dot, ...]
    machines: int
    median: Quantity
    slowest: Quantity
    fastest: Quantity
    standing: Standing | None = None

    @property
    def mine(self) -> Dot | None:
        """Return the dot of the marked machine."""
        return next((dot for dot in self.dots if dot.mine), None)

    @property
    def spread(self) -> float:
        """Return how many times as fast the fastest of the machines is."""
        sound = [dot.share for dot in self.dots if not dot.quantity.notes]
        return max(sound) / min(sound)


class Normal(msgspec.Struct, frozen=True):
    """What is normal for a chip? The strips to draw, and the *rest* for the table.

    *asked*: a machine is marked. Where it has strips, they are the ones that are drawn.
    """

    strips: tuple[Strip, ...]
    rest: tuple[Strip, ...]
    asked: bool
    sources: tuple[str, ...]

    @property
    def mine(self) -> tuple[Strip, ...]:
        """Return the strips that the marked machine is in."""
        return tuple(one for one in (*self.strips, *self.rest) if one.mine)


def section(inputs: SectionInput) -> Normal | None:
    """Return the section, or ``None`` without a cell that enough machines ran."""
    sizes = Counter(canonical(inputs.connection).values())
    # Whatever is the same machine as a marked one is marked.
    mine = frozenset(
        _owner(one.place, sizes)
        for one in inputs.steady
        if is_here(one.place, inputs.here)
    )
    pairs = [
        (strip, machines)
        for machines in _cells(inputs, sizes)
        if (strip := _strip(machines, inputs, mine))
    ]
    if not pairs:
        return None
    pairs.sort(key=lambda pair: _interest(pair[0]))
    strips = [strip for strip, _ in pairs]
    marked = [strip for strip in strips if strip.mine]
    drawn = (marked or strips)[:_DRAWN]
    return Normal(
        strips=tuple(drawn),
        rest=tuple(one for one in strips if all(one is not it for it in drawn)),
        asked=inputs.here is not None or bool(mine),
        sources=inputs.sources.keys(
            one.place.source for _, machines in pairs for one in machines.values()
        ),
    )


def _interest(strip: Strip) -> tuple[object, ...]:
    """Put first what most machines ran."""
    about = strip.chip, strip.device, strip.workload.name, strip.batch_size or 0
    return -strip.machines, *about, strip.dots[0].quantity.run


def _owner(place: Place, sizes: Mapping[str, int]) -> Owner:
    """Return what is equal for results of one machine, of which so many are merged.

    Merged ones are one, however many sources tell of them. Two documents that describe
    their machines in the same words tell of two, unless a person has said otherwise.
    """
    own = place.measured or place.anonymous_id is not None
    merged = sizes.get(place.machine, 1) > 1
    source = None if own or merged else place.source
    return place.machine, place.mine, place.shipped, source


def _cells(inputs: SectionInput, sizes: Mapping[str, int]) -> list[Machines]:
    """Return the newest figure of each of enough machines, by chip and conditions.

    Of several figures of the same work, the one that most machines have stands; of as
    many, the best defined.
    """
    found: defaultdict[Cell, defaultdict[Owner, list[Measurement]]]
    found = defaultdict(lambda: defaultdict(list))
    for one in inputs.steady:
        chip = chip_at_work(one.place)
        named = is_known(one.place) and not _FAMILY.fullmatch(chip)
        if named and one.conditions.metric not in BESIDE_THEIR_RATE:
            cell = chip.casefold(), one.place.device, one.conditions
            found[cell][_owner(one.place, sizes)].append(one)
    tasks: defaultdict[Cell, list[Cell]] = defaultdict(list)
    for cell in sorted(found, key=repr):
        work = replace(cell[2], metric="", extent=None, told_by=None)
        tasks[cell[0], cell[1], work].append(cell)
    best = (
        max(same, key=lambda cell: (len(found[cell]), -SPEEDS.index(cell[2].metric)))
        for same in tasks.values()
    )
    return [
        {who: newest(some) for who, some in found[cell].items()}
        for cell in best
        if len(found[cell]) >= _ENOUGH
    ]


def _strip(
    machines: Machines, inputs: SectionInput, mine: frozenset[Owner]
) -> Strip | None:
    """Return the strip, or ``None`` where too few figures are beyond doubt."""
    shown = {one.runs: quantity(one, inputs.notes) for one in machines.values()}
    ordered = sorted(machines.values(), key=lambda one: (_speed(one), one.runs))
    sound = [one for one in ordered if not shown[one.runs].notes]
    if len(sound) < _ENOUGH:
        return None
    middle = median(map(_speed, sound))
    own = next((one for owner, one in machines.items() if owner in mine), None)
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
    others = [one for one in sound if one is not own]
    if own is None or len(others) == len(sound):
        return None
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
