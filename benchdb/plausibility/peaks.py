"""above-peak: more than the chip can do, by its own figures or by those of the work.

What the GPU of a run can do at most is in the catalogue of chips.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from benchdb.catalogue import Chip, Workload, chips, find_chip, workloads
from benchdb.plausibility.figures import figure, proportion, rounded
from benchdb.plausibility.observed import Finding, Observed

_SIXTEEN_BITS = ("fp16", "bf16")
_WIDER = ("fp64", "fp32", "tf32")  # what 16-bit work may do in part
# Since M5 their GPUs have matrix units, whose rates no catalogue has.
_WITHOUT_MATRIX_UNITS = re.compile(r"M[1-4]\b")
_AT_MOST_TWICE = 2.0  # of the 32-bit rate, on GPUs without matrix units
# Cards boost beyond the clock that a rate by formula assumes; Apple's do not.
BOOST = 1.2
_EXACT = 1.05
_SEVERAL = re.compile(r"gpu|device|node|rank|world|worker|parallel|replica", re.I)
_OF_ONE = re.compile(r"layer|loader|core|mem|clock|mhz|power", re.I)
_VENDORS = {"cuda": "NVIDIA", "metal": "Apple"}


class Ceiling(msgspec.Struct, frozen=True):
    """A rate that no honest figure passes, *slack* above what the chip is sold with.

    *mode* is the math mode that it holds for, ``any`` for what none is named for.
    """

    chip: str
    rate: float
    slack: float
    mode: str = "any"

    def passed_by(self, rate: float) -> bool:
        """Tell whether *rate* is more than the chip can do."""
        return rate > self.rate * self.slack


def most_flops(run: Observed, precision: str | None) -> Ceiling | None:
    """Return the most FLOP/s in *precision*; where it is None, in any of 16 bits.

    Return None where the chip or that rate is not known. Work in fewer bits says so.
    """
    return _most_flops(_hardware(run), precision)


def most_bytes(run: Observed) -> Ceiling | None:
    """Return the most bytes a second that the memory moves, or None if not known."""
    return _most_bytes(_hardware(run))


def shared(run: Observed) -> bool:
    """Tell whether several GPUs or machines may have shared the work."""
    return any(
        isinstance(value, int) and value > 1
        for name, value in run.parameters.items()
        if _SEVERAL.search(name) and not _OF_ONE.search(name)
    )


class _Hardware(msgspec.Struct, frozen=True):
    """What decides the ceilings; *cards* are as many as compute together."""

    device: str
    vendor: str
    name: str
    gpu_cores: int | None
    cards: int


def _hardware(run: Observed) -> _Hardware:
    cards = run.accelerators if run.device == "cuda" else ()
    name = run.chip_name
    if run.device == "cuda":
        name = cards[0] if len(set(cards)) == 1 else run.device_name or name
    many = max(len(cards), 1)
    return _Hardware(run.device, run.chip_vendor, name, run.gpu_cores, many)


@lru_cache(maxsize=1024)
def _most_flops(hardware: _Hardware, precision: str | None) -> Ceiling | None:
    return _widest(hardware, lambda chip: _flops(chip, precision), precision or "any")


@lru_cache(maxsize=1024)
def _most_bytes(hardware: _Hardware) -> Ceiling | None:
    return _widest(hardware, lambda chip: chip.memory_bandwidth_bytes_per_second)


def _widest(
    hardware: _Hardware, rate: Callable[[Chip], float | None], mode: str = "any"
) -> Ceiling | None:
    """Return the highest ceiling of the chips that may be meant, if all have one."""
    found = [(rate(chip), chip) for chip in _candidates(hardware)]
    known = [(most, chip) for most, chip in found if most is not None]
    if not known or len(known) < len(found):
        return None
    most, chip = max(known, key=lambda one: one[0])
    sure = hardware.device == "metal" and chip.confidence == "high"
    slack = _EXACT if sure else BOOST
    return Ceiling(_title(chip), most * hardware.cards, slack, mode)


def _candidates(hardware: _Hardware) -> list[Chip]:
    """Return the chips that may be meant: those that bear all words of the name."""
    vendor = _VENDORS.get(hardware.device)
    if vendor == "Apple" and hardware.vendor == vendor:
        known = find_chip(vendor, hardware.name, hardware.gpu_cores)
        known = known or find_chip(vendor, hardware.name)
        return [known] if known else []
    wanted = _words(hardware.name) - {"nvidia"}
    if vendor != "NVIDIA" or not any(re.search(r"\d", word) for word in wanted):
        return []
    cards = [chip for chip in chips() if chip.vendor == vendor]
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


def _title(chip: Chip) -> str:
    return f"{chip.name}, {chip.gpu_cores} GPU cores" if chip.gpu_cores else chip.name


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
            if above and not shared(run):
                yield from above


def _share(run: Observed) -> Iterator[Finding]:
    stated = run.values.get("mfu_percent", 0)
    most = 100 * BOOST if run.device == "cuda" else 100
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
    most = most_flops(run, run.precision) if stated > 0 else None
    if most is not None and most.passed_by(stated * _TERA / _saving(run)):
        yield _finding(run, "teraflops", most, figure(stated), _TERA)


def _bandwidth(run: Observed) -> Iterator[Finding]:
    stated = run.values.get("gigabytes_per_second", 0)
    if stated > 0 and _beyond_caches(run):
        most = most_bytes(run)
        if most is not None and most.passed_by(stated * _GIGA):
            yield _finding(run, "gigabytes_per_second", most, figure(stated), _GIGA)


def _beyond_caches(run: Observed) -> bool:
    size = run.parameters.get("size")
    if run.workload == "bandwidth" and isinstance(size, int):
        return _ARRAYS_OF_FLOATS * size**2 >= _BEYOND_CACHES
    return run.label != "measured" and "cache" not in run.workload.casefold()


def _throughput(run: Observed) -> Iterator[Finding]:
    flops = _flops_per_sample(run)
    most = most_flops(run, run.precision) if flops else None
    if flops is None or most is None:
        return
    for metric, samples in _samples_per_second(run):
        if most.passed_by(samples * flops / _saving(run)):
            stated = rounded(samples * flops / _TERA)
            yield _finding(run, metric, most, stated, _TERA)


def _finding(
    run: Observed,
    metric: str,
    most: Ceiling,
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
