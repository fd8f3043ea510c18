"""Columns that were left out, as answers make them; names with statistics."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import statistic
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import (
    figures,
    meanings,
    metrics_of,
    of_statistics,
    of_text,
    question,
    records,
    table,
)

ABOVE = "# vLLM on H100, Llama 3.1 8B, fp16\n\n"
SERVED = ABOVE + table(
    "Concurrency | mean_p99_ttft_ms | mean_tok_s_per_gpu | mean_ttft_ms",
    "1 | 80.5 | 170.25 | 40.5",
    "8 | 95.5 | 224.75 | 50.5",
)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("mean_p99_ttft_ms", "p99"),
        ("p99_latency_mean", "p99"),
        ("p50 of p90 (ms)", "p90"),
        ("mean_ttft_ms", "mean"),
    ],
)
def test_a_percentile_anywhere_in_a_name_is_its_statistic(header, name):
    assert statistic(header)[0] == name


def test_the_mean_of_a_percentile_is_no_plain_time():
    proposal = of_text(SERVED, {"readings": "yes"})

    stored = [
        it for it in of_statistics(proposal, SERVED) if it[1].startswith("time_to")
    ]
    assert [(name, value) for name, _, value in stored] == [
        ("p99", 0.0805),
        ("", 0.0405),
        ("p99", 0.0955),
        ("", 0.0505),
    ]


@pytest.mark.parametrize(
    ("column", "answer", "metric", "value"),
    [
        ("mean_tok_s_per_gpu", "tok/s", "tokens_per_second", 170.25),
        ("mean_tok_s_per_gpu", "tokens_per_second", "tokens_per_second", 170.25),
    ],
)
def test_what_was_left_out_is_answered_back_under_its_own_name(
    column, answer, metric, value
):
    answers = {"readings": f"yes, but {column}: {answer}", "readings 2": "yes"}
    proposal = of_text(SERVED, answers)

    name = column.strip("'").removesuffix("_ms")
    own = [
        end
        for it in records(proposal, SERVED)
        if it.run.parameters.get("variant") == name
        for end in it.end.values
    ]
    assert [(it.metric, it.value) for it in own][:1] == [(metric, value)]
    assert f"'{column}'" not in "".join(proposal.left_out)


SLOTS = ABOVE + table(
    "Model | Static VRAM",
    "Qwen3 4B | 3,224 MiB (3.15 GiB)",
    "Qwen3 8B | 10,942 MiB (10.69 GiB)",
)


def test_a_table_of_which_nothing_is_taken_has_titles_that_are_known():
    answer = "yes, but Static VRAM: peak_memory_observed_bytes in MiB; work: llm-decode"
    proposal = of_text(SLOTS, {"readings": answer, "readings 2": "yes"})

    assert [value for _, _, value in figures(proposal, SLOTS)] == [
        3224 * 2**20,
        10942 * 2**20,
    ]


def test_a_title_of_such_a_table_is_answered_with_what_would_take_it():
    why = "'Static VRAM': 'framework': nothing of its table is taken"
    with pytest.raises(AnswerError, match=why):
        of_text(SLOTS, {"readings": "yes, but Static VRAM: framework"})


def test_numbers_of_which_the_unit_is_not_said_need_both():
    text = ABOVE + table("Model | tdp | img/s", "Qwen3 4B | 350.5 | 12.5")
    with pytest.raises(AnswerError, match="in which unit, is not said; give both"):
        of_text(text, {"readings": "yes, but tdp: work_seconds"})


def test_an_answer_that_no_cell_can_be_is_refused_as_one():
    text = ABOVE + table("Batch | prefill tok/s", "8 | 350.5", "16 | 351.5")
    with pytest.raises(AnswerError, match=r"prefill tok/s.*counts token"):
        of_text(
            text, {"readings": "yes, but prefill tok/s: reported_samples_per_second"}
        )


def test_the_best_of_a_kind_is_a_run_where_its_name_says_of_which():
    text = ABOVE + table(
        "Task | baseline_latency_s | best_spec_latency_s",
        "sums | 1.575 | 1.078",
        "essays | 1.625 | 1.229",
    )
    proposal = of_text(text)

    columns = proposal.map.table[0].columns
    assert columns["best_spec_latency_s"].set["parameters.statistic"] == "best"
    assert "'best_spec_latency_s'" in question(proposal, "metric of").text


@pytest.mark.parametrize("header", ["warm_tok_s", "cold tok/s", "best_ttft_ms"])
def test_a_word_of_a_header_that_no_rule_reads_is_on_the_card(header):
    text = ABOVE + table(f"Batch | {header}", "8 | 20.5", "16 | 30.5")
    assert {*metrics_of(of_text(text))} == {header}


TIMINGS = """{"model": "Qwen3 4B", "requests": [
{"timings": {"prompt_per_second": 127.5, "predicted_per_second": 12.5}},
{"timings": {"prompt_per_second": 158.5, "predicted_per_second": 13.5}}],
"summary": {"aggregate_tokens_per_second": 11.5, "completion_tokens": 625}}"""


def of_json(text: str) -> Proposal:
    document = Document("timings.json", text.encode())
    return propose(document, READERS["json"](document))


def test_what_llama_cpp_calls_predicted_is_measured():
    proposal = of_json(TIMINGS)
    of_requests = next(
        it for it in proposal.map.table if "timings.predicted_per_second" in it.columns
    )

    assert meanings(of_requests)["timings.predicted_per_second"] == "tokens_per_second"
    workloads = {
        name: it.set.get("workload")
        for name, it in of_requests.columns.items()
        if name.startswith("timings.")
    }
    assert workloads == {
        "timings.prompt_per_second": "llm-prefill",
        "timings.predicted_per_second": "llm-decode",
    }


def test_a_rate_of_all_requests_sums_up_none_of_a_side_and_its_count_is_no_setting():
    proposal = of_json(TIMINGS)
    left = "".join(proposal.left_out)

    assert "aggregate_tokens_per_second': sums up" not in left
    assert "'summary.completion_tokens' is a sum over requests" in left


OF_STATISTICS = """# Decode with PyTorch on H100

## latency

| metric | value | unit |
| ------ | ----: | ---: |
| total  | 62.5  | s |
| mean   | 6.25  | s |
| p50    | 6.125 | s |
| p99    | 6.375 | s |
| stdev  | 0.006 | s |
"""


def test_rows_called_after_statistics_are_those_of_the_heading_above_them():
    proposal = of_text(OF_STATISTICS, {"readings": "yes"})

    assert {metric: value for _, metric, value in figures(proposal, OF_STATISTICS)} == {
        "latency_mean_seconds": 6.25,
        "latency_median_seconds": 6.125,
        "latency_p99_seconds": 6.375,
    }
    left = "".join(proposal.left_out)
    assert "total (62.5 s)" in left
    assert "'stdev' tells how other figures spread" in left


def test_a_list_of_what_llama_cpp_measures_counts_tokens():
    text = (
        "# llama.cpp on H100\n\nprompt_per_second: 950.5\npredicted_per_second: 146.5\n"
    )
    proposal = of_text(text, {"readings": "yes"})
    assert figures(proposal, text) == [
        ("llm-prefill", "tokens_per_second", 950.5),
        ("llm-decode", "tokens_per_second", 146.5),
    ]


def test_what_a_chip_could_do_and_what_was_aimed_at_are_no_results():
    text = ABOVE + table(
        "Input tokens | TTFT SoL | TTFT target | TTFT measured",
        "128 | 33 ms | 66 ms | 60.5 ms",
        "1024 | 34 ms | 67 ms | 140 ms",
    )
    proposal = of_text(text, {"readings": "yes"})

    assert [value for _, _, value in figures(proposal, text)] == [0.0605, 0.14]
    assert "'TTFT SoL' is no measurement" in "".join(proposal.left_out)


@pytest.mark.parametrize(
    "key", ["column 3", "mean_tok_s_per_gpu of table 1", "mean_tok_s_per_gpu"]
)
def test_a_column_that_was_left_out_is_called_by_its_number_or_of_its_table(key):
    answers = {"readings": f"yes, but {key}: tok/s", "readings 2": "yes"}
    rates = [it[2] for it in figures(of_text(SERVED, answers), SERVED)]
    assert 170.25 in rates


def test_a_unit_and_a_metric_are_given_in_one_answer():
    text = ABOVE + table("Batch | prefill tok/s", "8 | 350.5", "16 | 351.5")
    answer = "yes, but prefill tok/s: work_seconds in ms"
    stored = figures(of_text(text, {"readings": answer}), text)
    assert [(metric, value) for _, metric, value in stored] == [
        ("work_seconds", 0.3505),
        ("work_seconds", 0.3515),
    ]


def test_the_best_of_repetitions_stays_one_whatever_it_is_answered_to_be():
    text = ABOVE + table("Batch | Best (ms)", "8 | 11.5", "16 | 33.5")
    proposal = of_text(text, {"readings": "yes"})
    assert {it.run.parameters["statistic"] for it in records(proposal, text)} == {
        "best"
    }


@pytest.mark.parametrize("answer", ["work_seconds", "work_seconds in s"])
def test_names_tell_figures_apart_whose_metric_follows_from_answers(answer):
    names = ["hf_time", "no_compile_time", "compile_time"]
    text = table(" | ".join(["Model", *names]), "gpt2 | 0.5 | 0.25 | 0.75")
    result = "; ".join(f"{name}: {answer}" for name in names)
    proposal = of_text(text, {"readings": f"yes, but {result}"})
    columns = proposal.map.table[0].columns
    assert [columns[it].set.get("parameters.variant") for it in names] == names


@pytest.mark.parametrize("behind", [" p/s", "(7 samples/9.1 seconds)"])
def test_what_nobody_knows_behind_figures_leaves_them_the_unit_of_the_answer(behind):
    text = "# Proteins with ESM2, torch on an A100\n\n" + table(
        "Model | GPU Throughput", f"small | 0.77{behind}", f"large | 12.5{behind}"
    )
    proposal = of_text(text, {"readings": "yes, but GPU Throughput: samples/s"})
    assert [
        (value.metric, value.value)
        for it in records(proposal, text)
        for value in it.end.values
    ] == [("reported_samples_per_second", 0.77), ("reported_samples_per_second", 12.5)]


def test_an_answer_does_not_overrule_a_unit_that_is_known():
    text = "# ESM2, torch on an A100\n\n" + table("Model | GPU Load", "small | 0.77 GB")
    with pytest.raises(AnswerError, match="no cell has a figure with such a unit"):
        of_text(text, {"readings": "yes, but GPU Load: ms"})
