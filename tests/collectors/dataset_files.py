"""MNIST and CIFAR-10 with few images, in the formats of the original files."""

import gzip
import io
import pickle
import struct
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

IMAGES = 20  # of MNIST, and in each of CIFAR-10's five batches
RANDOM = np.random.default_rng(7)
MNIST: Any = RANDOM.integers(0, 256, (IMAGES, 28, 28), np.uint8)
MNIST_LABELS: Any = RANDOM.integers(0, 10, IMAGES, np.uint8)
CIFAR10: Any = RANDOM.integers(0, 256, (5, IMAGES, 32, 32, 3), np.uint8)
CIFAR10_LABELS: Any = RANDOM.integers(0, 10, (5, IMAGES), np.uint8)

MNIST_NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
NUMBERED = [f"data_batch_{number}" for number in range(1, 6)]


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write *files*, folders in their names included; return *folder*."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def mnist() -> dict[str, bytes]:
    """Return images and labels as IDX."""
    images = struct.pack(">4I", 0x803, IMAGES, 28, 28) + MNIST.tobytes()
    labels = struct.pack(">2I", 0x801, IMAGES) + MNIST_LABELS.tobytes()
    return dict(zip(MNIST_NAMES, (images, labels), strict=True))


def packed(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return each file as .gz."""
    return {f"{name}.gz": gzip.compress(text, 1) for name, text in files.items()}


def planes(number: int) -> Any:
    """Return the images of a batch as CIFAR-10 stores them: (images, 3072)."""
    return CIFAR10[number].transpose(0, 3, 1, 2).reshape(IMAGES, 3072)


def binary() -> dict[str, bytes]:
    """Return the batches of the binary version."""
    return {
        f"{name}.bin": np.column_stack((CIFAR10_LABELS[n], planes(n))).tobytes()
        for n, name in enumerate(NUMBERED)
    }


def pickled() -> dict[str, bytes]:
    """Return the batches of the Python version, byte for byte as Python 2 wrote it."""
    return {
        name: python2(CIFAR10_LABELS[n].tolist(), planes(n).tobytes())
        for n, name in enumerate(NUMBERED)
    }


def repickled(protocol: int) -> dict[str, bytes]:
    """Return the batches as Python 3 and today's NumPy pickle them."""
    batches = (
        {
            b"batch_label": b"training batch",
            b"labels": CIFAR10_LABELS[n].tolist(),
            b"data": planes(n),
            b"filenames": [b"%d.png" % image for image in range(IMAGES)],
        }
        for n in range(5)
    )
    return {
        name: pickle.dumps(batch, protocol)
        for name, batch in zip(NUMBERED, batches, strict=True)
    }


def python2(labels: list[int], pixels: bytes) -> bytes:
    """Return a batch in protocol 2 as Python 2's cPickle and NumPy 1 wrote it."""
    return b"".join(
        (
            b"\x80\x02}q\x01(U\x0bbatch_labelq\x02U\x15training batch 1 of 5q\x03",
            b"U\x06labelsq\x04]q\x05(",
            b"".join(b"K" + bytes([label]) for label in labels),
            b"eU\x04dataq\x06cnumpy.core.multiarray\n_reconstruct\nq\x07",
            b"cnumpy\nndarray\nq\x08K\x00\x85U\x01b\x87Rq\t(K\x01",
            b"M" + struct.pack("<H", len(pixels) // 3072) + b"M\x00\x0c\x86",
            b"cnumpy\ndtype\nq\nU\x02u1K\x00K\x01\x87Rq\x0b",
            b"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb",
            b"\x89T" + struct.pack("<I", len(pixels)) + pixels + b"tb",
            b"U\tfilenamesq\x0c]q\r(U\x05a.pngq\x0eeu.",
        )
    )


def archive(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """Return a tar archive of *files*."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def inside(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return *files* with *folder* before their names."""
    return {f"{folder}/{name}": content for name, content in files.items()}
