"""How busy a device was and what path its work took, as far as that can be told."""

import warnings
from dataclasses import replace
from typing import Any

import pytest
from harness.cells import Assignment
from harness.execution import Fallbacks, compared, say_execution, union_seconds
from harness.recorder import Recorder
from harness.supervisor import merged, share_at_clock

from tests.collectors.counting_work import Counting, cell


class Profiled(Counting):
    """A GPU whose kernels take three tenths of the time, one beside the other."""

    def kernels(self, steps: int) -> list[tuple[str, float, float]]:
        each = [(n * 0.01, n * 0.01 + 0.003) for n in range(steps)]
        return [*(("gemm", *span) for span in each), ("relu", 0.001, 0.002)]

    def path(self) -> dict[str, str | None]:
        return {"attention": "flash", "sdk": None}


class Refused(Counting):
    def kernels(self, steps: int) -> None:
        raise RuntimeError("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\nand more")


def executed(
    work: Counting, device: str, fallbacks: tuple[str, ...] = ()
) -> tuple[dict[str, Any], Any]:
    groups: list[dict[str, Any]] = []
    run = {"key": "r", "replicate": 0, "replicates": 1, "device_name": "a device"}
    recorder = Recorder(
        Assignment(replace(cell(), device=device), run, {}, 0), groups.append
    )
    say_execution(work, recorder, 0.01, fallbacks)
    return {line["metric"]: line for line in groups}, recorder.checks.get("path")


def test_kernels_beside_each_other_are_counted_once():
    assert union_seconds([(5.0, 6.0), (0.0, 2.0), (1.0, 3.0), (1.5, 2.0)]) == 4.0
    assert union_seconds([]) == 0


def test_a_gpu_that_waits_for_the_host_says_for_how_long_it_computed():
    values, path = executed(Profiled(), "cuda")

    assert values["gpu_busy_percent"]["value"] == pytest.approx(30)
    assert path["kernels"] == ["gemm 98 %", "relu 2 %"]
    assert path["attention"] == "flash"
    assert path["sdk"] == "unknown"


def test_a_profiler_that_is_refused_costs_the_share_alone():
    values, path = executed(Refused(), "cuda")

    why = "the profiler failed: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
    assert values["gpu_busy_percent"]["reason"] == why
    assert path is None


def test_a_cpu_is_asked_for_no_busy_share():
    assert executed(Profiled(), "cpu") == (
        {},
        {"attention": "flash", "sdk": "unknown"},
    )


def test_operations_that_ran_on_the_cpu_are_named_and_the_warning_is_shown(monkeypatch):
    shown: list[str] = []
    # pytest keeps warnings to itself: this is what would print them.
    monkeypatch.setattr(warnings, "showwarning", lambda it, *_: shown.append(str(it)))
    heard = Fallbacks()
    fallen = (
        "The operator 'aten::linalg_qr' is not currently supported on the MPS backend "
        "and will fall back to run on the CPU."
    )
    for text in (fallen, "something else 'aten::add'"):
        warnings.showwarning(UserWarning(text), UserWarning, __file__, 1)

    _, path = executed(Counting(), "metal", tuple(heard.operations))

    assert path["cpu_fallback"] == "aten::linalg_qr"
    assert len(shown) == 2


def test_only_what_ran_another_way_is_compared():
    values = {
        "attention": "math",
        "cpu_fallback": "aten::a, aten::b",
        "sdk": "macOS 26",
    }

    assert compared(values, "metal") == "attention math; cpu fallback aten::a, aten::b"
    assert compared(values, "cpu") == ""
    assert (
        compared({"attention": "unknown", "cpu_fallback": "none seen"}, "metal") == ""
    )


def test_a_profiler_goes_before_a_look_from_outside_and_that_before_a_reason():
    busy = {"metric": "gpu_busy_percent"}
    seen = [busy | {"value": 55.0, "derived": "utilisation"}]

    assert merged([busy | {"value": 31.0}], seen) == [busy | {"value": 31.0}]
    assert merged([busy | {"reason": "no profiler"}], seen) == seen
    assert merged([], seen) == seen


def test_the_share_of_the_peak_is_told_at_the_clock_that_was_held():
    """Of 989 TFLOP/s at 1,830 MHz, 652 at 1,500 are two thirds, and four fifths."""
    share = {"metric": "mfu_percent", "value": 65.9}
    end = {"values": [share], "checks": {"peak_clock_mhz": 1830}}

    (result,) = share_at_clock(end, 1500)

    assert result["metric"] == "mfu_at_clock_percent"
    assert result["value"] == pytest.approx(80.4, abs=0.05)
    assert share_at_clock(end, None) == []
    assert share_at_clock({"values": [share], "checks": {}}, 1500) == []
