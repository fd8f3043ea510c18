"""The systems on one workload: a table for each protocol, never two in a ratio."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from benchdb.catalogue import metrics
from benchdb.compare.cell_rows import figure
from benchdb.compare.pairs import Group
from benchdb.compare.sides import Figure
from benchdb.metric_kinds import BESIDE_THEIR_RATE, headlines
from benchdb.report.view.atoms import Ratio
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.content import Site
from benchdb.site.plots import is_doubtful
from benchdb.site.system_pairs import BASELINE, Worker

_MOST = 32  # rows of a table
_SECTIONS = 6  # protocols with a table of their own
_FILLED = 0.5  # of a table of other sizes: an emptier one tells nothing
_COLUMNS, _LINES = 6, 16  # of a table of other sizes


class Row(msgspec.Struct, frozen=True):
    """What a system reached; *ratio* is to the baseline, like for like."""

    chip: str
    device: str
    figure: Figure
    choices: tuple[tuple[str, str], ...]
    ratio: Ratio | None
    doubts: tuple[str, ...] = ()  # codes of what is noted on it, in any way


class Point(msgspec.Struct, frozen=True):
    """What was run: parameters of the work, and batch size."""

    facts: tuple[tuple[str, str], ...]
    batch_size: int | None


class Line(msgspec.Struct, frozen=True):
    """A system in a table of other sizes: a figure for each, where there is one."""

    chip: str
    device: str
    framework: str
    precision: str | None
    figures: tuple[Figure | None, ...]


class Grid(msgspec.Struct, frozen=True):
    """Figures of one protocol by size and batch; *more* points have no column."""

    points: tuple[Point, ...]
    lines: tuple[Line, ...]
    more: int


class Table(msgspec.Struct, frozen=True):
    """The systems that did one thing by one protocol, the fastest first.

    *systems* is how many, of which *more* have no row. *grid* has what they did at
    other sizes.
    """

    metric: str
    setting: str
    unit: str
    sources: tuple[str, ...]
    years: tuple[str, ...]
    point: Point
    rows: tuple[Row, ...]
    systems: int
    more: int
    grid: Grid | None

    @property
    def lower(self) -> bool:
        """Tell whether less is better."""
        return self.unit == "s"


class Measured(msgspec.Struct, frozen=True):
    """A group of measurements with the system that they are of."""

    worker: Worker
    group: Group

    @property
    def point(self) -> Point:
        """Return what was run."""
        own = self.group.first.conditions
        return Point(tuple(sorted(own.facts.items())), own.batch_size)


class Protocols:
    """Everything that was measured, by workload; ratios are looked up."""

    def __init__(self, site: Site) -> None:
        """Sort what the systems measured by workload; trials are in none."""
        self._site = site
        self._ratios: dict[Worker, Mapping[tuple[str, str], Ratio]] = {}
        self._by_workload = defaultdict[str, list[Measured]](list)
        self._basis = defaultdict[str, list[object]](list)
        function, facts = site.inputs.notes.flags_of, corpus_of(site).facts
        for worker, side in site.systems.sides.items():
            for group in side.groups:
                own = group.first.conditions
                about = [(function(run), facts[run].started) for run in group.runs]
                self._basis[own.workload].append((worker, group, about))
                if own.metric not in BESIDE_THEIR_RATE and not own.smoke:
                    self._by_workload[own.workload].append(Measured(worker, group))

    def of(self, workload: str) -> Sequence[Measured]:
        """Return what was measured of *workload*."""
        return self._by_workload[workload]

    def basis(self, workload: str) -> tuple[object, ...]:
        """Return what the tables of *workload* follow from."""
        return tuple(self._basis[workload])

    def tables(self, workload: str, some: Iterable[Measured]) -> tuple[Table, ...]:
        """Return a table for each protocol among *some*, the most common first.

        What a single system did stands nowhere but among all figures, unless there is
        nothing else.
        """
        order = headlines(workload)
        protocols = defaultdict[tuple[object, ...], list[Measured]](list)
        for measured in some:
            protocols[measured.group.first.conditions.protocol].append(measured)

        def rank(own: Sequence[Measured]) -> tuple[object, ...]:
            first = own[0].group.first.conditions
            base = any(it.worker == BASELINE for it in own)
            place = order.index(first.metric) if first.metric in order else len(order)
            standard = first.setting == "standard"
            return not (base and standard), -_systems(own), place, first.setting

        ranked = sorted(protocols.values(), key=rank)
        shared = [own for own in ranked if _systems(own) > 1] or ranked[:1]
        return tuple(map(self._table, shared[:_SECTIONS]))

    def _table(self, own: Sequence[Measured]) -> Table:
        points = defaultdict[Point, list[Measured]](list)
        for measured in own:
            points[measured.point].append(measured)
        point = max(points, key=lambda it: _weight(it, points[it]))
        first = own[0].group.first.conditions
        rows = sorted(map(self._row, points[point]), key=_speed(first.metric))
        shown = _kept(rows)
        runs = [run for it in own for run in it.group.runs]
        origins = (self._site.source_of(self._site.rows[run]) for run in runs)
        slugs = Counter(filter(None, origins))
        return Table(
            metric=first.metric,
            setting=first.setting,
            unit=rows[0].figure.quantity.unit,
            sources=tuple(slug for slug, _ in slugs.most_common()),
            years=corpus_of(self._site).years(runs),
            point=point,
            rows=tuple(shown),
            systems=_systems(own),
            more=len(rows) - len(shown),
            grid=self._grid(points),
        )

    def _row(self, measured: Measured) -> Row:
        own = self.figure(measured)
        first = measured.group.first
        key = own.quantity.run, first.conditions.metric
        ratio = self._over_baseline(measured.worker).get(key)
        return Row(
            *measured.worker,
            own,
            first.conditions.choices,
            ratio,
            self._doubts(measured),
        )

    def _doubts(self, measured: Measured) -> tuple[str, ...]:
        rows = (self._site.rows[run] for run in measured.group.runs)
        quantities = [row.quantity for row in rows if row.quantity]
        notes = {key for quantity in quantities for key in quantity.notes}
        return tuple(sorted({self._site.notes[key].code for key in notes}))

    def figure(self, measured: Measured) -> Figure:
        """Return what a system reached."""
        return figure(measured.group, self._site.systems.sides[measured.worker])

    def _over_baseline(self, worker: Worker) -> Mapping[tuple[str, str], Ratio]:
        """Return the like ratios of a system to the baseline, by run and metric."""
        if worker not in self._ratios:
            self._ratios[worker] = {
                (cell.other.quantity.run, cell.metric): cell.ratio
                for cell in self._site.systems.cells(BASELINE, worker)
                if cell.counts and cell.ratio.leads
            }
        return self._ratios[worker]

    def _grid(self, points: Mapping[Point, Sequence[Measured]]) -> Grid | None:
        """Return what several systems, or one in several ways, did at several sizes."""
        if len(points) < 2:
            return None
        ranked = sorted(points, key=lambda it: _weight(it, points[it]), reverse=True)
        columns = sorted(ranked[:_COLUMNS], key=_size)
        cells = defaultdict[tuple[str, ...], dict[Point, Measured]](dict)
        for point in columns:
            for measured in points[point]:
                own = measured.group.first.conditions
                way = *measured.worker, own.framework, own.precision or ""
                cells[way].setdefault(point, measured)
        fullest = sorted(cells, key=lambda it: (-len(cells[it]), it))[:_LINES]
        fullest = [it for it in fullest if len(cells[it]) > 1]
        if not fullest or sum(len(cells[it]) for it in fullest) < (
            _FILLED * len(fullest) * len(columns)
        ):
            return None
        lines = [
            Line(
                chip=way[0],
                device=way[1],
                framework=way[2],
                precision=way[3] or None,
                figures=tuple(
                    self.figure(cells[way][it]) if it in cells[way] else None
                    for it in columns
                ),
            )
            for way in sorted(fullest)
        ]
        return Grid(tuple(columns), tuple(lines), len(points) - len(columns))


def _systems(own: Iterable[Measured]) -> int:
    return len({measured.worker for measured in own})


def _weight(point: Point, own: Sequence[Measured]) -> tuple[object, ...]:
    """Return what is greatest for the size that most systems have in common."""
    base = any(measured.worker == BASELINE for measured in own)
    return _systems(own), base, -(point.batch_size or 0), repr(point)


def _size(point: Point) -> tuple[object, ...]:
    numbers = [(fact.zfill(9) if fact.isdecimal() else fact) for _, fact in point.facts]
    return numbers, point.batch_size or 0


def _speed(metric: str) -> Callable[[Row], tuple[float, str]]:
    sign = -1 if metrics()[metric].direction == "higher" else 1
    return lambda row: (sign * row.figure.quantity.value, row.figure.quantity.run)


def _kept(rows: Sequence[Row]) -> Sequence[Row]:
    """Return as many rows as there is room for: Macs with Metal before others."""
    if len(rows) <= _MOST:
        return rows
    first = [row for row in rows if row.device == "metal"][:_MOST]
    rest = [row for row in rows if row.device != "metal"]
    chosen = {id(row) for row in (*first, *rest[: _MOST - len(first)])}
    return [row for row in rows if id(row) in chosen]


def sound(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows that a headline may rest on."""
    return (row for row in rows if not is_doubtful(row.figure.flags))
