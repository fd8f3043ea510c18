"""The published interval holds the truth as often as it says: simulated campaigns.

A block takes ``process × (noise + delay)``: every process is a little fast or slow all
along, blocks of one process resemble their neighbours, and now and then something
delays one. What a campaign estimates is the centre of all processes that could have
run: the exponential of the mean log of their median blocks. Process effects are
lognormal around 1, so the centre is that of noise and delays alone, and a large
simulation without process effects gives it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from benchdb.statistics.comparison import Estimate, estimate, ratio

BLOCKS = (20, 50, 80, 120)
BETWEEN = (0.001, 0.005)  # the spread of processes, drawn anew for every campaign
WITHIN = 0.005  # the spread of blocks inside a process
RESEMBLANCE = 0.7  # of a block to the one before
DELAYED = 0.03  # share of blocks
DELAY = 0.05  # on average, relative to a block
LARGE = 20_000
CLAIMED = (0.94, 0.97)


@dataclass(frozen=True)
class Campaign:
    """The blocks of each process, [process, block]."""

    blocks: Any

    @property
    def processes(self) -> list[float]:
        """Return one value a process, as a collector stores it."""
        values: list[float] = np.median(self.blocks, axis=1).tolist()
        return values


def noise_and_delay(random: Any, shape: tuple[int, ...]) -> Any:
    """Return relative block times along the last axis of *shape*."""
    innovation = random.normal(0, WITHIN * (1 - RESEMBLANCE**2) ** 0.5, shape)
    noise = np.empty(shape)
    noise[..., 0] = random.normal(0, WITHIN, shape[:-1])
    for block in range(1, shape[-1]):
        before = RESEMBLANCE * noise[..., block - 1]
        noise[..., block] = before + innovation[..., block]
    delay = random.exponential(DELAY, shape) * (random.random(shape) < DELAYED)
    return np.exp(noise) + delay


def campaigns(seed: int, processes: int, blocks: int, count: int) -> Iterator[Campaign]:
    random = np.random.default_rng(seed)
    between = random.uniform(*BETWEEN, (count, 1, 1))
    effects = np.exp(between * random.standard_normal((count, processes, 1)))
    yield from map(
        Campaign, effects * noise_and_delay(random, (count, processes, blocks))
    )


def centre(seed: int, blocks: int) -> float:
    """Return what the median block of a process is on the whole."""
    random = np.random.default_rng(seed)
    medians = np.median(noise_and_delay(random, (LARGE, blocks)), axis=1)
    return float(np.exp(np.log(medians).mean()))


def centre_of_blocks(seed: int) -> float:
    """Return what a block is on the whole, whatever its process."""
    blocks = noise_and_delay(np.random.default_rng(seed), (LARGE, max(BLOCKS)))
    return float(np.exp(np.log(blocks).mean()))


def holds(result: Estimate, truth: float) -> bool:
    assert result.low is not None
    assert result.high is not None
    return result.low <= truth <= result.high


def share(held: list[bool]) -> float:
    return sum(held) / len(held)


@pytest.mark.parametrize("processes", [3, 5, 10])
def test_the_interval_of_a_machine_holds_the_truth_in_95_of_100_campaigns(processes):
    held = [
        holds(estimate(campaign.processes), truth)
        for blocks in BLOCKS
        for truth in [centre(seed=blocks, blocks=blocks)]
        for campaign in campaigns(1000 * processes + blocks, processes, blocks, 2500)
    ]

    assert len(held) == 10_000
    assert CLAIMED[0] <= share(held) <= CLAIMED[1]


def test_the_interval_of_a_ratio_holds_the_truth_in_95_of_100_campaigns():
    sizes = (
        ((5, 20), (5, 120)),
        ((3, 50), (5, 50)),
        ((3, 80), (3, 20)),
        ((10, 20), (5, 80)),
    )
    held = []
    for (k_one, n_one), (k_two, n_two) in sizes:
        truth = centre(n_one, n_one) / centre(n_two, n_two)
        pairs = zip(
            campaigns(n_one + 7, k_one, n_one, 500),
            campaigns(n_two + 8, k_two, n_two, 500),
            strict=True,
        )
        held += [
            holds(ratio([(campaign.processes, two.processes)]), truth)
            for campaign, two in pairs
        ]

    assert len(held) == 2000
    assert share(held) >= CLAIMED[0]  # conservative where the sides are unlike


@pytest.mark.parametrize(("blocks", "at_most"), [(20, 0.8), (120, 0.6)])
def test_pooled_blocks_would_have_claimed_far_too_much(blocks, at_most):
    """Why processes are the unit: over blocks, the same formula is mostly wrong.

    More blocks make it worse: they narrow the interval, not the spread of processes.
    """
    truth = centre_of_blocks(seed=1)
    pooled = [
        estimate(campaign.blocks.ravel().tolist())
        for campaign in campaigns(5000 + blocks, 5, blocks, 500)
    ]

    held = [holds(item, truth) for item in pooled]

    assert share(held) < at_most
