"""above-peak: more than the chip can do, by its own figures or by those of the work.

What the GPU of a run can do at most is in the catalogue of chips.
"""

from collections.abc import Iterator, Mapping

from benchdb.catalogue import workloads
from benchdb.plausibility import token_rates
from benchdb.plausibility.ceilings import BOOST, ceiling, is_shared
from benchdb.plausibility.figures import SAMPLE_RATES, figure, proportion, rounded
from benchdb.plausibility.observed import Doubt, Observed

_TERA, _GIGA = 1e12, 1e9
_STEPS = ("step_seconds", "reported_step_seconds")
# A GPU that computes less than this of the time waits for the host.
LAUNCH_BOUND_PERCENT, BUSY = 80.0, "gpu_busy_percent"
METRICS = frozenset(
    {"teraflops", "gigabytes_per_second", "mfu_percent", *SAMPLE_RATES, *_STEPS}
    | {token_rates.METRIC, BUSY}
)
# A smaller working set may live in a cache, and caches outrun the memory.
_BEYOND_CACHES = 256 * 2**20
_ARRAYS_OF_FLOATS = 4 * 4  # of the bandwidth workload, four arrays of four bytes each
# A convolution of 3 x 3 by Winograd's algorithm, as the collectors' gate allows.
_WINOGRAD = 2.25
# Parameters that decide how many operations a sample takes.
_SHAPES = ("image_size", "sequence_length", "channels", "hidden", "units", "trainable")


def above_peak(run: Observed) -> Iterator[Doubt]:
    """Doubt the figures that are above what the chip can do."""
    if run.values.keys().isdisjoint(METRICS):
        return
    # How many times fewer multiplications may do than are counted.
    known = workloads().get(run.workload)
    convolves = run.workload == "conv" or (known is not None and known.kind == "cnn")
    saving, share = _WINOGRAD if convolves else 1.0, run.values.get("mfu_percent", 0)
    if share > (100 * BOOST if run.device == "cuda" else 100) * saving:
        yield "mfu_percent", {"stated": figure(share), "peak": 100}
    above = [*_operations(run, saving), *_bandwidth(run), *token_rates.above_peak(run)]
    if above and not is_shared(run):
        yield from above


def _operations(run: Observed, saving: float) -> Iterator[Doubt]:
    teraflops, flops = run.values.get("teraflops", 0), _flops_per_sample(run)
    if teraflops <= 0 and flops is None:
        return
    most = ceiling(run, run.precision)
    if most is None:
        return
    if most.rate * most.slack < teraflops * _TERA / saving:
        yield most.doubt("teraflops", figure(teraflops), _TERA)
    for metric, samples in _samples_per_second(run) if flops else ():
        if most.rate * most.slack < samples * (flops or 0) / saving:
            stated = rounded(samples * (flops or 0) / _TERA)
            yield most.doubt(metric, stated, _TERA)


def _bandwidth(run: Observed) -> Iterator[Doubt]:
    stated, size = run.values.get("gigabytes_per_second", 0), run.parameters.get("size")
    if run.workload == "bandwidth" and isinstance(size, int):
        beyond_caches = _ARRAYS_OF_FLOATS * size**2 >= _BEYOND_CACHES
    else:
        measured = run.label == "measured"
        beyond_caches = not measured and "cache" not in run.workload.casefold()
    if stated > 0 and beyond_caches:
        most = ceiling(run, None, memory=True)
        if most is not None and most.rate * most.slack < stated * _GIGA:
            yield most.doubt("gigabytes_per_second", figure(stated), _GIGA)


def _samples_per_second(run: Observed) -> Iterator[tuple[str, float]]:
    for metric in SAMPLE_RATES:
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
    if workload is None or run.setting not in (workload.setting, *workload.settings):
        return None
    usual, own = workload.parameters, run.parameters
    if any(name in own and own[name] != usual.get(name) for name in _SHAPES):
        return None
    counts = workload.train_flops_per_sample
    if not isinstance(counts, Mapping) or not counts:
        return None
    return float(counts.get(run.framework, min(counts.values())))


def launch_bound(run: Observed) -> Iterator[Doubt]:
    """Note a GPU that waits for the host most of the time; its figure still counts."""
    busy = run.values.get(BUSY)
    if busy is not None and busy < LAUNCH_BOUND_PERCENT and run.label == "measured":
        yield BUSY, {"busy": round(busy, 1)}
