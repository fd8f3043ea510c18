"""What collectors say of themselves, and what is asked of them."""

from msgspec.structs import replace

from benchdb.collecting.plan import Plan, Request
from benchdb.collecting.programs import Capability, Description

HERE = Capability(available=True, name="something")
NOT_HERE = Capability(available=False, why="this is Linux", install="use a Mac")
TIERS = ("smoke", "quick", "standard", "reference")

TORCH = Description(
    "torch",
    "2.13.0",
    None,
    devices={"cpu": HERE, "metal": HERE, "cuda": NOT_HERE},
    workloads=("lstm", "mnist", "resnet50", "mobilenetv2", "vgg16", "matmul"),
    missing={"distilbert": ("transformers",)},
    install="pip install torch transformers",
    tiers=TIERS,
    compilers=("eager", "inductor"),
    options={"memory_format": ("contiguous", "channels_last")},
)
NUMPY = Description(
    "numpy",
    "2.0",
    None,
    devices={"cpu": HERE, "metal": NOT_HERE, "cuda": NOT_HERE},
    workloads=("matmul",),
    tiers=TIERS,
    compilers=("none",),
)
ON_CPUS = Capability(available=False, why="CPU only", install="use with_torch")
FOR_CPUS = replace(NUMPY, devices={"cpu": HERE, "metal": ON_CPUS, "cuda": ON_CPUS})


def request(*workloads: str, tier: str = "smoke", **devices: bool | None) -> Request:
    return replace(Request(workloads, tier=tier), **devices)


def cpu(*workloads: str, **choices) -> Request:
    return replace(request(*workloads, metal=False), **choices)


def measured(planned: Plan) -> set[tuple[str, str, str]]:
    return {(cell.workload, cell.framework, cell.device) for cell in planned.cells}
