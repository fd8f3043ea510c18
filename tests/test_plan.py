"""Which runs are made, on which devices, in which order."""

from dataclasses import replace

import _framework
import pytest

from benchdb.collecting.plan import (
    PRECISIONS,
    Cell,
    Request,
    cells,
    ordered,
    replicates,
)
from benchdb.collecting.programs import Capability, Description, Tier
from benchdb.errors import UsageError

TIERS = {
    "smoke": Tier(1, {"matmul": (32, 64)}),
    "quick": Tier(3, {"matmul": (32, 8192)}),
}
HERE = Capability(available=True, name="something")


def framework(name: str, workloads: tuple[str, ...], **devices: Capability):
    found = {"cpu": HERE, **devices}
    return Description(name, "1.0", None, found, workloads, TIERS)


def request(*workloads: str, tier: str = "quick", **devices: bool | None) -> Request:
    return Request(
        workloads, "standard", (), {"metal": None, "cuda": None, **devices}, tier
    )


TORCH = framework("torch", ("lstm", "resnet50", "matmul"), metal=HERE)
NUMPY = framework("numpy", ("matmul",))
NO_METAL = framework(
    "torch",
    ("lstm",),
    metal=Capability(available=False, why="this is Linux", install="use a Mac"),
)


def measured(*arguments) -> set[tuple[str, str, str]]:
    return {(c.workload, c.framework, c.device) for c in cells(*arguments)}


def test_without_a_choice_the_cpu_and_each_gpu_that_is_there_are_measured():
    assert measured(request("lstm"), [TORCH]) == {
        ("lstm", "torch", "cpu"),
        ("lstm", "torch", "metal"),
    }


def test_metal_means_metal_only_and_no_metal_means_without():
    assert measured(request("lstm", metal=True), [TORCH]) == {
        ("lstm", "torch", "metal")
    }
    assert measured(request("lstm", metal=False), [TORCH]) == {("lstm", "torch", "cpu")}


def test_a_framework_without_the_asked_device_is_left_out_while_another_has_it():
    assert measured(request("matmul", metal=True), [NUMPY, TORCH]) == {
        ("matmul", "torch", "metal")
    }


def test_a_device_that_nothing_offers_is_an_error_that_says_what_to_do():
    with pytest.raises(UsageError, match=r"torch: this is Linux; use a Mac"):
        cells(request("lstm", metal=True), [NO_METAL])


def test_the_standard_suite_is_what_each_framework_can_run():
    assert measured(request(), [NUMPY]) == {("matmul", "numpy", "cpu")}


@pytest.mark.parametrize("name", ["vgg16", "resnet51", ""])
def test_a_workload_that_cannot_be_collected_is_named(name):
    with pytest.raises(UsageError, match="no workload"):
        cells(request(name), [TORCH])


def test_nothing_to_measure_is_an_error():
    with pytest.raises(UsageError, match="numpy cannot run lstm here"):
        cells(request("lstm"), [NUMPY])


def test_a_matrix_sweep_is_one_cell_for_each_size_of_the_tier():
    quick = [c.size for c in cells(request("matmul"), [NUMPY])]
    smoke = [c.size for c in cells(request("matmul", tier="smoke"), [NUMPY])]

    assert (quick, smoke) == ([32, 8192], [32, 64])


def test_the_tier_sets_the_processes_unless_a_number_is_asked_for():
    asked = replace(request("lstm"), replicates=7)

    assert replicates(request("lstm"), [TORCH]) == 3
    assert replicates(asked, [TORCH]) == 7


def test_an_unknown_tier_is_told_with_the_known_ones():
    with pytest.raises(UsageError, match="no tier 'long'; there are: smoke, quick"):
        cells(request("lstm", tier="long"), [TORCH])


def test_rounds_are_complete_shuffled_and_repeatable():
    planned = [Cell(f"w{n}", "torch", "cpu") for n in range(20)]

    items = ordered(planned, 3, seed=7)

    rounds = [items[start : start + 20] for start in (0, 20, 40)]
    assert all({item.cell for item in one} == set(planned) for one in rounds)
    assert [one[0].replicate for one in rounds] == [0, 1, 2]
    assert [i.cell for i in rounds[0]] != [i.cell for i in rounds[1]] != planned
    assert items == ordered(planned, 3, seed=7)
    assert items != ordered(planned, 3, seed=8)


def test_what_is_named_twice_is_measured_once():
    assert len(cells(request("lstm", "lstm", metal=False), [TORCH])) == 1


def test_the_precisions_are_those_that_collectors_know():
    assert tuple(_framework.PRECISIONS) == PRECISIONS
