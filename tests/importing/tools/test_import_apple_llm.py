"""apple-silicon-llm-bench: rates of trials, and averages that follow from them."""

import json

import pytest

from benchdb.importing.provenance import About
from benchdb.importing.tools import apple_llm_bench
from tests.foreign_files import SAMPLES, document, sample_cases, taken, written

NAME = "apple_silicon_llm_bench_raw.json"
SAMPLE = SAMPLES / NAME


def changed(**facts):
    whole = {**json.loads(SAMPLE.read_text()), **facts}
    return taken(apple_llm_bench, written(json.dumps(whole)))


@pytest.mark.parametrize(
    ("path", "trials", "model", "own", "medians"),
    sample_cases(
        NAME,
        ours=(
            *(3, "gemma_2_2b_it_4bit", "4bit"),
            ((256, 401.5), (512, 60.25)),
        ),
        shared=(
            *(5, "gemma_3_12b_it_4bit_dynamic", "4bit_dynamic"),
            ((512, 578.8752366867644), (1024, 55.11873197174979)),
        ),
    ),
)
def test_prompt_and_generation_are_medians_of_the_trials(
    path, trials, model, own, medians
):
    read = taken(apple_llm_bench, document(path))

    (prompt, read_rate), (generated, written_rate) = medians
    assert read.values == {
        ("llm-prefill", "tokens_per_second"): read_rate,
        ("llm-decode", "tokens_per_second"): written_rate,
    }
    weights = {"model": model, "quantization": own, "num_trials": trials}
    assert [run.run.parameters for run in read.runs] == [
        {**weights, "prompt_tokens": prompt},
        {**weights, "generated_tokens": generated, "depth": prompt},
    ]
    assert not read.bad
    assert {run.end.values[0].derived for run in read.runs} == {
        f"median of {trials} trials"
    }


def test_nothing_is_said_of_a_machine_that_the_file_does_not_name():
    run = taken(apple_llm_bench, document(SAMPLE)).runs[0]

    assert run.machine.chip.vendor == "unknown"
    assert run.run.missing["device"] == "not in the file"


@pytest.mark.parametrize(
    ("path", "averages"),
    sample_cases(
        NAME,
        ours=(["400.5833333333333", "60.166666666666664"],),
        shared=(["577.7112053285243", "55.02742982046978"],),
    ),
)
def test_the_printed_averages_are_claims_that_come_true(path, averages):
    claims = taken(apple_llm_bench, document(path)).claims

    assert [claim.claim.printed for claim in claims] == averages
    for claim in claims:
        assert claim.claim.recomputed == pytest.approx(claim.claim.value)


def test_the_importing_person_may_know_how_far_the_figures_are():
    about = About(label="transcribed")

    read = taken(apple_llm_bench, document(SAMPLE), about)
    assert {run.run.label for run in read.runs} == {"transcribed"}


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"num_trials": 6}, "num_trials is 6, but there are 3"),
        ({"trials": []}, "no list of trials"),
        ({"trials": [1]}, "is no object"),
        ({"trials": [{"prompt_tps": 0, "gen_tps": 1}]}, "prompt_tps is 0"),
        ({"model": ""}, "model is missing"),
        ({"prompt_tokens": "x"}, "prompt_tokens is 'x'"),
        ({"averages": 7}, "averages is no object"),
    ],
)
def test_what_does_not_fit_is_refused(facts, why):
    reasons = [bad.reason for bad in changed(**{"num_trials": None, **facts}).bad]

    assert any(why in reason for reason in reasons)


def test_an_average_that_is_not_there_is_no_claim():
    assert len(changed(averages={"prompt_tps": 400.5}).claims) == 1
