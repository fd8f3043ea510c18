"""Cells of the catalogue for PyTorch, small enough for a test, and their works."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from typing import Any

import language
import torch
from harness.cells import Cell, Choices, cells_of, settings, workloads
from harness.framework import Setting
from torch_work.models import model_of
from with_torch import Torch

OPERATIONS = ("matmul", "elementwise", "bandwidth", "conv")
TRAININGS = [
    (name, setting)
    for name, facts in workloads().items()
    if facts["kind"] != "operation" and name not in language.WORKLOADS
    for setting in settings(facts)
]
_FIELDS = {field.name for field in fields(Cell)} - {"batch_size"}
_SMALL = {name: {"size": 96} for name in OPERATIONS} | {
    "conv": {"channels": 4, "image_size": 20}
}


@cache
def framework(workload: str = "resnet18") -> Torch:
    """PyTorch with torchvision, or with what *workload* needs."""
    loaded = Torch()
    loaded.load(workload)
    return loaded


def cell(workload: str, setting: str | None = None, **changes: Any) -> Cell:
    """The first cell of a workload in smoke; *changes* are of it or its parameters."""
    wanted = workload, Choices("cpu", "smoke", setting=setting)
    first = next(cells_of(*wanted, "torch", Torch.compilers))
    own = {name: value for name, value in changes.items() if name in _FIELDS}
    other = {name: value for name, value in changes.items() if name not in _FIELDS}
    parameters = first.parameters | _SMALL.get(workload, {}) | other
    return replace(first, parameters=parameters, **own)


def configured(chosen: Cell) -> Setting:
    return framework(chosen.workload).configure(chosen)


def prepared(chosen: Cell) -> Any:
    return framework(chosen.workload).prepare(chosen)


def started(chosen: Cell) -> Any:
    """The work of a cell after its first step."""
    work = prepared(chosen)
    torch.manual_seed(chosen.seed)
    work.build()
    work.make_data()
    work.step()
    work.synchronise()
    return work


@contextmanager
def weightless(chosen: Cell) -> Iterator[Any]:
    """Its network without memory: shapes alone are computed."""
    framework(chosen.workload)
    with torch.device("meta"):
        yield model_of(chosen)
