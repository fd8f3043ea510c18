# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=1.26"]
# ///
"""Measure matrix products with NumPy: a baseline that any machine can run."""

import importlib
import platform
import sys
from typing import Any, ClassVar

from _cell import Cell
from _framework import Device, Setting, Work
from _harness import main
from _process import usable_cpus

DTYPES = {"fp32": "float32", "fp64": "float64", "fp16": "float16"}
CHECKED = 64  # rows and columns of the result that are computed again in float64


class Numpy:
    """What the harness asks of a framework, for NumPy."""

    name = "numpy"
    title = "NumPy"
    modules: ClassVar = {"matmul": ("numpy",)}
    install = "pip install numpy"

    def load(self, _workload: str | None) -> str:
        """Import NumPy; return its version."""
        self.np: Any = importlib.import_module("numpy")
        return str(self.np.__version__)

    def devices(self) -> dict[str, Device]:
        """Return the CPU: NumPy knows no other device."""
        other = {"why": "NumPy runs on the CPU only", "install": "use with_torch"}
        cpu = Device(name=platform.machine())
        return {"cpu": cpu, "metal": Device(**other), "cuda": Device(**other)}

    def precisions(self, _device: str) -> tuple[str, ...]:
        """Return what NumPy has types for."""
        return tuple(DTYPES)

    def configure(self, _cell: Cell) -> Setting:
        """Return the linear algebra library behind NumPy; nothing is to be chosen."""
        blas = self.np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        library = " ".join(filter(None, [blas.get("name"), blas.get("version")]))
        return Setting(
            compiler="none",
            packages={"numpy": self.np.__version__},
            math={"blas": library},
            parameters={"cpus": usable_cpus()},
        )

    def prepare(self, cell: Cell) -> Work:
        """Return one matrix product."""
        return Product(self.np, cell)


class Product(Work):
    """C = A B, again and again into the same C."""

    def __init__(self, np: Any, cell: Cell) -> None:
        """Draw nothing yet: making data has its own clock."""
        self.np = np
        self.cell = cell

    def make_data(self) -> None:
        """Draw A and B from N(0, 1) / sqrt(M), so no product overflows."""
        size, dtype = self.cell.size, DTYPES[self.cell.precision]
        # First, so that a matrix too large fails before any is drawn.
        self.c = self.np.empty((size, size), dtype)
        random = self.np.random.default_rng(self.cell.seed)
        self.a, self.b = (
            (random.standard_normal((size, size)) / size**0.5).astype(dtype)
            for _ in range(2)
        )

    def step(self) -> None:
        """Multiply once."""
        self.np.matmul(self.a, self.b, out=self.c)

    def synchronise(self) -> None:
        """Do nothing: NumPy returns when the product is there."""

    def placed_on(self) -> set[str]:
        """Return the only place there is."""
        return {"cpu"}

    def relative_error(self) -> float:
        """Compute a corner of C again in float64; return its largest deviation."""
        exact = self.a[:CHECKED].astype("float64") @ self.b[:, :CHECKED].astype(
            "float64"
        )
        deviation = abs(self.c[:CHECKED, :CHECKED] - exact).max() / abs(exact).max()
        return float(deviation)


if __name__ == "__main__":
    sys.exit(main(Numpy()))
