"""Rules that judge a run by itself, and what all of them find in what is published."""

from pathlib import Path

import pytest

from benchdb.plausibility.observed import Finding
from benchdb.plausibility.rules import ALONE, METRICS, RULES, judge
from benchdb.resources import folder
from tests.observed_runs import codes, published, seen

RATE = "fit_samples_per_second"
# Beside the flags that the transcriber set by hand, the data show two things more: the
# M1 Ultra cannot start the macOS that the document states for all of its machines, and
# four times the larger batch is slower. What collectors measured
# shows no more than that a GPU waited for its host.
EXPECTED = {
    "benchdb-h200": {
        (workload, "cuda", "Xeon", "launch-bound", "gpu_busy_percent")
        for workload in ("llm-decode", "llm-prefill", "llm-train")
    },
    "m1tensorbench": {
        ("mnist", "cpu", "M1 Ultra", "cpu-percent-mismatch", "script_user_seconds"),
        ("resnet50", "cpu", "M1 Pro", "outlier", "script_wall_seconds"),
        ("resnet50", "cpu", "M1 Ultra", "order-inverted", None),
        ("mobilenetv2", "cpu", "M1 Ultra", "order-inverted", None),
        *(
            (workload, device, "M1 Ultra", "impossible-os", None)
            for device in ("cpu", "metal")
            for workload in ("lstm", "mnist", "resnet50", "mobilenetv2", "distilbert")
            if (workload, device) != ("mnist", "metal")  # not measured
        ),
    },
    # Of the CPU with 64 images at once, and where 15.6 GB of a Mac's memory are taken.
    "pytorch-in-m1": {
        (workload, "cpu", "M1 Max", "slower-in-larger-batches", "epoch_seconds")
        for workload in ("resnet18", "mobilenetv2", "efficientnet-b0")
    },
    "tf-metal-experiments": {
        ("resnet50", "metal", "M1 Pro", "slower-in-larger-batches", RATE)
    },
}
FILES = sorted(folder("published").glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rules_find_in_published_figures_what_is_wrong_and_nothing_else(
    path: Path,
) -> None:
    runs = {run.run: run for run in published(path)}

    rows = {
        (run.workload, run.device, run.chip_name, finding.code, finding.metric)
        for finding in judge(tuple(runs.values()))
        for run in [runs[finding.run]]
    }

    assert rows == EXPECTED.get(path.stem, set())


def test_what_is_found_is_sorted_and_told_once():
    runs = [
        seen("b", workload="lstm", values={"mfu_percent": 140.0}),
        seen("a", workload="lstm", values={"mfu_percent": 120.0}),
    ]

    findings = judge([*runs, *runs], {"above-peak"})

    assert codes(findings) == [("a", "above-peak"), ("b", "above-peak")]
    assert findings[0] == Finding(
        "a", "above-peak", "mfu_percent", {"stated": 120, "peak": 100}
    )


def test_a_rule_is_left_out_where_it_is_not_asked_for():
    above = seen(workload="lstm", values={"mfu_percent": 120.0})

    assert judge([above], {"above-peak"})
    assert judge([above], {"outlier"}) == ()


def test_rules_that_judge_alone_find_the_same_in_any_company():
    above = seen("a", workload="lstm", values={"mfu_percent": 120.0})
    runs = [above, seen("b", os_name="macOS")]

    together = judge(runs, ALONE)

    assert codes(together) == [("a", "above-peak")]
    assert together == judge(runs[:1], ALONE) + judge(runs[1:], ALONE)
    assert set(RULES) > ALONE


@pytest.mark.parametrize(
    ("chip", "version", "doubtful"),
    [
        ("M1", "10.15.7", True),
        ("M1", "11.0", False),
        ("M1", "10.16", False),  # what 11 calls itself to old programs
        ("Apple M1 Pro", "11.6", True),
        ("M1 Ultra", "12.2.1", True),
        ("M1 Ultra", "12", False),  # any of that year
        ("M1 Ultra", "macOS 12.0.1", True),
        ("M2", "12.3 (21E230)", True),
        ("M2", "12.4", False),
        ("M4 Max", "14.5", True),
        ("M5", "26.0", False),
        ("M9 Hyper", "10.0", False),
        ("M1", "Monterey", False),
        ("M1", "9" * 100_000, False),
        ("M1", None, False),
    ],
)
def test_a_macos_from_before_the_chip_is_impossible(chip, version, doubtful):
    run = seen(chip_name=chip, os_name="macOS", os_version=version)

    assert codes(judge([run])) == [("a", "impossible-os")] * doubtful


@pytest.mark.parametrize("system", ["Linux", "Darwin", None])
def test_only_versions_of_macos_are_compared_with_those_of_macos(system):
    run = seen(device="cpu", os_name=system, os_version="6.5")

    assert judge([run]) == ()


@pytest.mark.parametrize(
    ("facts", "doubtful"),
    [
        ({"device": "cuda"}, True),
        ({"device": "cuda", "accelerators": ("RTX 3090",)}, False),
        ({"device": "cuda", "chip_vendor": "AMD"}, False),
        ({"chip_vendor": "NVIDIA", "chip_name": "Tesla T4"}, True),
        ({"chip_vendor": "Intel", "chip_name": "Core i9"}, False),
        ({"chip_vendor": "AMD", "os_name": "Ubuntu 24.04"}, True),
        ({"os_name": "Arch Linux"}, True),
        ({"os_name": "Windows 11", "chip_vendor": "unknown"}, True),
        ({"os_name": "Darwin"}, False),
        ({"device": "cpu", "os_name": "Fedora Asahi Remix"}, False),
    ],
)
def test_a_device_that_the_machine_cannot_have_is_impossible(facts, doubtful):
    assert codes(judge([seen(**facts)])) == [("a", "impossible-device")] * doubtful


@pytest.mark.parametrize(
    ("values", "facts", "doubtful"),
    [
        ({"step_seconds": 0.5, "samples_per_second": 256.0}, {}, 0),
        ({"step_seconds": 500.0, "samples_per_second": 256.0}, {}, 1),  # ms
        ({"reported_step_seconds": 0.5, "reported_samples_per_second": 2.0}, {}, 128),
        ({"step_seconds": 0.4, "samples_per_second": 256.0}, {}, 0),
        ({"step_seconds": 0.5, "samples_per_second": 3.1}, {"batch_size": 2}, 0),
        ({"epoch_seconds": 1.0, "fit_samples_per_second": 77.0}, {}, 60),  # minutes
        ({"epoch_seconds": 1.0, "fit_samples_per_second": 9.0}, {"parameters": {}}, 0),
        ({"epoch_seconds": 60.0, "epochs_per_hour": 60.0}, {}, 0),
        ({"epoch_seconds": 60.0, "epochs_per_hour": 1.0}, {}, 60),
        ({"operation_seconds": 2.0, "operations_per_second": 500.0}, {}, 1000),
        ({"latency_mean_seconds": 2.1, "latency_median_seconds": 0.0021}, {}, 1000),
        ({"latency_mean_seconds": 3.0, "latency_median_seconds": 2.0}, {}, 0),
        ({"tokens_per_joule": 2000.0, "tokens_per_second": 20.0}, {}, 0),
        ({"operation_seconds": 0.001, "teraflops": 2000.0}, {"workload": "matmul"}, 0),
    ],
)
def test_figures_that_fit_but_for_a_factor_contradict(values, facts, doubtful):
    usual = {"batch_size": 128, "parameters": {"steps_per_epoch": 36}}
    run = seen(values=values, device="cpu", **{**usual, **facts})

    factors = [finding.detail["factor"] for finding in judge([run])]

    assert factors == [1000 if doubtful == 1 else doubtful] * bool(doubtful)


def test_watts_in_milliwatts_contradict_the_joules():
    values = {
        "mean_power_watts": 20_000.0,
        "energy_joules": 2_000.0,
        "script_wall_seconds": 100.0,
        "samples_per_joule": 0.5,
        "samples_per_second": 10.0,
    }

    findings = judge([seen(values=values)], {"unit-contradiction"})

    assert [finding.metric for finding in findings] == [
        "energy_joules",
        "samples_per_joule",
    ]
    assert findings[0].detail == {
        "stated": 2000,
        "expected": 2_000_000,
        "other": "script_wall_seconds",
        "factor": 1000,
    }


def test_the_energy_of_our_own_window_is_not_that_of_the_whole_script():
    values = {
        "mean_power_watts": 20.0,
        "energy_joules": 2.0,
        "script_wall_seconds": 100.0,
    }

    assert judge([seen(label="measured", source=None, values=values)]) == ()


def test_gigaflops_told_as_teraflops_contradict_the_time_of_the_product():
    values = {"operation_seconds": 2.0, "teraflops": 1000.0}
    size = {"size": 10_000}
    run = seen(workload="matmul", device="cpu", parameters=size, values=values)

    assert [finding.detail["expected"] for finding in judge([run])] == [1]


def test_numbers_beyond_all_measure_are_judged_without_trouble():
    extremes = (5e-324, 1e-300, 1e300, 1.7e308)
    runs = [
        seen(
            f"{place}",
            machine=f"{place % 5}",
            batch_size=2**31 - 1,
            workload=("resnet50", "matmul")[place % 2],
            parameters={"size": 2**53, "steps_per_epoch": 2**53},
            values=dict.fromkeys(METRICS, extremes[place % 4]),
        )
        for place in range(20)
    ]

    findings = judge(runs)

    assert findings
    assert all(
        abs(fact) < float("inf")
        for finding in findings
        for fact in finding.detail.values()
        if isinstance(fact, float)
    )


PARTS = ("user_seconds", "system_seconds", "wall_seconds", "cpu_percent")


def script(run, *figures, printed=None, **facts):
    texts = printed or tuple(f"{figure:.2f}" for figure in figures[:3])
    return seen(
        run,
        device="cpu",
        values={
            f"script_{part}": result
            for part, result in zip(PARTS, figures, strict=True)
        },
        printed={
            f"script_{part}": result for part, result in zip(PARTS, texts, strict=False)
        },
        **facts,
    )


def judged(*runs):
    findings = judge(runs, {"cpu-percent-mismatch"})
    return [(finding.run, finding.metric, dict(finding.detail)) for finding in findings]


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
    assert judged(script("a", *figures)) == []


def test_a_percentage_without_all_of_its_times_is_not_judged():
    assert judged(seen(values={"script_cpu_percent": 900.0})) == []


def test_a_percentage_that_does_not_follow_is_told_with_what_does():
    assert judged(script("a", 90.0, 10.0, 50.0, 555.0)) == [
        ("a", "script_cpu_percent", {"computed": 200.0, "stated": 555})
    ]


def test_decimals_of_a_percentage_are_those_of_its_last_digit():
    texts = ("90.00", "10.00", "50.00", "203.1%")

    assert judged(script("a", 90.0, 10.0, 50.0, 203.1, printed=texts)) != []


def test_the_only_slip_that_explains_it_is_told():
    ((_, metric, detail),) = judged(script("a", 90.0, 12.3, 470.0, 146.0))

    assert metric == "script_wall_seconds"
    assert detail == {
        "candidate": 146.1,
        "candidate_wall_seconds": 70,
        "computed": 21.8,
        "stated": 146,
        "wall_seconds": 470,
    }


def test_the_slip_may_be_in_the_percentage():
    ((_, metric, detail),) = judged(
        script("a", 73.31, 11.7, 50.0, 710.0, printed=("73,31", "11,70", "50,00"))
    )

    assert metric == "script_cpu_percent"
    assert detail["candidate_cpu_percent"] == 170


def test_of_two_slips_it_is_the_one_that_is_like_the_other_runs():
    peers = [script(f"p{i}", 140.0 + i, 40.0, 100.0, 180.0 + i) for i in range(2)]
    odd = script("odd", 60.0, 40.0, 80.0, 250.0)

    ((_, metric, detail),) = judged(odd, *peers)

    assert metric == "script_user_seconds"
    assert detail["candidate_user_seconds"] == 160


def test_two_slips_that_explain_it_equally_well_are_not_told():
    ((_, metric, detail),) = judged(script("odd", 60.0, 40.0, 80.0, 250.0))

    assert metric == "script_cpu_percent"
    assert detail == {"computed": 125.0, "stated": 250}


def test_a_run_without_system_time_is_compared_with_others():
    peers = [script(f"p{i}", 140.0 + i, 40.0, 100.0, 180.0 + i) for i in range(2)]
    odd = script("odd", 60.0, 0.0, 80.0, 200.0)

    ((_, metric, _),) = judged(odd, *peers)

    assert metric in {"script_user_seconds", "script_cpu_percent"}
