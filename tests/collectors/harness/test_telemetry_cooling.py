"""Waiting for a GPU to be as cool as before: not longer than needed, nor for ever."""

import os
from pathlib import Path

import pytest
from harness.telemetry import cool_down, temperature

from tests.collectors import nvml

MACS = Path(__file__).parents[2] / "fakes" / "macos"


class Clock:
    """A clock that moves only when somebody waits."""

    def __init__(self):
        self.now = 1000.0

    def wait(self, seconds):
        self.now += seconds

    def read(self):
        return self.now


def cooled(until, limit=60, **how):
    clock = Clock()
    return cool_down("cuda", until, limit, pause=clock.wait, clock=clock.read, **how)


@pytest.mark.parametrize(
    ("celsius", "limit", "seconds", "ends"),
    [
        ([0, 70, 60, 50, 43, 40], 60, 3.0, (70, 43)),  # three degrees above the mark
        ([0, 42], 60, 0.0, (42, 42)),  # cool already
        ([70], 2.5, 2.5, (70, 70)),  # the limit ends the wait
    ],
)
def test_it_waits_until_it_is_nearly_as_cool_and_not_for_ever(
    monkeypatch, celsius, limit, seconds, ends
):
    nvml.installed(monkeypatch, celsius=celsius)

    result = cooled(40, limit=limit)

    assert result is not None
    assert result["seconds"] == seconds
    assert (result["from_celsius"], result["to_celsius"]) == ends


def test_who_is_told_to_stop_stops_waiting(monkeypatch):
    nvml.installed(monkeypatch, celsius=[70])
    answers = iter([False, True])

    assert cooled(40, stopped=answers.__next__) == {
        "seconds": 1.0,
        "from_celsius": 70,
        "to_celsius": 70,
    }


def test_where_no_temperature_can_be_read_nobody_waits(monkeypatch):
    nvml.absent(monkeypatch)
    clock = Clock()

    assert cooled(40) is None
    assert cool_down("cpu", 40, 60, pause=clock.wait, clock=clock.read) is None
    assert clock.now == 1000.0


def test_the_session_with_the_driver_is_ended(monkeypatch):
    fake = nvml.installed(monkeypatch, celsius=[55])

    assert temperature("cuda") == 55
    assert fake.asked["nvmlInit"] == fake.asked["nvmlShutdown"] == 1


@pytest.mark.parametrize(("device", "celsius"), [("metal", 48.25), ("cpu", 61.5)])
def test_a_mac_with_macmon_has_temperatures(monkeypatch, device, celsius):
    monkeypatch.setenv("PATH", f"{MACS / 'commands'}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_MAC", str(MACS / "hosts" / "m1_max"))
    monkeypatch.setenv("BENCHDB_PLATFORM", "darwin")

    assert temperature(device) == celsius


def test_a_mac_without_macmon_has_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("BENCHDB_PLATFORM", "darwin")

    assert temperature("metal") is None
