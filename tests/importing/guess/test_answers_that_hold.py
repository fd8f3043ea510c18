"""What an answer says holds, is refused or noted: none is dropped without a word."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    figures,
    metrics_of,
    number,
    of_statistics,
    of_text,
    question,
    records,
    table,
)

SIDES = "# llama.cpp on M2 Max\n\n" + table(
    "Phase | tok/s", "first part | 198.2", "second part | 29.4"
)
KEYED = "# Timing on M2 Max\n\n- time: 0.98 ms\n- note: 3 of 4\n"
LOG = """rep1: decode 29.37 t/s | prefill 198.19 t/s | accept 274/374 = 73.3%
rep2: decode 29.43 t/s | prefill 198.66 t/s | accept 274/374 = 73.3%
"""
HEADED = """=== ub512 === (idle)
rep1: decode 29.37 t/s | prefill 198.19 t/s | accept 274/374 = 73.3%
=== ub2048 === (idle)
rep1: decode 27.43 t/s | prefill 310.79 t/s | accept 274/374 = 73.3%
"""


def proposed(text, answer=""):
    document = Document("results.md", text.encode())
    answers = {"readings": f"yes, but {answer}"} if answer else {}
    return propose(document, readable(document), answers)


def stored(text, answer):
    return figures(proposed(text, answer), text)


def test_an_answer_about_a_cell_wins_over_the_work_of_its_column():
    answer = "'tok/s': llm-decode; first part: work llm-prefill"
    assert stored(SIDES, answer) == [
        ("llm-prefill", "tokens_per_second", 198.2),
        ("llm-decode", "tokens_per_second", 29.4),
    ]


def test_an_answer_about_a_heading_wins_over_the_work_of_its_column():
    text = SIDES + "\n## Prompts\n\n" + table("Phase | tok/s", "long | 210.5")
    assert stored(text, "Prompts: work llm-prefill") == [
        ("llm-decode", "tokens_per_second", 198.2),
        ("llm-decode", "tokens_per_second", 29.4),
        ("llm-prefill", "tokens_per_second", 210.5),
    ]


def test_an_answer_about_a_cell_is_refused_where_the_columns_beside_it_differ():
    text = "# llama.cpp\n\n" + table("Model | M1 tok/s | M2 tok/s", "a | 20 | 30")
    with pytest.raises(AnswerError, match=r"differ in it; answer for these columns"):
        proposed(text, "a: machine M3")


def test_an_answer_is_refused_where_what_is_nearer_says_otherwise():
    text = "# Wool\n\n## Sheep\n\n" + table("Operation | ms", "matmul | 2.5")
    why = r"changed nothing: other words .* say their work \(matmul, 'Operation'\)"
    with pytest.raises(AnswerError, match=why):
        proposed(text, "Sheep: work conv")


def test_an_answer_that_says_what_is_read_already_is_noted():
    text = "# torch\n\n" + table("Operation | Model | ms", "matmul | tiny | 2.5")
    result = proposed(text, "tiny: model tiny")
    assert "'tiny': 'model tiny': no row is changed, it was read so" in result.notes


@pytest.mark.parametrize("answer", ["setting", "variant", "work", "leave-out"])
def test_keys_that_told_the_metric_of_their_rows_hand_it_on(answer):
    result = proposed(KEYED, f"key: {answer}; work: matmul")
    assert [it[1:] for it in figures(result, KEYED)] == [("work_seconds", 0.00098)]


def test_keys_that_tell_several_metrics_are_no_setting():
    text = "# Timing on M2 Max\n\n- load time: 2 s\n- speed: 30 tok/s\n"
    with pytest.raises(AnswerError, match="answer for each of these"):
        proposed(text, "key: setting")


def test_keys_that_name_sides_tell_the_work_and_runs_again_are_samples():
    result = proposed(LOG)
    assert [
        (it.end.values[0].value, it.run.workload) for it in records(result, LOG)
    ] == [
        (29.4, "llm-decode"),
        (198.425, "llm-prefill"),
    ]
    assert question(result, "repeat").likely == "samples"


def test_headings_stay_beside_keys_that_are_variants():
    runs = (record.run.parameters for record in records(proposed(HEADED), HEADED))
    assert [(it["variant"], it["variant_2"]) for it in runs] == [
        ("decode", "ub512"),
        ("prefill", "ub512"),
        ("decode", "ub2048"),
        ("prefill", "ub2048"),
    ]


def test_keys_that_are_left_out_take_their_figures():
    lines = "- about 58 tokens/sec in real-time generation\n"
    text = table("Run | tok/s", "1 | 57.2") + "\n## Analysis\n\n" + lines
    for answer in ("key: leave-out", "setting variant: leave-out"):
        assert [it[2] for it in stored(text, f"Run: repeat; {answer}")] == [57.2]


def test_a_column_may_tell_repetitions():
    text = table("Run | tok/s", "1 | 57.2", "2 | 59.3")
    result = proposed(text, "Run: repeat")
    assert [it.run.conditions["repeat"] for it in records(result, text)] == [1, 2]


def test_variant_is_an_answer_wherever_setting_is():
    text = table("Model | Before | After", "a | 20.5 | 30.5")
    text = "# Decode tok/s\n\n" + text
    result = proposed(text, "Before: variant; After: variant")
    outcome = {it.run.parameters["variant"] for it in records(result, text)}
    assert outcome == {"Before", "After"}


def test_the_side_that_a_heading_speaks_of_is_that_of_its_figures():
    text = "# Prefill, tok/s\n\n" + table("Model | Speed", "a | 200.5")
    assert question(proposed(text), "work").likely == "llm-prefill"


def test_a_size_in_the_name_of_a_machine_is_kept_or_refused():
    text = table("Operation | ms", "matmul | 2.5")
    machine = "machine: RTX 2000 Ada Generation Laptop"
    with pytest.raises(AnswerError, match="say it as 'memory: "):
        proposed(text, f"{machine} 8.2 GB")
    result = proposed(text, f"{machine}; memory: 8 GB")
    (record,) = records(result, text)
    assert record.machine.chip.ram_bytes == 8 * 2**30


SPEEDUP = "# Inference on M2 Max\n\n" + table(
    "Model | Time (s) | Speedup", "wren | 2.5 | 0.25x", "lark | 3.5 | 0.35x"
)
ENGINES = "# Tuning on M2 Max\n\n" + table(
    "Runs on | Operation | s", "toaster | matmul | 2.5", "cpu | matmul | 7.5"
)
NO_CHIP = "# Tuning\n\n" + table("Board | Operation | s", "Kestrel 9 | matmul | 2.5")
SIZES = "# Rolling dough\n\n" + table(
    "Batch Size | Before (ms) | After (ms)", "N=8 | 14.5 | 12.5", "all | 15.5 | 13.5"
)
WEIGHTS = (
    "# Answers on M2 Max\n\n## wren 7b Q8_0\n\n"
    + table("prompt | decode tok/s", "short | 41.5")
    + "\n## afternoon\n\n"
    + table("load | decode tok/s", "light | 52.5")
    + "\n## evening\n\n"
    + table("Quantization | seen | decode tok/s", "Q6_K | on | 50.5")
)
BANDWIDTHS = (
    "# Answers on M2 Max\n\n"
    + table("model | memory bandwidth (GB/s) | decode tok/s", "wren 7b | 300.5 | 41.5")
    + "\n# Copies on M2 Max\n\n"
    + table("buffer | memory bandwidth (GB/s) | time (s)", "small | 300.5 | 2.5")
)
STAGES = (
    "# Evening\n\n"
    + table("mode | Time (s)", "turbo | 41.5")
    + "\n# Morning\n\n"
    + table("stage | wall (s)", "warm | 12.5")
)


@pytest.mark.parametrize("answer", ["reported_value", "x"])
def test_a_ratio_with_a_metric_or_a_unit_is_a_column_of_figures(answer):
    (left,) = proposed(SPEEDUP).left_out
    assert left == "line 3: 'Speedup': ratios, kept as claims"

    result = proposed(SPEEDUP, f"Speedup: {answer}")
    assert not any("Speedup" in it for it in (*result.left_out, *result.notes))
    values = [it for it in figures(result, SPEEDUP) if it[1] == "reported_value"]
    assert [value for *_, value in values] == [0.25, 0.35]

    (speed, _) = records(proposed(SPEEDUP, "Speedup: speed_factor"), SPEEDUP)
    assert {it.metric for it in speed.end.values} == {"work_seconds", "speed_factor"}


def test_a_word_that_is_no_device_is_a_setting_and_a_note():
    result = proposed(ENGINES, "Runs on: device")
    runs = [it.run for it in records(result, ENGINES)]
    assert [(it.device, it.parameters.get("device")) for it in runs] == [
        ("unknown", "toaster"),
        ("cpu", None),
    ]
    kept = "'toaster' -> no device that is known, kept as a setting"
    assert any(kept in it for it in result.notes)
    assert not result.questions

    named = proposed(ENGINES, "Runs on: device; toaster: npu")
    assert [it.run.device for it in records(named, ENGINES)] == ["npu", "cpu"]
    assert not named.questions


def test_an_answer_that_cannot_be_kept_is_noted_and_not_asked_again():
    result = proposed(NO_CHIP, "Board: machine; Kestrel 9: gpu")
    assert [it.run.device for it in records(result, NO_CHIP)] == ["unknown"]
    assert any("kept as unknown" in it for it in result.notes)
    assert not result.questions


@pytest.mark.parametrize("answer", ["setting", "variant"])
def test_a_column_that_named_the_work_is_a_setting_under_its_own_name(answer):
    result = proposed(SIZES, f"Batch Size: {answer}; work: new: dough")
    runs = [it.run for it in records(result, SIZES)]
    assert {it.workload for it in runs} == {"dough"}
    assert {it.parameters["printed_batch_size"] for it in runs} == {"N=8", "all"}
    assert not any("read so" in it for it in result.notes)
    assert not result.questions

    (asked,) = proposed(SIZES, f"Batch Size: {answer}").questions
    assert asked.text.startswith("What is the work of table 1 at line 3")


def test_a_fact_of_all_reaches_tables_that_say_nothing_of_it():
    result = proposed(WEIGHTS, "quantization: Q4_0")
    runs = [it.run for it in records(result, WEIGHTS)]
    assert [it.parameters["quantization"] for it in runs] == ["Q4_0", "Q4_0", "Q6_K"]


def test_a_fact_that_holds_already_is_noted():
    result = proposed(WEIGHTS, "memory: 64 GB; memory of table 2: 64 GB")
    assert not result.notes
    again = proposed(SIDES, "seed: 7; setting seed: 7")
    assert not [note for note in again.notes if "it was read so" in note]


def test_the_figures_of_a_left_out_column_are_left_out_elsewhere():
    left = number(proposed(BANDWIDTHS), "memory bandwidth")
    result = proposed(BANDWIDTHS, f"{left}: leave-out")
    assert {metric for _, metric, _ in figures(result, BANDWIDTHS)} == {
        "tokens_per_second",
        "work_seconds",
    }
    assert any("as that at line 3, as answered" in it for it in result.left_out)


def test_other_figures_under_a_title_that_is_left_out_stay_and_are_named():
    text = BANDWIDTHS + "| large | 512.5 | 7.5 |\n"
    left = number(proposed(text), "memory bandwidth")
    result = proposed(text, f"{left}: leave-out")
    values = [it[2] for it in figures(result, text) if it[1] == "gigabytes_per_second"]
    assert values == [300.5, 512.5]
    assert any("stays: unlike that at line 3" in it for it in result.notes)


def test_without_the_column_that_named_the_work_the_rest_of_an_answer_counts():
    result = proposed(STAGES, "stage: leave-out; machine of table 2: M2 Max")
    (asked,) = result.questions
    assert asked.text.startswith("What is the work of table 2 at line 9")
    machines = [it.machine.chip.name for it in records(result, STAGES)]
    assert machines == ["unknown", "M2 Max"]


def test_repetitions_that_are_numbered_are_replicates():
    text = "# Tuning\n\n" + table(
        "Try | Operation | s", "1 | matmul | 2.5", "2 | matmul | 7.5"
    )
    runs = [it.run for it in records(proposed(text, "Try: repeat"), text)]
    assert [(it.replicate, it.conditions["repeat"]) for it in runs] == [(1, 1), (2, 2)]


def test_work_that_is_said_of_all_is_asked_of_no_table():
    text = STAGES.replace("stage", "Runs on").replace("warm", "cpu")
    result = proposed(text, "Runs on: device; work: new: baking")
    assert {it.run.workload for it in records(result, text)} == {"baking"}
    assert not result.questions


def test_a_bare_number_behind_the_name_of_a_framework_is_its_version():
    result = proposed(SIDES, "framework: llama.cpp 10066")
    assert {it.environment.framework_version for it in records(result, SIDES)} == {
        "10066"
    }


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (
            "framework: llama.cpp 10066 nightly",
            "'llama.cpp 10066 nightly': nothing of the framework is '10066 nightly'",
        ),
        (
            "'tok/s': precision fp16 weights",
            "'precision fp16 weights': nothing of the precision is 'weights'",
        ),
    ],
)
def test_words_of_an_answer_that_nothing_is_made_of_are_noted(answer, note):
    assert note in proposed(SIDES, answer).notes


@pytest.mark.parametrize(
    "name", ["RTX 2080 Ti", "2x GTX 1050 Ti", "RTX 4060 Laptop GPU"]
)
def test_words_that_the_name_of_a_machine_has_are_not_noted(name):
    assert not [
        it for it in proposed(SIDES, f"machine: {name}").notes if "nothing" in it
    ]


@pytest.mark.parametrize("answer", ["statistic: min", "'latency_ms': statistic min"])
def test_a_statistic_is_a_setting_though_min_is_a_unit_too(answer):
    text = table("model | latency_ms", "lenet | 2.5", "vgg | 3.5")
    proposal = of_text(text, {"readings": f"yes, but {answer}; work: new: inference"})
    assert {it[0] for it in of_statistics(proposal, text)} == {"min"}


def test_a_latency_of_which_nothing_says_the_mean_is_on_the_card():
    text = table("model | latency_ms | mean_latency_ms", "lenet | 2.5 | 3.5")
    assert {*metrics_of(of_text(text))} == {"latency_ms"}


def test_a_metric_in_a_unit_that_is_none_is_refused():
    with pytest.raises(AnswerError, match="'tok/s': 'tokens_per_second in furlongs'"):
        proposed(SIDES, "'tok/s': tokens_per_second in furlongs")


def test_a_batch_of_a_line_is_none_beside_a_column_that_is_called_so():
    text = (
        "# Run on M2 Max\n\n--- Run llama-bench: batch 8192 ---\n\nIts log:\n\n"
        + table("Model | n_batch | test | tok/s", "wren 7B | 8192 | pp512 | 198.2")
    )
    (run,) = (it.run for it in records(proposed(text), text))
    assert "batch_size" not in run.parameters
    assert run.parameters["n_batch"] == 8192


TESTS = "# llama.cpp on M2 Max\n\n" + table(
    "test | {} | t/s (req)", "pp512 | 198.2 | 100.5", "tg128 | 98.2 | 50.5"
)
SIDES_OF_ROWS = [("llm-prefill", 198.2), ("llm-prefill", 100.5)]
SIDES_OF_ROWS += [("llm-decode", 98.2), ("llm-decode", 50.5)]


def works(text, answer=""):
    return [(work, value) for work, _, value in figures(proposed(text, answer), text)]


def test_a_cell_says_the_side_of_its_row_whatever_a_title_sums_up():
    assert works(TESTS.format("t/s (total)")) == SIDES_OF_ROWS


def test_work_that_is_not_stated_by_a_column_is_that_of_the_cells():
    text = TESTS.format("token generation t/s")
    assert works(text)[0] == ("llm-decode", 198.2)
    line = number(proposed(text), "work in names of columns")
    assert works(text, f"{line}: not-stated") == SIDES_OF_ROWS


def test_some_work_it_must_be_where_nothing_else_tells_it():
    text = "# llama.cpp on M2 Max\n\n" + table(
        "Model | t/s (total) | t/s (req)", "llama 8B | 8.5 | 4.5"
    )
    line = number(proposed(text), "work in names of columns")
    with pytest.raises(AnswerError, match="some work it must be"):
        proposed(text, f"{line}: not-stated")


def test_a_column_that_is_said_to_be_a_setting_tells_its_other_settings_still():
    text = "# vLLM on M2 Max\n\n" + table(
        "cell | tok/s", "sharegpt_c1 | 230.2", "sharegpt_c32 | 1764.5"
    )
    result = proposed(text, "cell: setting")
    parameters = [it.run.parameters for it in records(result, text)]
    assert [(it["cell"], it["concurrency"]) for it in parameters] == [
        ("sharegpt_c1", 1),
        ("sharegpt_c32", 32),
    ]


def test_rows_of_tokens_keep_their_work_whatever_other_rows_are():
    text = "# Summary of M2 Max\n\n- Throughput: 1117.7\n"
    text += "- Token per Second: 41.9 tok/s\n- TTFT: 0.056 s\n"
    assert stored(text, "Throughput: figure")[1:] == [
        ("llm-decode", "tokens_per_second", 41.9),
        ("llm-prefill", "time_to_first_token_seconds", 0.056),
    ]


def test_memory_that_may_be_of_all_cards_is_asked_for_that_of_one():
    why = "'192GB' is of one or of all; give that of one, '2x NAME 96 GB'"
    with pytest.raises(AnswerError, match=why):
        proposed(SIDES, "machine: 2x RTX PRO 6000 (192GB)")


def test_a_fact_of_a_heading_may_go_beside_columns_that_differ_in_it():
    text = "# Results of Windows 11\n\n"
    text += table("Size | windows time (s) | mac time (s)", "8 | 1.5 | 2.5")
    result = proposed(text, "os: not-stated")
    stored = records(result, text)
    systems = {it.end.values[0].value: it.environment.os_name for it in stored}
    assert systems == {1.5: "Windows", 2.5: None}
