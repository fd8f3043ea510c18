"""Batch size: what a larger batch changes, on each system."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.report.measurement import Measurement
from benchdb.report.metric_kinds import SPEEDS, workload_of
from benchdb.report.quantities import Side, quantity, ratio, side_of
from benchdb.report.references import Notes
from benchdb.report.sections.apart import apart, is_plain, traits
from benchdb.report.sections.batches import Batches, BatchSystem, Level, Line
from benchdb.report.sections.batches.series import LEAST, Series, series
from benchdb.report.sections.material import Material
from benchdb.report.view.atoms import Ratio, System
from benchdb.statistics.comparison import geometric_mean

_STRONG = 2.5  # a line whose ratios differ by more stands out
_MOST_SYSTEMS = 4  # panels that fit beside each other
_MOST_LINES = 8  # with labels at their ends that can be read


class _Run(msgspec.Struct, frozen=True):
    """A series that is to be a line, with the CPU's series where it is against that."""

    own: Series
    cpu: Series | None = None

    @property
    def sizes(self) -> list[int]:
        both = self.cpu.levels if self.cpu else self.own.levels
        return [size for size in self.own.levels if size in both]

    @property
    def conditions(self) -> Conditions:
        return self.own.conditions

    @property
    def measurements(self) -> Iterator[Measurement]:
        for one in (self.own, self.cpu):
            yield from (one.levels[size] for size in self.sizes) if one else ()


def section(material: Material) -> Batches | None:
    """Return the section, or ``None`` where nothing ran at two batch sizes."""
    runs = _chosen(series(material))
    if not runs:
        return None
    groups: defaultdict[tuple[System, bool], list[_Run]] = defaultdict(list)
    for run in runs:
        groups[run.own.system, run.cpu is not None].append(run)
    systems = [
        BatchSystem(system, paired, _lines(found, material.notes))
        for (system, paired), found in groups.items()
    ]
    used = [one.place.source for run in runs for one in run.measurements]
    return Batches(_charted(systems), _STRONG, material.sources.keys(used))


def _chosen(found: Sequence[Series]) -> list[_Run]:
    """Return one run for each system and work: Metal against the CPU if it can be.

    Of several metrics or machines it is that with most batch sizes.
    """
    pairs = _pairs(found)
    paired = {run.own.work for run in pairs}
    alone = [_Run(one) for one in found if one.work not in paired]
    best: dict[tuple[object, ...], _Run] = {}
    for run in sorted([*pairs, *alone], key=_preference, reverse=True):
        best.setdefault((run.own.system, *run.own.work[1:]), run)
    return list(best.values())


def _pairs(found: Sequence[Series]) -> list[_Run]:
    cpus = {_both(one): one for one in found if one.system.device == "cpu"}
    runs = [
        _Run(one, cpus.get(_both(one))) for one in found if one.system.device == "metal"
    ]
    return [run for run in runs if run.cpu and len(run.sizes) >= LEAST]


def _both(one: Series) -> tuple[object, ...]:
    """Return what is equal for the same work on both devices of a machine."""
    return one.machine, one.conditions


def _preference(run: _Run) -> tuple[object, ...]:
    own = run.conditions
    timed = -SPEEDS.index(own.metric)
    order = repr((own, run.own.machine))
    return run.cpu is not None, len(run.sizes), timed, run.own.started, order


def _lines(runs: Sequence[_Run], notes: Notes) -> tuple[Line, ...]:
    same: defaultdict[str, list[_Run]] = defaultdict(list)
    for run in sorted(runs, key=_plainness):
        same[run.conditions.workload].append(run)
    lines = [
        replace(_line(run, notes), apart=names, quiet=place > 0)
        for found in same.values()
        for place, (run, names) in enumerate(zip(found, _names(found), strict=True))
    ]
    ordered = sorted(lines, key=_interest)
    shown = [line for line in ordered if not line.quiet][:_MOST_LINES]
    cut = [replace(line, quiet=line not in shown) for line in lines]
    return tuple(sorted(cut, key=lambda one: (-one.levels[-1].ratio.value, repr(one))))


def _interest(line: Line) -> tuple[object, ...]:
    """Put first what changes most, of what no note hangs on."""
    return line.flagged, -abs(math.log(line.change.value)), repr(line)


def _plainness(run: _Run) -> tuple[object, ...]:
    own = run.conditions
    return not is_plain(own), -len(run.sizes), own.compiler or "", repr(own)


def _names(runs: Sequence[_Run]) -> list[tuple[str, ...]]:
    return apart(traits([run.conditions for run in runs]))


def _line(run: _Run, notes: Notes) -> Line:
    levels = tuple(_level(run, size, notes) for size in run.sizes)
    ratios = [level.ratio.value for level in levels]
    noted = {note for level in levels for note in level.ratio.notes}
    order = sorted(noted, key=lambda note: (len(note), note))
    ends = run.sizes[0], run.sizes[-1]
    change = replace(_change(run, ends, notes), notes=tuple(order))
    # From the smallest ratio to the largest, wherever they are.
    slope = [level.batch_size for level in sorted(levels, key=_value)]
    clear = _change(run, (slope[0], slope[-1]), notes).verdict == "faster"
    strong = clear and max(ratios) / min(ratios) > _STRONG and not noted
    return Line(
        workload=workload_of(run.conditions.workload),
        levels=levels,
        change=change,
        strong=strong,
        own=_gain(run.own, ends),
        cpu=_gain(run.cpu, ends) if run.cpu else None,
    )


def _gain(one: Series, sizes: tuple[int, int]) -> float:
    """Return how many times as fast one side is at the second of two batch sizes."""
    low, high = (
        geometric_mean(found.throughputs or found.speeds)
        for found in (one.levels[size] for size in sizes)
    )
    return high / low


def _value(level: Level) -> float:
    return level.ratio.value


def _level(run: _Run, size: int, notes: Notes) -> Level:
    one = run.own.levels[size]
    shown = quantity(one, notes)
    if run.cpu is not None:
        other = run.cpu.levels[size]
        against = ratio([_sides(one, other, notes)])
        return Level(size, shown, quantity(other, notes), against)
    if size == run.sizes[0]:
        return Level(size, shown, None, Ratio(1.0, "even", notes=shown.notes))
    first = run.own.levels[run.sizes[0]]
    return Level(size, shown, None, ratio([_sides(one, first, notes)]))


def _change(run: _Run, sizes: tuple[int, int], notes: Notes) -> Ratio:
    """Return how much larger the ratio is at the second of two batch sizes."""
    low, high = sizes
    own = run.own.levels
    if run.cpu is None:
        return ratio([_sides(own[high], own[low], notes)])
    cpu = run.cpu.levels
    gain, loss = (own[high], cpu[high]), (cpu[low], own[low])
    # The mean of both is the square root of their product.
    mean = ratio([_sides(*gain, notes), _sides(*loss, notes)])
    low_end, high_end = (one and one**2 for one in (mean.low, mean.high))
    return replace(mean, value=mean.value**2, low=low_end, high=high_end)


def _sides(one: Measurement, other: Measurement, notes: Notes) -> tuple[Side, Side]:
    return _side(one, notes), _side(other, notes)


def _side(one: Measurement, notes: Notes) -> Side:
    """Return a side in samples per second: a batch may be what its time covers."""
    noted = notes.on(one.runs, one.conditions.metric)
    return side_of(one, one.throughputs or one.speeds, noted)


def _charted(systems: Iterable[BatchSystem]) -> tuple[BatchSystem, ...]:
    """Return the systems, pairs first; those with most lines are in the chart."""

    def interest(one: BatchSystem) -> tuple[object, ...]:
        lines = sum(not line.quiet for line in one.lines)
        return -lines, not one.paired, not one.system.here, one.system.key

    ordered = sorted(systems, key=interest)
    marked = [
        replace(one, charted=place < _MOST_SYSTEMS) for place, one in enumerate(ordered)
    ]
    return tuple(sorted(marked, key=lambda one: (not one.paired, not one.charted)))
