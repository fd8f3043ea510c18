"""The cells that a collector lists, and the arguments that measure each of them alone.

That is how ``benchdb collect`` starts every process.
"""

from itertools import product

import pytest
from harness.framework import Framework
from harness.options import chosen_cells, listed, parse
from with_numpy import Numpy
from with_tensorflow import TensorFlow
from with_torch import Torch

FRAMEWORKS: dict[str, Framework] = {
    "torch": Torch(),
    "tensorflow": TensorFlow(),
    "numpy": Numpy(),
}
WORKLOADS = [
    (name, workload)
    for name, framework in FRAMEWORKS.items()
    for workload in framework.modules
]
TIERS = ("smoke", "quick")


def cells(framework: str, *arguments: str):
    program = f"with_{framework}"
    options = parse(program, FRAMEWORKS[framework], [*arguments, "--list-cells"])
    return options, chosen_cells(FRAMEWORKS[framework], options)


def chosen_and_listed(framework: str, *arguments: str):
    options, chosen = cells(framework, *arguments)
    return chosen, listed(FRAMEWORKS[framework], options, chosen)["cells"]


@pytest.mark.parametrize(
    ("of", "tier"),
    list(product(WORKLOADS, TIERS)),
    ids=lambda part: part if isinstance(part, str) else "-".join(part),
)
def test_the_arguments_of_a_cell_measure_it_and_nothing_else(of, tier):
    framework, workload = of
    chosen, lines = chosen_and_listed(framework, workload, "--tier", tier)

    assert chosen
    for cell, line in zip(chosen, lines, strict=True):
        _, (alone,) = cells(framework, *line["arguments"], "--tier", tier)
        assert alone.parameters == cell.parameters
        assert alone.seed_plan == cell.seed_plan
        assert alone.title == cell.title


@pytest.mark.parametrize("suite", ["standard", "m1tensorbench", "m1-vs-v100"])
@pytest.mark.parametrize("tier", TIERS)
def test_so_do_those_of_a_suite(suite, tier):
    chosen, lines = chosen_and_listed("torch", "--suite", suite, "--tier", tier)

    for cell, line in zip(chosen, lines, strict=True):
        _, (alone,) = cells("torch", *line["arguments"], "--tier", tier)
        assert alone.parameters == cell.parameters


def test_another_batch_of_a_trial_is_measured_as_well():
    chosen, (line,) = chosen_and_listed(
        "torch", "conv", "--batch-size", "64", "--tier", "smoke"
    )

    _, alone = cells("torch", *line["arguments"], "--tier", "smoke")
    assert [cell.parameters for cell in alone] == [cell.parameters for cell in chosen]
    assert chosen[0].parameters["image_size"] == 32


def test_what_people_do_for_minutes_takes_longer_in_higher_tiers():
    """The rest, the burst, and what lies before a rate has settled."""
    some = ("matmul", "elementwise", "--size", "1024", "--tier")

    seconds = {
        (cell["workload"], tier): cell["least_seconds"]
        for tier in ("quick", "standard", "reference")
        for cell in chosen_and_listed("numpy", *some, tier)[1]
    }

    assert [seconds["elementwise", text] for text in ("quick", "standard")] == [17, 27]
    assert [seconds["matmul", text] for text in ("quick", "standard")] == [17, 69]
    assert seconds["matmul", "reference"] == 2 + 30 + 30 + 90
