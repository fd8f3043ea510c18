"""A language model small enough for a test, and its works in PyTorch and MLX."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import language
from harness.cells import Cell, Choices, cells_of
from harness.framework import Framework

TINY = language.Shape(3, 256, 4, 2, 512, 1024, parameters=2_033_408)
UNTIED = replace(TINY, parameters=TINY.parameters + TINY.head_weights, tied=False)


@contextmanager
def tiny(shape: language.Shape = TINY) -> Iterator[None]:
    """Let "tiny" be the name of a model."""
    with patch.dict(language.SHAPES, tiny=shape):
        yield


def cell_of(framework: Framework, workload: str, **changes: Any) -> Cell:
    """Return the cell of the tiny model; *changes* are of it or its parameters."""
    precision = changes.pop("precision", "fp32")
    compiler = changes.pop("compiler", framework.compilers[0])
    choices = Choices("cpu", "smoke", (precision,), compiler)
    first = next(cells_of(workload, choices, framework.name, framework.compilers))
    parameters = first.parameters | {"model": "tiny"} | changes
    if "quantization" not in changes:
        parameters["quantization"] = precision
    return replace(first, parameters=parameters)


def built(framework: Framework, chosen: Cell) -> Any:
    """Return the work of a cell, with its data."""
    framework.load(chosen.workload)
    framework.configure(chosen)
    work: Any = framework.prepare(chosen)
    work.build()
    work.make_data()
    return work
