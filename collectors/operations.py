"""Elementary operations, once for all frameworks, over a few primitives of each.

A framework derives from ``Tensors`` what its device can do: ``tensor``, ``float64``,
``matmul``, ``add``, ``multiply_add``, ``convolve``; and where a tensor is, of which
type, and how to wait for it. Its operations are ``class …(Operation, <that class>)``.
Work on a device is started, not waited for.
"""

import importlib
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

from harness.cells import Cell
from harness.framework import Work

Shape = tuple[int, ...]

WIDTHS = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp64": 8}  # bytes of an entry
PEAKS = ("peak_device_allocated_bytes", "peak_device_reserved_bytes")
_CHECKED = 64  # rows and columns of a result that are computed again in float64
_CHECKED_SIDE = 8  # rows, columns and channels of a convolution, likewise
_MATH_SIDE = 512  # of the product that shows the math in effect
_PROBE_PRODUCTS = 10
_READ_SIDE = 512  # of products whose result is read


def random_numbers(*seed: int) -> Any:
    """Return NumPy's generator; whoever imports this need not have NumPy yet."""
    return importlib.import_module("numpy.random").default_rng(seed)


def deviation(result: Any, exact: Any) -> float:
    """Return the largest deviation relative to the largest exact entry."""
    return float(abs(result - exact).max() / abs(exact).max())


class Tensors(Work):
    """A cell on its device: the primitives, and what every work does with them."""

    matmul: Callable[..., Any]  # of a, b and out, where the result may go
    add: Callable[..., Any]  # likewise
    multiply_add: Callable[..., Any]  # of a, b, c and out: a b + c, entry by entry
    convolve: Callable[..., Any]  # of images and weights; no padding, no bias
    channels_first = False  # of images, and of weights behind their outputs
    outputs_first = False  # of weights whose channels are last
    one_kernel = False  # whether a b + c reads and writes every matrix only once
    # Of products that are waited for; of devices that can be behind.
    probe_sides: ClassVar = {"cuda": 4096, "metal": 2048}

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        self.cell = cell
        self.last: Any = None  # the result of the last step

    def tensor(self, array: Any, precision: str | None = None) -> Any:
        """Return an array of floats on the device, in the cell's or another type."""
        raise NotImplementedError

    def float64(self, tensor: Any) -> Any:
        """Return *tensor* as an array of float64; Metal itself has no such type."""
        raise NotImplementedError

    def empty(self, shape: Shape) -> Any:
        """Return where results go, again and again; None if each step makes its own."""
        return None

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function* as the cell's compiler runs it."""
        return function

    def scope(self) -> AbstractContextManager[Any]:
        """Return the context in which tensors are made on the device."""
        return nullcontext()

    def product(self, a: Any, b: Any) -> Any:
        """Return A B in the mathematics of a step: mixed precision has its own."""
        return self.matmul(a, b)

    def wait_for(self, tensor: Any) -> None:
        """Wait until *tensor* is there, and all that was started before it."""

    def place(self, tensor: Any) -> tuple[str, str]:
        """Return device and type of *tensor*, as DEVICES and PRECISIONS name them."""
        raise NotImplementedError

    def tensors(self) -> list[Any]:
        """Return parameters, or operands, and the result."""
        raise NotImplementedError

    def synchronise(self) -> None:
        """Wait for the last result."""
        self.wait_for(self.last)

    def placed_on(self) -> set[str]:
        """Return where parameters and result are."""
        return {self.place(tensor)[0] for tensor in self.tensors()}

    def types(self) -> set[str]:
        """Return the types they have."""
        return {self.place(tensor)[1] for tensor in self.tensors()}

    def expected_types(self) -> set[str]:
        """Return two types in mixed precision: parameters stay in float32."""
        # TF32 is a way to use float32.
        own = {"tf32": "fp32"}.get(self.cell.precision, self.cell.precision)
        return {own} if self.cell.operation or own == "fp64" else {own, "fp32"}

    def drawn(self, source: Any, shape: Shape, scale: float = 1.0) -> Any:
        """Return N(0, 1) entries times *scale*.

        Drawn no wider than needed: the largest operands have a gigabyte in float32.
        """
        np: Any = importlib.import_module("numpy")
        wide = np.float64 if self.cell.precision == "fp64" else np.float32
        entries = source.standard_normal(shape, dtype=wide)
        if scale != 1:
            entries *= wide(scale)
        return self.tensor(entries)

    def math_error(self) -> float:
        """Return how far a product in the cell's type is from the same in float64."""
        source, shape = random_numbers(self.cell.seed), (_MATH_SIDE, _MATH_SIDE)
        with self.scope():
            a, b = (self.drawn(source, shape) for _ in range(2))
            result = self.product(a, b)
        return deviation(self.float64(result), self.float64(a) @ self.float64(b))

    def wait_probe(self) -> tuple[float, float] | None:
        """Return seconds of large products, started and done; None if never behind."""
        side = self.probe_sides.get(self.cell.device)
        if side is None:
            return None
        with self.scope():
            products = self._products(side)
            self.waited_for(products)
            return self.waited_for(products)

    def read_probe(self) -> tuple[float, float]:
        """Return seconds until large products are waited for, and until one is read."""
        results: deque[Any] = deque(maxlen=1)
        with self.scope():
            products = self._products(_READ_SIDE)

            def kept() -> Any:
                results.append(products())
                return results[0]

            self.waited_for(kept)
            self.float64(results[0][:1])  # what is compiled for it is there then
            _, waited = self.waited_for(kept)
            read = perf_counter()
            self.float64(results[0][:1])
            return waited, waited + perf_counter() - read

    def _products(self, side: int) -> Callable[[], Any]:
        source = random_numbers(self.cell.seed)
        a, b = (
            self.tensor(source.standard_normal((side, side), "f4"), "fp32")
            for _ in range(2)
        )

        def products() -> Any:
            for _ in range(_PROBE_PRODUCTS):
                result = self.matmul(a, b)
            return result

        return products

    def waited_for(self, start: Callable[[], Any]) -> tuple[float, float]:
        """Return seconds until *start* returns, and until its result is there."""
        self.synchronise()
        started = perf_counter()
        result = start()
        returned = perf_counter()
        self.wait_for(result)
        return returned - started, perf_counter() - started


class Operation(Tensors):
    """One operation on fixed operands from N(0, 1), again and again."""

    def shapes(self) -> list[Shape]:
        """Return the shapes of the operands: matrices, but for a convolution."""
        if self.cell.workload != "conv":
            operands = 3 if self.cell.workload == "bandwidth" else 2
            return [(self.cell.size, self.cell.size)] * operands
        facts, batch = self.cell.parameters, self.cell.batch_size
        channels, side = facts["channels"], facts["image_size"]
        kernel = (facts["kernel_size"], facts["kernel_size"])
        if self.channels_first:
            return [(batch, channels, side, side), (channels, channels, *kernel)]
        weights = (*kernel, channels, channels)
        if self.outputs_first:
            weights = (channels, *kernel, channels)
        return [(batch, side, side, channels), weights]

    def scales(self) -> list[float]:
        """Return what operands are multiplied by, so that no product overflows."""
        facts, count = self.cell.parameters, len(self.shapes())
        match self.cell.workload:
            case "matmul":
                return [self.cell.size**-0.5] * count
            case "conv":
                return [1.0, (facts["kernel_size"] ** 2 * facts["channels"]) ** -0.5]
        return [1.0] * count

    def build(self) -> None:
        """Take the operation as it is, or compiled; that happens in the first step."""
        primitive = {
            "matmul": "matmul",
            "elementwise": "add",
            "bandwidth": "multiply_add",
            "conv": "convolve",
        }[self.cell.workload]
        self.function = self.compiled(getattr(self, primitive))
        self.trials = random_numbers(self.cell.seed, 1)

    def make_data(self) -> None:
        """Draw the operands."""
        # First, so that a matrix too large fails before any is drawn.
        self.last = self.empty(self.shapes()[0])
        source = random_numbers(self.cell.seed)
        self.operands = self._operands(source, self.scales())
        chosen = {} if self.last is None else {"out": self.last}
        # Nothing is folded: operands are its arguments.
        self.launch = partial(self.function, *self.operands, **chosen)
        self.synchronise()

    def _operands(self, source: Any, scales: list[float]) -> list[Any]:
        with self.scope():
            pairs = zip(self.shapes(), scales, strict=True)
            return [self.drawn(source, shape, scale) for shape, scale in pairs]

    def step(self) -> None:
        """Start the operation once."""
        self.last = self.launch()

    def trial(self) -> tuple[float, float]:
        """Do it once on operands that are new, and there, into new memory."""
        fresh = self._operands(self.trials, [1.0] * len(self.operands))
        for operand in fresh:
            self.wait_for(operand)
        return self.waited_for(partial(self.function, *fresh))

    def tensors(self) -> list[Any]:
        """Return operands and result."""
        return [*self.operands, self.last]

    def bytes_per_step(self) -> int | None:
        """Return the bytes of the matrices read and written, where memory is all."""
        # Two kernels write the product and read it again.
        passes = {"elementwise": 3, "bandwidth": 4 if self.one_kernel else 6}
        if self.cell.workload not in passes:
            return None
        width = WIDTHS[self.cell.precision]
        return passes[self.cell.workload] * self.cell.size**2 * width

    def relative_error(self) -> float:
        """Compute a block of the result again in float64; return its deviation."""
        if self.cell.workload == "conv":
            return deviation(*self._convolved())
        result = self.float64(self.last[:_CHECKED, :_CHECKED])
        if self.cell.workload == "matmul":
            a, b = self.operands
            exact = self.float64(a[:_CHECKED]) @ self.float64(b[:, :_CHECKED])
            return deviation(result, exact)
        a, b, *more = (self.float64(x[:_CHECKED, :_CHECKED]) for x in self.operands)
        return deviation(result, a * b + more[0] if more else a + b)

    def _convolved(self) -> tuple[Any, Any]:
        """Return a corner of some channels of the first image, and exactly so."""
        np: Any = importlib.import_module("numpy")
        images, weights = self.operands
        near, kernel = _CHECKED_SIDE, self.cell.parameters["kernel_size"]
        seen = near + kernel - 1
        if self.channels_first:
            image = np.moveaxis(self.float64(images[0, :, :seen, :seen]), 0, -1)
            some = self.float64(weights[:near]).transpose(2, 3, 1, 0)
            result = np.moveaxis(self.float64(self.last[0, :near, :near, :near]), 0, -1)
        else:
            image = self.float64(images[0, :seen, :seen])
            if self.outputs_first:
                some = self.float64(weights[:near]).transpose(1, 2, 3, 0)
            else:
                some = self.float64(weights[..., :near])
            result = self.float64(self.last[0, :near, :near, :near])
        windows = np.lib.stride_tricks.sliding_window_view(
            image, (kernel, kernel), axis=(0, 1)
        )
        return result, np.einsum("yxcij,ijco->yxo", windows, some)
