"""The networks that no program trains in a test, in PyTorch."""

from typing import Any

import pytest

from tests.collectors.torch_cells import framework
from tests.collectors.trained_here import REST, cell_of, check_training

# No weight depends on the size of the images: all of these pool before they are dense.
_SMALLER: dict[str, dict[str, Any]] = {
    "resnet18": {"image_size": 64},
    "resnet50": {"image_size": 64},
    "mobilenetv2": {"image_size": 64},
    "mobilenetv2-cifar10": {"image_size": 64},
    "efficientnet-b0": {"image_size": 64},
    # Most of their time goes into updating 57, 134 and 66 million weights.
    "alexnet": {"image_size": 64, "optimizer_implementation": "fused"},
    "vgg16": {"image_size": 32, "optimizer": "SGD"},
    "distilbert": {"sequence_length": 16, "optimizer": "SGD"},
}


@pytest.mark.parametrize("workload", REST["torch"])
def test_a_network_trains_passes_every_gate_and_has_every_phase(workload):
    smaller = _SMALLER.get(workload, {})
    loaded = framework(workload)

    check_training(loaded, cell_of(loaded, workload, smaller))
