"""What a machine did around a run, and how far that limits the grade."""

import pytest

from benchdb.grading import Grade, grade
from tests.graded_processes import during, of, on, process


@pytest.mark.parametrize(
    ("readings", "letter"),
    [
        ({"throttled_fraction": 0.01}, "A"),
        ({"throttled_fraction": 0.011}, "C"),
        ({"power_capped_fraction": 1.0}, "A"),
    ],
)
def test_more_than_one_per_cent_of_samples_throttled_is_a_c(readings, letter):
    found = of(during(**readings))

    assert found.letter == letter
    assert found.reasons == (() if letter == "A" else ("throttled",))


@pytest.mark.parametrize(("clock", "letter"), [(1485, "A"), (1480, "C")])
def test_without_counters_the_clock_tells_throttling(clock, letter):
    clocks = {"sm_clock_mhz_median": clock, "sm_clock_mhz_max": 1980}
    readings = {"throttled_fraction": None, **clocks}

    assert of(during(**readings)).letter == letter


def test_a_throttled_card_is_named_with_its_share_of_time_or_of_its_clock():
    clocks = {"sm_clock_mhz_median": 1000, "sm_clock_mhz_max": 2000}
    slow = of(during("cuda", throttled_fraction=None, **clocks))
    stopped = of(during("cuda", throttled_fraction=0.2))

    assert slow.figures["throttled"] == "clock at 50 % of its maximum"
    assert stopped.figures["throttled"] == "20 % of the time"


def test_the_counters_count_more_than_the_clock():
    low = {"sm_clock_mhz_median": 300, "sm_clock_mhz_max": 1980}

    assert of(during("cuda", **low)).letter == "A"


def test_an_idle_card_says_nothing_about_a_measurement_on_the_cpu():
    idle = {"throttled_fraction": 1.0, "gpu_other_processes_max": 3}

    assert on("cpu", readings=idle).letter == "A"


@pytest.mark.parametrize(
    ("device", "changes", "letter", "reason"),
    [
        ("metal", {"readings": {"thermal_pressure_max": "moderate"}}, "B", "thermal-"),
        ("metal", {"readings": {"thermal_pressure_max": "heavy"}}, "C", "thermal-"),
        ("metal", {"after": {"thermal_pressure": "heavy"}}, "C", "thermal-pressure"),
        ("metal", {"load_per_cpu": 0.51}, "C", "busy"),
        ("metal", {"readings": {"swapped_out_bytes": 4096}}, "C", "swapping"),
        ("metal", {"before": {"power_source": "battery"}}, "B", "battery"),
        ("metal", {"after": {"low_power_mode": True}}, "B", "low-power-mode"),
        ("cpu", {"before": {"rosetta": True}}, "B", "rosetta"),
        ("cpu", {"before": {"virtual": True}}, "B", "virtual"),
        ("cpu", {"before": {"cpu_speed_limit_percent": 80}}, "C", "cpu-speed-limit"),
        (
            "cpu",
            {"before": {"core_throttle_count": 4}, "after": {"core_throttle_count": 9}},
            "B",
            "throttle-events",
        ),
        ("cpu", {"readings": {"cpu_throttle_count": 2}}, "B", "throttle-events"),
        ("cuda", {"before": {"gpu_other_processes": 1}}, "C", "gpu-shared"),
        ("cuda", {"readings": {"gpu_other_processes_max": 2}}, "C", "gpu-shared"),
    ],
)
def test_what_the_machine_did_limits_the_grade(device, changes, letter, reason):
    found = on(device, **changes)

    assert found.letter == letter
    assert len(found.reasons) == 1
    assert found.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("device", "changes"),
    [
        ("metal", {"load_per_cpu": 0.5}),
        ("metal", {"before": {"power_source": "ac", "low_power_mode": False}}),
        ("metal", {"readings": {"swapped_out_bytes": 0, "swapped_in_bytes": 4096}}),
        ("cuda", {"before": {"virtual": True, "gpu_other_processes": 0}}),
        ("cpu", {"readings": {"load_1m_max": 64.0}}),
        (
            "cpu",
            {"before": {"core_throttle_count": 4}, "after": {"core_throttle_count": 4}},
        ),
        (
            "cpu",
            {
                "readings": {"cpu_throttle_count": 0},
                "before": {"core_throttle_count": 4},
                "after": {"core_throttle_count": 5},
            },
        ),
    ],
)
def test_what_is_in_order_costs_nothing(device, changes):
    assert on(device, **changes).letter == "A"


@pytest.mark.parametrize(
    ("one", "missing"),
    [
        (process(load_per_cpu=None), "load before the run"),
        (during(throttled_fraction=None), "throttling"),
        (during("cpu", thermal_pressure_max=None), "throttling"),
        (during("metal", thermal_pressure_max="unheard of"), "throttling"),
    ],
)
def test_what_one_reading_would_have_told_is_no_a(one, missing):
    found = grade([one] * 5)

    assert found == Grade("B", 5, ("state-unknown",), {"state-unknown": missing})
