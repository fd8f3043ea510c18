"""What tells columns of figures apart is kept, whatever is answered about it."""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import (
    bad_lines,
    figures,
    inferred,
    of_text,
    records,
    table,
)

PAGE = "# matmul with torch 2.9 (fp16)\n\n"
TWO_LEVELS = PAGE + (
    "<table>"
    '<tr><th></th><th colspan="2">{}</th><th colspan="2">{}</th></tr>'
    "<tr><th>Matrix</th><th>TFLOPS</th><th>ms</th><th>TFLOPS</th><th>ms</th></tr>"
    "<tr><td>2048</td><td>113.1</td><td>0.152</td><td>118.8</td><td>0.144</td></tr>"
    "</table>\n"
)
CONDITIONS = TWO_LEVELS.format("GPU idle", "+ Qwen3-30B loaded (23 GB)")
SERVED = TWO_LEVELS.format("GPU alone", "+ Qwen3-30B served")
TOLD = {
    "GPU idle": {"teraflops": 113.1, "work_seconds": 0.000152},
    "+ Qwen3-30B loaded (23 GB)": {"teraflops": 118.8, "work_seconds": 0.000144},
}


def told_apart(text, answer="", name="variant"):
    """Return the figures by the setting *name* of their run."""
    answers = {"readings": f"yes, but {answer}"} if answer else {}
    proposal = of_text(text, answers)
    assert not bad_lines(proposal, text)
    return {
        record.run.parameters.get(name): {
            value.metric: value.value for value in record.end.values
        }
        for record in records(proposal, text)
    }


def test_a_condition_above_columns_is_a_setting_and_no_model_and_no_device():
    lines = inferred(of_text(CONDITIONS))
    assert "'GPU idle / ms' -> GPU idle (1)" in str(lines)
    assert not {key.partition(" in ")[0] for key in lines} & {"model", "device"}
    assert told_apart(CONDITIONS) == TOLD


@pytest.mark.parametrize("answer", ["not-stated", "setting"])
def test_names_of_columns_that_are_no_model_tell_their_figures_apart_still(answer):
    answer = f"model in names of columns: {answer}; device: gpu"
    assert told_apart(SERVED, answer) == {
        None: TOLD["GPU idle"],
        "+ Qwen3-30B served": TOLD["+ Qwen3-30B loaded (23 GB)"],
    }


@pytest.mark.parametrize("text", [CONDITIONS, SERVED])
def test_columns_are_given_a_setting_with_a_value_by_the_words_they_begin_with(text):
    answer = "'+ Qwen3-30B': setting llm_loaded on; GPU: setting llm_loaded off"
    on, off = TOLD["+ Qwen3-30B loaded (23 GB)"], TOLD["GPU idle"]
    assert told_apart(text, answer, "llm_loaded") == {"on": on, "off": off}


def test_a_setting_without_a_value_is_what_the_column_says():
    answer = "'+ Qwen3-30B': setting beside; GPU: setting beside"
    result = told_apart(CONDITIONS, answer, "beside")
    assert {*result} == {"GPU idle", "Qwen3-30B loaded (23 GB)"}


def test_no_fact_is_called_a_setting():
    text = "# Llama 7B with MLX on M2 Ultra GPU\n\n" + table(
        "Prompt | decode tok/s", "512 | 30.5"
    )
    with pytest.raises(Exception, match="'setting' is no model"):
        of_text(text, {"readings": "yes, but model: setting"})


def test_figures_of_several_kinds_in_one_column_are_no_setting():
    rows = ("a | 779 tok/s | 86", "b | 0.5s TTFT | 85", "c | 0.6s TTFT | 224")
    proposal = of_text(
        table("Model | Prefill | Decode tok/s", *rows), {"readings": "yes"}
    )

    assert proposal.map.table[0].columns["Prefill"].is_ == "ignore"
    assert any("'Prefill': figures of several kinds" in it for it in proposal.left_out)


def test_moments_and_versions_are_no_durations_although_a_unit_stands_behind():
    header = "Model | start_epoch_s | end_epoch_s | driver_version | latency_ms"
    text = table(header, "a | 1781971879.2975194 | 1781971885.5641348 | 560.94 | 3.5")
    proposal = of_text(text, {"readings": "yes"})

    names = ("start_epoch_s", "end_epoch_s", "latency_ms")
    columns = proposal.map.table[0].columns
    assert [columns[it].is_ for it in names] == ["ignore", "ignore", "value"]
    assert columns["driver_version"].field == "parameters.driver_version"


def test_tokens_of_a_record_of_training_are_likely_those_trained_on():
    text = table(
        "model | training_loop_seconds | tokens_per_second", "Qwen3-1.7B | 16.7 | 119"
    )
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns.values()
    works = [it.set["workload"] for it in columns if it.is_ == "value"]

    assert works == ["llm-train", "llm-train"]


@pytest.mark.parametrize("name", ["decode_tokps", "decode_tok_per_s", "decode_tps"])
def test_tokens_a_second_have_several_spellings_at_the_end_of_a_name(name):
    proposal = of_text(table(f"Model | {name}", "Qwen3-8B | 38.9"), {"readings": "yes"})
    column = proposal.map.table[0].columns[name]

    assert column.metric == "tokens_per_second"
    assert column.set == {"workload": "llm-decode"}


def test_what_is_over_another_time_is_a_ratio_and_no_time():
    header = "Test | mac_time_s | pc_time_s | mac_over_pc_time | tps_ratio | pc_vs_mac"
    text = table(header, "gemm | 0.047 | 0.0101 | 4.66 | 2.19 | 0.215")
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns

    assert [it.is_ for it in columns.values()][1:] == ["value"] * 2 + ["ratio"] * 3


def test_a_time_without_compiling_is_no_time_of_compiling():
    header = "Model | no_compile_time_s | compile_time_s"
    text = table(header, "gpt2 | 0.003 | 0.056")
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns

    assert columns["no_compile_time_s"].metric == "work_seconds"
    assert columns["compile_time_s"].metric == "compile_seconds"


def test_so_many_samples_are_no_seconds_though_zeros_stand_behind_the_point():
    header = "Model | latency_ms | samples"
    text = table(header, "a | 629.4 | 3.000000", "b | 855.3 | 2.000000")
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns

    assert columns["samples"].field == "parameters.samples"


def test_the_time_that_a_server_takes_to_start_is_that_of_loading():
    text = table("Model | startup_s | decode tok/s", "Qwen3-8B | 13.1 | 38.9")
    columns = of_text(text, {"readings": "yes"}).map.table[0].columns

    assert columns["startup_s"].metric == "load_seconds"


def test_the_name_of_a_process_in_a_log_says_nothing_of_parallelism():
    text = "# Worker_TP1: loaded\n\n" + table("Model | decode tok/s", "Qwen3-8B | 38.9")
    (record,) = records(of_text(text, {"readings": "yes"}), text)

    assert "tensor_parallel" not in record.run.parameters


def test_paths_through_the_list_that_holds_the_rows_are_what_their_last_part_says():
    warm = [
        {"decode_tok_s": 38.9, "ttft_s": 0.3},
        {"decode_tok_s": 36.9, "ttft_s": 0.2},
    ]
    run = {"model": "Qwen3-8B", "config": "eager", "warm": warm}
    document = Document(
        "runs.json", json.dumps({"runs": [run, run]}, indent=1).encode()
    )
    proposal = draft.propose(document, READERS["json"](document), {"readings": "yes"})
    columns = proposal.map.table[0].columns

    assert columns["runs.model"].field == "parameters.model"
    assert columns["runs.config"].field == "parameters.config"


@pytest.mark.parametrize("header", ["RTFx", "RTFx (x)", "Median RTFx", "rtfx"])
@pytest.mark.parametrize("unit", ["", "x"])
def test_rtfx_is_a_speed_against_real_time_with_and_without_its_unit(header, unit):
    text = "# Parakeet on M4 Pro\n\n" + table(f"Data | {header}", f"a | 137.8{unit}")

    assert [it[1:] for it in figures(of_text(text), text)] == [("speed_factor", 137.8)]


def test_rtfx_in_lists_of_a_logger_is_a_figure_without_the_name_of_the_logger():
    text = """\
# Speech on M4 Pro

```text
[02:01:49.655] [INFO] [Benchmark]    Median WER: 0.0%
[02:01:49.655] [INFO] [Benchmark]    Overall RTFx: 153.4x (19452.5s / 126.8s)
[02:01:50.712] [INFO] [VAD]    RTFx: 1230.6x faster than real-time
[02:01:50.712] [INFO] [VAD]    Total Time: 0.29s
```
"""
    proposal = of_text(text)

    assert {it[1:] for it in figures(proposal, text)} == {
        ("speed_factor", 153.4),
        ("speed_factor", 1230.6),
        ("work_seconds", 0.29),
    }
    assert not any("[INFO]" in line or "[VAD]" in line for line in proposal.left_out)
