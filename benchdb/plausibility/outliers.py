"""outlier: a figure far from what the document's other ratios predict.

Two systems that are alike in all other work, and differ widely in this: one of the two
is the outlier, and third systems say which.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.plausibility.figures import TIMES, factor, figure, rounded
from benchdb.plausibility.grid import Grid, System, Work, grids
from benchdb.plausibility.observed import Finding, Observed
from benchdb.plausibility.order import swapped

CODE = "outlier"
_SYSTEMS = 4
_OTHER_WORK = 3
_ALIKE = math.log(1.3)  # from the least to the largest ratio of two systems alike
_FAR = math.log(2)
_OUT_OF_LINE = math.log(1.5)
_UNLIKE_SHARE = 1.25


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that are out of line, each once."""
    for grid in grids(runs, systems=_SYSTEMS):
        doubtful = swapped(grid)
        for system, row in grid.rows.items():
            for work, alike in _odd_works(grid, system, doubtful).items():
                detail = _detail(grid, system, work, alike, doubtful)
                if detail is not None:
                    yield Finding(row[work].run, CODE, grid.metric, detail)


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
