"""Training steps in MLX, started but not waited for, and their reference."""

from typing import Any

import mlx.core as mx
from harness.cells import Cell
from mlx import nn, optimizers
from mlx.utils import tree_flatten, tree_unflatten
from training import Trained
from training_data.batches import image_shape

from mlx_work.device import COMPILED, DTYPES, MlxTensors, type_name
from mlx_work.models import model_of, without_dropout


class Training(Trained, MlxTensors):
    """A network, its optimiser and its loss in MLX.

    Mixed precision, for which MLX has no switch: parameters and optimiser in float32,
    cast for forward and backward of each step; normalisation and loss in float32.
    """

    def __init__(self, cell: Cell) -> None:
        """Note the types: what is kept, and what is computed in."""
        super().__init__(cell)
        self.own = DTYPES[cell.precision]
        self.kept = self.own if cell.precision == "fp64" else mx.float32

    def build(self) -> None:
        """Build the network in training mode, and its optimiser."""
        facts, self.network = self.cell.parameters, self.untrained()
        # PyTorch and Keras correct the first steps of Adam, MLX only if it is asked to.
        more = {} if facts["optimizer"] == "SGD" else {"bias_correction": True}
        kind = getattr(optimizers, facts["optimizer"])
        self.optimiser = kind(learning_rate=facts["learning_rate"], **more)
        self.optimiser.init(self.network.trainable_parameters())
        self.gradients = nn.value_and_grad(self.network, self._loss)
        state = self.state = [self.network.state, self.optimiser.state, mx.random.state]
        mx.eval(state)
        whole = self.cell.compiler == COMPILED
        self.compute = mx.compile(self._step, state, state) if whole else self._step

    release = staticmethod(mx.clear_cache)

    def untrained(self) -> Any:
        """Return the network, its parameters in the type that is kept."""
        network = model_of(self.cell)
        network.set_dtype(self.kept)
        return network

    def arranged(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch as arrays, computed."""
        kind = mx.int32 if inputs.dtype.kind == "i" else self.kept
        batch = mx.array(inputs, kind), mx.array(labels, mx.int32)
        mx.eval(batch)
        return batch

    def weights(self) -> list[tuple[str, Any]]:
        """Return parameters by name, frozen ones too; statistics are none."""
        every = tree_flatten(self.network.parameters())
        return [(name, array) for name, array in every if ".running_" not in name]

    def _logits(self, inputs: Any) -> Any:
        if self.own == self.kept:
            return self.network(inputs)
        weights = self.weights()
        cast = [(name, array.astype(self.own)) for name, array in weights]
        self.network.update(tree_unflatten(cast))
        whole = self.cell.kind == "transformer"
        logits = self.network(inputs if whole else inputs.astype(self.own))
        self.network.update(tree_unflatten(weights))
        return logits

    def _loss(self, inputs: Any, labels: Any) -> Any:
        logits = self._logits(inputs)
        self.output_type = logits.dtype
        wide = logits.astype(self.kept)
        return nn.losses.cross_entropy(wide, labels, reduction="mean")

    def _step(self, inputs: Any, labels: Any) -> Any:
        loss, gradients = self.gradients(inputs, labels)
        self.optimiser.update(self.network, gradients)
        return loss

    def train(self, inputs: Any, labels: Any) -> None:
        """Start one training step: all that it changes is computed, not only a loss."""
        self.last = self.compute(inputs, labels)
        mx.async_eval(self.last, self.state)

    def forward(self, inputs: Any) -> None:
        """Start a forward pass alone."""
        self.seen = self._logits(inputs)
        mx.async_eval(self.seen)

    def product(self, a: Any, b: Any) -> Any:
        """Return A B as the network multiplies."""
        return self.matmul(a.astype(self.own), b.astype(self.own))

    def enlarged(self, pixels: Any, labels: Any) -> tuple[Any, Any]:
        """Return images as large, and of as many channels, as the network takes."""
        side, channels = image_shape(self.cell)
        small = mx.array(pixels).astype(self.kept) / 255
        large = nn.Upsample(side / small.shape[1], mode="linear")(small)
        coloured = mx.repeat(large, channels // small.shape[-1], axis=-1)
        return coloured, mx.array(labels, mx.int32)

    def changed(self) -> list[Any]:
        """Return what is not frozen."""
        return [it for _, it in tree_flatten(self.network.trainable_parameters())]

    def parameter_count(self) -> int:
        """Return all parameters; statistics of normalisation are none."""
        return sum(array.size for _, array in self.weights())

    def tensors(self) -> list[Any]:
        """Return the loss, and all that a step changes."""
        state = (array for _, array in tree_flatten(self.state[:2]))
        return [self.last, *(a for a in state if isinstance(a, mx.array))]

    def types(self) -> set[str]:
        """Return the types of the parameters and of what the network returned."""
        arrays = (array.dtype for _, array in self.weights())
        return set(map(type_name, (self.output_type, *arrays)))

    def build_alike(self) -> None:
        """Build from the cell's seed, without dropout."""
        mx.random.seed(self.cell.seed)
        self.build()
        without_dropout(self.network)

    def reference(self) -> Any:
        """Return the context in which the CPU computes."""
        return mx.stream(mx.cpu)
