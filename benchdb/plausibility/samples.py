"""samples-disagree: figures of a run that do not follow from its own samples."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from benchdb.exchange.packing import Series
from benchdb.plausibility.figures import proportion, rounded
from benchdb.plausibility.observed import Finding, Observed, Sampled

CODE = "samples-disagree"
# Meters are stored with six digits and their window in milliseconds of ten seconds or
# more; all else is computed from the very numbers that are stored.
_ROUNDING = 1e-4
# Between the epochs of a fit samples are written, while a busy machine does other work.
_BETWEEN_EPOCHS = 0.05
_BETWEEN_SECONDS = 1.0
_TYPES = frozenset({"fp16", "bf16", "fp32", "fp64"})


class _Range(NamedTuple):
    """Where a figure has to be; both ends are alike where it is one number."""

    low: float
    high: float

    def nearest(self, stated: float) -> float | None:
        """Return the end that *stated* is beyond, None where it is within rounding."""
        if stated < self.low * (1 - _ROUNDING):
            return self.low
        return self.high if stated > self.high * (1 + _ROUNDING) else None


def sampled(series: Iterable[Series], checks: Mapping[str, object]) -> Sampled | None:
    """Return what *series* amount to, with what the *checks* of the run say of them."""
    series = tuple(series)
    if not series:
        return None
    measured = [one for one in series if one.phase == "measure"]
    steps = [seconds / one.per for one in measured for seconds in one.values]
    seed = [one for one in series if one.phase == "seed"]
    plan = _mapping(checks.get("seed_protocol"))
    kind = plan.get("kind", "fit") if plan else None
    gates = _mapping(checks.get("gates"))
    gate = _mapping(gates.get("peak_rate"))
    types = _mapping(gates.get("dtype")).get("found")
    return Sampled(
        seconds=sum(sum(one.values) for one in series),
        step_seconds=median(steps) if steps else None,
        measured_steps=_steps(measured),
        seed_steps=_steps(seed),
        seed_seconds=sum(sum(one.values) for one in seed),
        seed_count=sum(len(one.values) for one in seed),
        operations=_positive(checks.get("operations_per_step")),
        moved_bytes=_positive(checks.get("bytes_per_step")),
        peak=_positive(gate.get("peak_flops")),
        metered_seconds=_positive(_mapping(checks.get("energy")).get("window_seconds")),
        plan=kind if isinstance(kind, str) else None,
        plan_samples=_positive(plan.get("samples")),
        scaled=plan.get("scaled") is True,
        types=tuple(one for one in types if isinstance(one, str))
        if isinstance(types, list)
        else (),
    )


def _steps(series: Iterable[Series]) -> int:
    return sum(one.per * len(one.values) for one in series)


def _mapping(fact: object) -> Mapping[str, object]:
    return fact if isinstance(fact, Mapping) else {}


def _positive(fact: object) -> float | None:
    """Return the number, None for what is none: strangers write these as well."""
    if isinstance(fact, bool) or not isinstance(fact, int | float) or fact <= 0:
        return None
    try:
        return float(fact)
    except OverflowError:
        return None


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that are not what the run's samples make them."""
    for run in runs:
        if run.sampled is not None:
            if _is_mislabelled(run.precision, {*run.sampled.types}):
                computed = ", ".join(run.sampled.types)
                facts = {"precision": run.precision, "computed": computed}
                yield Finding(run.run, CODE, None, facts)
            for metric in sorted(run.values.keys() & _RULES.keys()):
                yield from _disagreement(run, run.sampled, metric)


def _is_mislabelled(precision: str | None, found: set[str]) -> bool:
    """Tell whether numbers of other types were computed with than the run states."""
    stated = (precision or "").removesuffix("-mixed")
    stated = "fp32" if stated == "tf32" else stated
    if not found or not {stated, *found} <= _TYPES:
        return False
    return stated not in found or (stated == "fp32" and found != {stated})


def _disagreement(run: Observed, by: Sampled, metric: str) -> Iterator[Finding]:
    stated, allowed = run.values[metric], _RULES[metric](run, by)
    recomputed = None if allowed is None else allowed.nearest(stated)
    if recomputed is not None and math.isfinite(recomputed):
        detail = {"stated": rounded(stated, 6), "recomputed": rounded(recomputed, 6)}
        yield Finding(run.run, CODE, metric, detail)


def _exactly(expected: float | None) -> _Range | None:
    return None if expected is None else _Range(expected, expected)


def _product(*factors: float | None) -> float | None:
    """Return the product, None where a factor is not known or it is no number."""
    product = 1.0
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product if 0 < product < math.inf else None


def _step(run: Observed, by: Sampled) -> _Range | None:
    del run
    return _exactly(by.step_seconds)


def _samples_per_second(run: Observed, by: Sampled) -> _Range | None:
    return _exactly(proportion(run.batch_size, by.step_seconds))


def _operations(run: Observed, by: Sampled) -> float | None:
    """Return the operations of a step; those of a product follow from its size."""
    size = run.parameters.get("size")
    if run.workload == "matmul" and isinstance(size, int) and 0 < size < 2**31:
        return 2.0 * size**3
    return by.operations


def _teraflops(run: Observed, by: Sampled) -> _Range | None:
    rate = proportion(_operations(run, by), by.step_seconds)
    return _exactly(_product(rate, 1e-12))


def _gigabytes(run: Observed, by: Sampled) -> _Range | None:
    del run
    return _exactly(_product(proportion(by.moved_bytes, by.step_seconds), 1e-9))


def _mfu(run: Observed, by: Sampled) -> _Range | None:
    rate = proportion(_operations(run, by), by.step_seconds)
    return _exactly(_product(100.0, proportion(rate, by.peak)))


def _samples_per_joule(run: Observed, by: Sampled) -> _Range | None:
    samples = _product(run.batch_size, by.measured_steps)
    return _exactly(proportion(samples, run.values.get("energy_joules")))


def _power(run: Observed, by: Sampled) -> _Range | None:
    return _exactly(proportion(run.values.get("energy_joules"), by.metered_seconds))


def _epoch(run: Observed, by: Sampled) -> _Range | None:
    del run
    whole = by.plan == "epoch" and not by.scaled
    return _exactly(proportion(by.seed_seconds, by.seed_count)) if whole else None


def _epochs_per_hour(run: Observed, by: Sampled) -> _Range | None:
    epoch = _epoch(run, by)
    return None if epoch is None else _exactly(proportion(3600.0, epoch.low))


def _fit(run: Observed, by: Sampled) -> _Range | None:
    """Return the rate over the epochs; what is done between them may lower it."""
    if by.plan == "epoch":
        return _exactly(proportion(by.plan_samples, by.seed_seconds))
    samples = _product(run.batch_size, by.seed_steps)
    most = proportion(samples, by.seed_seconds)
    if by.plan != "fit" or most is None:
        return None
    longest = by.seed_seconds * (1 + _BETWEEN_EPOCHS) + _BETWEEN_SECONDS
    return _Range(proportion(samples, longest) or 0.0, most)


def _operation(run: Observed, by: Sampled) -> _Range | None:
    """Return the median that a tool's samples give; ours did not wait for the result.

    Who does not wait is never later than who does.
    """
    if run.label == "imported":
        return _exactly(by.step_seconds)
    waited = _synced(run, by) if run.label == "measured" else None
    return None if waited is None else _Range(0.0, waited.high)


def _synced(run: Observed, by: Sampled) -> _Range | None:
    del run
    trials = by.plan == "trials"
    return _exactly(proportion(by.seed_seconds, by.seed_count)) if trials else None


def _command(run: Observed, by: Sampled) -> _Range | None:
    return _exactly(by.step_seconds) if run.label == "imported" else None


def _script(run: Observed, by: Sampled) -> _Range | None:
    """Return at least the seconds of the epochs that the script went through."""
    return _Range(by.seed_seconds, math.inf) if run.label == "measured" else None


def _process(run: Observed, by: Sampled) -> _Range | None:
    """Return at least the seconds of all samples that the process took."""
    return _Range(by.seconds, math.inf) if run.label == "measured" else None


_RULES: Mapping[str, Callable[[Observed, Sampled], _Range | None]] = {
    "command_wall_seconds": _command,
    "epoch_seconds": _epoch,
    "epochs_per_hour": _epochs_per_hour,
    "fit_samples_per_second": _fit,
    "gigabytes_per_second": _gigabytes,
    "mean_power_watts": _power,
    "mfu_percent": _mfu,
    "operation_seconds": _operation,
    "operation_synced_seconds": _synced,
    "process_wall_seconds": _process,
    "samples_per_joule": _samples_per_joule,
    "samples_per_second": _samples_per_second,
    "script_wall_seconds": _script,
    "step_seconds": _step,
    "teraflops": _teraflops,
}
METRICS = frozenset({"energy_joules", *_RULES})
