"""What to measure: the catalogue's workloads, made into cells a worker can run."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).resolve().parent.parent / "schema" / "workloads.json"

# A smoke run only has to show that the plumbing works.
SMOKE_BATCH_SIZE = 8
SMOKE_SIZE_LIMIT = 1024
_LARGE = ("cnn", "transformer")


@dataclass(frozen=True)
class SeedPlan:
    """Epochs as the source of a workload ran them, or as many as we can afford."""

    warmup_epochs: int
    epochs: int
    steps_per_epoch: int
    scaled: bool = False

    @property
    def steps(self) -> int:
        """Return all the steps, those of the warm-up included."""
        return (self.warmup_epochs + self.epochs) * self.steps_per_epoch


@dataclass(frozen=True)
class Cell:
    """One workload with every choice made: what one process measures."""

    workload: str
    version: int
    kind: str
    device: str
    precision: str
    tier: str
    seed: int
    parameters: dict[str, Any]
    parameter_count: int | None = None
    seed_plan: SeedPlan | None = None

    @property
    def batch_size(self) -> int:
        """Return the samples of one step."""
        return int(self.parameters["batch_size"])

    @property
    def size(self) -> int:
        """Return M of an M x M matrix product."""
        return int(self.parameters["size"])

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Cell":
        """Return the cell that ``dataclasses.asdict`` took apart."""
        plan = content["seed_plan"]
        return cls(**content | {"seed_plan": SeedPlan(**plan) if plan else None})


@dataclass(frozen=True)
class Choices:
    """What the user asked for, beside the names of workloads."""

    device: str
    precision: str
    tier: str
    batch_size: int | None = None
    sizes: tuple[int, ...] = ()


def catalogue(path: Path = CATALOGUE) -> dict[str, Any]:
    """Return the workloads, by name."""
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return facts


def cells_of(
    name: str, facts: dict[str, Any], framework: str, choices: Choices
) -> list[Cell]:
    """Return the cells of one workload: one, or one for each size of an operation."""
    if "sizes" not in facts:
        return [_cell(name, facts, framework, choices, {})]
    return [
        _cell(name, facts, framework, choices, {"size": size})
        for size in choices.sizes or default_sizes(facts["sizes"], choices.tier)
    ]


def default_sizes(sizes: list[int], tier: str) -> list[int]:
    """Return the matrix sizes of a tier; smoke leaves out what takes long."""
    if tier != "smoke":
        return sizes
    return [size for size in sizes if size <= SMOKE_SIZE_LIMIT]


def _cell(
    name: str,
    facts: dict[str, Any],
    framework: str,
    choices: Choices,
    extra: dict[str, int],
) -> Cell:
    plan = facts.get("seed_protocol")
    return Cell(
        workload=name,
        version=facts["version"],
        kind=facts["kind"],
        device=choices.device,
        precision=choices.precision,
        tier=choices.tier,
        seed=0,
        parameters=facts["parameters"] | _batch(facts, choices) | extra,
        parameter_count=facts["parameter_count"].get(framework),
        seed_plan=SeedPlan(**plan) if plan else None,
    )


def _batch(facts: dict[str, Any], choices: Choices) -> dict[str, int]:
    if facts["kind"] == "operation":
        return {}
    if choices.batch_size is not None:
        return {"batch_size": choices.batch_size}
    if choices.tier == "smoke" and facts["kind"] in _LARGE:
        return {"batch_size": SMOKE_BATCH_SIZE}
    return {}
