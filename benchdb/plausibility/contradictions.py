"""Figures that cannot be, or that others of the run or the source contradict.

impossible-figure: less than nothing, or a rate at which nothing would be done.
zero-power: a power or an energy of nothing, which is no reading.
unit-contradiction: two figures of a run that fit but for a factor such as 1000.
duplicate-key: a source tells the figures of one and the same run in two ways.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from benchdb.catalogue import shipped_metrics
from benchdb.plausibility.figures import SAMPLE_RATES, figure, proportion, rounded
from benchdb.plausibility.observed import Doubt, Finding, Observed

_OF_RATES = frozenset({"1/s", "1/h", "TFLOP/s", "GB/s"})
_OF_ANYTHING = "1"  # a loss or a score may be negative
_UNITS = {name: metric.unit for name, metric in shipped_metrics().items()}
SIGNED = frozenset(name for name, unit in _UNITS.items() if unit != _OF_ANYTHING)
_POWERS = frozenset(name for name in SIGNED if _UNITS[name] in ("W", "J"))
_RATES = frozenset(name for name in SIGNED if _UNITS[name] in _OF_RATES)


def impossible_figures(run: Observed) -> Iterator[Doubt]:
    """Doubt figures below zero where none can be, and rates of zero."""
    for metric, value in run.values.items():
        below = value < 0 and metric in SIGNED
        if below or (value == 0 and metric in _RATES):
            yield metric, {"stated": figure(value)}


def zero_power(run: Observed) -> Iterator[Doubt]:
    """Doubt powers and energies of nothing: who has no meter may print them.

    Our own meters are known to be there; what they read of a moment may be 0.
    """
    for metric, value in run.values.items():
        if value == 0 and metric in _POWERS and run.label != "measured":
            yield metric, {"stated": 0}


_NEAR = math.log(1.05)
# Milliseconds or kilo, kibi, minutes, hours (or Wh), mega or microseconds, nano.
_FACTORS = (60, 1000, 1024, 3600, 10**6, 10**9)
_BATCH = 8  # smaller ones are too near to honest differences
_LEAST = math.log(_BATCH) - _NEAR
# Times of many samples: who prints batches for samples is off by the batch size.
_BATCHED = ("step_seconds", "reported_step_seconds", "epoch_seconds")

_Expected = Callable[[Observed, float], float | None]


def unit_contradictions(run: Observed) -> Iterator[Doubt]:
    """Doubt the figures that another figure of the run contradicts."""
    for metric, other in _related(tuple(run.values)):
        stated = run.values[metric]
        expected = _RELATIONS[metric, other](run, run.values[other])
        ratio = proportion(stated, expected)
        if expected is None or ratio is None:
            continue
        log, factors = abs(math.log(ratio)), set(_FACTORS)
        if other in _BATCHED and (run.batch_size or 0) >= _BATCH:
            factors.add(run.batch_size or 0)
        nearest = min(factors, key=lambda factor: abs(log - math.log(factor)))
        if log >= _LEAST and abs(log - math.log(nearest)) < _NEAR:
            facts = {"stated": figure(stated), "expected": rounded(expected)}
            yield metric, {**facts, "other": other, "factor": nearest}


@lru_cache(maxsize=1024)  # most runs have the same metrics as others
def _related(metrics: tuple[str, ...]) -> list[tuple[str, str]]:
    return [pair for pair in _RELATIONS if {*pair} <= {*metrics}]


def _epochs(run: Observed, seconds: float) -> float | None:
    steps = run.parameters.get("steps_per_epoch")
    if isinstance(steps, int) and run.batch_size:
        return proportion(float(steps) * run.batch_size, seconds)
    return None


def _for_each_watt(run: Observed, rate: float) -> float | None:
    return proportion(rate, run.values.get("mean_power_watts"))


def _energy(run: Observed, seconds: float) -> float | None:
    # What we measure ourselves has its own window, which is none of these times.
    if run.label == "measured":
        return None
    return run.values.get("mean_power_watts", 0) * seconds


def _product(run: Observed, seconds: float) -> float | None:
    """Return the TFLOP/s of a product of two square matrices."""
    size = run.parameters.get("size")
    if run.workload != "matmul" or not isinstance(size, int):
        return None
    flops = 2.0 * min(abs(size), 10**9) ** 3 * (run.batch_size or 1)
    return proportion(flops / 1e12, seconds)


# What the first figure must be by the second; None where that is not known.
_RELATIONS: Mapping[tuple[str, str], _Expected] = {
    **{
        (f"{prefix}samples_per_second", f"{prefix}step_seconds"): (
            lambda run, seconds: proportion(run.batch_size, seconds)
        )
        for prefix in ("", "reported_")
    },
    **{(rate, "epoch_seconds"): _epochs for rate in SAMPLE_RATES},
    ("epochs_per_hour", "epoch_seconds"): lambda _, other: proportion(3600, other),
    ("operations_per_second", "operation_seconds"): lambda _, other: proportion(
        1.0, other
    ),
    ("latency_mean_seconds", "latency_median_seconds"): lambda _, other: other,
    **{("samples_per_joule", rate): _for_each_watt for rate in SAMPLE_RATES},
    ("tokens_per_joule", "tokens_per_second"): _for_each_watt,
    ("energy_joules", "script_wall_seconds"): _energy,
    ("energy_joules", "time_to_train_seconds"): _energy,
    ("teraflops", "operation_seconds"): _product,
}
RELATED = frozenset({"mean_power_watts"}.union(*_RELATIONS))


DUPLICATE_KEY = "duplicate-key"


def duplicate_keys(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that differ between runs with everything else alike.

    Something that tells the runs apart was not told, or not read. What a collector
    measured is exempt: it repeats runs on purpose.
    """
    alike: dict[tuple[str, object], list[Observed]] = defaultdict(list)
    for run in runs:
        if run.source is not None and run.label != "measured":
            key = (
                *(run.workload, run.setting, run.framework, run.environment),
                *(run.device, run.device_name, run.machine),
                *(run.precision, run.compiler, run.batch_size),
                json.dumps(run.parameters, sort_keys=True, default=str),
                *(run.seed, run.replicate, run.started),
            )
            for metric in run.values:
                alike[metric, key].append(run)
    for (metric, _), group in alike.items():
        if len(group) < 2:
            continue
        values = {run.values[metric] for run in group}
        if len(values) > 1:
            detail = {
                "runs": len(group),
                "low": figure(min(values)),
                "high": figure(max(values)),
            }
            for run in group:
                yield Finding(run.run, DUPLICATE_KEY, metric, detail)
