"""Grades: every criterion at its limit, and evidence that is missing or nonsense."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import benchdb
from benchdb.grading import Grade, ProcessFacts, grade
from benchdb.report.wording.grades import GROUNDS

TRAINING = {
    **dict.fromkeys(("parameter_count", "device", "dtype", "loss"), "passed"),
    "result_error": "not-applicable",
    "peak_rate": "not-checked",
}
OPERATION = {
    **dict.fromkeys(("parameter_count", "loss"), "not-applicable"),
    **dict.fromkeys(("result_error", "device", "dtype"), "passed"),
}
STEADY = {"drift_pct": 0.2, "steady": True}
FANLESS = {"fanless": True}
ON_CUDA = {"samples": 300, "throttled_fraction": 0.0, "swapped_out_bytes": 0}
ON_METAL = {"samples": 300, "thermal_pressure_max": "nominal"}


def gates(statuses: dict[str, str]) -> dict[str, Any]:
    return {name: {"status": status} for name, status in statuses.items()}


def process(**changes: Any) -> ProcessFacts:
    """Return a process without fault: a training on a CUDA card."""
    checks = {"gates": gates(TRAINING), "steady": STEADY, "during": ON_CUDA}
    perfect = ProcessFacts(
        status="ok",
        label="measured",
        device="cuda",
        tier="standard",
        seconds=0.1,
        iqr_percent=0.5,
        load_per_cpu=0.1,
        checks=checks,
    )
    return replace(perfect, **changes)


def checked(**changes: Any) -> ProcessFacts:
    return process(checks={**process().checks, **changes})


def during(device: str = "cuda", **readings: Any) -> ProcessFacts:
    usual = ON_CUDA if device == "cuda" else ON_METAL
    return replace(checked(during={**usual, **readings}), device=device)


def clocks(usual: int, highest: int) -> dict[str, int]:
    return {"sm_clock_mhz_median": usual, "sm_clock_mhz_max": highest}


def of(facts: ProcessFacts, count: int = 5) -> Grade:
    """Grade one process of this kind among *count* without fault."""
    result = grade(
        [facts, *[process(device=facts.device, tier=facts.tier)] * (count - 1)]
    )
    assert result is not None
    return result


def timed(values: Sequence[float]) -> Grade:
    result = grade([process(seconds=value) for value in values])
    assert result is not None
    return result


def on(device: str, **changes: Any) -> Grade:
    """Grade five like processes on a Mac's GPU or a CPU."""
    calm = replace(during(device, **changes.pop("readings", {})), **changes)
    result = grade([calm] * 5)
    assert result is not None
    return result


def spread(unit: float) -> list[float]:
    """Return five values around 1 with a standard deviation of 1.5811 of the *unit*."""
    return [1 - 2 * unit, 1 - unit, 1.0, 1 + unit, 1 + 2 * unit]


def test_five_processes_without_fault_are_an_a():
    assert of(process()) == Grade("A", processes=5)
    assert on("metal") == Grade("A", processes=5)


@pytest.mark.parametrize(
    ("count", "letter"), [(1, "C"), (2, "C"), (3, "B"), (4, "B"), (5, "A"), (10, "A")]
)
def test_the_number_of_processes_limits_the_grade(count, letter):
    result = of(process(), count)

    assert (result.letter, result.processes) == (letter, count)
    assert result.figures == ({} if letter == "A" else {"few-processes": count})


@pytest.mark.parametrize(
    ("result", "letter", "reasons"),
    [
        (process(tier="reference"), "A", ()),
        (process(tier="quick"), "B", ("quick",)),
        (process(tier="smoke"), "C", ("smoke",)),
        (process(iqr_percent=10.0), "A", ()),
        (process(iqr_percent=10.1), "C", ("noisy-blocks",)),
        (process(iqr_percent=None), "A", ()),
        (checked(steady={}), "C", ("steadiness-unknown",)),
        # An operation proves itself by its result.
        (checked(gates=gates(OPERATION)), "A", ()),
        # A first block that stands apart is told as such.
        (
            checked(
                steady={
                    "drift_pct": -0.1,
                    "changepoint_pct": 0.0,
                    "first_block_outlier": True,
                    "steady": False,
                }
            ),
            "B",
            ("first-block",),
        ),
    ],
)
def test_one_process_limits_the_grade_of_all(result, letter, reasons):
    outcome = of(result)

    assert (outcome.letter, outcome.reasons) == (letter, reasons)


@pytest.mark.parametrize(
    ("values", "letter", "reasons"),
    [
        (spread(0.005), "A", ()),
        (spread(0.0066), "B", ("spread", "wide-interval")),
        (spread(0.018), "B", ("spread", "wide-interval")),
        (spread(0.0195), "C", ("spread", "wide-interval")),
        # Three within one per cent can have a wider interval.
        ([0.995, 1.0, 1.005], "B", ("few-processes", "wide-interval")),
    ],
)
def test_processes_must_agree(values, letter, reasons):
    result = timed(values)

    assert (result.letter, result.reasons) == (letter, reasons)


def test_the_spread_is_told_in_per_cent_of_the_mean():
    figures = timed(spread(0.01)).figures

    assert figures["spread"] == pytest.approx(1.5811, abs=1e-4)
    assert figures["wide-interval"] == pytest.approx(1.98, abs=0.01)
    slower = timed([40 * value for value in spread(0.01)]).figures
    assert slower == pytest.approx(figures)


@pytest.mark.parametrize(
    ("rest", "letter", "figures"),
    [
        ({"drift_pct": 0.9, "steady": True}, "A", {}),
        ({"drift_pct": 1.9}, "B", {"unsteady": 1.9}),
        ({"drift_pct": -2.1}, "C", {"unsteady": -2.1}),
        ({"drift_pct": 0.1}, "B", {"unsteady": 0.1}),
        ({"drift_pct": -0.9, "changepoint_pct": -1.1}, "B", {"shift": -1.1}),
        ({"drift_pct": 1.5, "changepoint_pct": 1.1}, "B", {"unsteady": 1.5}),
        ({"drift_pct": 0.1, "changepoint_pct": 0.9}, "B", {"unsteady": 0.1}),
    ],
)
def test_what_came_to_no_rest_is_told_by_its_own_figure(rest, letter, figures):
    usual = {"steady": False, "first_block_outlier": False}

    result = of(checked(steady=usual | rest))

    assert (result.letter, result.figures) == (letter, figures)


def test_the_worst_process_decides_whichever_it_is():
    drifts = [checked(steady={"drift_pct": d, "steady": False}) for d in (1, -4, 3)]

    result = grade([*drifts, process(), process()])

    assert result is not None
    assert (result.letter, result.figures) == ("C", {"unsteady": -4})


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
    result = of(checked(gates=gates(statuses)))

    assert (result.letter, result.figures) == ("C", {"gates-not-checked": lacking})


def test_one_failed_gate_of_one_process_is_an_x():
    wrong = checked(gates=gates(TRAINING | {"peak_rate": "failed", "loss": "failed"}))

    result = of(replace(wrong, status="failed", seconds=None))

    assert result == Grade("X", 4, ("gate-failed",), {"gate-failed": "loss, peak_rate"})


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
    result = grade([process(label="transcribed", flags=(flag,))])

    assert result is not None
    assert result.letter == letter


@pytest.mark.parametrize("label", ["transcribed", "imported", "aggregate", "claimed"])
def test_what_others_published_is_an_i_whatever_it_says_of_itself(label):
    result = grade([process(label=label)] * 5)

    assert result == Grade("I", 5, ("imported",), {"imported": label})


def test_a_run_from_before_there_was_evidence_is_a_c():
    old = process(checks={"parameter_count": {"ok": True}, "steady": STEADY})

    result = grade([old] * 5)

    assert result is not None
    assert result.letter == "C"
    assert set(result.reasons) == {"gates-not-checked", "state-unknown"}


def test_processes_that_failed_are_not_dropped_in_silence():
    oom = process(status="oom", seconds=None, checks={})

    result = of(oom, count=6)

    assert result == Grade("C", 5, ("process-failed",), {"process-failed": 1})


def test_an_interrupted_process_only_does_not_count():
    assert of(process(status="interrupted", seconds=None, checks={}), count=6) == Grade(
        "A", processes=5
    )


@pytest.mark.parametrize("status", ["failed", "oom", "not-measured", "interrupted"])
def test_without_a_figure_there_is_no_grade(status):
    assert grade([process(status=status, seconds=None)]) is None
    assert grade([]) is None


def test_reasons_come_worst_first():
    result = of(replace(checked(gates={}), load_per_cpu=None), count=3)

    assert result.letter == "C"
    assert result.reasons == ("gates-not-checked", "few-processes", "state-unknown")


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

    assert [result.letter for facts in whole if (result := grade([facts] * 5))]


def test_every_reason_has_words():
    modules = Path(benchdb.__file__).parent.glob("grading.py")
    source = "".join(path.read_text(encoding="utf-8") for path in modules)

    assert set(re.findall(r'Finding\(\s*"([a-z-]+)"', source)) == set(GROUNDS)


@pytest.mark.parametrize(
    ("device", "changes", "letter", "figures"),
    [
        ("cuda", {"readings": {"throttled_fraction": 0.01}}, "A", {}),
        (
            "cuda",
            {"readings": {"throttled_fraction": 0.2}},
            "C",
            {"throttled": "20 % of the time"},
        ),
        ("cuda", {"readings": {"power_capped_fraction": 1.0}}, "A", {}),
        # Without counters the clock tells throttling; where they are they count more.
        (
            "cuda",
            {"readings": {"throttled_fraction": None, **clocks(1485, 1980)}},
            "A",
            {},
        ),
        (
            "cuda",
            {"readings": {"throttled_fraction": None, **clocks(1000, 2000)}},
            "C",
            {"throttled": "clock at 50 % of its maximum"},
        ),
        ("cuda", {"readings": clocks(300, 1980)}, "A", {}),
        # An idle card says nothing about a measurement on the CPU.
        (
            "cpu",
            {"readings": {"throttled_fraction": 1.0, "gpu_other_processes_max": 3}},
            "A",
            {},
        ),
    ],
)
def test_a_card_that_was_throttled_is_a_c(device, changes, letter, figures):
    result = on(device, **changes)

    assert (result.letter, result.figures) == (letter, figures)


@pytest.mark.parametrize(
    ("readings", "letter"),
    [
        ({"throttled_fraction": 0.011}, "C"),
        ({"throttled_fraction": None, **clocks(1480, 1980)}, "C"),
    ],
)
def test_throttling_counts_from_its_limit_on(readings, letter):
    assert of(during(**readings)).letter == letter


@pytest.mark.parametrize(
    ("drift", "letter", "figures"),
    [
        (0.9, "A", {}),
        (1.5, "C", {"fanless": 1.5}),
        (-1.5, "B", {"unsteady": -1.5}),  # it became faster: no throttling
    ],
)
def test_a_mac_without_a_fan_that_slows_down_has_no_plain_figure(
    drift, letter, figures
):
    steady = {"drift_pct": drift, "steady": abs(drift) < 1}
    result = of(replace(checked(steady=steady), before=FANLESS))

    assert (result.letter, result.figures) == (letter, figures)


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
    result = on(device, **changes)

    assert result.letter == letter
    assert len(result.reasons) == 1
    assert result.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("device", "changes"),
    [
        ("metal", {"load_per_cpu": 0.5}),
        ("metal", {"before": FANLESS}),  # and it was not long enough to slow down
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
    ("result", "missing"),
    [
        (process(load_per_cpu=None), "load before the run"),
        (during(throttled_fraction=None), "whether it was throttled"),
        (during("cpu", thermal_pressure_max=None), "whether it was throttled"),
        (
            during("metal", thermal_pressure_max="unheard of"),
            "whether it was throttled",
        ),
    ],
)
def test_what_one_reading_would_have_told_is_no_a(result, missing):
    outcome = grade([result] * 5)

    assert outcome == Grade("B", 5, ("state-unknown",), {"state-unknown": missing})
