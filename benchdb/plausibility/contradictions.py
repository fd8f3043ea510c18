"""Figures that cannot be, or that others of the run or the source contradict.

impossible-figure: less than nothing, or a rate at which nothing would be done.
unit-contradiction: two figures of a run that fit but for a factor such as 1000.
duplicate-key: a source tells the figures of one and the same run in two ways.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec

from benchdb.catalogue import metrics
from benchdb.plausibility.figures import figure, proportion, rounded
from benchdb.plausibility.observed import Finding, Observed

IMPOSSIBLE_FIGURE = "impossible-figure"
_OF_RATES = frozenset({"1/s", "1/h", "TFLOP/s", "GB/s"})
_OF_ANYTHING = "1"  # a loss or a score may be negative
SIGNED = frozenset(
    name for name, metric in metrics().items() if metric.unit != _OF_ANYTHING
)
_RATES = frozenset(name for name in SIGNED if metrics()[name].unit in _OF_RATES)


def impossible_figures(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield figures below zero where none can be, and rates of zero."""
    for run in runs:
        for metric, value in run.values.items():
            below = value < 0 and metric in SIGNED
            if below or (value == 0 and metric in _RATES):
                yield Finding(
                    run.run, IMPOSSIBLE_FIGURE, metric, {"stated": figure(value)}
                )


UNIT_CONTRADICTION = "unit-contradiction"
_NEAR = math.log(1.05)
# Milliseconds or kilo, kibi, minutes, hours (or Wh), mega or microseconds, nano.
_FACTORS = (60, 1000, 1024, 3600, 10**6, 10**9)
_BATCH = 8  # smaller ones are too near to honest differences
# Times of many samples: who prints batches for samples is off by the batch size.
_BATCHED = ("step_seconds", "reported_step_seconds", "epoch_seconds")


class _Relation(msgspec.Struct, frozen=True):
    """What a figure must be by another; *expected* is None where that is not known."""

    metric: str
    other: str
    expected: Callable[[Observed], float | None]


def unit_contradictions(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that another figure of the run contradicts."""
    for run in runs:
        for relation in _between(tuple(run.values)):
            yield from _contradiction(run, relation)


@lru_cache(maxsize=1024)  # most runs have the same metrics as others
def _between(metrics: tuple[str, ...]) -> list[_Relation]:
    return [one for one in _RELATIONS if {one.metric, one.other} <= set(metrics)]


def _contradiction(run: Observed, relation: _Relation) -> Iterator[Finding]:
    stated = run.values[relation.metric]
    expected = relation.expected(run)
    ratio = proportion(stated, expected)
    if expected is None or ratio is None:
        return
    log = abs(math.log(ratio))
    if log < math.log(_BATCH) - _NEAR:
        return
    factors = set(_FACTORS)
    if relation.other in _BATCHED and (run.batch_size or 0) >= _BATCH:
        factors.add(run.batch_size or 0)
    nearest = min(factors, key=lambda factor: abs(log - math.log(factor)))
    if abs(log - math.log(nearest)) < _NEAR:
        detail = {
            "stated": figure(stated),
            "expected": rounded(expected),
            "other": relation.other,
            "factor": nearest,
        }
        yield Finding(run.run, UNIT_CONTRADICTION, relation.metric, detail)


def _batches(other: str) -> Callable[[Observed], float | None]:
    return lambda run: proportion(run.batch_size, run.values[other])


def _epochs(other: str) -> Callable[[Observed], float | None]:
    return lambda run: proportion(_epoch(run), run.values[other])


def _epoch(run: Observed) -> float | None:
    """Return the samples of an epoch, where the run says how many there are."""
    steps = run.parameters.get("steps_per_epoch")
    if isinstance(steps, int) and run.batch_size:
        return float(steps) * run.batch_size
    return None


def _same(other: str, factor: float = 1.0) -> Callable[[Observed], float | None]:
    return lambda run: factor * run.values[other]


def _inverse(other: str, factor: float = 1.0) -> Callable[[Observed], float | None]:
    return lambda run: proportion(factor, run.values[other])


def _for_each_watt(other: str) -> Callable[[Observed], float | None]:
    return lambda run: proportion(run.values[other], run.values.get("mean_power_watts"))


def _energy(seconds: str) -> Callable[[Observed], float | None]:
    # What we measure ourselves has its own window, which is none of these times.
    return lambda run: (
        None
        if run.label == "measured"
        else run.values.get("mean_power_watts", 0) * run.values[seconds]
    )


def _product(run: Observed) -> float | None:
    """Return the TFLOP/s of a product of two square matrices."""
    size = run.parameters.get("size")
    if run.workload != "matmul" or not isinstance(size, int):
        return None
    flops = 2.0 * min(abs(size), 10**9) ** 3 * (run.batch_size or 1)
    return proportion(flops / 1e12, run.values["operation_seconds"])


_SAMPLES = ("samples_per_second", "reported_samples_per_second")
_FIT = "fit_samples_per_second"
_RELATIONS = (
    _Relation(_SAMPLES[0], "step_seconds", _batches("step_seconds")),
    _Relation(_SAMPLES[1], "reported_step_seconds", _batches("reported_step_seconds")),
    *(
        _Relation(metric, "epoch_seconds", _epochs("epoch_seconds"))
        for metric in (*_SAMPLES, _FIT)
    ),
    _Relation("epochs_per_hour", "epoch_seconds", _inverse("epoch_seconds", 3600)),
    _Relation(
        "operations_per_second", "operation_seconds", _inverse("operation_seconds")
    ),
    _Relation(
        "latency_mean_seconds",
        "latency_median_seconds",
        _same("latency_median_seconds"),
    ),
    *(
        _Relation("samples_per_joule", metric, _for_each_watt(metric))
        for metric in (*_SAMPLES, _FIT)
    ),
    _Relation(
        "tokens_per_joule", "tokens_per_second", _for_each_watt("tokens_per_second")
    ),
    *(
        _Relation("energy_joules", seconds, _energy(seconds))
        for seconds in ("script_wall_seconds", "time_to_train_seconds")
    ),
    _Relation("teraflops", "operation_seconds", _product),
)
RELATED = frozenset(
    {"mean_power_watts"}
    | {metric for one in _RELATIONS for metric in (one.metric, one.other)}
)


DUPLICATE_KEY = "duplicate-key"


def duplicate_keys(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that differ between runs with everything else alike.

    Something that tells the runs apart was not told, or not read. What a collector
    measured is exempt: it repeats runs on purpose.
    """
    alike: dict[tuple[object, ...], list[Observed]] = defaultdict(list)
    for run in runs:
        if run.source is not None and run.label != "measured":
            alike[_key(run)].append(run)
    for group in alike.values():
        if len(group) > 1:
            yield from _differing(group)


def _key(run: Observed) -> tuple[object, ...]:
    return (
        run.workload,
        run.setting,
        run.framework,
        run.environment,
        run.device,
        run.device_name,
        run.machine,
        run.precision,
        run.compiler,
        run.batch_size,
        json.dumps(run.parameters, sort_keys=True, default=str),
        run.seed,
        run.replicate,
        run.started,
    )


def _differing(group: Sequence[Observed]) -> Iterator[Finding]:
    told: dict[str, list[Observed]] = defaultdict(list)
    for run in group:
        for metric in run.values:
            told[metric].append(run)
    for metric, tellers in told.items():
        values = {run.values[metric] for run in tellers}
        if len(values) > 1:
            detail = {
                "runs": len(tellers),
                "low": figure(min(values)),
                "high": figure(max(values)),
            }
            for run in tellers:
                yield Finding(run.run, DUPLICATE_KEY, metric, detail)
