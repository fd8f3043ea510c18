"""Real data is read as it was published; whatever is odd about it is one clear line."""

import gzip
import os
import pickle
import struct
import tarfile
import tracemalloc
from typing import Any

import numpy as np
import pytest
from training_data.batches import READERS
from training_data.cifar10 import read_cifar10
from training_data.files import DataError
from training_data.mnist import read_mnist

from tests.collectors.dataset_files import (
    CIFAR10,
    CIFAR10_LABELS,
    IMAGES,
    MNIST,
    MNIST_LABELS,
    MNIST_NAMES,
    NUMBERED,
    archive,
    binary,
    inside,
    mnist,
    packed,
    pickled,
    python2,
    repickled,
    write,
)

BINARY, PYTHON = "cifar-10-batches-bin", "cifar-10-batches-py"
DOTTED = {name.replace("-idx", ".idx"): text for name, text in mnist().items()}
MNIST_LAYOUTS = {
    "plain": mnist(),
    "packed": packed(mnist()),
    "dotted": DOTTED,
    "dotted and packed": packed(DOTTED),
    "torchvision": inside("MNIST/raw", mnist() | packed(mnist())),
    "unpacked, still called gz": {f"{n}.gz": text for n, text in mnist().items()},
}
CIFAR10_LAYOUTS = {
    "binary": binary(),
    "binary in its folder": inside(BINARY, binary()),
    "python": pickled(),
    "python in its folder": inside(PYTHON, pickled()),
    "binary archive": {"cifar-10-binary.tar.gz": archive(inside(BINARY, binary()))},
    "python archive": {"cifar-10-python.tar.gz": archive(inside(PYTHON, pickled()))},
    "unpacked archive": {"cifar-10-python.tar": archive(pickled(), "w")},
    **{f"pickled again as {n}": repickled(n) for n in (2, 3, 4)},
}


@pytest.mark.parametrize("layout", MNIST_LAYOUTS)
def test_mnist_is_found_in_every_layout(layout, tmp_path):
    images = READERS["mnist"](write(tmp_path, MNIST_LAYOUTS[layout]))

    assert (images.name, images.pixels.shape) == ("mnist", (IMAGES, 28, 28, 1))
    assert (images.pixels.dtype, images.labels.dtype) == (np.uint8, np.int64)
    assert np.array_equal(images.pixels[..., 0], MNIST)
    assert np.array_equal(images.labels, MNIST_LABELS)


@pytest.mark.parametrize("layout", CIFAR10_LAYOUTS)
def test_cifar10_is_found_in_every_layout(layout, tmp_path):
    images = READERS["cifar10"](write(tmp_path, CIFAR10_LAYOUTS[layout]))

    assert images.name == "cifar10"
    assert (images.pixels.dtype, images.labels.dtype) == (np.uint8, np.int64)
    assert np.array_equal(images.pixels, CIFAR10.reshape(-1, 32, 32, 3))
    assert np.array_equal(images.labels, CIFAR10_LABELS.reshape(-1))


def test_the_files_are_named_without_folders(tmp_path):
    write(tmp_path, inside("MNIST/raw", packed(mnist())))
    write(tmp_path, CIFAR10_LAYOUTS["binary archive"])

    assert read_mnist(tmp_path).files == tuple(f"{name}.gz" for name in MNIST_NAMES)
    assert read_cifar10(tmp_path).files == ("cifar-10-binary.tar.gz",)


def test_the_digest_is_of_the_content_and_not_of_its_packing(tmp_path):
    other = mnist() | {MNIST_NAMES[1]: mnist()[MNIST_NAMES[1]][:-1] + b"\5"}
    folders = {"a": mnist(), "b": packed(mnist()), "c": DOTTED, "d": other}

    digests = [
        read_mnist(write(tmp_path / name, files)).sha256
        for name, files in folders.items()
    ]

    assert digests[0] == digests[1] == digests[2] != digests[3]
    assert len(digests[0]) == 64


def test_the_digest_of_an_archive_is_that_of_its_batches(tmp_path):
    archived = read_cifar10(write(tmp_path / "a", CIFAR10_LAYOUTS["binary archive"]))
    unpacked = read_cifar10(write(tmp_path / "b", inside(BINARY, binary())))
    python = read_cifar10(write(tmp_path / "c", pickled()))

    assert archived.sha256 == unpacked.sha256 != python.sha256


def test_what_is_missing_is_named_with_the_folder_but_not_where_that_is(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()

    for name in ("mnist", "cifar10"):
        with pytest.raises(DataError, match=r"in 'pictures'.*; give --data") as refusal:
            READERS[name](folder)
        assert tmp_path.name not in str(refusal.value)
    with pytest.raises(DataError, match="'nowhere' is no folder"):
        read_mnist(tmp_path / "nowhere")
    with pytest.raises(DataError, match="no folder"):
        read_cifar10(tmp_path / ("x" * 5000))


def test_half_a_data_set_says_which_half(tmp_path):
    images, labels = MNIST_NAMES
    write(tmp_path / "a", {labels: mnist()[labels]})
    write(tmp_path / "b", {n: b for n, b in binary().items() if "_3" not in n})
    tar = {n: b for n, b in pickled().items() if "_5" not in n}
    write(tmp_path / "c", {"cifar-10-python.tar.gz": archive(tar)})

    with pytest.raises(DataError, match=rf"^no {images} \(with"):
        read_mnist(tmp_path / "a")
    with pytest.raises(DataError, match=r"in 'b' lacks data_batch_3\.bin; all five"):
        read_cifar10(tmp_path / "b")
    with pytest.raises(DataError, match=r"tar\.gz lacks data_batch_5; "):
        read_cifar10(tmp_path / "c")


def idx(magic: int, *sizes: int, body: bytes) -> bytes:
    return struct.pack(f">{1 + len(sizes)}I", magic, *sizes) + body


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (0, b"", "ubyte is empty"),
        (0, b"<html>not found</html>", "is no IDX file of 3 dimensions"),
        (0, idx(0x801, 20, 28, 28, body=b""), "is no IDX file of 3 dimensions"),
        (0, idx(0xD03, 20, 28, 28, body=b""), "is no IDX file of 3 dimensions"),
        (0, idx(0x803, 20, 28, body=b""), "cut short in its header"),
        (0, idx(0x803, 0, 28, 28, body=b""), "holds 0 x 28 x 28 bytes"),
        (0, idx(0x803, 20, 32, 28, body=bytes(17920)), "holds 20 x 32 x 28 bytes"),
        (0, idx(0x803, 2**32 - 1, 28, 28, body=b"x"), "which is not MNIST"),
        (0, mnist()[MNIST_NAMES[0]][:-1], "cut short: 15679 bytes .* 15680"),
        (0, mnist()[MNIST_NAMES[0]] + b"x", "goes on after the 15680 bytes"),
        (0, gzip.compress(mnist()[MNIST_NAMES[0]])[:-9], "cannot be read"),
        (0, gzip.compress(mnist()[MNIST_NAMES[0]]) + b"x", "cannot be read"),
        (1, idx(0x801, 19, body=bytes(19)), "has 20 images and .* has 19 labels"),
        (1, idx(0x801, 20, body=bytes(19) + b"\x0a"), "label beyond 0 to 9"),
    ],
)
def test_what_is_wrong_with_mnist_is_said(name, content, words, tmp_path):
    folder = write(tmp_path, mnist() | {MNIST_NAMES[name]: content})

    with pytest.raises(DataError, match=words) as refusal:
        read_mnist(folder)
    assert "\n" not in str(refusal.value)
    assert ";" in str(refusal.value)


def test_a_bomb_is_not_unpacked(tmp_path):
    zeros = gzip.compress(bytes(2**20))
    name = MNIST_NAMES[0]
    write(tmp_path, mnist() | {name: gzip.compress(mnist()[name]) + zeros * 1024})
    tracemalloc.start()
    with pytest.raises(DataError, match="goes on after"):
        read_mnist(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2**23


BATCH = pickled()["data_batch_2"]
ARRAY = {b"labels": [1, 2], b"data": np.zeros((2, 3072), np.uint8)}
COLUMNS: Any = {b"data": np.zeros((2, 3072), np.uint8, "F")}
WIDE: Any = {b"data": np.zeros((2, 3072), np.int8)}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("data_batch_2.bin", b"", "is empty"),
        ("data_batch_2.bin", bytes(3072), "3072 bytes, no multiple of 3073"),
        ("data_batch_2.bin", bytes(3073 * 19), "has 19 images and .* has 20; take all"),
        ("data_batch_2.bin", b"\x0a" * 3073 * 20, "label beyond 0 to 9"),
        ("data_batch_2", b"", "is empty"),
        ("data_batch_2", BATCH + b"x", "goes on after its end"),
        ("data_batch_2", python2([1], bytes(3072)), "has 1 images and .* has 20"),
        ("data_batch_2", python2([1], bytes(6144)), "has 2 images and 1 labels"),
        ("data_batch_2", python2([], b""), "has no images"),
        ("data_batch_2", python2([1, 10], bytes(6144)), "label beyond 0 to 9"),
        ("data_batch_2", python2([1], bytes(3071)), "is no batch of CIFAR-10"),
        ("data_batch_2", pickle.dumps([1, 2], 2), "is no batch of CIFAR-10"),
        ("data_batch_2", pickle.dumps({b"labels": []}, 2), "is no batch of CIFAR-10"),
        ("data_batch_2", pickle.dumps(ARRAY | {b"labels": 5}, 2), "no whole numbers"),
        ("data_batch_2", pickle.dumps(ARRAY | {b"labels": [True]}, 2), "no whole numb"),
        ("data_batch_2", pickle.dumps(ARRAY | {b"labels": [0, -1]}, 2), "label beyond"),
        ("data_batch_2", pickle.dumps(ARRAY | {b"data": [0]}, 2), "is no batch of"),
        ("data_batch_2", pickle.dumps(ARRAY | COLUMNS, 2), "is no batch of"),
        ("data_batch_2", pickle.dumps(ARRAY | WIDE, 2), "is no batch of"),
        ("data_batch_2", bytes(2**26 + 1), "larger than any batch"),
    ],
)
def test_what_is_wrong_with_cifar10_is_said(name, content, words, tmp_path):
    batches = binary() if name.endswith(".bin") else pickled()

    with pytest.raises(DataError, match=words):
        read_cifar10(write(tmp_path, batches | {name: content}))


class Hostile:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_hostile_pickle_is_named_and_not_run(protocol, tmp_path):
    mark = tmp_path / "it ran"
    content = pickle.dumps({b"data": Hostile(f"touch '{mark}'")}, protocol)

    with pytest.raises(DataError, match=f"asks for '{os.system.__module__}.system'"):
        read_cifar10(write(tmp_path, pickled() | {"data_batch_1": content}))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x80\x02cbuiltins\neval\nU\x011\x85R.", "asks for 'builtins.eval'"),
        (b"\x80\x02cnumpy\nload\nU\x011\x85R.", "asks for 'numpy.load'"),
        (b"\x80\x02cos\n\x1b[31m\n.", r"asks for 'os.\\x1b\[31m'"),
        (b"\x80\x02}r\xff\xff\xff\xff.", r"LONG_BINPUT at byte 3\)"),
        (b"\x80\x02}" + b")" + b"\x85" * 20000 + b"Ns.", "TUPLE1 at byte 10104"),
        (b"\x80\x02K\x01Q.", "BINPERSID at byte 4"),
        (b"\x80\x02\x82\x01.", "EXT1 at byte 2"),
        (b"\x80\x05\x96" + b"\xff" * 7 + b"\x7f.", "is no batch of CIFAR-10"),
        (b"\x80\x05\x96" + bytes(8) + b".", "BYTEARRAY8 at byte 2"),
        (b"I1\n.", "INT at byte 0"),
    ],
)
def test_a_pickle_does_only_what_batches_do(content, words, tmp_path):
    folder = write(tmp_path, pickled() | {"data_batch_4": content})

    with pytest.raises(DataError, match=words):
        read_cifar10(folder)


def test_members_outside_an_archive_and_others_than_files_do_not_count(tmp_path):
    stray = {f"../{PYTHON}/{NUMBERED[0]}": b"x", f"/{NUMBERED[1]}": b"x"}
    whole = archive(stray | inside(f"./{PYTHON}", pickled()))
    link = tarfile.TarInfo(f"{BINARY}/data_batch_1.bin")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
    rest = dict(list(binary().items())[1:])

    read_cifar10(write(tmp_path / "a", {"cifar-10-python.tar.gz": whole}))
    linked = link.tobuf() + archive(rest, "w")
    with pytest.raises(DataError, match=r"lacks data_batch_1\.bin; "):
        read_cifar10(write(tmp_path / "b", {"cifar-10-binary.tar": linked}))

    outside = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert outside == {"cifar-10-python.tar.gz", "cifar-10-binary.tar"}
