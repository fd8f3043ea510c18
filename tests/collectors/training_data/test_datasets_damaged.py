"""Files that broke on their way, or were made to break their reader."""

import gzip
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training_data.batches import READERS
from training_data.cifar10 import read_cifar10
from training_data.files import DataError

from tests.collectors.dataset_files import (
    archive,
    binary,
    mnist,
    packed,
    pickled,
    write,
)

DAMAGED = {
    "mnist, plain": mnist(),
    "mnist, packed": packed(mnist()),
    "cifar10, binary": binary(),
    "cifar10, python": pickled(),
    "cifar10, binary archive": {"cifar-10-binary.tar.gz": archive(binary())},
    "cifar10, python archive": {"cifar-10-python.tar.gz": archive(pickled())},
}
BY_NAME = [(kind, file) for kind, files in DAMAGED.items() for file in files]


def read_files(kind: str, files: dict[str, bytes]):
    with TemporaryDirectory() as folder:
        return READERS[kind.partition(",")[0]](write(Path(folder), files))


@settings(deadline=None)
@given(st.sampled_from(BY_NAME), st.data())
def test_a_file_that_ends_early_is_refused(which, draw):
    kind, name = which
    files = DAMAGED[kind]
    length = draw.draw(st.integers(0, len(files[name]) - 1))

    with pytest.raises(DataError) as refusal:
        read_files(kind, files | {name: files[name][:length]})
    assert "\n" not in str(refusal.value)


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from([*BY_NAME, ("cifar10, archive", "cifar-10-python.tar")]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8),
)
def test_a_damaged_file_is_refused_or_still_whole(which, changes):
    kind, name = which
    files = DAMAGED.get(kind) or {name: archive(pickled(), "w")}
    content = bytearray(files[name])
    for place, value in changes:
        # Mostly near the beginning: what follows are pixels.
        content[int((len(content) - 1) * place**6)] = value

    try:
        images = read_files(kind, files | {name: bytes(content)})
    except DataError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017 - whichever of the two it is
    else:
        assert len(images.pixels) == len(images.labels) > 0
        assert images.labels.max() < 10


def test_an_archive_that_only_begins_like_gzip_is_refused():
    with pytest.raises(DataError, match="cannot be read"):
        read_files("cifar10, archive", {"cifar-10-python.tar.gz": b"\x1f\x8b not gzip"})


def test_an_archive_that_unpacks_to_too_much_is_left(tmp_path):
    big = tarfile.TarInfo("big")
    big.size = 2**29
    zeros = gzip.compress(bytes(2**20))
    bomb = gzip.compress(big.tobuf()) + zeros * 512 + gzip.compress(archive({}, "w"))

    with pytest.raises(DataError, match="unpacks to far too much"):
        read_cifar10(write(tmp_path, {"cifar-10-binary.tar.gz": bomb}))


def test_an_archive_is_read_to_its_checksum(tmp_path):
    packed_archive = gzip.compress(archive(binary(), "w") + bytes(2**20))

    with pytest.raises(DataError, match="cannot be read"):
        read_files("cifar10, archive", {"cifar-10-binary.tar.gz": packed_archive[:-1]})


def test_an_archive_of_many_files_or_of_one_twice_is_left(tmp_path):
    many = archive({f"{number}": b"" for number in range(101)} | binary())
    twice = archive({f"a/{name}": text for name, text in binary().items()} | binary())

    for name, content, words in (("a", many, "too many"), ("b", twice, r"bin twice")):
        folder = write(tmp_path / name, {"cifar-10-binary.tar.gz": content})
        with pytest.raises(DataError, match=words):
            read_cifar10(folder)
