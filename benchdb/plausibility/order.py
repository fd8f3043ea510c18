"""order-inverted: two workloads whose figures may have changed places.

On one machine the first takes longer, on all its peers the second, and with the two
figures swapped the machine would be like its peers.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.plausibility.figures import TIMES, factor, figure
from benchdb.plausibility.grid import Grid, System, Work, grids
from benchdb.plausibility.observed import Finding, Observed

CODE = "order-inverted"
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


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield both runs of every pair that may have been swapped."""
    for grid in grids(runs, systems=_PEERS + 1):
        for swap in _swaps(grid):
            detail = _detail(swap)
            for run in swap.runs:
                yield Finding(run.run, CODE, None, detail)


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


def _detail(swap: _Swap) -> dict[str, Scalar]:
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
