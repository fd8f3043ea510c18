"""Which runs are made, on which devices, in which order."""

import pytest
from harness import framework

from benchdb.collecting.plan import DEVICES, Cell, Plan, ordered, plan
from benchdb.errors import UsageError
from tests.descriptions import NUMPY, TORCH, cpu, measured, request


def axes(planned: Plan) -> list[dict[str, object]]:
    return [dict(cell.axes) for cell in planned.cells]


def test_without_a_choice_the_cpu_and_each_gpu_that_is_there_are_measured():
    assert measured(plan(request("lstm"), [TORCH])) == {
        ("lstm", "torch", "cpu"),
        ("lstm", "torch", "metal"),
    }


def test_metal_means_metal_only_and_no_metal_means_without():
    assert measured(plan(request("lstm", metal=True), [TORCH])) == {
        ("lstm", "torch", "metal")
    }
    assert measured(plan(cpu("lstm"), [TORCH])) == {("lstm", "torch", "cpu")}


def test_a_framework_without_the_asked_device_is_left_out_while_another_has_it():
    planned = plan(request("matmul", metal=True), [NUMPY, TORCH])

    assert measured(planned) == {("matmul", "torch", "metal")}


def test_a_device_that_nothing_offers_is_an_error_that_says_what_to_do():
    with pytest.raises(UsageError, match=r"torch: this is Linux; use a Mac"):
        plan(request("lstm", cuda=True), [TORCH])


def test_a_suite_is_what_each_framework_has_of_it():
    assert measured(plan(cpu(), [NUMPY])) == {("matmul", "numpy", "cpu")}


def test_a_framework_with_nothing_of_a_suite_is_left_out_in_silence():
    planned = plan(cpu(suite="m1tensorbench", compiler="eager"), [NUMPY, TORCH])

    assert {cell.framework for cell in planned.cells} == {"torch"}
    assert not any("numpy" in warning for warning in planned.warnings)


def test_a_suite_runs_under_the_conditions_of_its_source():
    planned = plan(cpu(suite="tf-metal-experiments", tier="quick"), [TORCH])

    sizes = [
        dict(c.axes)["batch_size"] for c in planned.cells if c.workload == "resnet50"
    ]
    assert sizes == [128, 64]


def test_nothing_to_measure_is_an_error():
    with pytest.raises(UsageError, match="numpy cannot run lstm here"):
        plan(request("lstm"), [NUMPY])


def test_a_workload_whose_modules_are_missing_is_left_out_with_what_to_install():
    planned = plan(cpu(), [TORCH])

    assert "distilbert" not in {cell.workload for cell in planned.cells}
    assert planned.warnings == (
        "left out: torch: distilbert needs transformers; "
        "install with: pip install torch transformers",
    )


def test_missing_modules_of_all_that_was_asked_for_are_an_error():
    with pytest.raises(UsageError, match="distilbert needs transformers; install"):
        plan(request("distilbert"), [TORCH])


def test_a_sweep_is_one_cell_for_each_size_of_the_tier():
    smoke = plan(cpu("matmul"), [TORCH])
    quick = plan(cpu("matmul", tier="quick"), [TORCH])

    assert [axis["size"] for axis in axes(smoke)] == [32, 64, 128, 256, 512, 1024]
    assert len(quick.cells) > len(smoke.cells)


def test_precisions_and_batch_sizes_multiply():
    choices = {"precision": ("fp32", "bf16"), "batch_size": (4, 8)}

    planned = plan(cpu("resnet50", **choices), [TORCH])

    pairs = [(cell.precision, dict(cell.axes)) for cell in planned.cells]
    assert pairs == [
        ("fp32", {"batch_size": 4}),
        ("fp32", {"batch_size": 8}),
        ("bf16", {"batch_size": 4}),
        ("bf16", {"batch_size": 8}),
    ]


def test_a_precision_that_a_device_lacks_is_planned_all_the_same():
    (cell,) = plan(cpu("lstm", precision=("tf32",)), [TORCH]).cells

    assert cell.precision == "tf32"


def test_the_other_axes_of_a_sweep_and_its_settings_can_be_chosen():
    points = plan(cpu("matmul", size=(96,)), [TORCH])
    setting = plan(cpu("matmul", setting="needle-metal"), [TORCH])

    assert axes(points) == [{"size": 96}]
    assert {cell.setting for cell in setting.cells} == {"needle-metal"}


def test_all_choices_reach_the_command_line_of_the_cell(tmp_path):
    choices = {
        "compiler": "inductor",
        "memory_format": "channels_last",
        "blocks_only": True,
        "data": str(tmp_path),
    }

    (cell,) = plan(cpu("vgg16", batch_size=(2,), **choices), [TORCH]).cells

    line = " ".join(cell.arguments)
    assert "--compiler inductor" in line
    assert "--memory-format channels_last" in line
    assert "--blocks-only" in line
    assert f"--data {tmp_path}" in line


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"compiler": "inductor"}, "no compiler 'inductor'; there are: none"),
        ({"memory_format": "contiguous"}, "no choice of memory format"),
    ],
)
def test_what_one_framework_lacks_is_a_warning_beside_another_and_else_an_error(
    choices, why
):
    beside = plan(cpu("matmul", "resnet50", **choices), [NUMPY, TORCH])

    assert {cell.framework for cell in beside.cells} == {"torch"}
    assert [why in warning for warning in beside.warnings] == [True]
    with pytest.raises(UsageError, match=why):
        plan(cpu("matmul", "resnet50", **choices), [NUMPY])


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"memory_format": "channels_last"}, "no.* choice of memory_"),
        ({"setting": "best"}, "lstm has no setting 'best'; it has standard"),
        ({"points": ("trainable=last",)}, "no.* choice of trainable"),
        ({"points": ("trainable",)}, "'trainable' is not NAME=VALUE"),
        ({"data": "/nowhere"}, "'/nowhere' is not a folder"),
    ],
)
def test_what_the_collector_refuses_is_told_in_its_words(choices, why):
    with pytest.raises(UsageError, match=f"^torch: .*{why}"):
        plan(cpu("lstm", **choices), [TORCH])


def test_the_tier_sets_the_processes_unless_a_number_is_asked_for():
    assert plan(cpu("lstm", tier="quick"), [TORCH]).replicates == 3
    assert plan(cpu("lstm", tier="quick", replicates=7), [TORCH]).replicates == 7


def cell(name: str) -> Cell:
    return Cell(name, "torch", "cpu", "fp32", "standard", "eager", (), (name,))


def test_rounds_are_complete_shuffled_and_repeatable():
    planned = [cell(f"w{n}") for n in range(20)]

    items = ordered(planned, 3, seed=7)

    rounds = [items[start : start + 20] for start in (0, 20, 40)]
    assert all({item.cell for item in entry} == set(planned) for entry in rounds)
    assert [item[0].replicate for item in rounds] == [0, 1, 2]
    assert [i.cell for i in rounds[0]] != [i.cell for i in rounds[1]] != planned
    assert items == ordered(planned, 3, seed=7)
    assert items != ordered(planned, 3, seed=8)


def test_what_is_named_twice_is_measured_once():
    assert len(plan(cpu("lstm", "lstm"), [TORCH]).cells) == 1


def test_the_devices_are_those_that_collectors_know():
    assert tuple(framework.DEVICES) == DEVICES
