"""samples-disagree: figures of a run that do not follow from its own samples."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import median

from benchdb.exchange.packing import Series
from benchdb.plausibility.figures import proportion, rounded
from benchdb.plausibility.observed import Doubt, Observed, Sampled

# Meters are stored with six digits and their window in milliseconds of ten seconds or
# more; all else is computed from the very numbers that are stored.
_ROUNDING = 1e-4
# Between the epochs of a fit samples are written, while a busy machine does other work.
_BETWEEN_EPOCHS = 0.05
_BETWEEN_SECONDS = 1.0
_TYPES = frozenset({"fp16", "bf16", "fp32", "fp64"})

_Range = tuple[float, float]


def sampled(series: Iterable[Series], checks: Mapping[str, object]) -> Sampled | None:
    """Return what *series* amount to, with what the *checks* of the run say of them."""
    series = tuple(series)
    if not series:
        return None
    measured = [item for item in series if item.phase == "measure"]
    steps = [seconds / item.per for item in measured for seconds in item.values]
    seed = [item for item in series if item.phase == "seed"]
    plan = _mapping(checks.get("seed_protocol"))
    kind = plan.get("kind", "fit") if plan else None
    gates = _mapping(checks.get("gates"))
    types = _mapping(gates.get("dtype")).get("found")
    return Sampled(
        seconds=sum(sum(item.values) for item in series),
        step_seconds=median(steps) if steps else None,
        measured_steps=sum(item.per * len(item.values) for item in measured),
        seed_steps=sum(item.per * len(item.values) for item in seed),
        seed_seconds=sum(sum(item.values) for item in seed),
        seed_count=sum(len(item.values) for item in seed),
        operations=_positive(checks.get("operations_per_step")),
        moved_bytes=_positive(checks.get("bytes_per_step")),
        peak=_positive(_mapping(gates.get("peak_rate")).get("peak_flops")),
        metered_seconds=_positive(_mapping(checks.get("energy")).get("window_seconds")),
        plan=kind if isinstance(kind, str) else None,
        plan_samples=_positive(plan.get("samples")),
        scaled=plan.get("scaled") is True,
        types=tuple(text for text in types if isinstance(text, str))
        if isinstance(types, list)
        else (),
    )


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


def disagreements(run: Observed) -> Iterator[Doubt]:
    """Doubt the figures that are not what the run's samples make them."""
    if run.sampled is None:
        return
    if _is_mislabelled(run.precision, {*run.sampled.types}):
        computed = ", ".join(run.sampled.types)
        yield None, {"precision": run.precision, "computed": computed}
    for metric in sorted(run.values.keys() & _RULES.keys()):
        allowed, stated = _RULES[metric](run, run.sampled), run.values[metric]
        if allowed is None:
            continue
        low, high = allowed if isinstance(allowed, tuple) else (allowed, allowed)
        too_low = stated < low * (1 - _ROUNDING)
        too_high = stated > high * (1 + _ROUNDING)
        recomputed = low if too_low else high
        if (too_low or too_high) and math.isfinite(recomputed):
            yield (
                metric,
                {
                    "stated": rounded(stated, 6),
                    "recomputed": rounded(recomputed, 6),
                },
            )


def _is_mislabelled(precision: str | None, computed: set[str]) -> bool:
    """Tell whether numbers of other types were computed with than the run states."""
    stated = (precision or "").removesuffix("-mixed")
    stated = "fp32" if stated == "tf32" else stated
    if not computed or not {stated, *computed} <= _TYPES:
        return False
    return stated not in computed or (stated == "fp32" and computed != {stated})


def _product(*factors: float | None) -> float | None:
    """Return the product, None where a factor is not known or it is no number."""
    product = 1.0
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product if 0 < product < math.inf else None


def _flops(run: Observed, by: Sampled) -> float | None:
    """Return the FLOP/s of a step; those of a product follow from its size."""
    size, operations = run.parameters.get("size"), by.operations
    if run.workload == "matmul" and isinstance(size, int) and 0 < size < 2**31:
        operations = 2.0 * size**3
    return proportion(operations, by.step_seconds)


def _each(by: Sampled, plan: str) -> float | None:
    """Return the seconds of each sample of the seed, where it was a whole *plan*."""
    whole = by.plan == plan and not (plan == "epoch" and by.scaled)
    return proportion(by.seed_seconds, by.seed_count) if whole else None


def _fit(run: Observed, by: Sampled) -> float | _Range | None:
    """Return the rate over the epochs; what is done between them may lower it."""
    if by.plan == "epoch":
        return proportion(by.plan_samples, by.seed_seconds)
    samples = _product(run.batch_size, by.seed_steps)
    most = proportion(samples, by.seed_seconds)
    if by.plan != "fit" or most is None:
        return None
    longest = by.seed_seconds * (1 + _BETWEEN_EPOCHS) + _BETWEEN_SECONDS
    return proportion(samples, longest) or 0.0, most


def _operation(run: Observed, by: Sampled) -> float | _Range | None:
    """Return the median that a tool's samples give; ours did not wait for the result.

    Who does not wait is never later than who does.
    """
    if run.label == "imported":
        return by.step_seconds
    waited = _each(by, "trials") if run.label == "measured" else None
    return None if waited is None else (0.0, waited)


def _at_least(run: Observed, seconds: float) -> _Range | None:
    return (seconds, math.inf) if run.label == "measured" else None


# What a figure has to be by the samples: a number, or anything from low to high.
_RULES: Mapping[str, Callable[[Observed, Sampled], float | _Range | None]] = {
    "command_wall_seconds": lambda run, by: (
        by.step_seconds if run.label == "imported" else None
    ),
    "epoch_seconds": lambda _, by: _each(by, "epoch"),
    "epochs_per_hour": lambda _, by: proportion(3600.0, _each(by, "epoch")),
    "fit_samples_per_second": _fit,
    "gigabytes_per_second": lambda _, by: _product(
        proportion(by.moved_bytes, by.step_seconds), 1e-9
    ),
    "mean_power_watts": lambda run, by: proportion(
        run.values.get("energy_joules"), by.metered_seconds
    ),
    "mfu_percent": lambda run, by: _product(
        100.0, proportion(_flops(run, by), by.peak)
    ),
    "operation_seconds": _operation,
    "operation_synced_seconds": lambda _, by: _each(by, "trials"),
    "process_wall_seconds": lambda run, by: _at_least(run, by.seconds),
    "samples_per_joule": lambda run, by: proportion(
        _product(run.batch_size, by.measured_steps), run.values.get("energy_joules")
    ),
    "samples_per_second": lambda run, by: proportion(run.batch_size, by.step_seconds),
    "script_wall_seconds": lambda run, by: _at_least(run, by.seed_seconds),
    "step_seconds": lambda _, by: by.step_seconds,
    "teraflops": lambda run, by: _product(_flops(run, by), 1e-12),
}
METRICS = frozenset({"energy_joules", *_RULES})
