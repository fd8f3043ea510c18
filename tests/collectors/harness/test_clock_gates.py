"""The gates that look at the clock are measured again before they fail a run."""

from typing import Any

import pytest
from harness import timing
from harness.gates import _MORE_PROBES, _MORE_TIMES
from harness.timing import TIERS, Tier

from tests.collectors.counting_work import Counting, cell, follow

SHORT = Tier(1, 1, 0, 1, 5, 0, 1, block_seconds=0.001, idle_seconds=0)


class Clocked(Counting):
    """Each double block takes what comes next in *ratios*, each probe in *probes*."""

    def __init__(self, ratios: list[float], probes: list[float]) -> None:
        super().__init__()
        self.ratios, self.probes, self.pairs = iter(ratios), iter(probes), 0

    def wait_probe(self) -> tuple[float, float]:
        return next(self.probes), 1.0

    def doubled(self, *_: Any) -> list[tuple[float, float]]:
        return [(1.0, next(self.ratios)) for _ in range(6)]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch):
    """Return what a run says of both gates whose clock shows these ratios."""
    monkeypatch.setitem(TIERS, "standard", SHORT)

    def gates(ratios: list[float], probes: list[float]) -> dict[str, Any]:
        work = Clocked(ratios, probes)
        monkeypatch.setattr("harness.gates.doubled", work.doubled)
        _, recorder = follow(work, cell("standard"))
        assert list(work.ratios) == list(work.probes) == []
        return {name: recorder.gates.verdicts()[name] for name in NAMES}

    return gates


NAMES = ("doubling", "synchronisation")


def status(gates: dict[str, Any]) -> list[str]:
    return [gates[name]["status"] for name in NAMES]


def test_on_a_quiet_machine_nothing_is_measured_again(judged):
    gates = judged([2.0] * 6, [0.1])

    assert status(gates) == ["passed", "passed"]
    assert (gates["doubling"]["pairs"], gates["synchronisation"]["probes"]) == (6, 1)


def test_what_was_off_in_passing_is_measured_again_and_passes(judged):
    gates = judged([2.6] * 6 + [2.0] * 6 * _MORE_TIMES, [0.9] + [0.1] * _MORE_PROBES)

    assert status(gates) == ["passed", "passed"]
    assert gates["doubling"]["pairs"] == 24


def test_a_clock_that_does_not_wait_fails_all_the_same(judged):
    gates = judged([1.52] * 24, [0.9] * 5)

    assert status(gates) == ["failed", "failed"]


def test_times_that_scatter_are_no_failure_and_no_pass(judged):
    # As they were on two cores at a load of ten.
    busy = [5.4, 2.9, 2.3, 9.3, 1.8, 1.3, 3.6, 11.9, 3.7, 2.4, 1.6, 1.3]

    doubling = judged(busy * 2, [0.1])["doubling"]

    assert doubling["status"] == "not-checked"
    assert "scatter too much to tell: the median of 24 ratios" in doubling["why"]


def test_the_blocks_of_a_pair_take_turns_to_be_first():
    work = Counting()

    timing.doubled(work, 1, 0.5)

    single, double = ["sync", "step", "sync"], ["sync", "step", "step", "sync"]
    assert work.asked == 3 * (single + double + double + single)


@pytest.mark.parametrize(
    ("reading", "verdict"),
    [([(1.0, 1.02)], "passed"), ([(0.1, 1.0)] * 5, "failed")],
    ids=["done when it was waited for", "still to be computed"],
)
def test_a_device_that_is_never_behind_has_its_result_when_it_was_waited_for(
    reading, verdict
):
    class Read(Counting):
        def read_probe(self):
            return reading.pop()

    _, recorded = follow(Read(), cell())

    assert recorded.gates.verdicts()["synchronisation"]["status"] == verdict
    assert not reading
