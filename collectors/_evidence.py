"""What a run shows for itself: its work, its rates, its clock put to the test."""

from collections.abc import Iterator

import _gates as gate
from _assignment import Assignment
from _cell import Cell
from _failures import failure_status
from _findings import Findings
from _framework import Work
from _parse_nvidia import short_name
from _peaks import peak, why_unknown
from _timing import TIERS, doubled

_REFERENCE_STEPS = 3
# What gates that look at the clock measure again before they fail.
_MORE_TIMES = 3  # all the pairs of doubled blocks
_MORE_PROBES = 4


def judge_work(work: Work, cell: Cell, found: Findings) -> None:
    """Judge model, device, types, losses and results of what was measured."""
    gates, precision = found.gates, found.precision or cell.precision
    gate.parameter_count(gates, cell.parameter_count, work.parameter_count())
    gate.device(gates, cell.device, work.placed_on())
    gate.dtype(gates, work.expected_types(), work.types())
    gate.loss(gates, found.losses, updated=work.trained() != found.untrained)
    if found.losses:
        found.checks["loss_trace_sha256"] = gate.loss_digest(found.losses)
        found.value("final_loss", found.losses[-1], "the loss is not finite")
    error = work.relative_error()
    gate.result_error(gates, error, precision)
    if error is not None:
        found.value("max_relative_error", error, "the result is not finite")
    found.checks |= work.notes()


def judge_rates(
    assignment: Assignment,
    found: Findings,
    counted: tuple[int | None, int | None],
    step_seconds: float,
) -> None:
    """Judge (operations, bytes) of a step against what the chip can do at most."""
    cell, name = assignment.cell, assignment.run["device_name"]
    precision = found.precision or cell.precision
    operations, moved = counted
    known = peak(cell.device, name, assignment.gpu_cores, precision)
    cores = assignment.gpu_cores
    why = why_unknown(cell.device, name, precision, cores)
    rate = None if operations is None else operations / step_seconds
    most = known.flops_per_second if known else None
    highest = assignment.highest_clocks.get(short_name(name or ""))
    gate.peak_rate(
        found.gates,
        rate,
        known.boosted(highest) if known else None,
        why,
        convolution=cell.convolution,
    )
    if rate is not None:
        found.value("mfu_percent", 100 * rate / most if most else None, why)
    gate.peak_bandwidth(
        found.gates,
        None if moved is None else (moved, step_seconds),
        known.bytes_per_second if known else None,
        why_unknown(cell.device, name, gpu_cores=cores),
    )


def judge_after(
    work: Work,
    assignment: Assignment,
    found: Findings,
    steps: int,
    step_seconds: float,
) -> None:
    """Judge clock, waiting and mathematics, by work that no figure comes from.

    They are the same in every process of a cell, so the first one does it for all.
    """
    cell, gates = assignment.cell, found.gates
    precision = found.precision or cell.precision
    gate.math_mode(gates, work.math_error(), precision)
    turn = assignment.run["replicate"]
    if turn > 0:
        for name in ("doubling", "synchronisation", "reference_loss"):
            gates.leave(name, "looked at in the first process of the cell")
        return
    _double(work, assignment, found, steps, step_seconds)
    _wait(work, found)
    _reference(work, cell, found, precision)


def _double(
    work: Work,
    assignment: Assignment,
    found: Findings,
    steps: int,
    step_seconds: float,
) -> None:
    if TIERS[assignment.cell.tier].block_seconds == 0:
        found.gates.leave("doubling", "the blocks of this tier are too short")
    elif pairs := doubled(work, steps, step_seconds):
        if not gate.doubling(found.gates, pairs):
            # On a busy machine a few may all be off; a clock that is wrong stays so.
            for _ in range(_MORE_TIMES):
                pairs += doubled(work, steps, step_seconds)
            gate.doubling(found.gates, pairs)
    else:
        found.gates.leave("doubling", f"a block takes {steps * step_seconds:.3g} s")


def _wait(work: Work, found: Findings) -> None:
    probes = list(_probes(work, 1))
    if not probes:
        why = "the CPU is never behind"
        found.gates.leave("synchronisation", why, applicable=False)
    elif not gate.synchronisation(found.gates, probes):
        probes += _probes(work, _MORE_PROBES)
        gate.synchronisation(found.gates, probes)


def _probes(work: Work, count: int) -> Iterator[tuple[float, float]]:
    for _ in range(count):
        if probe := work.wait_probe():
            yield probe


def _reference(work: Work, cell: Cell, found: Findings, precision: str) -> None:
    if cell.operation:
        why = "an operation has no loss"
        found.gates.leave("reference_loss", why, applicable=False)
        return
    try:
        both = work.first_steps(_REFERENCE_STEPS)
    except Exception as failure:
        # A second model beside the first: what was measured stays as it was.
        if failure_status(failure) != "oom":
            raise
        found.gates.leave("reference_loss", "no memory for a second model")
        return
    if both is None:
        why = "this cell is the reference: the CPU in float32"
        found.gates.leave("reference_loss", why, applicable=False)
    else:
        gate.reference_loss(found.gates, *both, precision, cell.compiler)
