"""What a collector's timed blocks cost over a bare loop, block by block in one process.

    python benchmarks/overhead_paired.py resnet50:4 mobilenetv2:4 matmul:1024
    python benchmarks/overhead_paired.py --framework mlx matmul:512 mnist distilbert:2
    python benchmarks/overhead_paired.py --block 0.15 "llm-decode:bf16:SmolLM2 135M"
    python benchmarks/overhead_paired.py --device cuda "llm-prefill:bf16:Llama 3.2 1B"

For machines whose speed wanders by more than the cost that is looked for: the two
sides take turns every second or so, ABBA, so that both see the same weather; beside
much other work, take turns more often (``--block``), with OMP_NUM_THREADS=1. Prints the
median of the ratios of neighbouring blocks with its 95 % interval (binomial). What
watching costs besides is ``parent_cpu_percent`` of every run. Reach on a small CPU:
0.97 to 1.03, on a GPU 0.99 to 1.01.
"""

import argparse
import importlib
import math
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "collectors"))
from harness import cells
from harness.framework import Framework, Work
from harness.timing import timed

from benchmarks.bare_torch import (
    BATCH,
    TOKENS,
    Step,
    product,
    training,
    writing,
)
from benchmarks.overhead import Cell, parsed

_TEXT = 128  # tokens


def collected(cell: Cell, framework: Framework, device: str) -> tuple[Work, cells.Cell]:
    """Return the work that the collector would time, built and with its data.

    Its cell is as the collector knows it.
    """
    key = "size" if cell.workload == "matmul" else "batch_size"
    axes: dict[str, tuple[Any, ...]] = {key: (int(cell.size),)} if cell.size else {}
    if cell.model:
        axes["model"] = (cell.model,)
    choices = cells.Choices(device, "quick", (cell.precision,), axes=axes)
    compilers = framework.compilers
    result = next(cells.cells_of(cell.workload, choices, framework.name, compilers))
    framework.load(cell.workload)
    framework.configure(result)
    work = framework.prepare(result)
    work.build()
    work.make_data()
    return work, result


def bare(cell: Cell, device: str) -> Step:
    """Return the step that anybody would write."""
    size = int(cell.size) if cell.size else 0
    asked = argparse.Namespace(
        device=device, precision=cell.precision, workload=cell.workload, size=size
    )
    asked.set = [f"model={cell.model}"] if cell.model else []
    if cell.workload == "matmul":
        return product(asked)
    if cell.workload in TOKENS:
        return writing(asked, size or 1)
    return training(asked, size or BATCH[cell.workload])


def looped(step: Step, steps: int, wait: Step) -> float:
    """Return the seconds of *steps* steps without any of our code around them."""
    began = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    return time.perf_counter() - began


def compared(cell: Cell, asked: argparse.Namespace) -> list[float]:
    """Return the ratios of speeds, collector over bare loop, of neighbouring blocks."""
    torches = asked.framework == "torch"
    program = importlib.import_module(f"with_{asked.framework}")
    framework = program.Torch() if torches else program.Mlx()
    work, result = collected(cell, framework, asked.device)
    if torches:
        step = bare(cell, asked.device)
    else:
        step = importlib.import_module("benchmarks.bare_mlx").bare(result)
    wait = work.synchronise  # as anybody would
    pace = min(looped(step, 3, wait), timed(work, 3)) / 3
    steps = max(1, round(asked.block / pace))
    if cell.workload == "llm-decode":  # a step deeper in a text reads more
        steps = math.ceil(steps / _TEXT) * _TEXT
    ratios = []
    for turn in range(asked.pairs):
        if turn % 2:
            other, ours = looped(step, steps, wait), timed(work, steps)
        else:
            ours, other = timed(work, steps), looped(step, steps, wait)
        ratios.append(other / ours)
    return ratios


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the median, from order statistics."""
    ordered, n = sorted(ratios), len(ratios)
    half = 0.98 * math.sqrt(n)
    low, high = math.floor(n / 2 - half), math.ceil(n / 2 + half)
    return ordered[max(0, low - 1)], ordered[min(n - 1, high)]


def main() -> None:
    """Measure the cells and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", nargs="+", type=parsed)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--block", type=float, default=1.0, help="seconds of a side")
    parser.add_argument("--framework", choices=("torch", "mlx"), default="torch")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked = parser.parse_args()
    torch.manual_seed(0)
    for cell in asked.cells:
        ratios = compared(cell, asked)
        low, high = interval(ratios)
        print(
            f"{cell.title:24} ratio {median(ratios):.4f}  (95 %: {low:.4f} to "
            f"{high:.4f}; {len(ratios)} pairs from {min(ratios):.3f} to "
            f"{max(ratios):.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
