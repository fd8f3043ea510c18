"""From what was asked for to the cells that are measured."""

import json
from dataclasses import replace

import pytest
from harness.cells import (
    Assignment,
    Cell,
    ChoiceError,
    Choices,
    SeedPlan,
    cells_of,
    in_setting,
    of_suite,
    operations_per_step,
    settable,
    settings,
    suites,
    workloads,
)

QUICK = Choices("cpu", "quick")
SMOKE = Choices("cpu", "smoke")


def cells(name: str, choices: Choices = QUICK, framework: str = "torch") -> list[Cell]:
    return list(cells_of(name, choices, framework, ("eager", "inductor")))


def suite(name: str, device: str = "cpu", framework: str = "torch") -> list[Cell]:
    wanted = of_suite(name, framework, replace(QUICK, device=device))
    both = ("graph", "eager")
    return [cell for pair in wanted for cell in cells_of(*pair, framework, both)]


def test_a_sweep_has_a_cell_for_each_size():
    sizes = workloads()["matmul"]["grid"]["size"]

    assert [cell.size for cell in cells("matmul")] == sizes
    chosen = replace(QUICK, axes={"size": (50,)})
    assert [cell.size for cell in cells("matmul", chosen)] == [50]


def test_smoke_takes_small_batches_of_large_models_only():
    names = ("lstm", "mnist", "resnet50", "distilbert", "bert-large")
    sizes = {name: cells(name, SMOKE)[0].batch_size for name in names}

    assert sizes == {
        "lstm": 64,
        "mnist": 32,
        "resnet50": 8,
        "distilbert": 8,
        "bert-large": 1,
    }


def test_what_was_asked_for_goes_before_smoke():
    chosen = replace(SMOKE, axes={"batch_size": (3,)})

    assert [cell.batch_size for cell in cells("resnet50", chosen)] == [3]


def test_the_sweep_of_m1_vs_v100_has_its_8_configurations():
    result = suite("m1-vs-v100")

    points = {tuple(cell.parameters[axis] for axis in cell.axes) for cell in result}
    assert len(result) == len(points) == 8
    assert (32, 96, "last") in points


def test_each_point_of_that_sweep_has_its_own_operations():
    flops = {cell.flops_per_sample for cell in suite("m1-vs-v100")}

    assert len(flops) == 4
    assert None not in flops


def test_pytorch_in_m1_is_five_networks_at_two_batches():
    result = suite("pytorch-in-m1")

    assert len(result) == 10
    assert {cell.batch_size for cell in result} == {4, 64}
    assert {cell.setting for cell in result} == {"pytorch-in-m1"}
    assert {cell.parameters["optimizer"] for cell in result} == {"Adam"}


def test_the_same_network_differs_by_setting():
    ours = cells("mobilenetv2")[0]
    (theirs, _) = cells("mobilenetv2", replace(QUICK, setting="pytorch-in-m1"))

    assert (ours.setting, theirs.setting) == ("standard", "pytorch-in-m1")
    assert (ours.parameter_count, theirs.parameter_count) == (2234120, 2236682)
    assert ours.seed_plan == SeedPlan(
        *("fit", 1, 3, 30), name="tf-metal-experiments", version=2, data_path="repeated"
    )
    assert theirs.seed_plan == SeedPlan(
        *("epoch",),
        samples=1000,
        loader_processes=4,
        name="pytorch-in-m1",
        version=2,
        data_path="loader",
    )


def test_a_suite_follows_the_batches_of_its_source_on_each_device():
    def batches(device: str) -> list[int]:
        result = suite("tf-metal-experiments", device)
        return [cell.batch_size for cell in result if cell.workload == "resnet50"]

    assert batches("metal") == [128, 64]
    assert batches("cuda") == [128, 256]


def test_a_suite_follows_the_steps_and_the_compiler_of_its_source():
    (lstm,) = (
        c for c in suite("m1tensorbench", framework="tensorflow") if c.kind == "rnn"
    )
    resnets = [
        cell.seed_plan.steps_per_epoch
        for cell in suite("tf-metal-experiments", "cuda")
        if cell.workload == "resnet50" and cell.seed_plan
    ]

    assert lstm.compiler == "eager"
    assert resnets == [100, 100]


def test_every_entry_of_every_suite_stands_for_cells():
    for name in suites():
        for device in ("cpu", "metal", "cuda"):
            assert suite(name, device), (name, device)


def test_every_setting_has_parameters_and_a_version():
    for name, facts in workloads().items():
        for setting in settings(facts):
            own = in_setting(facts, setting)
            assert own["version"] >= 1, name
            assert own["parameters"]["batch_size"] >= 1, name


@pytest.mark.parametrize(
    ("name", "choices", "why"),
    [
        ("matmul", replace(QUICK, setting="other"), "has no setting 'other'"),
        (
            "matmul",
            replace(QUICK, axes={"batch_size": (4,)}),
            "no choice of batch_size",
        ),
        ("resnet50", replace(QUICK, axes={"size": (4,)}), "no choice of size"),
        ("lstm", replace(QUICK, compiler="xla"), "no compiler 'xla'"),
        (
            "matmul",
            replace(QUICK, axes={"size": (4, "x")}),
            "size of matmul is a whole number, not 'x'",
        ),
        (
            "lstm",
            replace(QUICK, axes={"batch_size": ("many",)}),
            "batch_size of lstm is a whole number, not 'many'",
        ),
        (
            "mobilenetv2-cifar10",
            replace(QUICK, axes={"image_size": (0,)}),
            "image_size of mobilenetv2-cifar10 must be at least 1",
        ),
        (
            "mobilenetv2-cifar10",
            replace(QUICK, axes={"trainable": ("first",)}),
            "no trainable 'first'; it has all, last",
        ),
    ],
)
def test_what_the_catalogue_does_not_have_is_refused(name, choices, why):
    with pytest.raises(ChoiceError, match=why):
        cells(name, choices)


def test_an_unknown_suite_is_refused():
    with pytest.raises(ChoiceError, match="no suite 'all'; there are standard"):
        of_suite("all", "torch", QUICK)


def test_only_batch_and_axes_may_be_chosen():
    known = workloads()

    assert settable(known["resnet50"], None) == ("batch_size",)
    assert settable(known["matmul"], None) == ("size",)
    assert settable(known["mobilenetv2-cifar10"], None) == (
        "batch_size",
        "image_size",
        "trainable",
    )


def test_precisions_multiply_the_cells():
    chosen = replace(QUICK, precisions=("fp32", "bf16"), axes={"size": (64, 128)})

    pairs = [(cell.precision, cell.size) for cell in cells("matmul", chosen)]
    assert pairs == [("fp32", 64), ("fp32", 128), ("bf16", 64), ("bf16", 128)]


def test_a_cell_survives_its_way_to_the_worker():
    cell = cells("mobilenetv2-cifar10")[0]
    planned = Assignment(cell, {"key": "r"}, {}, started_ns=5)
    sent = json.loads(json.dumps(planned, default=vars))

    assert Assignment.from_json(sent) == planned


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("bandwidth", 2 * 8192**2),
        ("conv", 2 * 9 * 128 * 128 * 254**2 * 32),
        ("resnet50", 128 * 24286887936),
    ],
)
def test_operations_are_counted_with_a_multiply_add_as_two(name, operations):
    assert operations_per_step(cells(name)[0]) == operations
