# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy>=1.26"]
# ///
"""Measure matrix operations with NumPy: a baseline that any machine can run."""

import importlib
import platform
import sys
from typing import Any, ClassVar

from harness.cells import Cell
from harness.framework import Device, Framework, Setting, Work
from harness.main import main
from harness.process import usable_cpus
from operations import Operation, Shape

_WORKLOADS = ("matmul", "elementwise", "bandwidth")


class Numpy(Framework):
    """What the harness asks of a framework, for NumPy."""

    name = "numpy"
    title = "NumPy"
    modules: ClassVar = dict.fromkeys(_WORKLOADS, ("numpy",))
    compilers = ("none",)
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
        return tuple(_TYPES)

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
        return NumpyOperation(cell)


_TYPES = {"fp32": "float32", "fp64": "float64", "fp16": "float16"}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


class NumpyOperation(Operation):
    """An operation on NumPy's arrays, into the same result; it is never behind."""

    def __init__(self, cell: Cell) -> None:
        """Take what computes from NumPy, which is imported by now."""
        super().__init__(cell)
        self.np: Any = importlib.import_module("numpy")
        self.matmul, self.add = self.np.matmul, self.np.add

    def multiply_add(self, a: Any, b: Any, c: Any, out: Any = None) -> Any:
        """Multiply, then add in place: the product is written, and read again."""
        product = self.np.multiply(a, b, out=out)
        return self.np.add(product, c, out=product)

    def tensor(self, array: Any, precision: str | None = None) -> Any:
        """Return *array* in the type."""
        return array.astype(_TYPES[precision or self.cell.precision], copy=False)

    def float64(self, tensor: Any) -> Any:
        """Return an array in float64."""
        return tensor.astype("float64")

    def empty(self, shape: Shape) -> Any:
        """Return an array with nothing in it yet."""
        return self.np.empty(shape, _TYPES[self.cell.precision])

    def place(self, tensor: Any) -> tuple[str, str]:
        """Return the only device that there is, and the type."""
        return "cpu", _NAMES[tensor.dtype.name]


if __name__ == "__main__":
    sys.exit(main(Numpy()))
