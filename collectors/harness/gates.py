"""The gates: it was the workload, on the device, and its numbers make sense.

Each gate has a status of its own: passed, failed, not-checked or not-applicable, the
last two with the reason. None is ever left out, so nothing passes in silence.
"""

import hashlib
import math
import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from operator import mul
from statistics import median

from fingerprint.nvidia import short_name

from harness.framework import FirstSteps, Work, failure_status
from harness.messages import finite
from harness.peaks import peak, why_unknown
from harness.recorder import Gates, Recorder
from harness.timing import doubled, median_interval

# Of a block of a product, relative to its largest entry. Entries are sums of M random
# terms, so rounding of the operands dominates, whatever M.
ERROR_TOLERANCE = {
    "fp64": 1e-12,
    "fp32": 1e-5,
    "tf32": 5e-3,
    "fp16": 1e-2,
    "bf16": 3e-2,
}
# What such a product must not be better than: then it ran in a wider type than told.
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
# Less than this may live in a cache, whose bandwidth is another one.
BEYOND_CACHES = 256 * 2**20
_REFERENCE_STEPS = 3
# What gates that look at the clock measure again before they fail.
_MORE_TIMES = 3  # all the pairs of doubled blocks
_MORE_PROBES = 4


def parameter_count(gates: Gates, expected: int | None, counted: int | None) -> None:
    """Judge whether the model has exactly the catalogue's parameters."""
    if expected is None:
        gates.leave("parameter_count", "it has no parameters", applicable=False)
        return
    ok = expected == counted
    gates.judge("parameter_count", ok=ok, expected=expected, counted=counted)


def device(gates: Gates, asked: str, placed_on: set[str]) -> None:
    """Judge whether parameters and result are where they were asked to be."""
    fallback = os.environ.get("PYTORCH_ENABLE_MPS_FALLBACK")
    found = sorted(placed_on)
    ok = placed_on == {asked}
    gates.judge("device", ok=ok, asked=asked, found=found, mps_fallback=fallback)


def dtype(gates: Gates, expected: set[str], found: set[str]) -> None:
    """Judge whether parameters and result have the types of the precision."""
    gates.judge(
        "dtype", ok=found == expected, expected=sorted(expected), found=sorted(found)
    )


def loss(gates: Gates, losses: Sequence[float], *, updated: bool) -> None:
    """Judge whether it trained: a finite loss that moved, and weights that did.

    A loss moves from batch to batch even where nothing is learnt.
    """
    if not losses:
        gates.leave("loss", "an operation has none", applicable=False)
        return
    all_finite = all(math.isfinite(value) for value in losses)
    moving = len(set(losses)) > 1
    gates.judge(
        "loss",
        ok=all_finite and moving and updated,
        first=finite(losses[0]),
        last=finite(losses[-1]),
        read=len(losses),
        finite=all_finite,
        moving=moving,
        updated=updated,
    )


def loss_digest(losses: Sequence[float]) -> str:
    """Return the SHA-256 over the losses as little-endian float32."""
    trace = array("f", losses)
    if sys.byteorder == "big":
        trace.byteswap()
    return hashlib.sha256(trace.tobytes()).hexdigest()


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
    first, later = LOSS_TOLERANCE[precision]
    known = reference.losses
    off = [
        abs(one - other) / max(abs(other), abs(known[0]))
        for one, other in zip(here.losses, known, strict=True)
    ]
    limits = [first, *[later] * (len(off) - 1)]
    ratio, cosine = _compared(here.update, reference.update)
    low, high = UPDATE_RATIO
    gates.judge(
        "reference_loss",
        compiler=compiler,
        # NaN is not below any limit.
        ok=all(one <= limit for one, limit in zip(off, limits, strict=True))
        and low <= ratio <= high
        and cosine >= LEAST_COSINE,
        here=[finite(value) for value in here.losses],
        reference=[finite(value) for value in known],
        deviations=[finite(value) for value in off],
        tolerances=limits,
        update_ratio=finite(round(ratio, 4)),
        update_cosine=finite(round(cosine, 4)),
    )


def _compared(here: Sequence[float], there: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two vectors' lengths and the cosine between them."""
    own, other = math.hypot(*here), math.hypot(*there)
    if not own or not other:
        return math.nan, math.nan
    return own / other, math.fsum(map(mul, here, there)) / (own * other)


def result_error(gates: Gates, error: float | None, precision: str) -> None:
    """Judge whether a result deviates from float64 no more than its precision."""
    if error is None:
        gates.leave("result_error", "a network has no exact result", applicable=False)
        return
    tolerance = ERROR_TOLERANCE[precision]
    within = math.isfinite(error) and error <= tolerance
    gates.judge("result_error", ok=within, found=finite(error), tolerance=tolerance)


def math_mode(gates: Gates, error: float | None, precision: str) -> None:
    """Judge whether a product is as exact as its precision: no less, and no more."""
    if error is None:
        gates.leave("math_mode", "this framework gives no product to look at")
        return
    least, most = LEAST_ERROR[precision], ERROR_TOLERANCE[precision]
    ok = math.isfinite(error) and least <= error <= most
    gates.judge("math_mode", ok=ok, found=finite(error), between=[least, most])


def peak_rate(
    gates: Gates,
    flops: float | None,
    peak: float | None,
    why: str,
    *,
    convolution: bool = False,
) -> None:
    """Judge whether it computed no faster than its chip can: *flops* per second."""
    if flops is None:
        gates.leave("peak_rate", "its operations are not counted", applicable=False)
        return
    if peak is None:
        gates.leave("peak_rate", why)
        return
    percent = round(100 * flops / peak, 3)
    if convolution and 100 < percent <= 100 * WINOGRAD:
        saved = "a convolution may take fewer multiplications than are counted"
        gates.leave("peak_rate", f"{saved}, and these are {percent:g} % of the peak")
    else:
        gates.judge("peak_rate", ok=percent <= 100, percent=percent, peak_flops=peak)


def peak_bandwidth(
    gates: Gates, moved: tuple[int, float] | None, peak: float | None, why: str
) -> None:
    """Judge whether (bytes, seconds) of a step are no more than its memory can."""
    if moved is None:
        gates.leave("peak_bandwidth", "its bytes are not counted", applicable=False)
    elif moved[0] < BEYOND_CACHES:
        gates.leave("peak_bandwidth", "so few bytes may live in a cache")
    elif peak is None:
        gates.leave("peak_bandwidth", why)
    else:
        percent = round(100 * moved[0] / moved[1] / peak, 3)
        gates.judge("peak_bandwidth", ok=percent <= 100, percent=percent, peak=peak)


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


def judge_work(work: Work, recorder: Recorder) -> None:
    """Judge model, device, types, losses and results of what was measured."""
    gates, cell, losses = recorder.gates, recorder.cell, recorder.losses
    parameter_count(gates, cell.parameter_count, work.parameter_count())
    device(gates, cell.device, work.placed_on())
    dtype(gates, work.expected_types(), work.types())
    loss(gates, losses, updated=work.trained() != recorder.untrained)
    if losses:
        recorder.checks["loss_trace_sha256"] = loss_digest(losses)
        recorder.value("final_loss", losses[-1], "the loss is not finite")
    error = work.relative_error()
    result_error(gates, error, recorder.precision)
    if error is not None:
        recorder.value("max_relative_error", error, "the result is not finite")
    recorder.checks |= work.notes()


def judge_rates(
    recorder: Recorder, operations: int | None, moved: int | None, step_seconds: float
) -> None:
    """Judge operations and bytes of a step against what the chip can do at most."""
    assignment, cell, precision = recorder.assignment, recorder.cell, recorder.precision
    name, cores = assignment.run["device_name"], assignment.gpu_cores
    known = peak(cell.device, name, cores, precision)
    why = why_unknown(cell.device, name, precision, cores)
    rate = None if operations is None else operations / step_seconds
    most = known.flops_per_second if known else None
    highest = assignment.highest_clocks.get(short_name(name or ""))
    peak_rate(
        recorder.gates,
        rate,
        known.boosted(highest) if known else None,
        why,
        convolution=cell.convolution,
    )
    if rate is not None:
        recorder.value("mfu_percent", 100 * rate / most if most else None, why)
    peak_bandwidth(
        recorder.gates,
        None if moved is None else (moved, step_seconds),
        known.bytes_per_second if known else None,
        why_unknown(cell.device, name, gpu_cores=cores),
    )


def judge_after(
    work: Work, recorder: Recorder, steps: int, step_seconds: float
) -> None:
    """Judge clock, waiting and mathematics, by work that no figure comes from.

    They are the same in every process of a cell, so the first one does it for all.
    """
    gates = recorder.gates
    math_mode(gates, work.math_error(), recorder.precision)
    if recorder.assignment.run["replicate"] > 0:
        for name in ("doubling", "synchronisation", "reference_loss"):
            gates.leave(name, "looked at in the first process of the cell")
        return
    if recorder.tier.block_seconds == 0:
        gates.leave("doubling", "the blocks of this tier are too short")
    elif pairs := doubled(work, steps, step_seconds):
        if not doubling(gates, pairs):
            # On a busy machine a few may all be off; a clock that is wrong stays so.
            for _ in range(_MORE_TIMES):
                pairs += doubled(work, steps, step_seconds)
            doubling(gates, pairs)
    else:
        gates.leave("doubling", f"a block takes {steps * step_seconds:.3g} s")
    _wait(work, gates)
    _reference(work, recorder)


def _wait(work: Work, gates: Gates) -> None:
    probes = list(_probes(work, 1))
    if not probes:
        gates.leave("synchronisation", "the CPU is never behind", applicable=False)
    elif not synchronisation(gates, probes):
        probes += _probes(work, _MORE_PROBES)
        synchronisation(gates, probes)


def _probes(work: Work, count: int) -> Iterator[tuple[float, float]]:
    for _ in range(count):
        if probe := work.wait_probe():
            yield probe


def _reference(work: Work, recorder: Recorder) -> None:
    gates, cell = recorder.gates, recorder.cell
    if cell.operation:
        gates.leave("reference_loss", "an operation has no loss", applicable=False)
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
        reference_loss(gates, *both, recorder.precision, cell.compiler)
