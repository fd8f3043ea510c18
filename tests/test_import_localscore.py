"""LocalScore: submissions as its program sends them."""

import json

import pytest

from benchdb.importing.tools import localscore
from tests.foreign_files import (
    SAMPLES,
    document,
    sample_cases,
    taken,
    written,
)

SUBMISSION = SAMPLES / "localscore_submission.json"


def submission(**facts):
    """Return what is read of the sample's first test with these facts changed."""
    whole = json.loads(SUBMISSION.read_text())
    whole["results"] = [{**whole["results"][0], **facts}]
    return taken(localscore, written(json.dumps(whole)))


@pytest.mark.parametrize(
    ("path", "tests"), sample_cases(SUBMISSION.name, ours=(3,), shared=(9,))
)
def test_a_test_is_three_runs_and_four_averages_are_claims(path, tests):
    read = taken(localscore, document(path))

    assert (len(read.runs), len(read.bad), len(read.claims)) == (3 * tests, 0, 4)
    assert {one.run.label for one in read.runs} == {"aggregate"}
    assert sum(len(one.end.values) for one in read.runs) == tests * (3 + 2 + 2)


@pytest.mark.parametrize(
    ("path", "model", "seconds", "first_token", "prompt", "generation"),
    sample_cases(
        SUBMISSION.name,
        ours=(
            *("Llama 3.2 3B Instruct", 0.50025, "350.75"),
            *([19.936877, 3000.5], [0.666113, 100.25]),
        ),
        shared=(
            *("Meta Llama 3.1 8B Instruct", 0.392924316, "250.672818"),
            *([14.830377, 4249.872075], [0.367393, 105.282166]),
        ),
    ),
)
def test_the_figures_are_in_our_units_with_their_characters(
    path, model, seconds, first_token, prompt, generation
):
    both, first, second = taken(localscore, document(path)).runs[:3]

    figures = {value.metric: value for value in both.end.values}
    workload = f"localscore/{model} Q4_K - Medium/pp1024+tg16"
    assert (both.run.workload, first.run.workload) == (workload, f"{workload} prompt")
    assert figures["operation_seconds"].value == pytest.approx(seconds)
    assert figures["time_to_first_token_seconds"].printed == first_token
    assert figures["mean_power_watts"].locator == "/results/0/power_watts"
    assert [value.value for value in first.end.values] == prompt
    assert [value.value for value in second.end.values] == generation


@pytest.mark.parametrize(
    ("path", "processor", "gigabytes", "gpu", "kernel", "version"),
    sample_cases(
        SUBMISSION.name,
        ours=(
            *("Ryzen 9 5950X", 62.75, "GeForce RTX 3060"),
            *("6.1.0-18-amd64", "0.9.2 (b7c6d5e)"),
        ),
        shared=(
            *("EPYC 7352", 125.64, "GeForce RTX 3090"),
            *("6.8.0-52-generic", "0.9.1 (a30b324)"),
        ),
    ),
)
def test_the_machine_is_a_processor_with_a_card(
    path, processor, gigabytes, gpu, kernel, version
):
    run = taken(localscore, document(path)).runs[0]

    chip = run.machine.chip
    assert (chip.vendor, chip.name) == ("AMD", processor)
    assert chip.ram_bytes == round(gigabytes * 2**30)
    assert chip.accelerators[0].name == gpu
    assert (run.run.device, run.environment.kernel) == ("cuda", kernel)
    assert run.environment.framework_version == version
    assert run.run.missing["started"] == "not in the file"


@pytest.mark.parametrize(
    ("path", "score"),
    sample_cases(
        SUBMISSION.name, ours=("855.6229436583345",), shared=("1007.7311028205496",)
    ),
)
def test_the_averages_are_claims_that_come_true(path, score):
    claims = taken(localscore, document(path)).claims

    assert claims[3].claim.printed == score
    for one in claims:
        assert one.claim.recomputed == pytest.approx(one.claim.value)


def test_a_part_of_which_nothing_was_measured_is_no_result():
    read = submission(prompt_tps=0, prompt_tps_watt=0)

    statuses = [(one.end.status, one.end.reason is None) for one in read.runs]
    assert statuses == [("ok", True), ("not-measured", False), ("ok", True)]


def test_an_unknown_runtime_leaves_the_device_open():
    whole = json.loads(SUBMISSION.read_text())
    whole["runtime_info"]["name"] = "other"
    run = taken(localscore, written(json.dumps(whole))).runs[0]

    assert run.run.device == "unknown"
    assert "NVIDIA" in run.run.missing["device"]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"gen_tps": -1}, "gen_tps is -1, less than nothing"),
        ({"gen_tps": "fast"}, "gen_tps is 'fast', no number"),
        ({"gen_tps": 1e300}, "which cannot be"),
        ({"model_name": None}, "model_name is missing"),
        ({"n_prompt": None}, "n_prompt is missing"),
        ({"name": "a\u202eb"}, "U+202E"),
    ],
)
def test_what_cannot_be_true_is_refused(facts, why):
    assert why in submission(**facts).bad[0].reason


@pytest.mark.parametrize(
    "results", [[], {}, "none", [1], [{"n_prompt": [[[]]]}]], ids=str
)
def test_results_of_another_shape_are_refused(results):
    whole = json.loads(SUBMISSION.read_text()) | {"results": results}
    read = taken(localscore, written(json.dumps(whole)))

    assert not read.runs
    assert read.bad


def test_a_list_of_submissions_is_read_one_by_one():
    whole = json.loads(SUBMISSION.read_text())
    read = taken(localscore, written(json.dumps([whole, whole])))

    assert len(read.runs) == 18
    assert read.runs[9].run.locator == "/1/results/0"
    assert not localscore.recognises(written(json.dumps([whole, 1])))
    assert not localscore.recognises(written("7"))


def test_averages_that_are_not_there_are_no_claims():
    whole = json.loads(SUBMISSION.read_text()) | {"results_summary": {}}

    assert not taken(localscore, written(json.dumps(whole))).claims
