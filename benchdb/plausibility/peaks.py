"""above-peak: more than the chip can do, by its own figures or by those of the work.

What the GPU of a run can do at most is in the catalogue of chips.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import Chip, chips, find_chip, workloads
from benchdb.plausibility.figures import SAMPLE_RATES, figure, proportion, rounded
from benchdb.plausibility.observed import Doubt, Observed

_TERA, _GIGA = 1e12, 1e9
_STEPS = ("step_seconds", "reported_step_seconds")
METRICS = frozenset(
    {"teraflops", "gigabytes_per_second", "mfu_percent", *SAMPLE_RATES, *_STEPS}
)
_SIXTEEN_BITS = ("fp16", "bf16")
_WIDER = ("fp64", "fp32", "tf32")  # what 16-bit work may do in part
# Since M5 their GPUs have matrix units, whose rates no catalogue has.
_WITHOUT_MATRIX_UNITS = re.compile(r"M[1-4]\b")
_AT_MOST_TWICE = 2.0  # of the 32-bit rate, on GPUs without matrix units
# Cards boost beyond the clock that a rate by formula assumes; Apple's do not.
_BOOST = 1.2
_EXACT = 1.05
_SEVERAL = re.compile(r"gpu|device|node|rank|world|worker|parallel|replica", re.I)
_OF_ONE = re.compile(r"layer|loader|core|mem|clock|mhz|power", re.I)
_VENDORS = {"cuda": "NVIDIA", "metal": "Apple"}
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
    if share > (100 * _BOOST if run.device == "cuda" else 100) * saving:
        yield "mfu_percent", {"stated": figure(share), "peak": 100}
    above = [*_operations(run, saving), *_bandwidth(run)]
    if above and not _is_shared(run):
        yield from above


def _is_shared(run: Observed) -> bool:
    """Tell whether several GPUs or machines may have shared the work."""
    return any(
        isinstance(value, int) and value > 1
        for name, value in run.parameters.items()
        if _SEVERAL.search(name) and not _OF_ONE.search(name)
    )


def _operations(run: Observed, saving: float) -> Iterator[Doubt]:
    teraflops, flops = run.values.get("teraflops", 0), _flops_per_sample(run)
    if teraflops <= 0 and flops is None:
        return
    most = _ceiling(run, run.precision)
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
        most = _ceiling(run, None, memory=True)
        if most is not None and most.rate * most.slack < stated * _GIGA:
            yield most.doubt("gigabytes_per_second", figure(stated), _GIGA)


class _Ceiling(msgspec.Struct, frozen=True):
    """A rate that no honest figure passes, *slack* above what the chip is sold with.

    *mode* is the math mode that it holds for, ``any`` for what none is named for.
    """

    chip: str
    rate: float
    slack: float
    mode: str

    def doubt(self, metric: str, stated: float, unit: float) -> Doubt:
        """Return the facts of a figure above it, in multiples of *unit*."""
        facts = {"stated": stated, "peak": rounded(self.rate / unit)}
        return metric, {**facts, "chip": self.chip, "mode": self.mode}


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


def _ceiling(
    run: Observed, precision: str | None, *, memory: bool = False
) -> _Ceiling | None:
    """Return the most FLOP/s in *precision*; where it is None, in any of 16 bits.

    Of *memory* the most bytes a second. Return None where the chip or its rate is not
    known. Several cards compute together.
    """
    cards = run.accelerators if run.device == "cuda" else ()
    name = run.chip_name
    if run.device == "cuda":
        name = cards[0] if len(set(cards)) == 1 else run.device_name or name
    chip = (run.device, run.chip_vendor, name, run.gpu_cores)
    most = _highest(*chip, precision, memory=memory)
    return most and replace(most, rate=most.rate * max(len(cards), 1))


@lru_cache(maxsize=1024)
def _highest(
    device: str,
    vendor: str,
    name: str,
    gpu_cores: int | None,
    precision: str | None,
    *,
    memory: bool,
) -> _Ceiling | None:
    """Return the highest ceiling of the chips that may be meant, if all have one."""
    candidates = _candidates(device, vendor, name, gpu_cores)
    rates = [
        chip.memory_bandwidth_bytes_per_second if memory else _flops(chip, precision)
        for chip in candidates
    ]
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return None
    chip = candidates[known.index(max(known))]
    exact = device == "metal" and chip.confidence == "high"
    cores = f", {chip.gpu_cores} GPU cores" if chip.gpu_cores else ""
    slack, mode = _EXACT if exact else _BOOST, precision or "any"
    return _Ceiling(f"{chip.name}{cores}", max(known), slack, mode)


def _candidates(
    device: str, vendor: str, name: str, gpu_cores: int | None
) -> list[Chip]:
    """Return the chips that may be meant: those that bear all words of the name."""
    maker = _VENDORS.get(device)
    if maker == "Apple" and vendor == maker:
        known = find_chip(maker, name, gpu_cores) or find_chip(maker, name)
        return [known] if known else []
    wanted = _words(name) - {"nvidia"}
    if maker != "NVIDIA" or not any(re.search(r"\d", word) for word in wanted):
        return []
    cards = (chip for chip in chips() if chip.vendor == maker)
    return [chip for chip in cards if wanted <= _words(chip.name)]


def _words(name: str) -> set[str]:
    return set(re.split(r"[\s-]+", name.casefold().strip()))


def _flops(chip: Chip, precision: str | None) -> float | None:
    rates = {mode: peak.flops_per_second for mode, peak in chip.peaks.items()}
    fp32 = rates.get("fp32")
    sixteen = rates.keys() & _SIXTEEN_BITS
    match precision:
        case "fp32" | "tf32" if fp32 is not None:
            # On the newer cards, tf32 is what frameworks may do for fp32.
            return max(fp32, rates.get("tf32", 0.0))
        case "fp64" | "fp8":
            return rates.get(precision)
        case None | "fp16" | "bf16" | "mixed" | "fp16-mixed" | "bf16-mixed":
            if sixteen:
                return max(rates.get(mode, 0.0) for mode in (*_SIXTEEN_BITS, *_WIDER))
            if fp32 is not None and _WITHOUT_MATRIX_UNITS.match(chip.name):
                return _AT_MOST_TWICE * fp32
    return None
