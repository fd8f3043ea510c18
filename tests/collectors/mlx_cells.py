"""Cells of the catalogue for MLX, small enough for a test, and its networks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import mlx.core as mx
from harness.cells import Cell, Choices, cells_of, settings, workloads
from harness.framework import WORKLOADS
from mlx_work.models import model_of
from with_mlx import Mlx

TRAININGS = [
    (name, setting)
    for name, facts in workloads().items()
    if name in WORKLOADS and facts["kind"] != "operation"
    for setting in settings(facts)
]


@cache
def framework() -> Mlx:
    """MLX, imported."""
    loaded = Mlx()
    loaded.load(None)
    return loaded


def cell(
    workload: str, setting: str | None = None, compiler: str = "eager", **changes: Any
) -> Cell:
    """The first cell of a workload in smoke; *changes* are of its parameters."""
    choices = Choices("cpu", "smoke", setting=setting, compiler=compiler)
    first = next(cells_of(workload, choices, "mlx", Mlx.compilers))
    return replace(first, parameters=first.parameters | changes)


@contextmanager
def weightless(chosen: Cell) -> Iterator[Any]:
    """Its network, of which nothing is computed: arrays know their shapes before."""
    with patch.object(mx, "eval"):
        yield model_of(chosen)
