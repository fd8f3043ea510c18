# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=1.26"]
# ///
"""Measure matrix operations with NumPy: a baseline that any machine can run."""

import importlib
import platform
import sys
from typing import Any, ClassVar

from _cell import Cell
from _framework import Device, Setting, Work
from _harness import main
from _process import usable_cpus


class Numpy:
    """What the harness asks of a framework, for NumPy."""

    name = "numpy"
    title = "NumPy"
    modules: ClassVar = dict.fromkeys(
        ("matmul", "elementwise", "bandwidth"), ("numpy",)
    )
    compilers: ClassVar = ("none",)
    options: ClassVar[dict[str, tuple[str, ...]]] = {}
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
        return ("fp32", "fp64", "fp16")

    def configure(self, cell: Cell) -> Setting:
        """Return the linear algebra library behind NumPy; nothing is to be chosen."""
        blas = self.np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        library = " ".join(filter(None, [blas.get("name"), blas.get("version")]))
        return Setting(
            compiler=cell.compiler,
            packages={"numpy": self.np.__version__},
            precision=cell.precision,
            math={"blas": library},
            parameters={"cpus": usable_cpus()},
        )

    def prepare(self, cell: Cell) -> Work:
        """Return one operation."""
        work: Any = importlib.import_module("_numpy_work")
        return work.work_of(cell)  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main(Numpy()))
