"""What a larger batch changes, computed: on Metal beside the CPU, else alone."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.metric_kinds import SPEEDS, TIMES_OF_A_STEP
from benchdb.report.measurement import Measurement, newest
from benchdb.report.quantities import Side, quantity, ratio, side_of
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.sections.labels import distinctions, is_plain
from benchdb.report.view.atoms import Quantity, Ratio, System, Workload
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import geometric_mean
from benchdb.store.places import Place, tidy

_LEAST = 2  # batch sizes that make a series
_STRONG = 2.5  # a line whose ratios differ by more stands out
_MOST_SYSTEMS = 4  # panels that fit beside each other
_MOST_LINES = 8  # with labels at their ends that can be read
Key = tuple[object, ...]


class Level(msgspec.Struct, frozen=True):
    """One batch size: its figure, and how many times as fast as what it goes against.

    That is *cpu*, the figure of the same chip's CPU, where there is one; else the
    system's own figure at its smallest batch size, for which *ratio* is 1.
    """

    batch_size: int
    quantity: Quantity
    cpu: Quantity | None
    ratio: Ratio


class Line(msgspec.Struct, frozen=True):
    """The same work at two or more batch sizes, smallest first.

    *change* is the ratio at the largest batch divided by that at the smallest. A
    *strong* line's ratios clearly differ by more than ``Batches.strong``, and none is
    flagged.
    *apart* tells lines of one workload from each other. A *quiet* line is in no chart.
    *own* is how many times the throughput at the smallest batch that at the largest is,
    *cpu* the same of the CPU that the system is held against.
    """

    workload: Workload
    levels: tuple[Level, ...]
    change: Ratio
    strong: bool
    apart: tuple[str, ...] = ()
    quiet: bool = False
    own: float | None = None
    cpu: float | None = None

    @property
    def flagged(self) -> bool:
        """Tell whether a note hangs on any figure."""
        return bool(self.change.notes)


class BatchSystem(msgspec.Struct, frozen=True):
    """One system's lines, fastest at the largest batch first.

    *paired* is Metal against the CPU of the same chip, else the system against itself.
    A system not *charted* stands in the table only.
    """

    system: System
    paired: bool
    lines: tuple[Line, ...]
    charted: bool = True

    @property
    def drawn(self) -> list[Line]:
        """Return the lines that the chart has of it."""
        return [line for line in self.lines if not line.quiet]


class Batches(msgspec.Struct, frozen=True):
    """What a larger batch changes; pairs of Metal and CPU come first."""

    systems: tuple[BatchSystem, ...]
    strong: float
    sources: tuple[str, ...]

    def lines(self, *, paired: bool) -> list[tuple[BatchSystem, Line]]:
        """Return the lines of one kind, each with its system."""
        kind = (one for one in self.systems if one.paired == paired)
        return [(one, line) for one in kind for line in one.lines]


class _Series(msgspec.Struct, frozen=True):
    """One measurement for each batch size, all else alike; *conditions* name no batch.

    *machine* is equal for all devices of one machine.
    """

    system: System
    machine: Key
    conditions: Conditions
    levels: Mapping[int, Measurement]

    @property
    def work(self) -> Key:
        """Return what was done where, however it was timed and on whichever device."""
        own = self.conditions
        task = own.workload, own.version, own.setting, own.framework
        how = own.precision, own.compiler, own.parameters, own.choices
        return self.machine, *task, *how


class _Run(msgspec.Struct, frozen=True):
    """A series that is to be a line, with the CPU's series where it is against that."""

    own: _Series
    cpu: _Series | None = None

    @property
    def sizes(self) -> list[int]:
        both = self.cpu.levels if self.cpu else self.own.levels
        return [size for size in self.own.levels if size in both]

    @property
    def preference(self) -> Key:
        """Return what is greatest for the run to show of one system and work."""
        own = self.own
        started = max(one.started or "" for one in own.levels.values())
        timed, order = (
            -SPEEDS.index(own.conditions.metric),
            repr((own.conditions, own.machine)),
        )
        return self.cpu is not None, len(self.sizes), timed, started, order

    @property
    def plainness(self) -> Key:
        own = self.own.conditions
        return not is_plain(own), -len(self.sizes), own.compiler or "", repr(own)


def section(inputs: SectionInput) -> Batches | None:
    """Return the section, or ``None`` where nothing ran at two batch sizes."""
    runs = _chosen(_series(inputs))
    if not runs:
        return None
    groups: defaultdict[tuple[System, bool], list[_Run]] = defaultdict(list)
    for run in runs:
        groups[run.own.system, run.cpu is not None].append(run)
    systems = [
        BatchSystem(system, paired, _lines(members, inputs.notes))
        for (system, paired), members in groups.items()
    ]
    used = [
        series.levels[size].place.source
        for run in runs
        for series in (run.own, run.cpu)
        if series
        for size in run.sizes
    ]
    return Batches(_charted(systems), _STRONG, inputs.sources.keys(used))


def _series(inputs: SectionInput) -> list[_Series]:
    """Return every series of at least two batch sizes, in a fixed order."""
    cells: defaultdict[
        tuple[System, Key, Conditions], defaultdict[int, list[Measurement]]
    ]
    cells = defaultdict(lambda: defaultdict(list))
    for system, one in inputs.throughputs():
        own, size = one.conditions, one.conditions.batch_size or 0
        if size > 0:
            # The samples of one step are no condition for any batch.
            extent = None if own.metric in TIMES_OF_A_STEP else own.extent
            alike = replace(own, batch_size=None, extent=extent)
            cells[system, _machine(one.place), alike][size].append(one)
    several = (
        _Series(*cell, {size: newest(sizes[size]) for size in sorted(sizes)})
        for cell, sizes in cells.items()
        if len(sizes) >= _LEAST
    )
    return sorted(several, key=lambda one: (one.system.key, repr(one)))


def _machine(place: Place) -> Key:
    """Tell machines apart: ours by their row, published ones by what is said."""
    if place.measured:
        return place.source, place.machine
    return place.source, tidy(place.chip), place.model, place.ram_bytes


def _chosen(every: Sequence[_Series]) -> list[_Run]:
    """Return one run for each system and work: Metal against the CPU if it can be.

    Of several metrics or machines it is that with most batch sizes.
    """
    cpus = {
        (one.machine, one.conditions): one
        for one in every
        if one.system.device == "cpu"
    }
    both = [
        _Run(one, cpus.get((one.machine, one.conditions)))
        for one in every
        if one.system.device == "metal"
    ]
    pairs = [run for run in both if run.cpu and len(run.sizes) >= _LEAST]
    paired = {run.own.work for run in pairs}
    alone = [_Run(one) for one in every if one.work not in paired]
    best: dict[Key, _Run] = {}
    for run in sorted([*pairs, *alone], key=lambda it: it.preference, reverse=True):
        best.setdefault((run.own.system, *run.own.work[1:]), run)
    return list(best.values())


def _lines(runs: Sequence[_Run], notes: Notes) -> tuple[Line, ...]:
    same: defaultdict[str, list[_Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: run.plainness):
        same[run.own.conditions.workload].append(run)
    lines = [
        replace(_line(run, notes), apart=names, quiet=place > 0)
        for alike in same.values()
        for place, (run, names) in enumerate(
            zip(alike, distinctions([it.own.conditions for it in alike]), strict=True)
        )
    ]

    def interest(line: Line) -> Key:
        """Put first what changes most, of what no note hangs on."""
        return line.flagged, -abs(math.log(line.change.value)), repr(line)

    plainest = (line for line in sorted(lines, key=interest) if not line.quiet)
    shown = list(plainest)[:_MOST_LINES]
    cut = [replace(line, quiet=line not in shown) for line in lines]
    return tuple(sorted(cut, key=lambda one: (-one.levels[-1].ratio.value, repr(one))))


def _line(run: _Run, notes: Notes) -> Line:
    levels = tuple(_level(run, size, notes) for size in run.sizes)
    ratios = [level.ratio.value for level in levels]
    noted = {note for level in levels for note in level.ratio.notes}
    order = sorted(noted, key=lambda note: (len(note), note))
    ends = run.sizes[0], run.sizes[-1]
    change = replace(_change(run, *ends, notes), notes=tuple(order))
    # From the smallest ratio to the largest, wherever they are.
    slope = sorted(levels, key=lambda level: level.ratio.value)
    steepest = _change(run, slope[0].batch_size, slope[-1].batch_size, notes)
    clear = steepest.verdict == "faster"
    return Line(
        workload=workload_of(run.own.conditions.workload),
        levels=levels,
        change=change,
        strong=clear and max(ratios) / min(ratios) > _STRONG and not noted,
        own=_gain(run.own, *ends),
        cpu=_gain(run.cpu, *ends) if run.cpu else None,
    )


def _gain(one: _Series, small: int, large: int) -> float:
    """Return how many times as fast one side is at the second of two batch sizes."""
    low, high = (one.levels[size] for size in (small, large))
    return geometric_mean(high.throughputs or high.speeds) / geometric_mean(
        low.throughputs or low.speeds
    )


def _level(run: _Run, size: int, notes: Notes) -> Level:
    own, first = run.own.levels[size], run.own.levels[run.sizes[0]]
    shown = quantity(own, notes)
    if run.cpu is None and own == first:
        return Level(size, shown, None, Ratio(1.0, "even", notes=shown.notes))
    other = run.cpu.levels[size] if run.cpu else first
    against = ratio([_sides(own, other, notes)])
    return Level(size, shown, quantity(other, notes) if run.cpu else None, against)


def _change(run: _Run, small: int, large: int, notes: Notes) -> Ratio:
    """Return how much larger the ratio is at the second of two batch sizes."""
    own = run.own.levels
    if run.cpu is None:
        return ratio([_sides(own[large], own[small], notes)])
    gain, loss = (
        (own[large], run.cpu.levels[large]),
        (run.cpu.levels[small], own[small]),
    )
    # The mean of both is the square root of their product.
    mean = ratio([_sides(*gain, notes), _sides(*loss, notes)])
    low, high = (end and end**2 for end in (mean.low, mean.high))
    return replace(mean, value=mean.value**2, low=low, high=high)


def _sides(one: Measurement, other: Measurement, notes: Notes) -> tuple[Side, Side]:
    """Return both sides in samples per second: a batch may be what a time covers."""
    left, right = (
        side_of(
            it, it.throughputs or it.speeds, notes.on(it.runs, it.conditions.metric)
        )
        for it in (one, other)
    )
    return left, right


def _charted(systems: Iterable[BatchSystem]) -> tuple[BatchSystem, ...]:
    """Return the systems, pairs first; those with most lines are in the chart."""

    def interest(one: BatchSystem) -> Key:
        return -len(one.drawn), not one.paired, not one.system.here, one.system.key

    marked = [
        replace(one, charted=place < _MOST_SYSTEMS)
        for place, one in enumerate(sorted(systems, key=interest))
    ]
    return tuple(sorted(marked, key=lambda one: (not one.paired, not one.charted)))
