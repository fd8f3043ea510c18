"""slower-in-larger-batches: work that takes longer where more of it is done at once.

A larger batch makes the same work faster, or leaves it as it is. Where it makes it
clearly slower, memory may have run short, or a figure is wrong. That is worth a note
where the same work on another system does not show it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import msgspec

from benchdb.conditions import divided
from benchdb.exchange.lines import Scalar
from benchdb.plausibility.figures import figure, rounded
from benchdb.plausibility.observed import Finding, Observed
from benchdb.sorted_json import sorted_json
from benchdb.statistics.comparison import SEEN_FACTOR, Spread
from benchdb.statistics.spreads import shipped, spread_of, work_class

CODE = "slower-in-larger-batches"
_OF_EPOCHS = ("epoch_seconds", "epochs_per_hour")
_OF_SAMPLES = (
    "fit_samples_per_second",
    "samples_per_second",
    "reported_samples_per_second",
)
_LEAST = math.log(1.1)

_Place = tuple[str, str, str | None]
_System = tuple[_Place, tuple[object, ...]]  # the place, and the conditions there
_Curve = Mapping[int, Sequence[Observed]]  # by batch size


class _Drop(msgspec.Struct, frozen=True):
    """Runs that are clearly slower than those of a smaller batch, and both figures."""

    runs: Sequence[Observed]
    figure: float
    smaller: int
    smaller_figure: float


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the runs of every batch size that is slower than a smaller one."""
    for metric in (*_OF_EPOCHS, *_OF_SAMPLES):
        for systems in _tables(runs, metric):
            drops = {
                system: list(_drops(curve, metric))
                for system, curve in systems.items()
                if len(curve) > 1
            }
            for (place, _), found in drops.items():
                peers = [bool(drops[one]) for one in drops if one[0] != place]
                if peers and not any(peers):
                    for drop in found:
                        detail = _detail(drop, metric, len(peers))
                        for run in drop.runs:
                            yield Finding(run.run, CODE, metric, detail)


def _tables(
    runs: Sequence[Observed], metric: str
) -> Iterator[Mapping[_System, _Curve]]:
    """Yield the figures of each kind of work: by system, then by batch size."""
    tables: dict[object, dict[_System, dict[int, list[Observed]]]]
    tables = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for run in runs:
        if run.batch_size and run.values.get(metric, 0) > 0:
            parameters, choices, _ = divided(sorted_json(run.parameters) or "{}")
            work = (run.workload, run.setting, run.framework, parameters)
            place = (run.machine, run.device, run.device_name)
            conditions = (run.environment, run.precision, run.compiler, choices)
            system = (place, conditions)
            tables[*work, _extent(run, metric)][system][run.batch_size].append(run)
    yield from tables.values()


def _extent(run: Observed, metric: str) -> object:
    """Return how many samples an epoch has, where the figure is of epochs."""
    steps = run.parameters.get("steps_per_epoch")
    if metric in _OF_SAMPLES or "images" in run.parameters:
        return None if metric in _OF_SAMPLES else run.parameters["images"]
    return steps * run.batch_size if isinstance(steps, int) and run.batch_size else None


def _drops(curve: _Curve, metric: str) -> Iterator[_Drop]:
    """Yield the batch sizes that are clearly slower than the best of the smaller."""
    best: tuple[int, float] | None = None
    for size in sorted(curve):
        typical = median(run.values[metric] for run in curve[size])
        if best is None:
            best = size, typical
            continue
        slower = math.log(typical) - math.log(best[1])
        if metric != "epoch_seconds":
            slower = -slower
        if slower >= _clearly(curve[size][0], metric, typical):
            yield _Drop(curve[size], typical, *best)
        if slower < 0:
            best = size, typical


def _clearly(run: Observed, metric: str, typical: float) -> float:
    """Return what no chance explains between two runs of such work, as a logarithm."""
    whole = metric in _OF_EPOCHS
    seconds = None if whole else (run.batch_size or 1) / typical
    kind = work_class(run.device, seconds, operation=False, whole_run=whole)
    spread = spread_of(kind, shipped()) or Spread()
    one = math.hypot(spread.process or 0.0, spread.session or 0.0)
    return max(_LEAST, SEEN_FACTOR * math.sqrt(2) * one)


def _detail(drop: _Drop, metric: str, peers: int) -> dict[str, Scalar]:
    unit = "seconds" if metric == "epoch_seconds" else "rate"
    return {
        "batch_size": drop.runs[0].batch_size,
        "smaller_batch_size": drop.smaller,
        unit: _as_told(drop.figure),
        f"smaller_{unit}": _as_told(drop.smaller_figure),
        "peers": peers,
    }


def _as_told(value: float) -> int | float:
    return figure(rounded(value, 12))
