"""Looking at the machine costs little, however slow its driver is."""

import time
from itertools import pairwise

import pytest
from harness.telemetry import Telemetry, pause

from tests.collectors import nvml
from tests.collectors.nvml import wait_until


@pytest.mark.parametrize(
    ("cost", "seconds"), [(0.00002, 0.1), (0.0006, 0.2), (0.0015, 0.5), (1.0, 1.0)]
)
def test_a_look_that_costs_more_is_made_up_for_by_a_longer_pause(cost, seconds):
    assert pause(cost, 0.1, 1.0) == pytest.approx(seconds)


def busy(seconds):
    """Return what takes a processor for so long, and sees no process."""

    def listed(handle):
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass
        return []

    return listed


def test_a_driver_that_takes_long_to_list_processes_is_asked_less_often(monkeypatch):
    fake = nvml.installed(monkeypatch)
    monkeypatch.setattr(fake, "nvmlDeviceGetComputeRunningProcesses", busy(0.006))
    telemetry = Telemetry("cuda")
    telemetry.start()
    telemetry.phase("measure", begin=True, at_ns=time.monotonic_ns())

    wait_until(lambda: len(slow_looks(telemetry)) >= 3)
    telemetry.phase("measure", begin=False, at_ns=time.monotonic_ns(), samples=1)
    telemetry.stop()

    # The first is made where the phase begins; what it cost does not count yet.
    _, second, third = slow_looks(telemetry)[:3]
    assert third - second > 1.9
    between = [s.at for s in telemetry._states if second < s.at < third]
    assert len(between) > 5
    # Power that is sampled must not be missed meanwhile.
    read = [reading.at for reading in telemetry._readings]
    assert max(later - sooner for sooner, later in pairwise(read)) < 1.5


def slow_looks(telemetry):
    return [s.at for s in telemetry._states if s.card.celsius is not None]
