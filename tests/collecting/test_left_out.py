"""What a plan leaves out of what was asked for is said, with the reason."""

import pytest
from msgspec.structs import replace

from benchdb.collecting.plan import plan
from benchdb.collecting.programs import Capability
from benchdb.errors import UsageError
from tests.descriptions import (
    FOR_CPUS,
    HERE,
    NOT_HERE,
    NUMPY,
    TORCH,
    cpu,
    measured,
    request,
)


def test_the_reason_why_a_device_is_not_there_is_not_that_of_a_framework_for_cpus():
    with pytest.raises(UsageError) as caught:
        plan(request("matmul", cuda=True), [FOR_CPUS, TORCH])
    with pytest.raises(UsageError) as alone:
        plan(request("matmul", cuda=True), [FOR_CPUS])

    assert str(caught.value) == "torch: this is Linux; use a Mac"
    assert str(alone.value) == "numpy: CPU only; use with_torch"


def test_frameworks_that_lack_a_device_for_one_reason_are_told_together():
    other = replace(TORCH, framework="tensorflow")

    with pytest.raises(UsageError) as caught:
        plan(request("lstm", cuda=True), [other, TORCH])

    assert str(caught.value) == "tensorflow, torch: this is Linux; use a Mac"


def test_a_framework_that_could_have_the_asked_device_is_left_out_with_the_reason():
    no_plugin = Capability(available=False, why="no plug-in", install="pip install it")
    devices = {"cpu": HERE, "metal": no_plugin, "cuda": NOT_HERE}
    without = replace(TORCH, framework="tensorflow", devices=devices)

    planned = plan(request("matmul", metal=True), [FOR_CPUS, without, TORCH])

    assert measured(planned) == {("matmul", "torch", "metal")}
    assert planned.warnings == ("left out: tensorflow: no plug-in; pip install it",)


def test_one_for_cpus_is_left_out_with_the_reason_where_it_was_asked_for():
    asked = replace(request("matmul", metal=True), framework=("numpy", "torch"))

    planned = plan(asked, [FOR_CPUS, TORCH])

    assert planned.warnings == ("left out: numpy: CPU only; use with_torch",)


def test_a_framework_that_cannot_be_imported_is_left_out_with_the_reason():
    broken = replace(
        TORCH,
        version=None,
        why="PyTorch cannot be imported (no libtorch)",
        devices={},
        workloads=(),
        missing={"matmul": ("torch",)},
    )

    planned = plan(cpu("matmul"), [NUMPY, broken])

    assert measured(planned) == {("matmul", "numpy", "cpu")}
    assert planned.warnings == (
        "left out: torch: PyTorch cannot be imported (no libtorch)",
    )


def test_a_workload_asked_for_that_no_framework_has_is_named():
    planned = plan(cpu("resnet50", "matmul", "lstm"), [NUMPY])

    assert measured(planned) == {("matmul", "numpy", "cpu")}
    assert planned.warnings == (
        "left out: resnet50, lstm: not among what numpy can run",
    )
