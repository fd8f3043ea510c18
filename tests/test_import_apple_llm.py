"""apple-silicon-llm-bench: rates of trials, and averages that follow from them."""

import json

import pytest

from benchdb.importing.about import About
from benchdb.importing.tools import apple_llm_bench
from tests.foreign_files import SAMPLES, document, taken, written

SAMPLE = SAMPLES / "apple_silicon_llm_bench_raw.json"
MODEL = "apple-silicon-llm-bench/gemma_3_12b_it_4bit_dynamic"


def changed(**facts):
    whole = {**json.loads(SAMPLE.read_text()), **facts}
    return taken(apple_llm_bench, written(json.dumps(whole)))


def test_prompt_and_generation_are_medians_of_five_trials():
    read = taken(apple_llm_bench, document(SAMPLE))

    metric = "tokens_per_second"
    assert read.values == {
        (f"{MODEL}/prompt 512", metric): 578.8752366867644,
        (f"{MODEL}/generation 1024", metric): 55.11873197174979,
    }
    assert not read.bad
    assert {one.end.values[0].derived for one in read.runs} == {"median of 5 trials"}


def test_nothing_is_said_of_a_machine_that_the_file_does_not_name():
    run = taken(apple_llm_bench, document(SAMPLE)).runs[0]

    assert run.machine.chip.vendor == "unknown"
    assert run.run.missing["device"] == "not in the file"


def test_the_printed_averages_are_claims_that_come_true():
    claims = taken(apple_llm_bench, document(SAMPLE)).claims

    assert [one.claim.printed for one in claims] == [
        "577.7112053285243",
        "55.02742982046978",
    ]
    for one in claims:
        assert one.claim.recomputed == pytest.approx(one.claim.value)


def test_the_importing_person_may_know_how_far_the_figures_are():
    about = About(label="transcribed")

    read = taken(apple_llm_bench, document(SAMPLE), about)
    assert {one.run.label for one in read.runs} == {"transcribed"}


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"num_trials": 6}, "num_trials is 6, but there are 5"),
        ({"trials": []}, "no list of trials"),
        ({"trials": [1]}, "is no object"),
        ({"trials": [{"prompt_tps": 0, "gen_tps": 1}]}, "prompt_tps is 0"),
        ({"model": ""}, "model is blank"),
        ({"prompt_tokens": "x"}, "prompt_tokens is 'x'"),
        ({"averages": 7}, "averages is no object"),
    ],
)
def test_what_does_not_fit_is_refused(facts, why):
    reasons = [bad.reason for bad in changed(**{"num_trials": None, **facts}).bad]

    assert any(why in reason for reason in reasons)


def test_an_average_that_is_not_there_is_no_claim():
    assert len(changed(averages={"prompt_tps": 577.7}).claims) == 1
