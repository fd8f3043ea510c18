"""What a machine draws at rest, by meters that tell of the work around it as well."""

import json
import plistlib
from functools import partial

import pytest
from energy import macmon, nvml, powermetrics
from energy.readings import Energy, Integral, Reading, Span, energy_over
from harness.telemetry import Telemetry

BUSY, IDLE = 30.0, 4.0
rested = partial(energy_over, at_rest=True)
REST = Span(20.0, 22.0)


def mean_watts(begin, end):
    """Return the mean of a chip that works before and after its rest."""
    rested = Span(begin, end).within(REST).seconds if end > REST.begin else 0.0
    return BUSY + (IDLE - BUSY) * rested / (end - begin)


def watch(meter):
    """Let *meter* count without the program behind it."""
    meter.integral = Integral()
    return meter


def macmon_lines(first, every):
    meter = watch(macmon.Macmon.__new__(macmon.Macmon))
    at, result = first, []
    while at < 30:
        watts = mean_watts(at - every, at)
        result += meter.readings(
            json.dumps({"gpu_power": watts, "temp": None}).encode(), at
        )
        at += every
    return result


def powermetrics_documents(first, every):
    meter = watch(powermetrics.Powermetrics.__new__(powermetrics.Powermetrics))
    at, result = first, []
    while at < 30:
        watts = mean_watts(at - every, at)
        document = plistlib.dumps(
            {"elapsed_ns": int(1e9 * every), "processor": {"gpu_power": 1000 * watts}}
        )
        result += meter.readings(document.partition(b"</plist>")[0], at)
        at += every
    return result


@pytest.mark.parametrize("printed", [macmon_lines, powermetrics_documents])
@pytest.mark.parametrize("every", [0.5, 0.508, 0.6])
@pytest.mark.parametrize("first", [0.0, 0.1, 0.2, 0.3, 0.4])
def test_no_work_before_or_after_a_rest_is_counted_as_rest(printed, every, first):
    energy = rested(printed(first, every), REST, 1.0)

    assert isinstance(energy, Energy)
    assert energy.watts == pytest.approx(IDLE)
    assert 1.0 <= energy.seconds <= 2.0


class Meter:
    source, scope = "macmon", "soc_model"


def test_the_idle_watts_of_a_run_are_of_its_rest_alone():
    telemetry = Telemetry("metal")
    telemetry._meter, telemetry._trouble = Meter(), None  # type: ignore[assignment]
    telemetry._readings = macmon_lines(0.3, 0.5)
    for name, span in [("idle", REST), ("measure", Span(22.5, 29.5))]:
        telemetry.phase(name, begin=True, at_ns=int(span.begin * 1e9))
        telemetry.phase(name, begin=False, at_ns=int(span.end * 1e9))

    seen = telemetry.stop()

    result = {
        value["metric"]: value.get("value", value.get("reason"))
        for value in seen.values
    }
    assert result["idle_power_watts"] == pytest.approx(IDLE)
    assert seen.checks["energy"]["idle_seconds"] == 1.5


def test_what_is_asked_of_powermetrics_fits_into_a_rest_twice():
    asked = dict(zip(powermetrics.COMMAND, powermetrics.COMMAND[1:], strict=False))

    assert asked["--sample-interval"] == "500"


def of_means(*means):
    integral = Integral()
    readings = integral.add(0.0, {"gpu": 0.0})
    for begin, end, watts in means:
        readings += integral.add(end, {"gpu": watts}, seconds=end - begin)
    return readings


def test_means_count_by_how_long_they_are():
    readings = of_means((1, 20.1, 30), (20.1, 20.6, 2), (20.6, 21.6, 5), (21.6, 23, 30))

    energy = rested(readings, REST, 1.0)

    assert isinstance(energy, Energy)
    assert (energy.seconds, energy.watts) == pytest.approx((1.5, 4.0))


def test_a_rest_that_no_mean_is_wholly_of_has_a_reason_and_no_figure():
    readings = of_means((1, 19.5, 30), (19.5, 21.5, 10), (21.5, 23, 20))

    assert rested(readings, REST, 1.0) == (
        "readings of nothing but the window cover 0.0 s of its 2.0 s"
    )


def test_means_of_less_than_half_of_a_rest_are_no_figure():
    readings = of_means((1, 20.5, 30), (20.5, 21.4, 4), (21.4, 23, 20))

    assert rested(readings, REST, 1.0) == (
        "readings of nothing but the window cover 0.9 s of its 2.0 s"
    )


def test_a_mean_that_begins_with_the_rest_may_have_been_printed_late():
    readings = of_means((1, 20.02, 30), (20.02, 21.9, 9), (21.9, 23, 30))

    assert isinstance(rested(readings, REST, 1.0), str)


def test_of_two_means_that_arrive_at_once_the_first_is_of_the_time_before():
    integral = Integral()
    readings = [
        reading
        for at, watts in [(19.5, 30), (20.6, 30), (20.6, 4), (21.1, 4), (21.6, 4)]
        for reading in integral.add(at, {"gpu": watts}, seconds=0.5)
    ]

    energy = rested(readings, REST, 1.0)

    assert isinstance(energy, Energy)
    assert energy.watts == pytest.approx(4)


def test_a_counter_is_read_at_the_edges_of_a_rest():
    readings = [Reading(at, {"gpu": 10 * at}) for at in (19.0, 20.0, 22.0, 23.0)]

    energy = rested(readings, REST, 1.0)

    assert isinstance(energy, Energy)
    assert (energy.seconds, energy.watts) == pytest.approx((2.0, 10.0))


def test_samples_of_a_cards_power_are_not_taken_for_means():
    class Card:
        def ask(self, question, *_):
            return 40_000 if question == "nvmlDeviceGetPowerUsage" else None

    meter = nvml.PowerOverTime(Card())  # type: ignore[arg-type]

    assert [reading.since for _ in range(2) for reading in meter.read()] == [None, None]


def test_a_short_rest_and_a_meter_that_was_silent_are_told_as_for_work():
    assert rested(macmon_lines(0.0, 0.5), Span(20.0, 20.3), 1.0) == (
        "the window was 0.3 s long; a figure needs at least 1 s"
    )
    assert rested([], REST, 1.0) == "the meter gave no reading"
