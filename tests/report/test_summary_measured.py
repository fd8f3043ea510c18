"""The page of what collectors measured: this machine, unlike conditions, failures."""

import random
from itertools import product

import pytest

from tests.store_factory import Machine, Run
from tests.summary_page import (
    RATE,
    WALL,
    measured,
    page,
    three_published,
)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_storing_does_not_show(tmp_path, seed):
    runs = [*three_published(), *measured([{RATE: 10.0}, {RATE: 11.0}], "metal")]
    runs += [
        Run("resnet50", device, Machine("M3"), values={WALL: 70.0}, flags=[flag])
        for device, flag in product(("cpu", "metal"), [("outlier", WALL)])
    ]
    shuffled = random.Random(seed).sample(runs, len(runs))  # noqa: S311 (no secret)
    (tmp_path / "other").mkdir()

    report = page(tmp_path, runs, here="me")
    other = page(tmp_path / "other", shuffled, here="me")

    assert report == other
