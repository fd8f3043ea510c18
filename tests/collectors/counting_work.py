"""Work that does nothing but say what it was asked for, and the protocol run on it."""

from typing import Any

from harness.cells import Assignment, Cell, SeedPlan
from harness.framework import Course, Work
from harness.recorder import Recorder
from harness.worker import follow_protocol


class Counting(Work):
    def __init__(self) -> None:
        self.asked: list[str] = []

    def step(self) -> None:
        self.asked.append("step")

    def synchronise(self) -> None:
        self.asked.append("sync")

    def fit(self, plan: SeedPlan, course: Course) -> None:
        for epoch in range(plan.warmup_epochs + plan.epochs):
            course.begin("warmup" if epoch < plan.warmup_epochs else "seed")
            for step in range(1, plan.steps_per_epoch + 1):
                self.step()
                if course.reached(step):
                    break
            course.end()
            if course.over:
                return

    def epoch(self, plan: SeedPlan) -> int:
        self.asked.append(f"epoch of {plan.samples}")
        return plan.samples

    def trial(self) -> tuple[float, float]:
        self.asked.append("trial")
        return 0.001, 0.004

    def loss(self) -> float:
        return float(len(self.asked))

    def parameter_count(self) -> int:
        return 7

    def placed_on(self) -> set[str]:
        return {"cpu"}

    def types(self) -> set[str]:
        return {"fp32"}

    def expected_types(self) -> set[str]:
        return {"fp32"}


def cell(tier: str = "smoke", plan: SeedPlan | None = None) -> Cell:
    return Cell(
        workload="mnist",
        version=1,
        kind="mlp",
        setting="standard",
        device="cpu",
        precision="fp32",
        compiler="none",
        tier=tier,
        seed=0,
        parameters={"batch_size": 4},
        parameter_count=7,
        flops_per_sample=100,
        seed_plan=plan,
    )


def follow(
    work: Work, chosen: Cell, *, seed_protocol: bool = True, replicate: int = 0
) -> tuple[dict[str, Any], Recorder]:
    """Run the protocol; return the values by metric, and what was recorded."""
    groups: list[dict[str, Any]] = []
    run = {"key": "r", "replicate": replicate, "replicates": 2, "device_name": "a cpu"}
    order = Assignment(chosen, run, {}, 0, seed_protocol=seed_protocol)
    recorder = Recorder(order, groups.append)
    follow_protocol(work, recorder)
    recorder.checks["said"] = groups
    values = {line["metric"]: line for line in groups if line["type"] == "value"}
    return values, recorder
