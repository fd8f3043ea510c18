"""The gates: it was the workload, on the device, and its numbers make sense.

Each gate has a status of its own: passed, failed, not-checked or not-applicable, the
last two with the reason. None is ever left out, so nothing passes in silence.
"""

import hashlib
import json
import math
import os
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul
from statistics import median
from typing import Any

from fingerprint.nvidia import short_name

from harness.cells import CATALOGUE
from harness.framework import FirstSteps, Work, failure_status
from harness.messages import finite
from harness.recorder import Gates, Recorder
from harness.timing import TERM_PAIR_SECONDS, doubled, median_interval

CHIPS = CATALOGUE / "chips.json"
_VENDORS = {"cuda": "NVIDIA", "metal": "Apple"}
# Of a block of a product, relative to its largest entry. Entries are sums of M random
# terms, so rounding of the operands dominates, whatever M.
ERROR_TOLERANCE = {
    "fp64": 1e-12,
    "fp32": 1e-5,
    "tf32": 5e-3,
    "fp16": 1e-2,
    "bf16": 3e-2,
}
# What such a product must not be better than: then it ran in a wider type than stated.
LEAST_ERROR = {"fp64": 0.0, "fp32": 1e-12, "tf32": 3e-5, "fp16": 3e-5, "bf16": 3e-4}
# Of the first loss against the CPU in float32, and of those after an update, relative
# to the loss, or to the first where it has sunk below it: small batches amplify what
# rounding does to a gradient. Seen on an H200, over all networks at the full learning
# rate: 7e-6 and 1.4e-2 in fp32, 2.4e-3 and 1.8e-2 in tf32, 1.1e-2 and 7.5e-2 in bf16.
LOSS_TOLERANCE = {
    "fp64": (1e-4, 0.10),
    "fp32": (1e-4, 0.10),
    "tf32": (1e-2, 0.10),
    "fp16": (2e-2, 0.15),
    "bf16": (1e-1, 0.20),
}
# Of the first update against the CPU's: its length, and its direction. Adam moves each
# weight by its gradient's sign, which rounding turns where there is hardly any. Seen on
# a CPU in bf16, over all networks but bert-large: 0.991 to 1.008, and 0.89 to 1.
UPDATE_RATIO = (0.8, 1.25)
LEAST_COSINE = 0.7
# By Winograd's algorithm for tiles of 2 x 2 a convolution of 3 x 3 takes so many times
# fewer multiplications than are counted; larger tiles are bound by memory.
WINOGRAD = 2.25
DOUBLING = (1.9, 2.1)
# Where launching takes as long as the work, waiting has nothing to show.
MOST_UNWAITED = 0.5
# Of the time until a result is read, that until it was waited for: where nothing is
# behind nearly all, where the wait is missing next to nothing.
LEAST_WAITED = 0.5
# Less than this may live in a cache, whose bandwidth is another one.
BEYOND_CACHES = 256 * 2**20
_REFERENCE_STEPS = 3
_UNTRAINED = "nothing is trained"
# What gates that look at the clock measure again before they fail.
_MORE_TIMES = 3  # all the pairs of doubled blocks
_MORE_PROBES = 4


@dataclass(frozen=True)
class Peak:
    """Dense peak rates of one chip, and why one that is None is not known.

    *clock_mhz* is what a rate by formula assumes, *rate_clock_mhz* what this one does.
    """

    flops_per_second: float | None = None
    bytes_per_second: float | None = None
    clock_mhz: float | None = None
    rate_clock_mhz: float | None = None
    no_rate: str = ""
    no_bandwidth: str = ""

    def boosted(self, clock_mhz: float | None) -> float | None:
        """Return the FLOP/s of a card that goes up to *clock_mhz*.

        GeForce cards boost far beyond the clock that their rates are stated for.
        """
        rate, usual = self.flops_per_second, self.clock_mhz
        if rate is None or usual is None or clock_mhz is None:
            return rate
        return rate * max(1.0, clock_mhz / usual)


def peak_of(
    device: str, device_name: str | None, gpu_cores: int | None, precision: str
) -> Peak:
    """Return the peaks of the GPU of this name, or why none are known.

    *device* is cuda or metal, *precision* the math mode in effect. Where the number of
    GPU cores is not known it is the largest chip of the name, so that no measurement
    is called impossible wrongly.
    """
    vendor = _VENDORS.get(device)
    if vendor is None:
        # Clocks vary by core, load and heat; caches outrun the memory.
        why = "what a CPU can do at most follows from nothing that it reports"
        return Peak(no_rate=why, no_bandwidth=why)
    if device_name is None:
        why = "the name of the GPU is not known"
        return Peak(no_rate=why, no_bandwidth=why)
    # As our fingerprint gives it: without vendor, and whether real.
    name = device_name.strip().removeprefix(f"{vendor} ").removesuffix(" (Virtual)")
    cores = gpu_cores if device == "metal" else None
    variants = [
        chip
        for chip in _chips()
        if (chip["vendor"], chip["name"]) == (vendor, name)
        and cores in (None, chip.get("gpu_cores"))
    ]
    lacks = "the catalogue of chips has no"
    if not variants:
        why = f"{lacks} {device_name}" + (f" with {cores} GPU cores" if cores else "")
        return Peak(no_rate=why, no_bandwidth=why)
    chip = max(variants, key=lambda variant: variant.get("gpu_cores", 0))
    rate = chip["peaks"].get(precision)
    bandwidth = chip.get("memory_bandwidth_bytes_per_second")
    return Peak(
        flops_per_second=rate and float(rate["flops_per_second"]),
        bytes_per_second=bandwidth and float(bandwidth),
        clock_mhz=chip.get("gpu_clock_mhz"),
        rate_clock_mhz=(rate or {}).get("clock_mhz", chip.get("gpu_clock_mhz")),
        no_rate=f"{lacks} {precision} rate of {name}",
        no_bandwidth=f"{lacks} memory bandwidth of {name}",
    )


@cache
def _chips() -> list[dict[str, Any]]:
    chips: list[dict[str, Any]] = json.loads(CHIPS.read_text(encoding="utf-8"))
    return chips


def judge_work(work: Work, recorder: Recorder) -> None:
    """Judge model, device, types, losses and results of what was measured."""
    gates, cell = recorder.gates, recorder.cell
    expected, counted = cell.parameter_count, work.parameter_count()
    if expected is None:
        gates.leave("parameter_count", "it has no parameters", applicable=False)
    else:
        same = expected == counted
        gates.judge("parameter_count", ok=same, expected=expected, counted=counted)
    places = work.placed_on()
    gates.judge(
        "device",
        ok=places == {cell.device},
        asked=cell.device,
        found=sorted(places),
        mps_fallback=os.environ.get("PYTORCH_ENABLE_MPS_FALLBACK"),
    )
    right, types = sorted(work.expected_types()), sorted(work.types())
    gates.judge("dtype", ok=types == right, expected=right, found=types)
    _judge_loss(recorder, updated=work.trained() != recorder.untrained)
    error = work.relative_error()
    tolerance = work.error_tolerance() or ERROR_TOLERANCE[recorder.precision]
    if error is None:
        gates.leave("result_error", "a network has no exact result", applicable=False)
    else:
        within = math.isfinite(error) and error <= tolerance
        gates.judge("result_error", ok=within, found=finite(error), tolerance=tolerance)
        recorder.value("max_relative_error", error, "the result is not finite")
    recorder.checks |= work.notes()


def _judge_loss(recorder: Recorder, *, updated: bool) -> None:
    """Judge whether it trained: a finite loss that moved, and weights that did.

    A loss moves from batch to batch even where nothing is learnt.
    """
    losses = recorder.losses
    if not losses:
        why = "an operation has none" if recorder.cell.operation else _UNTRAINED
        recorder.gates.leave("loss", why, applicable=False)
        return
    all_finite = all(map(math.isfinite, losses))
    moving = len(set(losses)) > 1
    recorder.gates.judge(
        "loss",
        ok=all_finite and moving and updated,
        first=finite(losses[0]),
        last=finite(losses[-1]),
        read=len(losses),
        finite=all_finite,
        moving=moving,
        updated=updated,
    )
    trace = array("f", losses)
    if sys.byteorder == "big":
        trace.byteswap()
    recorder.checks["loss_trace_sha256"] = hashlib.sha256(trace.tobytes()).hexdigest()
    recorder.value("final_loss", losses[-1], "the loss is not finite")


def judge_rates(
    recorder: Recorder, operations: int | None, moved: int | None, step_seconds: float
) -> None:
    """Judge operations and bytes of a step against what the chip can do at most."""
    assignment, cell, gates = recorder.assignment, recorder.cell, recorder.gates
    name = assignment.run["device_name"]
    peak = peak_of(cell.device, name, assignment.gpu_cores, recorder.precision)
    if operations is None:
        gates.leave("peak_rate", "its operations are not counted", applicable=False)
    else:
        rate, most = operations / step_seconds, peak.flops_per_second
        highest = peak.boosted(assignment.highest_clocks.get(short_name(name or "")))
        percent = round(100 * rate / highest, 3) if highest else 0.0
        if highest is None:
            gates.leave("peak_rate", peak.no_rate)
        elif cell.offers("memory_format") and 100 < percent <= 100 * WINOGRAD:
            saved = "a convolution may take fewer multiplications than are counted"
            why = f"{saved}, and these are {percent:g} % of the peak"
            gates.leave("peak_rate", why)
        else:
            values = {"percent": percent, "peak_flops": highest}
            gates.judge("peak_rate", ok=percent <= 100, **values)
        recorder.value("mfu_percent", 100 * rate / most if most else None, peak.no_rate)
        if most and peak.rate_clock_mhz:
            recorder.checks["peak_clock_mhz"] = peak.rate_clock_mhz
    most = peak.bytes_per_second
    if moved is None:
        gates.leave("peak_bandwidth", "its bytes are not counted", applicable=False)
    elif moved < BEYOND_CACHES:
        gates.leave("peak_bandwidth", "so few bytes may live in a cache")
    elif most is None:
        gates.leave("peak_bandwidth", peak.no_bandwidth)
    else:
        percent = round(100 * moved / step_seconds / most, 3)
        gates.judge("peak_bandwidth", ok=percent <= 100, percent=percent, peak=most)


def judge_after(
    work: Work, recorder: Recorder, steps: int, step_seconds: float
) -> None:
    """Judge clock, waiting and mathematics, by work that no figure comes from.

    But for the mathematics they are the same in every process of a cell, so the first
    one does it for all.
    """
    gates = recorder.gates
    error = work.math_error()
    if error is None:
        gates.leave("math_mode", "this framework gives no product to look at")
    else:
        least = LEAST_ERROR[recorder.precision]
        most = ERROR_TOLERANCE[recorder.precision]
        ok = math.isfinite(error) and least <= error <= most
        gates.judge("math_mode", ok=ok, found=finite(error), between=[least, most])
    if recorder.assignment.run["replicate"] > 0:
        for name in ("doubling", "synchronisation", "reference_loss"):
            gates.leave(name, "looked at in the first process of the cell")
        return
    _judge_doubling(work, recorder, steps, step_seconds)
    probe = work.wait_probe()
    if probe is None:
        _judge_reading(work, gates)
    elif not synchronisation(gates, [probe]):
        more = (work.wait_probe() for _ in range(_MORE_PROBES))
        synchronisation(gates, [probe, *filter(None, more)])
    _judge_reference(work, recorder)


def _judge_doubling(
    work: Work, recorder: Recorder, steps: int, step_seconds: float
) -> None:
    gates, term = recorder.gates, recorder.assignment.blocks_until
    if recorder.tier.block_seconds == 0:
        gates.leave("doubling", "the blocks of this tier are too short")
        return
    limit = {} if term is None else {"most_seconds": TERM_PAIR_SECONDS}
    pairs = doubled(work, steps, step_seconds, **limit)
    if not pairs:
        gates.leave("doubling", f"a block takes {steps * step_seconds:.3g} s")
    elif doubling(gates, pairs):
        return
    elif term is not None:
        gates.leave("doubling", "it was off, and the term leaves no time for more")
    else:
        # On a busy machine a few may all be off; a clock that is wrong stays so.
        for _ in range(_MORE_TIMES):
            pairs += doubled(work, steps, step_seconds)
        doubling(gates, pairs)


def doubling(gates: Gates, pairs: Sequence[tuple[float, float]]) -> bool:
    """Judge whether twice the steps take twice the time; return whether they do.

    The median decides. It is no failure as long as its interval reaches into the
    limits: on a busy machine one pair is off by half, and the next by the double.
    """
    ratios = [double / single for single, double in pairs]
    ratio = round(median(ratios), 4)
    low, high = DOUBLING
    least, most = median_interval(ratios)
    ok = low <= ratio <= high
    if ok or least > high or most < low:
        facts = {"ratio": ratio, "between": [low, high], "pairs": len(pairs)}
        gates.judge("doubling", ok=ok, **facts)
    else:
        spread = f"the median of {len(pairs)} ratios is from {least:.3g} to {most:.3g}"
        gates.leave("doubling", f"the times scatter too much to tell: {spread}")
    return ok


def synchronisation(gates: Gates, probes: Sequence[tuple[float, float]]) -> bool:
    """Judge whether waiting for the device shows: launching alone is far quicker.

    The median of *probes* decides, which are seconds without and with waiting; return
    whether it does.
    """
    ratio = round(median(unwaited / waited for unwaited, waited in probes), 4)
    ok = ratio <= MOST_UNWAITED
    gates.judge(
        "synchronisation",
        ok=ok,
        unwaited_over_waited=ratio,
        unwaited_seconds=median(unwaited for unwaited, _ in probes),
        waited_seconds=median(waited for _, waited in probes),
        probes=len(probes),
    )
    return ok


def _judge_reading(work: Work, gates: Gates) -> None:
    """Judge whether a result is there once it was waited for: to read it takes no time.

    So a device shows that it is never behind, or that nobody waits for it.
    """
    ratios: list[float] = []
    while len(ratios) <= _MORE_PROBES and (probe := work.read_probe()) is not None:
        waited, read = probe
        ratios.append(waited / read)
        if median(ratios) >= LEAST_WAITED:
            break
    if not ratios:
        gates.leave("synchronisation", "nothing is behind here", applicable=False)
        return
    ratio = round(median(ratios), 4)
    gates.judge(
        "synchronisation",
        ok=ratio >= LEAST_WAITED,
        waited_over_read=ratio,
        probes=len(ratios),
    )


def _judge_reference(work: Work, recorder: Recorder) -> None:
    gates = recorder.gates
    if not recorder.cell.trains:
        why = "an operation has no loss" if recorder.cell.operation else _UNTRAINED
        gates.leave("reference_loss", why, applicable=False)
        return
    try:
        both = work.first_steps(_REFERENCE_STEPS)
    except Exception as failure:
        # A second model beside the first: what was measured stays as it was.
        if failure_status(failure) != "oom":
            raise
        gates.leave("reference_loss", "no memory for a second model")
        return
    if both is None:
        why = "this cell is the reference: the CPU in float32"
        gates.leave("reference_loss", why, applicable=False)
    else:
        reference_loss(gates, *both, recorder.precision, recorder.cell.compiler)


def reference_loss(
    gates: Gates,
    here: FirstSteps,
    reference: FirstSteps,
    precision: str,
    compiler: str,
) -> None:
    """Judge whether the first losses and update agree with the CPU's in float32.

    After one update a loss has hardly moved, so that is looked at itself. *compiler*
    made the program that ran here, as it makes the one that is measured.
    """
    known = reference.losses
    off = [
        abs(loss - other) / max(abs(other), abs(known[0]))
        for loss, other in zip(here.losses, known, strict=True)
    ]
    first, later = LOSS_TOLERANCE[precision]
    limits = [first, *[later] * (len(off) - 1)]
    own, other = math.hypot(*here.update), math.hypot(*reference.update)
    ratio = cosine = math.nan
    if own and other:
        ratio = own / other
        cosine = math.fsum(map(mul, here.update, reference.update)) / (own * other)
    low, high = UPDATE_RATIO
    gates.judge(
        "reference_loss",
        compiler=compiler,
        # NaN is not below any limit.
        ok=all(value <= limit for value, limit in zip(off, limits, strict=True))
        and low <= ratio <= high
        and cosine >= LEAST_COSINE,
        here=list(map(finite, here.losses)),
        reference=list(map(finite, known)),
        deviations=list(map(finite, off)),
        tolerances=limits,
        update_ratio=finite(round(ratio, 4)),
        update_cosine=finite(round(cosine, 4)),
    )
