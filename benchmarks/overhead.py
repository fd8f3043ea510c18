"""What a collector reports over what a bare loop reaches, in turn, in one run.

    python benchmarks/overhead.py --device cuda resnet50 matmul:8192:bf16

Needs PyTorch, not benchdb. Each cell is ``workload[:size or batch][:precision]``, of
language models with ``[:model]``, such as ``llm-decode:bf16:SmolLM2 135M``. The two
sides take turns in fresh processes; the ratio is that of their medians. Reach: 0.99 to
1.01 on a data-centre GPU, 0.97 to 1.03 on a small CPU.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BARE = ROOT / "benchmarks" / "bare_torch.py"
COLLECTOR = ROOT / "collectors" / "with_torch.py"
PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
CELLS = ("resnet50", "mobilenetv2", "distilbert", "bert-large", "matmul:4096")


class Cell(NamedTuple):
    """What both sides run."""

    workload: str
    size: str | None
    precision: str
    model: str | None = None

    @property
    def title(self) -> str:
        """Return the cell in words."""
        parts = [self.workload, self.model, self.size, self.precision]
        return " ".join(filter(None, parts))

    def arguments(self) -> list[str]:
        """Return the options that both programs understand."""
        chosen = "--size" if self.workload == "matmul" else "--batch-size"
        size = [chosen, self.size] if self.size else []
        model = ["--set", f"model={self.model}"] if self.model else []
        return [self.workload, *size, "--precision", self.precision, *model]


def parsed(text: str) -> Cell:
    """Return the cell that *text* stands for."""
    workload, *rest = text.split(":")
    size = next((part for part in rest if part.isdecimal()), None)
    precision = next((part for part in rest if part in PRECISIONS), "fp32")
    named = (part for part in rest if part not in (size, precision))
    return Cell(workload, size, precision, next(named, None))


def bare(cell: Cell, device: str) -> float:
    """Return what the bare loop reaches, in samples a second."""
    return float(output([str(BARE), *cell.arguments(), "--device", device]))


def collected(cell: Cell, device: str) -> tuple[float, float]:
    """Return what the collector reports of the same, and the cost of watching it.

    That is the share of a core, in percent, that its supervisor took meanwhile.
    """
    kind = {"mps": "metal"}.get(device, device)
    # The second process of a cell: the gates of the first take a while.
    how = ["--tier", "quick", "--replicates", "2", "--replicate", "1"]
    how += ["--blocks-only", "--cool-down", "0"]
    how += ["--set", "depth=0"] if cell.workload == "llm-decode" else []
    lines = output([str(COLLECTOR), *cell.arguments(), "--device", kind, *how])
    end = json.loads(lines.splitlines()[-1])
    values = {value["metric"]: value.get("value") for value in end["values"]}
    if end["status"] != "ok":
        raise SystemExit(f"{cell.title}: {end['status']}: {end['reason']}")
    name = "tokens_per_second"
    rate = values[name if name in values else "samples_per_second"]
    return float(rate), float(values["parent_cpu_percent"])


def output(command: list[str]) -> str:
    """Return what a program prints; its errors are ours."""
    done = subprocess.run(
        [sys.executable, *command], stdout=subprocess.PIPE, text=True, check=False
    )
    if not done.stdout:
        raise SystemExit(f"{command[0]} printed nothing, status {done.returncode}")
    return done.stdout


def compared(cell: Cell, asked: argparse.Namespace) -> dict[str, object]:
    """Measure both sides in turn; print and return what was seen."""
    pairs, costs = [], []
    for turn in range(asked.rounds):
        first = bare(cell, asked.device) if turn % 2 == 0 else None
        reported, cost = collected(cell, asked.device)
        pairs.append((first or bare(cell, asked.device), reported))
        costs.append(cost)
    yardstick, ours = (median(side) for side in zip(*pairs, strict=True))
    each = ", ".join(f"{value / other:.4f}" for other, value in pairs)
    print(
        f"{cell.title:24} bare {yardstick:10.2f}/s  collector {ours:10.2f}/s  "
        f"ratio {ours / yardstick:.4f}  (each: {each})  "
        f"watching {median(costs):.2f} % of a core",
        flush=True,
    )
    return {"cell": cell.title, "device": asked.device, "pairs": pairs, "costs": costs}


def main() -> None:
    """Measure the cells and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", nargs="*", type=parsed)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="keep the figures there as well")
    asked = parser.parse_args()
    kept = [compared(cell, asked) for cell in asked.cells or map(parsed, CELLS)]
    if asked.json:
        asked.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
