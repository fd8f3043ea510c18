"""Batches for a network: which images, how large, in which order of dimensions."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from training_data.batches import batches, resized
from training_data.files import DataError, Images

RANDOM = np.random.default_rng(3)


def images(count, side=4, channels=1):
    """Return images all of whose pixels are their own number, as is their label."""
    numbers = np.arange(count, dtype=np.uint8)
    shape = (count, side, side, channels)
    pixels = np.broadcast_to(numbers[:, None, None, None], shape)
    return Images("numbers", pixels, numbers.astype(np.int64) % 10, "", ())


def made(of, **changes):
    choices = {"batch_size": 4, "side": 4, "channels": 1, "count": 5, "seed": 0}
    return batches(of, **choices | changes)


def numbers(batch):
    return np.rint(batch[0][:, 0, 0, 0] * 255).astype(int).tolist()


def every(result):
    return [number for batch in result for number in numbers(batch)]


@pytest.mark.parametrize("side", [1, 7, 28, 31, 32, 33, 64, 96, 224])
@pytest.mark.parametrize(("height", "width"), [(28, 28), (32, 32), (5, 9)])
def test_images_are_resized_as_pytorch_does_it(side, height, width):
    planes = RANDOM.random((3, 2, height, width), np.float32)

    expected = torch.nn.functional.interpolate(
        torch.from_numpy(planes), (side, side), mode="bilinear", align_corners=False
    )

    assert np.abs(resized(planes, side) - expected.numpy()).max() < 1e-5


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_resizing_stays_between_the_darkest_and_the_brightest(size, side, seed):
    planes = np.random.default_rng(seed).random((1, 1, size, size), np.float32)

    larger = resized(planes, side)

    assert larger.shape == (1, 1, side, side)
    assert larger.dtype == np.float32
    assert larger.min() >= planes.min() - 1e-6
    assert larger.max() <= min(1, planes.max() + 1e-6)


def test_white_stays_white():
    white: Any = np.ones((1, 1, 28, 32), np.float32)

    result = [resized(white, side) for side in range(1, 150)]

    assert {float(image.max()) for image in result} == {1.0}
    assert min(float(image.min()) for image in result) > 1 - 1e-6


def test_an_image_of_the_right_size_stays_as_it_is():
    pixels = RANDOM.integers(0, 256, (6, 28, 28, 1), np.uint8)
    of = Images("mnist", pixels, np.arange(6), "", ())

    ((inputs, labels),) = made(of, side=28, batch_size=6, count=1)

    expected = pixels[labels].astype(np.float32) / 255
    assert np.array_equal(inputs, expected)


def test_no_image_comes_twice_and_each_keeps_its_label():
    result = made(images(20))

    assert sorted(every(result)) == list(range(20))
    for batch in result:
        assert [number % 10 for number in numbers(batch)] == batch[1].tolist()


def test_the_seed_decides_which_images_come():
    of = images(100)

    order = [every(made(of, seed=seed)) for seed in (0, 0, 1)]

    assert order[0] == order[1] != order[2]
    assert order[0] != sorted(order[0])


def test_a_framework_gets_what_it_can_take_without_a_copy():
    for inputs, labels in made(images(20), channels=3):
        assert (inputs.dtype, labels.dtype) == (np.float32, np.int64)
        assert inputs.flags.c_contiguous
        assert inputs.flags.writeable
        assert 0 <= inputs.min() <= inputs.max() <= 1


def test_grey_is_repeated_and_colours_are_kept():
    colours = RANDOM.integers(0, 256, (1, 4, 4, 3), np.uint8)
    of = Images("cifar10", colours, np.zeros(1, np.int64), "", ())

    grey = made(images(20), channels=3)[0][0]
    kept = made(of, channels=3, batch_size=1, count=1)[0][0]

    assert np.array_equal(grey[..., 0], grey[..., 1])
    assert np.array_equal(grey[..., 0], grey[..., 2])
    assert np.array_equal(np.rint(kept * 255), colours)


@pytest.mark.parametrize("channels", [1, 2, 4, 6])
def test_colours_are_not_given_up(channels):
    with pytest.raises(DataError, match=f"has 3 channels and {channels} are wanted"):
        made(images(20, channels=3), channels=channels)


def test_too_few_images_are_refused():
    with pytest.raises(DataError, match="20 usable images, too few for 6 batches of 4"):
        made(images(20), count=6)


def test_a_network_of_fewer_classes_sees_no_others():
    result = made(images(20), classes=8, count=4)

    assert sorted(every(result)) == [*range(8), *range(10, 18)]
    with pytest.raises(DataError, match="has 16 usable images"):
        made(images(20), classes=8)


def test_only_the_chosen_images_are_converted():
    pixels: Any = np.zeros((20_000, 32, 32, 3), np.uint8)
    of = Images("cifar10", pixels, np.zeros(20_000, np.int64), "", ())
    tracemalloc.start()
    made(of, channels=3, side=32, count=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < pixels.nbytes / 20
