"""The CPU use of a script against its own times."""

import pytest

from benchdb.plausibility.rules import judge
from tests.observed_runs import seen

PARTS = ("user_seconds", "system_seconds", "wall_seconds", "cpu_percent")


def named(figures):
    return {f"script_{part}": one for part, one in zip(PARTS, figures, strict=False)}


def script(run, *figures, printed=None, **facts):
    texts = printed or tuple(f"{figure:.2f}" for figure in figures[:3])
    return seen(
        run,
        device="cpu",
        values={
            f"script_{part}": one for part, one in zip(PARTS, figures, strict=True)
        },
        printed={
            f"script_{part}": one for part, one in zip(PARTS, texts, strict=False)
        },
        **facts,
    )


def told(*runs):
    findings = judge(runs, {"cpu-percent-mismatch"})
    return [(one.run, one.metric, dict(one.detail)) for one in findings]


@pytest.mark.parametrize(
    "figures",
    [
        (90.0, 10.0, 50.0, 200.0),
        (90.0, 10.0, 50.5, 198.0),
        (90.0, 10.0, 50.0, 201.4),  # clocks that start a moment apart
        (9000.0, 1000.0, 1000.0, 1013.0),
        (0.01, 0.0, 0.01, 60.0),  # two digits cannot tell
        (0.0, 0.0, 0.0, 99.0),
        (-1.0, 0.0, 1.0, 99.0),
        (5e-324, 1e308, 1e-300, 1.0),
    ],
)
def test_a_percentage_that_follows_from_the_times_is_no_mismatch(figures):
    assert told(script("a", *figures)) == []


def test_a_percentage_without_all_of_its_times_is_not_judged():
    assert told(seen(values={"script_cpu_percent": 900.0})) == []


def test_a_percentage_that_does_not_follow_is_told_with_what_does():
    assert told(script("a", 90.0, 10.0, 50.0, 555.0)) == [
        ("a", "script_cpu_percent", {"computed": 200.0, "stated": 555})
    ]


def test_decimals_of_a_percentage_are_those_of_its_last_digit():
    texts = ("90.00", "10.00", "50.00", "203.1%")

    assert told(script("a", 90.0, 10.0, 50.0, 203.1, printed=texts)) != []


def test_the_only_slip_that_explains_it_is_told():
    ((_, metric, detail),) = told(script("a", 90.0, 12.3, 470.0, 146.0))

    assert metric == "script_wall_seconds"
    assert detail == {
        "candidate": 146.1,
        "candidate_wall_seconds": 70,
        "computed": 21.8,
        "stated": 146,
        "wall_seconds": 470,
    }


def test_the_slip_may_be_in_the_percentage():
    ((_, metric, detail),) = told(
        script("a", 73.31, 11.7, 50.0, 710.0, printed=("73,31", "11,70", "50,00"))
    )

    assert metric == "script_cpu_percent"
    assert detail["candidate_cpu_percent"] == 170


def test_of_two_slips_it_is_the_one_that_is_like_the_other_runs():
    peers = [script(f"p{i}", 140.0 + i, 40.0, 100.0, 180.0 + i) for i in range(2)]
    odd = script("odd", 60.0, 40.0, 80.0, 250.0)

    ((_, metric, detail),) = told(odd, *peers)

    assert metric == "script_user_seconds"
    assert detail["candidate_user_seconds"] == 160


def test_two_slips_that_explain_it_equally_well_are_not_told():
    ((_, metric, detail),) = told(script("odd", 60.0, 40.0, 80.0, 250.0))

    assert metric == "script_cpu_percent"
    assert detail == {"computed": 125.0, "stated": 250}


def test_a_run_without_system_time_is_compared_with_others():
    peers = [script(f"p{i}", 140.0 + i, 40.0, 100.0, 180.0 + i) for i in range(2)]
    odd = script("odd", 60.0, 0.0, 80.0, 200.0)

    ((_, metric, _),) = told(odd, *peers)

    assert metric in {"script_user_seconds", "script_cpu_percent"}
