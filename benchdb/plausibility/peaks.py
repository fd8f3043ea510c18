"""above-peak: more than the chip can do, by its own figures or by those of the work."""

from collections.abc import Iterator, Mapping, Sequence

from benchdb.catalogue import Workload, workloads
from benchdb.plausibility import ceilings
from benchdb.plausibility.figures import figure, proportion, rounded
from benchdb.plausibility.observed import Finding, Observed

CODE = "above-peak"
_TERA, _GIGA = 1e12, 1e9
_THROUGHPUTS = (
    "fit_samples_per_second",
    "samples_per_second",
    "reported_samples_per_second",
)
_STEPS = ("step_seconds", "reported_step_seconds")
METRICS = frozenset(
    {"teraflops", "gigabytes_per_second", "mfu_percent", *_THROUGHPUTS, *_STEPS}
)
# A smaller working set may live in a cache, and caches outrun the memory.
_BEYOND_CACHES = 256 * 2**20
_ARRAYS_OF_FLOATS = 4 * 4  # of the bandwidth workload, four arrays of four bytes each
# A convolution of 3 x 3 by Winograd's algorithm, as the collectors' gate allows.
_WINOGRAD = 2.25
# Parameters that decide how many operations a sample takes.
_SHAPES = ("image_size", "sequence_length", "channels", "hidden", "units", "trainable")


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield the figures that are above what the chip can do."""
    for run in runs:
        if run.values.keys() & METRICS:
            yield from _share(run)
            above = [*_rate(run), *_bandwidth(run), *_throughput(run)]
            if above and not ceilings.shared(run):
                yield from above


def _share(run: Observed) -> Iterator[Finding]:
    stated = run.values.get("mfu_percent", 0)
    most = 100 * ceilings.BOOST if run.device == "cuda" else 100
    if stated > most * _saving(run):
        detail = {"stated": figure(stated), "peak": 100}
        yield Finding(run.run, CODE, "mfu_percent", detail)


def _saving(run: Observed) -> float:
    """Return how many times fewer multiplications may do than are counted."""
    known = workloads().get(run.workload)
    convolves = run.workload == "conv" or (known is not None and known.kind == "cnn")
    return _WINOGRAD if convolves else 1.0


def _rate(run: Observed) -> Iterator[Finding]:
    stated = run.values.get("teraflops", 0)
    most = ceilings.compute(run, run.precision) if stated > 0 else None
    if most is not None and most.passed_by(stated * _TERA / _saving(run)):
        yield _finding(run, "teraflops", most, figure(stated), _TERA)


def _bandwidth(run: Observed) -> Iterator[Finding]:
    stated = run.values.get("gigabytes_per_second", 0)
    if stated > 0 and _beyond_caches(run):
        most = ceilings.bandwidth(run)
        if most is not None and most.passed_by(stated * _GIGA):
            yield _finding(run, "gigabytes_per_second", most, figure(stated), _GIGA)


def _beyond_caches(run: Observed) -> bool:
    size = run.parameters.get("size")
    if run.workload == "bandwidth" and isinstance(size, int):
        return _ARRAYS_OF_FLOATS * size**2 >= _BEYOND_CACHES
    return run.label != "measured" and "cache" not in run.workload.casefold()


def _throughput(run: Observed) -> Iterator[Finding]:
    flops = _flops_per_sample(run)
    most = ceilings.compute(run, run.precision) if flops else None
    if flops is None or most is None:
        return
    for metric, samples in _samples_per_second(run):
        if most.passed_by(samples * flops / _saving(run)):
            stated = rounded(samples * flops / _TERA)
            yield _finding(run, metric, most, stated, _TERA)


def _finding(
    run: Observed,
    metric: str,
    most: ceilings.Ceiling,
    stated: float,
    unit: float,
) -> Finding:
    detail = {
        "stated": stated,
        "peak": rounded(most.rate / unit),
        "chip": most.chip,
        "mode": most.mode,
    }
    return Finding(run.run, CODE, metric, detail)


def _samples_per_second(run: Observed) -> Iterator[tuple[str, float]]:
    for metric in _THROUGHPUTS:
        if run.values.get(metric, 0) > 0:
            yield metric, run.values[metric]
    for metric in _STEPS:
        rate = proportion(run.batch_size, run.values.get(metric))
        if rate is not None:
            yield metric, rate


def _flops_per_sample(run: Observed) -> float | None:
    """Return the operations of one sample, where the run is the work we count.

    It is not where it says other shapes, or a setting that we do not know.
    """
    workload = workloads().get(run.workload)
    if workload is None or not _as_counted(run, workload):
        return None
    counts = workload.train_flops_per_sample
    if not isinstance(counts, Mapping) or not counts:
        return None
    return float(counts.get(run.framework, min(counts.values())))


def _as_counted(run: Observed, workload: Workload) -> bool:
    usual = workload.parameters
    alike = all(
        name not in run.parameters or run.parameters[name] == usual.get(name)
        for name in _SHAPES
    )
    return alike and run.setting in (workload.setting, *workload.settings)
