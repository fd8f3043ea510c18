"""slower-in-larger-batches: work that takes longer where more of it is done at once.

A larger batch makes the same work faster, or leaves it as it is. Where it makes it
clearly slower, memory may have run short, or a figure is wrong. That is worth a note
where the same work on another system does not show it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from benchdb.conditions import divided
from benchdb.plausibility.figures import SAMPLE_RATES, rounded
from benchdb.plausibility.observed import Finding, Observed
from benchdb.sorted_json import sorted_json
from benchdb.statistics.comparison import SEEN_FACTOR, Spread
from benchdb.statistics.spreads import shipped, spread_of, work_class

CODE = "slower-in-larger-batches"
_OF_EPOCHS = ("epoch_seconds", "epochs_per_hour")
_LEAST = math.log(1.1)

_Place = tuple[str, str, str | None]
_System = tuple[_Place, tuple[object, ...]]  # the place, and the conditions there
_Curve = Mapping[int, Sequence[Observed]]  # by batch size
# A batch size that is slower than a smaller one, and the figures of both.
_Drop = tuple[int, float, int, float]


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the runs of every batch size that is slower than a smaller one."""
    for metric in (*_OF_EPOCHS, *SAMPLE_RATES):
        unit = "seconds" if metric == "epoch_seconds" else "rate"
        for systems in _tables(runs, metric):
            drops = {
                system: list(_drops(curve, metric))
                for system, curve in systems.items()
                if len(curve) > 1
            }
            for system, slower in drops.items():
                peers = [bool(drops[drop]) for drop in drops if drop[0] != system[0]]
                if not peers or any(peers):
                    continue
                for size, typical, smaller, best in slower:
                    detail = {
                        "batch_size": size,
                        "smaller_batch_size": smaller,
                        unit: rounded(typical, 12),
                        f"smaller_{unit}": rounded(best, 12),
                        "peers": len(peers),
                    }
                    for run in systems[system][size]:
                        yield Finding(run.run, CODE, metric, detail)


def _tables(
    runs: Sequence[Observed], metric: str
) -> Iterable[Mapping[_System, _Curve]]:
    """Return the figures of each kind of work: by system, then by batch size."""
    tables: dict[object, dict[_System, dict[int, list[Observed]]]]
    tables = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for run in runs:
        if run.batch_size and run.values.get(metric, 0) > 0:
            spelled = sorted_json(run.parameters) or "{}"
            parameters, choices, _ = divided(run.workload, spelled)
            work = (run.workload, run.setting, run.framework, parameters)
            place = (run.machine, run.device, run.device_name)
            conditions = (run.environment, run.precision, run.compiler, choices)
            system = (place, conditions)
            tables[*work, _extent(run, metric)][system][run.batch_size].append(run)
    return tables.values()


def _extent(run: Observed, metric: str) -> object:
    """Return how many samples an epoch has, where the figure is of epochs."""
    if metric in SAMPLE_RATES:
        return None
    if "images" in run.parameters:
        return run.parameters["images"]
    steps = run.parameters.get("steps_per_epoch")
    return steps * run.batch_size if isinstance(steps, int) and run.batch_size else None


def _drops(curve: _Curve, metric: str) -> Iterator[_Drop]:
    """Yield the batch sizes that are clearly slower than the best of the smaller."""
    best: tuple[int, float] | None = None
    for size in sorted(curve):
        typical = median(run.values[metric] for run in curve[size])
        slower = 0.0
        if best:
            slower = math.log(typical) - math.log(best[1])
            slower = slower if metric == "epoch_seconds" else -slower
            if slower >= _clearly(curve[size][0], metric, typical):
                yield size, typical, *best
        if best is None or slower < 0:
            best = size, typical


def _clearly(run: Observed, metric: str, typical: float) -> float:
    """Return what no chance explains between two runs of such work, as a logarithm."""
    whole = metric in _OF_EPOCHS
    seconds = None if whole else (run.batch_size or 1) / typical
    kind = work_class(run.device, seconds, operation=False, whole_run=whole)
    spread = spread_of(kind, shipped()) or Spread()
    value = math.hypot(spread.process or 0.0, spread.session or 0.0)
    return max(_LEAST, SEEN_FACTOR * math.sqrt(2) * value)
