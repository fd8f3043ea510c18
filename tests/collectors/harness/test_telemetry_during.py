"""What samples of a machine's state say together, and what they cannot say."""

import pytest
from energy.nvml import CardState
from energy.readings import Span
from fingerprint import commands
from harness.states import State, summary
from harness.telemetry import counters, others, rises

WORKER = 500


def group(process):
    """Processes up to 599 are of the worker's group; from 1000 on of no group here."""
    if process >= 1000:
        return None
    return WORKER if process >= WORKER else 1


def company(seen, before=(), worker=WORKER):
    return others(frozenset(seen), frozenset(before), worker, group)


def cards(*states):
    return [State(at=float(i), card=card) for i, card in enumerate(states)]


def test_unknown_is_left_out_and_never_zero():
    assert summary([]) == {}
    assert summary([State(at=1.0)]) == {"samples": 1}


def test_clocks_have_a_range_and_a_middle():
    result = summary(cards(*(CardState(sm_clock_mhz=mhz) for mhz in (1980, 300, 1900))))

    keys = ("sm_clock_mhz_min", "sm_clock_mhz_median", "sm_clock_mhz_max")
    assert [result[key] for key in keys] == [300, 1900, 1980]


@pytest.mark.parametrize(
    ("bits", "throttled", "capped", "text"),
    [
        ([0x0, 0x1], 0.0, 0.0, "none"),
        ([0x4, 0x4, 0x0, 0x0], 0.0, 0.5, "sw_power_cap"),
        ([0x8, 0x20, 0x40, 0x80, 0x10], 0.8, 0.0, None),
        ([0x24, 0x0], 0.5, 0.5, "sw_power_cap+sw_thermal_slowdown"),
    ],
)
def test_heat_and_want_of_power_throttle_and_a_power_cap_does_not(
    bits, throttled, capped, text
):
    result = summary(cards(*(CardState(reasons=bit) for bit in bits)))

    assert result["throttled_fraction"] == throttled
    assert result["power_capped_fraction"] == capped
    assert text is None or result["throttle_reasons"] == text


def test_the_worst_of_load_and_pressure_counts():
    states = [State(1.0, load_1m=0.5, pressure=0), State(2.0, load_1m=3.0, pressure=2)]

    result = summary([*states, State(3.0)])

    assert (result["load_1m_max"], result["thermal_pressure_max"]) == (3.0, "heavy")


def test_temperature_has_a_start_an_end_and_a_top():
    result = summary([State(0.0), *(State(1.0, celsius=c) for c in (44, 71, 69))])

    names = ("start", "end", "max")
    assert [result[f"temperature_celsius_{name}"] for name in names] == [44, 69, 71]


@pytest.mark.parametrize(
    ("seen", "before", "count"),
    [
        ([500], [], 0),
        ([500, 501], [], 0),  # what the worker started is ours
        ([500, 7], [], 1),
        ([500, 7, 2000], [7], 2),
        ([2000], [], 0),  # a container: the host's number of our worker
        ([2000], [2000], 0),
        ([2000, 3000], [3000], 1),
        ([2000, 3000], [], None),  # which of them is ours?
        ([2000, 3000, 4000], [3000], None),
        ([3000, 4000], [3000, 4000], 2),  # ours is hidden, they are not
        ([], [], None),
    ],
)
def test_only_processes_that_cannot_be_ours_are_others(seen, before, count):
    assert company(seen, before) == count


def test_without_the_workers_number_nobody_is_taken_for_it():
    assert company([2000, 3000], worker=None) is None


def test_processes_that_the_driver_does_not_tell_are_unknown():
    assert others(None, frozenset(), WORKER, group) is None


def test_counters_are_compared_from_begin_to_end():
    taken = [(10.1, {"swapped_in_bytes": 4096}), (20.2, {"swapped_in_bytes": 8192})]

    result = rises([*taken, (30.0, {"swapped_in_bytes": 9})], Span(10.0, 20.0))

    assert result == {"swapped_in_bytes": 4096}


def test_one_look_at_a_counter_is_no_rise_of_zero():
    once = 20.2, {"swapped_in_bytes": 4096}

    assert rises([once, once], Span(10.0, 20.0)) == rises([], Span(1.0, 2.0)) == {}


def test_a_counter_seen_once_only_has_no_rise():
    both = [(1.0, {"cpu_throttle_count": 3}), (2.0, {"swapped_in_bytes": 3})]

    assert rises(both, Span(0.5, 1.5)) == {}


def test_counts_of_linux_are_of_the_whole_system(monkeypatch):
    monkeypatch.setenv("BENCHDB_PLATFORM", "linux")
    lines = dict(
        line.split(" ") for line in (commands.read("/proc/vmstat") or "").splitlines()
    )

    result = counters()

    assert ("swapped_out_bytes" in result) == ("pswpout" in lines)
    assert all(count >= 0 for count in result.values())


def test_counts_of_a_mac_are_those_of_vm_stat(monkeypatch, tmp_path):
    command = tmp_path / "vm_stat"
    command.write_text(
        "#!/bin/sh\n"
        "echo 'Mach Virtual Memory Statistics: (page size of 16384 bytes)'\n"
        "echo 'Swapins:  3.'\necho 'Swapouts: 5.'\n"
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("BENCHDB_PLATFORM", "darwin")

    assert counters() == {"swapped_in_bytes": 3 * 16384, "swapped_out_bytes": 5 * 16384}
