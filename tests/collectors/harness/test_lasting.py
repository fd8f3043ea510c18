"""Burst and sustained rate, on a device that slows down by a clock that only it moves.

What the supervisor sees of clock and power decides as well.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from energy.nvml import CardState
from energy.readings import Reading, Span
from harness import timing
from harness.cells import Cell
from harness.states import State, over_time, unsettled
from harness.supervisor import without_rate
from harness.timing import TIERS, Stretch, burst, is_too_long, settle

from tests.collectors.counting_work import Counting, cell, follow


class Device(Counting):
    """Takes as long for a step as *pace* says of the seconds that it has worked."""

    def __init__(self, pace: Callable[[float], float]) -> None:
        super().__init__()
        self.pace, self.now, self.rested = pace, 0.0, [0.0]

    @property
    def worked(self) -> float:
        return self.now - self.rested[-1]

    def step(self) -> None:
        self.now += self.pace(self.worked)

    def rest(self, seconds: float) -> None:
        self.now += seconds
        self.rested.append(self.now)


def on(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """Let its time be the only one there is."""
    for name in ("monotonic", "perf_counter"):
        monkeypatch.setattr(timing, name, lambda: device.now)
    monkeypatch.setattr(timing, "perf_counter_ns", lambda: round(device.now * 1e9))
    monkeypatch.setattr("harness.worker.time.sleep", device.rest)
    return device


def fading(
    share: float, seconds: float, step: float = 0.01
) -> Callable[[float], float]:
    """Return a pace that goes from full speed to *share* of it, by 1/e in *seconds*."""
    return lambda worked: 0.01 / (share + (1 - share) * math.exp(-worked / seconds))


def figures(
    device: Device, chosen: Cell, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    values, recorder = follow(on(device, monkeypatch), chosen, replicate=1)
    return values, recorder.checks["said"]


@pytest.mark.parametrize("tier", ["standard", "reference"])
def test_a_device_that_throttles_keeps_seven_tenths_of_its_burst(tier, monkeypatch):
    values, groups = figures(Device(fading(0.7, 15)), cell(tier), monkeypatch)

    # Two seconds of a pace that fades within fifteen are 2 % below the very first step.
    assert values["burst_samples_per_second"]["value"] == pytest.approx(400, rel=0.03)
    sustained = values["sustained_samples_per_second"]["value"]
    assert sustained == pytest.approx(0.7 * 400, rel=0.02)
    assert values["sustained_percent"]["value"] == pytest.approx(71.5, abs=1.5)
    blocks = [line for line in groups if line["type"] == "samples"]
    seconds = sum(sum(block["values"]) for block in blocks if block["phase"] == "burst")
    assert 2 <= seconds < 2.7


def test_a_device_that_keeps_its_speed_takes_no_longer_than_it_must(monkeypatch):
    device = Device(lambda _: 0.01)

    values, groups = figures(device, cell("standard"), monkeypatch)

    assert values["sustained_percent"]["value"] == pytest.approx(100, abs=0.01)
    assert "settle" in {
        line.get("phase") for line in groups if line["type"] == "samples"
    }
    # Of the clock: warm-up and calibration, rest, stretch; the rest is gates.
    edges = {(it["phase"], it["begin"]): it["at_ns"] for it in groups if "at_ns" in it}
    assert ("rest", True) in edges
    assert TIERS["standard"].least_seconds(lasting=True) == 2 + 5 + 30 + 32


def test_a_rate_that_never_settles_is_no_sustained_rate(monkeypatch):
    # Slower by 1 % with each five seconds, for ever.
    device = Device(lambda worked: 0.01 * 1.01 ** (worked / 5))

    values, _ = figures(device, cell("standard"), monkeypatch)

    assert values["burst_samples_per_second"]["value"] == pytest.approx(400, rel=0.02)
    for metric in ("sustained_samples_per_second", "sustained_percent"):
        assert "value" not in values[metric]
        assert "did not settle in 18" in values[metric]["reason"]
        assert "changed by +4.2 % within the last 31 s" in values[metric]["reason"]
    assert values["samples_per_second"]["value"] > 0


def test_a_late_fall_is_not_averaged_with_what_was_before(monkeypatch):
    device = Device(lambda worked: 0.01 if worked < 25 else 0.02)

    values, _ = figures(device, cell("standard"), monkeypatch)

    assert values["sustained_percent"]["value"] == pytest.approx(50, abs=0.1)


@pytest.mark.parametrize("tier", ["smoke", "quick"])
def test_lower_tiers_neither_rest_nor_tell_how_long_a_speed_lasts(tier, monkeypatch):
    device = Device(lambda _: 0.01)

    values, groups = figures(device, cell(tier), monkeypatch)

    assert len(device.rested) == (1 if tier == "smoke" else 2)  # the idle 2 s of quick
    assert not {name for name in values if name.startswith(("burst", "sustained"))}
    assert "burst" not in {line.get("phase") for line in groups}


def test_a_step_longer_than_the_burst_shows_none(monkeypatch):
    values, _ = figures(Device(lambda _: 9.0), cell("standard"), monkeypatch)

    why = values["burst_samples_per_second"]["reason"]
    assert why == "a block takes 9 s: its first 2 s are part of one step"
    assert values["sustained_samples_per_second"]["value"] == pytest.approx(4 / 9)
    assert values["sustained_percent"]["reason"] == why
    assert is_too_long(4.0) is None


def test_blocks_that_scatter_beside_other_work_settle_nothing(monkeypatch):
    """Every other step takes half as long again: no drift, no shift, no rate either."""
    turns = cycle((0.55, 0.83))

    values, _ = figures(Device(lambda _: next(turns)), cell("standard"), monkeypatch)

    why = values["sustained_percent"]["reason"]
    assert "the median of the last 3" in why
    assert "% only" in why


def test_a_burst_that_a_busy_machine_drew_out_is_none(monkeypatch):
    device = Device(lambda _: 15.0 if len(device.rested) > 2 else 0.01)

    values, _ = figures(device, cell("standard"), monkeypatch)

    assert "a block takes" in values["burst_samples_per_second"]["reason"]


def test_the_headline_is_of_the_same_blocks_with_and_without_a_burst(monkeypatch):
    """The same work lies before them: burst and second warm-up take five seconds."""
    device = Device(lambda worked: 0.01 if worked < 4.9 else 0.02)

    values, _ = figures(device, cell("standard"), monkeypatch)

    assert values["step_seconds"]["value"] == pytest.approx(0.02)


def test_few_long_blocks_settle_nothing(monkeypatch):
    work = on(Device(lambda _: 50.0), monkeypatch)

    number = settle(work, TIERS["standard"], 1, Stretch(lambda *_: None))

    assert number == "it did not settle in 200 s: fewer than 6 blocks"


def test_a_burst_is_two_seconds_of_blocks(monkeypatch):
    work, stretch = on(Device(lambda _: 0.1), monkeypatch), Stretch(lambda *_: None)

    burst(work, 6, stretch)

    assert stretch.seconds == pytest.approx([0.6] * 4)


def test_what_has_settled_is_looked_for_behind_the_burst():
    stretch, work = Stretch(lambda *_: None), Device(lambda _: 0.1)
    with pytest.MonkeyPatch.context() as patch:
        on(work, patch)
        burst(work, 6, stretch)
        since = settle(work, TIERS["standard"], 6, stretch)

    assert isinstance(since, int)
    assert since >= stretch.burst_blocks == 4
    assert work.now == pytest.approx(2.4 + 30, abs=0.7)


def seen(clock: Callable[[int], int]) -> list[State]:
    """A look each second for a minute."""
    held = CardState(reasons=0x4)
    return [State(float(n), clock_mhz=clock(n), card=held) for n in range(61)]


def readings(watts: Callable[[int], float]) -> list[Reading]:
    joules = [0.0]
    for n in range(60):
        joules.append(joules[-1] + watts(n))
    return [Reading(float(n), {"gpu": total}) for n, total in enumerate(joules)]


@pytest.mark.parametrize(
    ("clock", "watts", "why"),
    [
        (lambda _: 1500, lambda _: 700.0, None),
        (lambda n: 1500 + n % 2 * 30, lambda n: 690.0 + n % 2 * 20, None),
        (
            lambda n: 1900 - 5 * n,
            lambda _: 700.0,
            "its clock went from 1825 to 1725 MHz within the last 30 s",
        ),
        (
            lambda _: 1500,
            lambda n: 700.0 - 2 * n,
            "its power went from 671.0 to 631.0 W within the last 30 s",
        ),
    ],
)
def test_clock_and_power_have_to_settle_as_well(clock, watts, why):
    assert unsettled(seen(clock), readings(watts), Span(10.0, 40.0)) == why


def test_what_cannot_be_seen_speaks_against_nothing():
    assert unsettled([], [], Span(0.0, 30.0)) is None


def test_a_rate_under_a_changing_clock_is_taken_back_and_nothing_else():
    rate = {"metric": "sustained_teraflops", "value": 650.0}
    none = {"metric": "sustained_percent", "reason": "it did not settle"}
    other = {"metric": "burst_teraflops", "value": 750.0}

    groups = [without_rate(items, "its clock went") for items in (rate, none, other)]

    assert groups[0] == {"metric": "sustained_teraflops", "reason": "its clock went"}
    assert groups[1:] == [none, other]


def test_clock_power_and_heat_are_told_over_time():
    states = seen(lambda n: 1980 if n < 10 else 1500)
    states = [replace(it, celsius=40 + it.at) for it in states]

    result = over_time(states, readings(lambda n: 700.0), Span(0.0, 30.0))

    assert result["every_seconds"] == 1
    assert result["clock_mhz"][:2] == [1980, 1980]
    assert result["clock_mhz"][-1] == 1500
    assert result["power_watts"] == [700.0] * 30
    assert result["temperature_celsius"][-1] == 70
    assert result["held_back"] == [[0, "sw_power_cap"]]


def test_a_long_stretch_is_told_in_sixty_places():
    result = over_time(seen(lambda _: 1500), [], Span(0.0, 240.0))

    assert (result["every_seconds"], len(result["clock_mhz"])) == (4, 60)
    assert result["clock_mhz"][-1] is None
    assert "power_watts" not in result
