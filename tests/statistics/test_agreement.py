"""What counts as confirmed: near, not surely different, by evidence that can tell."""

import math
import random
from collections import Counter

import pytest

from benchdb.statistics.agreement import TOLERANCE, agreement
from benchdb.statistics.comparison import Sample, Spread

# As schema/spreads.json has them: of a processor, and of long steps on an accelerator.
CPU, LONG = Spread(0.081, 0.043), Spread(0.003, 0.008)
UNKNOWN = Spread()


def side(*values: float, spread: Spread = LONG) -> Sample:
    return Sample((values,), spread)


@pytest.mark.parametrize(
    ("again", "spread", "expected"),
    [
        ((1.0, 1.002, 0.998), LONG, "reproduced"),
        ((0.985, 0.986, 0.984), LONG, "reproduced"),
        # Little, and surely there.
        ((0.95, 0.951, 0.949), LONG, "differs"),
        ((1.07, 1.06, 1.08), CPU, "reproduced"),
        # As much as chance may do to a processor, and more than confirms anything.
        ((1.14, 1.13, 1.15), CPU, "unclear"),
        ((3.0, 3.1, 2.9), CPU, "differs"),
        # Equal, by processes that would be equal to anything.
        ((0.6, 1.0, 1.66), CPU, "unclear"),
        ((1.0, 1.001, 0.999), UNKNOWN, "unclear"),
        ((1.01,), LONG, "reproduced"),
    ],
)
def test_a_figure_is_confirmed_by_one_that_is_near_and_could_have_differed(
    again, spread, expected
):
    first = side(0.999, 1.0, 1.001, spread=spread)

    text, value = agreement((side(*again, spread=spread), first))

    ratio = math.prod(again) ** (1 / len(again))
    assert text == expected
    assert value == pytest.approx(max(ratio, 1 / ratio) - 1, abs=1e-6)
    assert text != "reproduced" or value <= TOLERANCE


def shares(change: float, spread: Spread, within: float) -> dict[str, float]:
    """Return how often each word comes of three processes against three."""
    chance = random.Random(27)  # noqa: S311 - no secret
    words = Counter[str]()
    for _ in range(1000):
        sides = []
        for factor in (1.0, change):
            session = math.log(factor) + chance.gauss(0, spread.session or 0)
            values = (math.exp(session + chance.gauss(0, within)) for _ in range(3))
            sides.append(side(*values, spread=spread))
        words[agreement((sides[1], sides[0]))[0]] += 1
    return {word: count / 10 for word, count in words.items()}


@pytest.mark.parametrize(
    ("spread", "within", "change", "word", "least", "most"),
    [
        # What docs/statistics.md says of an unchanged machine …
        (LONG, 0.003, 1.0, "reproduced", 98, 100),
        (CPU, 0.03, 1.0, "reproduced", 75, 95),
        (CPU, 0.03, 1.0, "differs", 0, 2),
        # … and of a changed one.
        (LONG, 0.003, 0.9, "differs", 99, 100),
        (CPU, 0.03, 0.5, "differs", 98, 100),
        (CPU, 0.03, 0.75, "reproduced", 0, 2),
        (CPU, 0.03, 0.85, "reproduced", 0, 25),
    ],
)
def test_the_page_says_how_often_each_word_comes(
    spread, within, change, word, least, most
):
    assert least <= shares(change, spread, within).get(word, 0) <= most
