"""Grades: every criterion at its limit, and evidence that is missing or nonsense."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import benchdb
from benchdb.cli.show import _REASONS
from benchdb.grading import Grade, grade
from tests.graded_processes import (
    OPERATION,
    STEADY,
    TRAINING,
    checked,
    during,
    gates,
    of,
    on,
    process,
    timed,
)


def test_five_processes_without_fault_are_an_a():
    assert of(process()) == Grade("A", processes=5)
    assert on("metal") == Grade("A", processes=5)


@pytest.mark.parametrize(
    ("count", "letter"), [(1, "C"), (2, "C"), (3, "B"), (4, "B"), (5, "A"), (10, "A")]
)
def test_the_number_of_processes_limits_the_grade(count, letter):
    found = of(process(), count)

    assert (found.letter, found.processes) == (letter, count)
    assert found.figures == ({} if letter == "A" else {"few-processes": count})


@pytest.mark.parametrize(
    ("tier", "letter", "reasons"),
    [
        ("reference", "A", ()),
        ("quick", "B", ("quick",)),
        ("smoke", "C", ("smoke",)),
    ],
)
def test_a_short_tier_is_never_better_than_its_grade(tier, letter, reasons):
    found = of(process(tier=tier))

    assert (found.letter, found.reasons) == (letter, reasons)


# Five values around 1 with a standard deviation of 1.5811 of the unit.
def spread(unit: float) -> list[float]:
    return [1 - 2 * unit, 1 - unit, 1.0, 1 + unit, 1 + 2 * unit]


@pytest.mark.parametrize(
    ("unit", "letter", "reasons"),
    [
        (0.005, "A", ()),
        (0.0066, "B", ("spread", "wide-interval")),
        (0.018, "B", ("spread", "wide-interval")),
        (0.0195, "C", ("spread", "wide-interval")),
    ],
)
def test_processes_must_agree(unit, letter, reasons):
    found = timed(spread(unit))

    assert (found.letter, found.reasons) == (letter, reasons)


def test_the_spread_is_told_in_per_cent():
    found = timed(spread(0.01))

    assert found.figures["spread"] == pytest.approx(1.5811, abs=1e-4)
    assert found.figures["wide-interval"] == pytest.approx(1.98, abs=0.01)


def test_the_spread_is_relative_to_the_mean():
    figures = timed(spread(0.01)).figures

    assert timed([40 * value for value in spread(0.01)]).figures == pytest.approx(
        figures
    )


def test_three_processes_within_one_per_cent_can_have_a_wider_interval():
    found = timed([0.995, 1.0, 1.005])

    assert found.reasons == ("few-processes", "wide-interval")
    assert found.letter == "B"


@pytest.mark.parametrize(
    ("drift", "is_steady", "letter"),
    [(0.9, True, "A"), (1.9, False, "B"), (-2.1, False, "C"), (0.1, False, "B")],
)
def test_a_drift_of_two_per_cent_is_the_most_for_a_b(drift, is_steady, letter):
    found = of(checked(steady={"drift_pct": drift, "steady": is_steady}))

    assert found.letter == letter
    assert found.figures == ({} if letter == "A" else {"unsteady": drift})


@pytest.mark.parametrize(
    ("rest", "letter", "figures"),
    [
        ({"drift_pct": -0.9, "changepoint_pct": -1.1}, "B", {"shift": -1.1}),
        ({"drift_pct": 1.5, "changepoint_pct": 1.1}, "B", {"unsteady": 1.5}),
        ({"drift_pct": 0.1, "changepoint_pct": 0.9}, "B", {"unsteady": 0.1}),
    ],
)
def test_what_came_to_no_rest_is_told_by_its_own_figure(rest, letter, figures):
    found = of(checked(steady={**rest, "first_block_outlier": False, "steady": False}))

    assert (found.letter, found.figures) == (letter, figures)


def test_a_first_block_that_stands_apart_is_told_as_such():
    rest = {"drift_pct": -0.1, "changepoint_pct": 0.0, "first_block_outlier": True}

    found = of(checked(steady={**rest, "steady": False}))

    assert (found.letter, found.reasons) == ("B", ("first-block",))


def test_the_worst_process_decides_whichever_it_is():
    drifts = [checked(steady={"drift_pct": d, "steady": False}) for d in (1, -4, 3)]

    found = grade([*drifts, process(), process()])

    assert found is not None
    assert (found.letter, found.figures) == ("C", {"unsteady": -4})


def test_blocks_that_vary_by_more_than_ten_per_cent_are_a_c():
    assert of(process(iqr_percent=10.0)).letter == "A"
    assert of(process(iqr_percent=10.1)).figures == {"noisy-blocks": 10.1}
    assert of(process(iqr_percent=10.1)).letter == "C"
    assert of(process(iqr_percent=None)).letter == "A"


def test_an_operation_proves_itself_by_its_result():
    assert of(checked(gates=gates(OPERATION))).letter == "A"


@pytest.mark.parametrize(
    ("statuses", "lacking"),
    [
        (TRAINING | {"loss": "not-checked"}, "loss"),
        (TRAINING | {"parameter_count": "not-checked"}, "parameter_count"),
        (TRAINING | {"parameter_count": "not-applicable"}, "parameter_count"),
        (TRAINING | {"device": "not-checked"}, "device"),
        (OPERATION | {"result_error": "not-checked"}, "result_error"),
        ({"device": "passed", "result_error": "not-checked"}, "result_error"),
        ({"loss": "passed"}, "device, parameter_count"),
    ],
)
def test_work_that_is_not_proven_is_a_c(statuses, lacking):
    found = of(checked(gates=gates(statuses)))

    assert (found.letter, found.figures) == ("C", {"gates-not-checked": lacking})


def test_one_failed_gate_of_one_process_is_an_x():
    wrong = checked(gates=gates(TRAINING | {"peak_rate": "failed", "loss": "failed"}))

    found = of(replace(wrong, status="failed", seconds=None))

    assert found == Grade("X", 4, ("gate-failed",), {"gate-failed": "loss, peak_rate"})


@pytest.mark.parametrize(
    ("flag", "letter"),
    [
        (("order-inverted", None), "X"),
        (("above-peak", "samples_per_second"), "X"),
        (("cpu-percent-mismatch", "script_user_seconds"), "I"),
        (("outlier", "script_wall_seconds"), "I"),
        (("power-scope-unknown", "peak_power_watts"), "I"),
    ],
)
def test_only_what_calls_the_speed_impossible_is_an_x(flag, letter):
    found = grade([process(label="transcribed", flags=(flag,))])

    assert found is not None
    assert found.letter == letter


@pytest.mark.parametrize("label", ["transcribed", "imported", "aggregate", "claimed"])
def test_what_others_published_is_an_i_whatever_it_says_of_itself(label):
    found = grade([process(label=label)] * 5)

    assert found == Grade("I", 5, ("imported",), {"imported": label})


def test_a_run_from_before_there_was_evidence_is_a_c():
    old = process(checks={"parameter_count": {"ok": True}, "steady": STEADY})

    found = grade([old] * 5)

    assert found is not None
    assert found.letter == "C"
    assert set(found.reasons) == {"gates-not-checked", "state-unknown"}


def test_without_a_test_for_a_steady_state_it_is_a_c():
    assert of(checked(steady={})).reasons == ("steadiness-unknown",)


def test_processes_that_failed_are_not_dropped_in_silence():
    oom = process(status="oom", seconds=None, checks={})

    found = of(oom, count=6)

    assert found == Grade("C", 5, ("process-failed",), {"process-failed": 1})


def test_an_interrupted_process_only_does_not_count():
    assert of(process(status="interrupted", seconds=None, checks={}), count=6) == Grade(
        "A", processes=5
    )


@pytest.mark.parametrize("status", ["failed", "oom", "not-measured", "interrupted"])
def test_without_a_figure_there_is_no_grade(status):
    assert grade([process(status=status, seconds=None)]) is None
    assert grade([]) is None


def test_reasons_come_worst_first():
    found = of(replace(checked(gates={}), load_per_cpu=None), count=3)

    assert found.letter == "C"
    assert found.reasons == ("gates-not-checked", "few-processes", "state-unknown")


NONSENSE: tuple[Any, ...] = (None, True, "many", [1], {"a": 1}, -1, 10**15, 0.5)


@pytest.mark.parametrize("fact", NONSENSE, ids=str)
def test_what_strangers_write_into_checks_never_crashes(fact):
    whole = [
        process(checks={"gates": fact, "steady": fact, "during": fact}),
        checked(gates={"device": fact, "loss": {"status": fact}}),
        checked(steady={"drift_pct": fact, "steady": fact}),
        during(throttled_fraction=fact, sm_clock_mhz_max=fact, swapped_out_bytes=fact),
        during("metal", thermal_pressure_max=fact, load_1m_max=fact),
        process(before=dict.fromkeys(("virtual", "core_throttle_count"), fact)),
        replace(during("cpu"), after={"cpu_speed_limit_percent": fact}),
    ]

    assert [found.letter for one in whole if (found := grade([one] * 5))]


def test_every_reason_has_words():
    modules = Path(benchdb.__file__).parent.glob("grading*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in modules)

    assert set(re.findall(r'Finding\(\s*"([a-z-]+)"', source)) == set(_REASONS)
