"""The machine watched from outside, by a thread, while something measures."""

import os
import threading
import time

import pytest
from energy import readings
from harness import telemetry as watching
from harness.telemetry import Telemetry

from tests.collectors import nvml
from tests.collectors.nvml import wait_until


@pytest.fixture
def quick(monkeypatch):
    """Let a figure be of a moment, so that no test takes ten seconds."""
    monkeypatch.setattr(readings, "MEASURE_SECONDS", 0.05)
    monkeypatch.setattr(readings, "IDLE_SECONDS", 0.05)


@pytest.fixture(autouse=True)
def _no_thread_is_left(monkeypatch):
    """Look at all things often, so that no test waits for seconds."""
    monkeypatch.setattr(watching, "_OFTEN", 0.02)
    monkeypatch.setattr(watching, "_SELDOM", 0.05)
    before = threading.active_count()
    yield
    assert threading.active_count() <= before


def mark(telemetry, name, *, begin, samples=None):
    at_ns = time.monotonic_ns()
    telemetry.phase(name, begin=begin, at_ns=at_ns, samples=samples)


def wait_for_looks(fake, count):
    aim = fake.asked["nvmlDeviceGetTotalEnergyConsumption"] + count
    wait_until(lambda: fake.asked["nvmlDeviceGetTotalEnergyConsumption"] > aim)


def watched(fake, *names, samples=None):
    """Go through phases, each until the card was looked at a few times."""
    telemetry = Telemetry("cuda")
    telemetry.start()
    for name in names:
        mark(telemetry, name, begin=True)
        wait_for_looks(fake, 3)
        mark(telemetry, name, begin=False, samples=samples)
    return telemetry.stop()


def by_metric(seen):
    return {
        value["metric"]: value.get("value", value.get("reason"))
        for value in seen.values
    }


@pytest.mark.usefixtures("quick")
def test_a_card_gives_energy_power_and_samples_for_it(monkeypatch):
    # On a busy machine a reading may be late by some hundredths of a second.
    monkeypatch.setattr(watching, "_SELDOM", 0.3)
    fake = nvml.installed(monkeypatch)

    seen = watched(fake, "idle", "measure", samples=5000)

    result, about = by_metric(seen), seen.checks["energy"]
    joules = result["energy_joules"]
    assert result["mean_power_watts"] == pytest.approx(250, rel=0.25)
    assert result["idle_power_watts"] == pytest.approx(250, rel=0.25)
    assert result["samples_per_joule"] == pytest.approx(5000 / joules, rel=1e-4)
    assert (about["source"], about["scope"]) == ("nvml_energy", "board")
    assert about["domains"]["gpu"] == joules
    assert joules == pytest.approx(250 * about["window_seconds"], rel=0.25)


@pytest.mark.usefixtures("quick")
def test_a_card_is_described_while_it_measures(monkeypatch):
    fake = nvml.installed(monkeypatch, celsius=[45, 63, 61])

    during = watched(fake, "measure").checks["during"]

    assert during["samples"] >= 3
    assert during["sm_clock_mhz_median"] == 1500
    assert during["temperature_celsius_max"] == 63
    assert during["temperature_celsius_end"] == 61
    assert (during["throttled_fraction"], during["power_capped_fraction"]) == (0, 1)
    assert during["throttle_reasons"] == "sw_power_cap"
    assert during["gpu_utilisation_percent_median"] == 97


def test_what_was_seen_lasts_in_the_conditions(monkeypatch):
    fake = nvml.installed(monkeypatch, celsius=[71])

    assert watched(fake, "measure").conditions == {"temperature_celsius_max": 71}


def test_a_window_that_is_too_short_has_no_figure(monkeypatch):
    fake = nvml.installed(monkeypatch)

    seen = watched(fake, "measure", samples=10)

    assert "needs at least 10 s" in by_metric(seen)["energy_joules"]
    assert "energy" not in seen.checks
    assert seen.checks["during"]["samples"] > 0


@pytest.mark.usefixtures("quick")
def test_a_worker_that_dies_in_the_middle_leaves_reasons(monkeypatch):
    fake = nvml.installed(monkeypatch)
    telemetry = Telemetry("cuda")
    telemetry.start()

    mark(telemetry, "measure", begin=True)
    wait_until(lambda: fake.asked["nvmlDeviceGetClockInfo"] > 2)
    seen = telemetry.stop()

    assert by_metric(seen)["energy_joules"] == (
        "the phase measure did not come to its end"
    )
    assert by_metric(seen)["idle_power_watts"] == "there was no phase idle"
    assert seen.checks["during"]["sm_clock_mhz_min"] == 1500


def test_our_worker_is_no_other_process(monkeypatch):
    fake = nvml.installed(monkeypatch, processes=[999_999_999])
    telemetry = Telemetry("cuda")
    telemetry.start()
    telemetry.worker = os.getpgrp()
    wait_until(lambda: fake.asked["nvmlDeviceGetComputeRunningProcesses"] > 0)
    fake.given["processes"] = [999_999_999, os.getpid()]

    mark(telemetry, "measure", begin=True)
    wait_until(lambda: fake.asked["nvmlDeviceGetComputeRunningProcesses"] > 1)
    mark(telemetry, "measure", begin=False)

    assert telemetry.stop().checks["during"]["gpu_other_processes_max"] == 1


def test_every_session_with_the_driver_is_ended(monkeypatch):
    fake = nvml.installed(monkeypatch)

    watched(fake, "measure")

    assert fake.asked["nvmlInit"] == fake.asked["nvmlShutdown"] == 1


def test_without_bindings_the_reason_says_what_to_install(monkeypatch):
    nvml.absent(monkeypatch)
    telemetry = Telemetry("cuda")
    telemetry.start()
    mark(telemetry, "measure", begin=True)
    wait_until(lambda: telemetry._states)
    mark(telemetry, "measure", begin=False, samples=3)

    seen = telemetry.stop()

    figures = by_metric(seen)
    assert figures.pop("parent_cpu_percent") >= 0
    reason = "nvidia-ml-py is not installed; pip install nvidia-ml-py"
    assert set(figures.values()) == {reason}
    assert "energy" not in seen.checks
    assert seen.checks["during"]["load_1m_max"] >= 0


def test_a_driver_that_fails_in_its_own_way_does_not_cost_the_run(monkeypatch):
    fake = nvml.installed(monkeypatch)
    fake.given["processes"] = 5  # nobody expects that

    telemetry = Telemetry("cuda")
    telemetry.start()
    wait_until(lambda: not telemetry._thread.is_alive())
    mark(telemetry, "measure", begin=True)

    reason = by_metric(telemetry.stop())["energy_joules"]
    assert reason.startswith("the watcher failed: TypeError")


def test_who_never_started_can_be_stopped():
    seen = Telemetry("cpu").stop()

    figures = by_metric(seen)
    assert figures.pop("parent_cpu_percent") == "nothing was measured"
    assert set(figures.values()) == {"nothing watched"}
    assert (seen.checks, seen.conditions) == ({}, {})


def test_who_is_stopped_at_once_has_reasons_only(monkeypatch):
    nvml.installed(monkeypatch)
    telemetry = Telemetry("cuda")
    telemetry.start()

    seen = telemetry.stop()

    assert all(value["reason"] for value in seen.values)
    assert seen.checks == {}


def test_a_phase_that_only_ends_is_none():
    telemetry = Telemetry("cpu")

    mark(telemetry, "measure", begin=False, samples=10)

    figures = by_metric(telemetry.stop())
    assert figures["parent_cpu_percent"] == "nothing was measured"
