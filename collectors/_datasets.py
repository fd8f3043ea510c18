"""Real images to train on: MNIST and CIFAR-10 from the files their authors publish."""

from collections.abc import Callable
from pathlib import Path

from _dataset import DataError, Images
from _dataset_cifar10 import read_cifar10
from _dataset_mnist import read_mnist

__all__ = ["DataError", "Images", "find", "read_cifar10", "read_mnist"]

_READERS: dict[str, Callable[[Path], Images]] = {
    "mnist": read_mnist,
    "cifar10": read_cifar10,
}


def find(folder: Path, workload_data: str) -> Images:
    """Return the training images called *workload_data*, which are in *folder*."""
    if workload_data not in _READERS:
        known = " and ".join(_READERS)
        raise DataError(f"no reader for {workload_data!r}; there are {known}")
    return _READERS[workload_data](folder)
