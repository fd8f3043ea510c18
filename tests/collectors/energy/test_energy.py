"""What readings of any meter amount to over a window, and how it is told."""

import pytest
from energy.readings import Energy, Integral, Reading, Span, check, energy_over, values


def steady(watts, *, begin=0.0, end=30.0, every=1.0, name="gpu"):
    count = int((end - begin) / every)
    times = [begin + every * i for i in range(count + 1)]
    return [Reading(at, {name: 1000 + watts * (at - begin)}) for at in times]


def window(readings, begin, end, least=10.0):
    energy = energy_over(readings, Span(begin, end), least)
    assert isinstance(energy, Energy)
    return energy


def test_a_window_between_readings_is_interpolated():
    result = window(steady(200.0), 4.25, 17.75)

    assert result.joules == pytest.approx(200 * 13.5)
    assert result.watts == pytest.approx(200)
    assert result.covered == 1


def test_only_the_window_counts_and_not_what_was_drawn_around_it():
    idle = [Reading(float(at), {"gpu": 10.0 * at}) for at in range(11)]
    busy = [Reading(10.0 + at, {"gpu": 100 + 300.0 * at}) for at in range(1, 21)]

    assert window([*idle, *busy], 10.0, 30.0).watts == pytest.approx(300)
    assert window([*idle, *busy], 2.0, 10.0, least=1.0).watts == pytest.approx(10)


@pytest.mark.parametrize(
    ("readings", "span", "reason"),
    [
        (
            steady(200.0),
            Span(1.0, 5.5),
            "the window was 4.5 s long; a figure needs at least 10 s",
        ),
        (
            steady(50.0, end=12.0),
            Span(0.0, 20.0),
            "the meter answered for 12.0 s of a window of 20.0 s",
        ),
        (
            steady(50.0, end=5.0),
            Span(10.0, 25.0),
            "the meter answered for 0.0 s of a window of 15.0 s",
        ),
        ([], Span(0.0, 20.0), "the meter gave no reading"),
        # Unknown, and not zero.
        (steady(0.0), Span(0.0, 20.0), "the counter did not move"),
        (steady(-5.0), Span(0.0, 20.0), "the counter went backwards"),
    ],
)
def test_what_is_no_figure_says_why(readings, span, reason):
    assert energy_over(readings, span, 10.0) == reason


def test_a_missing_edge_is_assumed_like_the_rest_and_told():
    result = window(steady(50.0, begin=0.5, end=20.0, every=0.5), 0.0, 20.0)

    assert result.joules == pytest.approx(1000)
    assert result.covered == pytest.approx(0.975)


@pytest.mark.parametrize("result", [{"gpu": 1060.0, "ane": 7.0}, {"ane": 7.0}, {}])
def test_a_sum_without_a_domain_that_comes_and_goes_is_no_figure(result):
    readings = steady(20.0)
    readings[3] = Reading(3.0, result)

    energy = energy_over(readings, Span(0.0, 20.0), 10.0)

    missing = ", ".join(sorted({"gpu"} ^ result.keys()))
    assert energy == f"the meter told {missing} only at times"


def test_an_idle_part_of_a_chip_is_a_zero_that_was_read():
    readings = [Reading(float(at), {"gpu": 5.0 * at, "ane": 0.0}) for at in range(21)]

    result = window(readings, 0.0, 20.0)

    assert result.domains == {"gpu": pytest.approx(100), "ane": 0.0}


def test_watts_count_for_the_time_before_them():
    integral = Integral()

    readings = [
        *integral.add(10.0, {"gpu": 99.0}),
        *integral.add(10.5, {"gpu": 20.0}),
        *integral.add(11.5, {"gpu": 30.0}, seconds=0.9),
    ]

    assert [reading.joules["gpu"] for reading in readings] == [0.0, 10.0, 37.0]


def test_watts_that_lack_what_was_counted_before_are_left_out():
    integral = Integral()
    assert len(integral.add(10.0, {"gpu": 1.0, "cpu": 2.0})) == 1

    assert integral.add(10.5, {"cpu": 2.0}) == integral.add(11.0, {}) == []
    (reading,) = integral.add(12.0, {"cpu": 2.0, "gpu": 1.0}, seconds=0.5)
    assert reading.joules == {"gpu": 2.0, "cpu": 4.0}


def by_metric(result):
    return {item["metric"]: item.get("value", item.get("reason")) for item in result}


def test_figures_follow_from_energy_window_and_samples():
    used, idle = Energy(20.0, {"cpu": 1000.0, "gpu": 3000.0}, 1), Energy(2.0, {}, 1)

    result = by_metric(values(used, idle, 8000))

    assert result == {
        "energy_joules": 4000.0,
        "mean_power_watts": 200.0,
        "idle_power_watts": 0.0,
        "samples_per_joule": 2.0,
    }


def test_what_is_not_known_has_its_reason():
    result = by_metric(values("too short", "never idle", 8000))

    assert result["energy_joules"] == result["samples_per_joule"] == "too short"
    assert result["idle_power_watts"] == "never idle"


def test_energy_without_samples_is_shared_by_none():
    result = by_metric(values(Energy(20.0, {"gpu": 10.0}, 1), "never idle", None))

    assert result["energy_joules"] == 10.0
    assert "how many samples" in result["samples_per_joule"]


class Meter:
    source, scope = "nvml_energy", "board"


def test_a_figure_says_of_what_and_how_long_it_is():
    about = check(Meter(), Energy(20.0, {"gpu": 1 / 3}, 0.96), "never idle")  # type: ignore[arg-type]

    assert about == {
        "source": "nvml_energy",
        "scope": "board",
        "window_seconds": 20.0,
        "domains": {"gpu": 0.333333},
        "covered_fraction": 0.96,
    }
