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
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from statistics import median

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.plausibility.figures import RATES, TIMES, factor, figure, rounded
from benchdb.plausibility.observed import Finding, Observed

# In larger tables, of microbenchmarks, orders differ for honest reasons.
_MOST_SYSTEMS = 60
_MOST_WORK = 60

System = tuple[str, str | None]
Work = tuple[object, ...]


class Grid(msgspec.Struct, frozen=True, dict=True):
    """Figures of one metric on one kind of device, by system and work.

    Each is one run, the only one of its cell. *rows* are never empty.
    """

    metric: str
    rows: Mapping[System, Mapping[Work, Observed]]

    def figure(self, run: Observed) -> float:
        """Return the figure of *run* as printed."""
        return run.values[self.metric]

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

    def common(self, one: System, other: System) -> list[Work]:
        """Return the work that both systems did."""
        theirs = self.rows[other]
        return [work for work in self.rows[one] if work in theirs]

    def works(self) -> list[Work]:
        """Return all work of the table, in the order of its appearance."""
        return list(dict.fromkeys(work for row in self.rows.values() for work in row))


def grids(runs: Sequence[Observed], *, systems: int) -> Iterator[Grid]:
    """Yield the tables with at least so many *systems*; cells told twice are left out.

    What was measured by a collector stands in no table, nor what has no source.
    """
    found: dict[tuple[object, ...], dict[System, dict[Work, Observed | None]]]
    found = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        if run.source is None or run.label == "measured":
            continue
        system, work = (run.machine, run.device_name), _work(run)
        for metric in (*TIMES, *RATES):
            if run.values.get(metric, 0) > 0:
                cells = found[metric, *_kind(run)][system]
                cells[work] = None if work in cells else run
    for kind, table in found.items():
        rows = {
            system: {work: run for work, run in cells.items() if run is not None}
            for system, cells in table.items()
        }
        grid = Grid(str(kind[0]), {name: row for name, row in rows.items() if row})
        small = len(grid.rows) <= _MOST_SYSTEMS and len(grid.works()) <= _MOST_WORK
        if small and systems <= len(grid.rows):
            yield grid


def _kind(run: Observed) -> tuple[str | None, ...]:
    return run.device, run.framework, run.precision


def _work(run: Observed) -> Work:
    exact = json.dumps(run.parameters, sort_keys=True, default=str)
    return run.workload, run.setting, run.batch_size, exact


INVERTED = "order-inverted"
_PEERS = 3
_KIN = 2  # of them from the machine's own vendor: another architecture orders otherwise
_CLEAR = math.log(2)
_SLACK = math.log(1.25)


class _Swap(msgspec.Struct, frozen=True):
    """A pair of cells; *longer* takes longer on all *peers*, by these logarithms."""

    grid: Grid
    system: System
    longer: Work
    shorter: Work
    peers: tuple[float, ...]

    @property
    def own(self) -> float:
        """Return by how much the one for which peers need longer is quicker here."""
        logs = self.grid.logs[self.system]
        return logs[self.shorter] - logs[self.longer]

    @property
    def runs(self) -> tuple[Observed, Observed]:
        """Return both runs, that of *longer* first."""
        row = self.grid.rows[self.system]
        return row[self.longer], row[self.shorter]


def inverted_orders(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield both runs of every pair that may have been swapped."""
    for grid in grids(runs, systems=_PEERS + 1):
        for swap in _swaps(grid):
            detail = _swap_detail(swap)
            for run in swap.runs:
                yield Finding(run.run, INVERTED, None, detail)


def swapped(grid: Grid) -> set[str]:
    """Return the runs of the grid whose figures may have changed places."""
    pairs = _swaps(grid) if len(grid.rows) > _PEERS else []
    return {run.run for swap in pairs for run in swap.runs}


def _swaps(grid: Grid) -> list[_Swap]:
    """Return the most convincing pairs; a run is in one of them at most."""
    found = [
        swap
        for one, other in combinations(grid.works(), 2)
        if one[0] != other[0] and (swap := _odd_one_out(grid, one, other))
    ]
    found.sort(key=lambda swap: abs(swap.own - median(swap.peers)))
    taken: set[str] = set()
    kept = []
    for swap in found:
        pair = {run.run for run in swap.runs}
        if not pair & taken:
            taken |= pair
            kept.append(swap)
    return kept


def _odd_one_out(grid: Grid, one: Work, other: Work) -> _Swap | None:
    """Return the swap of the pair on the only machine with the opposite order."""
    logs = {
        system: log[one] - log[other]
        for system, log in grid.logs.items()
        if one in log and other in log
    }
    if len(logs) <= _PEERS:
        return None
    for sign, longer, shorter in ((1, one, other), (-1, other, one)):
        odd = [system for system, log in logs.items() if sign * log <= 0]
        if len(odd) == 1:
            peers = tuple(sign * log for peer, log in logs.items() if peer != odd[0])
            swap = _Swap(grid, odd[0], longer, shorter, peers)
            kin = sum(_vendor(grid, peer) == _vendor(grid, odd[0]) for peer in logs) - 1
            if kin >= _KIN and _convincing(swap) and _both_off(swap):
                return swap
    return None


def _vendor(grid: Grid, system: System) -> str:
    return next(iter(grid.rows[system].values())).chip_vendor


def _convincing(swap: _Swap) -> bool:
    low, high = min(swap.peers), max(swap.peers)
    clear = min(low, swap.own) >= _CLEAR
    return clear and low - _SLACK <= swap.own <= high + _SLACK


def _both_off(swap: _Swap) -> bool:
    """Tell whether each figure is off what the machine usually is to its peers.

    One too quick, the other too slow. A machine that merely lacks memory is too slow
    for one and as usual for the other.
    """
    grid, system, pair = swap.grid, swap.system, (swap.longer, swap.shorter)
    usual = [
        log
        for work in grid.logs[system]
        if work not in pair and (log := _to_peers(grid, system, work)) is not None
    ]
    longer, shorter = (_to_peers(grid, system, work) for work in pair)
    if not usual or longer is None or shorter is None:
        return True
    return median(usual) - longer >= _SLACK and shorter - median(usual) >= _SLACK


def _to_peers(grid: Grid, system: System, work: Work) -> float | None:
    """Return how much slower the system is than the median peer, as a logarithm."""
    theirs = [
        logs[work]
        for peer, logs in grid.logs.items()
        if peer != system and work in logs
    ]
    if len(theirs) < _PEERS:
        return None
    return grid.logs[system][work] - median(theirs)


def _swap_detail(swap: _Swap) -> dict[str, Scalar]:
    timed = swap.grid.metric in TIMES
    unit = "seconds" if timed else "rate"
    longer, shorter = swap.runs
    detail: dict[str, Scalar] = {
        "longer": longer.workload,
        "shorter": shorter.workload,
        f"longer_{unit}": figure(swap.grid.figure(longer)),
        f"shorter_{unit}": figure(swap.grid.figure(shorter)),
        "peers": len(swap.peers),
        "peers_low": round(factor(min(swap.peers)), 1),
        "peers_high": round(factor(max(swap.peers)), 1),
    }
    return detail if timed else {**detail, "metric": swap.grid.metric}


OUTLIER = "outlier"
_SYSTEMS = 4
_OTHER_WORK = 3
_ALIKE = math.log(1.3)  # from the least to the largest ratio of two systems alike
_FAR = math.log(2)
_OUT_OF_LINE = math.log(1.5)
_UNLIKE_SHARE = 1.25


def outliers(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that are out of line, each once."""
    for grid in grids(runs, systems=_SYSTEMS):
        doubtful = swapped(grid)
        for system, row in grid.rows.items():
            for work, alike in _odd_works(grid, system, doubtful).items():
                detail = _detail(grid, system, work, alike, doubtful)
                if detail is not None:
                    yield Finding(row[work].run, OUTLIER, grid.metric, detail)


def _ratios(
    grid: Grid, one: System, other: System, doubtful: set[str]
) -> dict[Work, float]:
    """Return how much slower *one* is than *other*, as logarithms."""
    mine, theirs = grid.rows[one], grid.rows[other]
    return {
        work: grid.logs[one][work] - grid.logs[other][work]
        for work in grid.common(one, other)
        if not {mine[work].run, theirs[work].run} & doubtful
    }


class _Alike(msgspec.Struct, frozen=True):
    """Another system, and how much slower than that one is in all other work."""

    system: System
    log: float


def _odd_works(
    grid: Grid, system: System, doubtful: set[str]
) -> dict[Work, list[_Alike]]:
    """Return the work that sets the system apart from others alike in the rest.

    Those as quick as it is come first.
    """
    found: dict[Work, list[_Alike]] = defaultdict(list)
    for peer in grid.rows:
        ratios = _ratios(grid, system, peer, doubtful) if peer != system else {}
        if len(ratios) <= _OTHER_WORK:
            continue
        ranked = sorted(ratios, key=lambda work: ratios[work])
        for odd, rest in ((ranked[0], ranked[1:]), (ranked[-1], ranked[:-1])):
            usual = median(ratios[work] for work in rest)
            alike = ratios[rest[-1]] - ratios[rest[0]] <= _ALIKE
            if alike and abs(ratios[odd] - usual) >= _FAR:
                found[odd].append(_Alike(peer, usual))
    for peers in found.values():
        peers.sort(key=lambda peer: abs(peer.log))
    return found


def _blamed(
    grid: Grid, system: System, work: Work, peer: System, doubtful: set[str]
) -> bool:
    """Tell whether third systems find *system* out of line, and *peer* in line."""
    own, theirs = [], []
    for third in grid.rows:
        if third in (system, peer):
            continue
        one = _off(_ratios(grid, system, third, doubtful), work)
        other = _off(_ratios(grid, peer, third, doubtful), work)
        if one is not None and other is not None:
            own.append(one)
            theirs.append(other)
    return bool(own) and abs(median(own)) >= _OUT_OF_LINE > abs(median(theirs))


def _off(ratios: dict[Work, float], work: Work) -> float | None:
    """Return how far the ratio at *work* is from that at the other work."""
    rest = [ratio for one, ratio in ratios.items() if one != work]
    if work not in ratios or len(rest) < _OTHER_WORK:
        return None
    return ratios[work] - median(rest)


def _detail(
    grid: Grid,
    system: System,
    work: Work,
    alike: Sequence[_Alike],
    doubtful: set[str],
) -> dict[str, Scalar] | None:
    """Return the facts, with the first of *alike* that is in line; None if none is."""
    for peer in alike:
        if _blamed(grid, system, work, peer.system, doubtful):
            run, other = grid.rows[system][work], grid.rows[peer.system][work]
            timed = grid.metric in TIMES
            unit = "seconds" if timed else "rate"
            slower = factor(peer.log if timed else -peer.log)
            return {
                "peer": other.chip_name,
                unit: figure(grid.figure(run)),
                f"peer_{unit}": figure(grid.figure(other)),
                f"expected_{unit}": rounded(slower * grid.figure(other), 3),
                **_share(grid, work, run, doubtful),
            }
    return None


def _share(
    grid: Grid, work: Work, run: Observed, doubtful: set[str]
) -> dict[str, Scalar]:
    """Return the CPU use, where it is as much out of line as the figure."""
    stated = run.values.get("script_cpu_percent")
    theirs = [
        row[work].values["script_cpu_percent"]
        for row in grid.rows.values()
        if work in row
        and row[work].run not in doubtful | {run.run}
        and "script_cpu_percent" in row[work].values
    ]
    if stated is None or not theirs:
        return {}
    low, high = min(theirs), max(theirs)
    if low <= stated * _UNLIKE_SHARE and stated <= high * _UNLIKE_SHARE:
        return {}
    return {
        "stated": figure(stated),
        "peers": len(theirs),
        "peers_low": figure(low),
        "peers_high": figure(high),
    }
