"""Rules for the table that a source amounts to: the same work on several systems.

order-inverted: two workloads whose figures may have changed places. On one machine the
first takes longer, on all its peers the second, and with the two figures swapped the
machine would be like its peers.

outlier: a figure far from what the document's other ratios predict. Two systems that
are alike in all other work, and differ widely in this: one of the two is the outlier,
and third systems say which.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import combinations
from statistics import median

import msgspec

from benchdb.catalogue import workloads
from benchdb.exchange.messages import Scalar
from benchdb.plausibility.figures import RATES, TIMES, factor, figure, rounded
from benchdb.plausibility.observed import Finding, Observed

# In larger tables, of microbenchmarks, orders differ for honest reasons.
_MOST_SYSTEMS = 60
_MOST_WORK = 60

System = tuple[str, str | None]
Work = tuple[object, ...]


class Grid(msgspec.Struct, frozen=True, dict=True):
    """Figures of one metric on one kind of device, by system and work.

    Each is one run, the only one of its cell.
    """

    metric: str
    rows: Mapping[System, Mapping[Work, Observed]]

    def figure(self, run: Observed) -> float:
        """Return the figure of *run* as printed."""
        return run.values[self.metric]

    @property
    def unit(self) -> str:
        """Return what the figures are called in the facts of findings."""
        return "seconds" if self.metric in TIMES else "rate"

    @cached_property
    def logs(self) -> Mapping[System, Mapping[Work, float]]:
        """Return the logarithm of the time that each run needs, up to a constant."""
        sign = 1 if self.metric in TIMES else -1
        return {
            system: {
                work: sign * math.log(self.figure(run)) for work, run in row.items()
            }
            for system, row in self.rows.items()
        }

    def works(self) -> list[Work]:
        """Return all work of the table, in the order of its appearance."""
        return list(dict.fromkeys(work for row in self.rows.values() for work in row))


def grids(runs: Sequence[Observed], *, systems: int) -> Iterator[Grid]:
    """Yield the tables with at least so many *systems*; cells told twice are left out.

    What was measured by a collector stands in no table, nor what has no source.
    """
    tables: dict[tuple[str, object], dict[System, dict[Work, Observed | None]]]
    tables = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        if run.source is None or run.label == "measured" or _is_a_kernel(run.workload):
            continue
        exact = json.dumps(run.parameters, sort_keys=True, default=str)
        work = (run.workload, run.setting, run.batch_size, exact)
        kind = (run.device, run.framework, run.precision)
        for metric in (*TIMES, *RATES):
            if run.values.get(metric, 0) > 0:
                cells = tables[metric, kind][run.machine, run.device_name]
                cells[work] = None if work in cells else run
    for (metric, _), table in tables.items():
        if not systems <= len(table):
            continue
        grid = Grid(metric, _filled(table))
        small = len(grid.rows) <= _MOST_SYSTEMS and len(grid.works()) <= _MOST_WORK
        if small and systems <= len(grid.rows):
            yield grid


def _is_a_kernel(workload: str) -> bool:
    """Tell whether it is one of the many operations of a framework.

    Each has kernels of its own for each chip and version, so that machines alike in
    all others honestly differ in one.
    """
    known = workloads().get(workload)
    return known is not None and bool(known.cell) and known.kind == "operation"


def _filled(
    table: Mapping[System, Mapping[Work, Observed | None]], but: Set[str] = frozenset()
) -> dict[System, dict[Work, Observed]]:
    """Return the cells of *table* that have a run, none of *but*; no empty rows."""
    rows = {
        system: {w: run for w, run in cells.items() if run and run.run not in but}
        for system, cells in table.items()
    }
    return {system: row for system, row in rows.items() if row}


INVERTED = "order-inverted"
_PEERS = 3
_KIN = 2  # of them from the machine's own vendor: another architecture orders otherwise
_CLEAR = math.log(2)
_SLACK = math.log(1.25)


class _Swap(msgspec.Struct, frozen=True):
    """Two runs of a machine, of which all *peers* need more time for *longer*.

    By which logarithms they do, and by how much the machine is quicker there instead.
    """

    longer: Observed
    shorter: Observed
    peers: tuple[float, ...]
    own: float


def inverted_orders(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield both runs of every pair that may have been swapped."""
    for grid in grids(runs, systems=_PEERS + 1):
        for swap in _swaps(grid):
            detail: dict[str, Scalar] = {
                "longer": swap.longer.workload,
                "shorter": swap.shorter.workload,
                f"longer_{grid.unit}": figure(grid.figure(swap.longer)),
                f"shorter_{grid.unit}": figure(grid.figure(swap.shorter)),
                "peers": len(swap.peers),
                "peers_low": round(factor(min(swap.peers)), 1),
                "peers_high": round(factor(max(swap.peers)), 1),
            }
            if grid.metric not in TIMES:
                detail["metric"] = grid.metric
            yield Finding(swap.longer.run, INVERTED, None, detail)
            yield Finding(swap.shorter.run, INVERTED, None, detail)


def _swaps(grid: Grid) -> list[_Swap]:
    """Return the most convincing pairs; a run is in one of them at most."""
    swaps = [
        swap
        for run, other in combinations(grid.works(), 2)
        if run[0] != other[0] and (swap := _odd_one_out(grid, run, other))
    ]
    swaps.sort(key=lambda swap: abs(swap.own - median(swap.peers)))
    taken: set[str] = set()
    kept = []
    for swap in swaps:
        pair = {swap.longer.run, swap.shorter.run}
        if not pair & taken:
            taken |= pair
            kept.append(swap)
    return kept


def _odd_one_out(grid: Grid, work: Work, other: Work) -> _Swap | None:
    """Return the swap of the pair on the only machine with the opposite order."""
    logs = {
        system: log[work] - log[other]
        for system, log in grid.logs.items()
        if work in log and other in log
    }
    if len(logs) <= _PEERS:
        return None
    vendors = {
        system: next(iter(grid.rows[system].values())).chip_vendor for system in logs
    }
    for sign, longer, shorter in ((1, work, other), (-1, other, work)):
        odd = [system for system, log in logs.items() if sign * log <= 0]
        if len(odd) != 1:
            continue
        (system,) = odd
        peers = tuple(sign * log for peer, log in logs.items() if peer != system)
        own = -sign * logs[system]
        kin = sum(vendor == vendors[system] for vendor in vendors.values()) - 1
        alike = min(peers) - _SLACK <= own <= max(peers) + _SLACK
        clear = alike and min(*peers, own) >= _CLEAR
        if kin >= _KIN and clear and _both_off(grid, system, longer, shorter):
            row = grid.rows[system]
            return _Swap(row[longer], row[shorter], peers, own)
    return None


def _both_off(grid: Grid, system: System, longer: Work, shorter: Work) -> bool:
    """Tell whether each figure is off what the machine usually is to its peers.

    One too quick, the other too slow. A machine that merely lacks memory is too slow
    for one and as usual for the other.
    """
    slower: dict[Work, float] = {}  # than the median peer, as a logarithm
    for work, own in grid.logs[system].items():
        peers = [
            logs[work]
            for peer, logs in grid.logs.items()
            if peer != system and work in logs
        ]
        if len(peers) >= _PEERS:
            slower[work] = own - median(peers)
    usual = [log for work, log in slower.items() if work not in (longer, shorter)]
    if not usual or longer not in slower or shorter not in slower:
        return True
    middle = median(usual)
    return middle - slower[longer] >= _SLACK and slower[shorter] - middle >= _SLACK


OUTLIER = "outlier"
_SYSTEMS = 4
_OTHER_WORK = 3
_ALIKE = math.log(1.3)  # from the least to the largest ratio of two systems alike
_FAR = math.log(2)
_OUT_OF_LINE = math.log(1.5)
_UNLIKE_SHARE = 1.25


def outliers(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that are out of line, each once."""
    for whole in grids(runs, systems=_SYSTEMS):
        pairs = [(swap.longer.run, swap.shorter.run) for swap in _swaps(whole)]
        grid = Grid(whole.metric, _filled(whole.rows, set().union(*pairs)))
        for system, row in grid.rows.items():
            for work, alike in _odd_works(grid, system).items():
                # The first of those alike that is in line itself.
                for log, peer in alike:
                    if _is_to_blame(grid, system, work, peer):
                        detail = _detail(grid, row[work], grid.rows[peer][work], log)
                        detail |= _share(grid, work, row[work])
                        yield Finding(row[work].run, OUTLIER, grid.metric, detail)
                        break


def _ratios(grid: Grid, pair: System, other: System) -> dict[Work, float]:
    """Return how much slower *pair* is than *other*, as logarithms."""
    mine, theirs = grid.logs[pair], grid.logs[other]
    return {work: mine[work] - theirs[work] for work in mine if work in theirs}


def _odd_works(grid: Grid, system: System) -> dict[Work, list[tuple[float, System]]]:
    """Return the work that sets the system apart from others alike in the rest.

    Beside each other how much slower it is in the rest, as a logarithm; those as quick
    as it is come first.
    """
    odd_works: dict[Work, list[tuple[float, System]]] = defaultdict(list)
    for peer in grid.rows:
        ratios = _ratios(grid, system, peer) if peer != system else {}
        if len(ratios) <= _OTHER_WORK:
            continue
        ranked = sorted(ratios, key=lambda work: ratios[work])
        for odd, rest in ((ranked[0], ranked[1:]), (ranked[-1], ranked[:-1])):
            usual = median(ratios[work] for work in rest)
            alike = ratios[rest[-1]] - ratios[rest[0]] <= _ALIKE
            if alike and abs(ratios[odd] - usual) >= _FAR:
                odd_works[odd].append((usual, peer))
    for peers in odd_works.values():
        peers.sort(key=lambda peer: abs(peer[0]))
    return odd_works


def _is_to_blame(grid: Grid, system: System, work: Work, peer: System) -> bool:
    """Tell whether third systems find *system* out of line, and *peer* in line."""
    own, others = [], []
    for third in grid.rows.keys() - {system, peer}:
        pair = [_off(_ratios(grid, side, third), work) for side in (system, peer)]
        if pair[0] is not None and pair[1] is not None:
            own.append(pair[0])
            others.append(pair[1])
    return bool(own) and abs(median(own)) >= _OUT_OF_LINE > abs(median(others))


def _off(ratios: dict[Work, float], work: Work) -> float | None:
    """Return how far the ratio at *work* is from that at the other work."""
    rest = [ratio for items, ratio in ratios.items() if items != work]
    if work not in ratios or len(rest) < _OTHER_WORK:
        return None
    return ratios[work] - median(rest)


def _detail(grid: Grid, run: Observed, peer: Observed, log: float) -> dict[str, Scalar]:
    slower = factor(log if grid.metric in TIMES else -log)
    return {
        "peer": peer.chip_name,
        grid.unit: figure(grid.figure(run)),
        f"peer_{grid.unit}": figure(grid.figure(peer)),
        f"expected_{grid.unit}": rounded(slower * grid.figure(peer), 3),
    }


def _share(grid: Grid, work: Work, run: Observed) -> dict[str, Scalar]:
    """Return the CPU use, where it is as much out of line as the figure."""
    stated = run.values.get("script_cpu_percent")
    peers = [
        row[work].values["script_cpu_percent"]
        for row in grid.rows.values()
        if work in row
        and row[work].run != run.run
        and "script_cpu_percent" in row[work].values
    ]
    if stated is None or not peers:
        return {}
    low, high = min(peers), max(peers)
    if low <= stated * _UNLIKE_SHARE and stated <= high * _UNLIKE_SHARE:
        return {}
    return {
        "stated": figure(stated),
        "peers": len(peers),
        "peers_low": figure(low),
        "peers_high": figure(high),
    }
