"""One workload with every choice made: what one process measures."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SeedPlan:
    """What the source of a workload did, or as much of it as we can afford.

    *kind* is ``fit`` (epochs of so many steps after warm-up epochs), ``epoch`` (one
    pass over *samples*, loading included, the last batch smaller) or ``trials`` (the
    mean of single operations on fresh operands).
    """

    kind: str
    warmup_epochs: int = 0
    epochs: int = 1
    steps_per_epoch: int = 0
    samples: int = 0
    loader_processes: int = 0
    trials: int = 0
    scaled: bool = False

    @property
    def steps(self) -> int:
        """Return all the steps, those of the warm-up included."""
        return (self.warmup_epochs + self.epochs) * self.steps_per_epoch


@dataclass(frozen=True)
class Cell:
    """One workload with every choice made: what one process measures.

    *precision* is what was asked for; what is in effect, the framework says.
    *flops_per_sample* counts multiply-adds as two, forward and backward.
    """

    workload: str
    version: int
    kind: str
    setting: str
    device: str
    precision: str
    compiler: str
    tier: str
    seed: int
    parameters: dict[str, Any]
    axes: tuple[str, ...] = ()  # the parameters that tell cells of a sweep apart
    parameter_count: int | None = None
    flops_per_sample: int | None = None
    seed_plan: SeedPlan | None = None
    data: str | None = None  # the real images it can be fed with
    data_folder: str | None = field(default=None, repr=False)

    @property
    def batch_size(self) -> int:
        """Return the samples of one step."""
        return int(self.parameters["batch_size"])

    @property
    def size(self) -> int:
        """Return M of M x M matrices."""
        return int(self.parameters["size"])

    @property
    def operation(self) -> bool:
        """Return whether it is a single operation; everything else is trained."""
        return self.kind == "operation"

    @property
    def convolution(self) -> bool:
        """Return whether it convolves images."""
        return _convolves(self.workload, self.kind)

    def offers(self, option: str) -> bool:
        """Return whether it has a choice of an *option* of its framework."""
        return offers(option, self.workload, self.kind)

    @property
    def title(self) -> str:
        """Return the cell in words, with what tells it from the rest of a sweep."""
        choices = (str(self.parameters[name]) for name in self.axes)
        what = " ".join([self.workload, *choices])
        return f"{what} on {self.device} in {self.precision}"

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Cell":
        """Return the cell that ``dataclasses.asdict`` took apart."""
        plan = content["seed_plan"]
        own = {
            "seed_plan": SeedPlan(**plan) if plan else None,
            "axes": tuple(content["axes"]),
        }
        return cls(**content | own)


def offers(option: str, workload: str, kind: str) -> bool:
    """Return whether a workload has a choice of an *option* of its framework.

    Only images lie in an order of their own, and an operation has no optimiser.
    """
    if option == "memory_format":
        return _convolves(workload, kind)
    return option != "optimizer_implementation" or kind != "operation"


def _convolves(workload: str, kind: str) -> bool:
    return kind == "cnn" or workload == "conv"


def operations_per_step(cell: Cell) -> int | None:
    """Return the floating-point operations of one step; a multiply-add is two."""
    facts = cell.parameters
    match cell.workload:
        case "matmul":
            return 2 * cell.size**3
        case "elementwise":
            return cell.size**2
        case "bandwidth":
            return 2 * cell.size**2
        case "conv":
            side = facts["image_size"] - facts["kernel_size"] + 1
            per_output = 2 * facts["kernel_size"] ** 2 * facts["channels"]
            return int(cell.batch_size * side**2 * facts["channels"] * per_output)
    if cell.flops_per_sample is None:
        return None
    return cell.batch_size * cell.flops_per_sample
