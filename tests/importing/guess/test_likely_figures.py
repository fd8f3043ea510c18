"""Which unit and metric of a column are likely, and what is no result at all."""

import pytest

from benchdb.importing.guess.column_profile import units_of
from benchdb.importing.guess.facts import AnswerError
from tests.importing.guess.guessed import (
    bad_lines,
    figures,
    inferred,
    of_text,
    question,
    records,
    table,
)
from tests.importing.guess.test_summaries_of_rows import of_json

PAGE = "# ResNet-50 training with PyTorch (MPS) on M2 Ultra GPU\n\n"
YES = {"readings": "yes"}


@pytest.mark.parametrize(
    ("header", "cell", "likely"),
    [
        ("max_memory_usage", "2906.25", "MB"),
        ("max_memory_usage", "2.906", "GB"),
        ("Time", "350", "ms"),
        ("Time", "3.5", "s"),
        ("rtf", "0.0673", "figure"),
        ("rtf_p50", "0.0673", "figure"),
        ("Real-time factor", "0.0673", "figure"),
    ],
)
def test_the_size_of_a_number_says_its_likely_unit(header, cell, likely):
    proposal = of_text(PAGE + table(f"Chip | {header}", f"M2 | {cell}"))
    assert question(proposal, "unit of ").likely == likely


@pytest.mark.parametrize("header", ["min | max", "min | mean", "wall min | max"])
def test_the_least_beside_other_statistics_is_in_no_minutes(header):
    text = PAGE + table(f"Model | {header} | steps/s", "vgg | 74.89 | 79.88 | 9.5")
    units = {it.unit for it in of_text(text).map.table[0].columns.values()}

    assert "min" not in units


@pytest.mark.parametrize("name", ["min_cosine", "min_latency", "min_abs_diff"])
def test_min_before_a_name_is_the_least_of_it_and_no_minute(name):
    names = [name, name.replace("min", "mean")]
    assert units_of(names) == [None, None]
    assert units_of(["latency_ms_avg", "train_min"]) == ["ms", "min"]


@pytest.mark.parametrize(
    ("unit", "likely"),
    [
        ("sentences/s", "reported_samples_per_second"),
        ("batches/s", "steps_per_second"),
        ("docs/s", "reported_samples_per_second"),
    ],
)
def test_the_likely_metric_of_a_rate_counts_what_its_cells_count(unit, likely):
    text = PAGE + table(f"Chip | TFLOPS | {unit}", "M2 | 2.5 | 138.5")
    (line,) = [it for it in of_text(text).questions if f"'{unit}'" in it.text]

    assert line.likely == likely
    assert bad_lines(of_text(text, YES), text) == []


def test_a_rate_of_what_no_metric_counts_is_left_out_with_a_word():
    text = PAGE + table("Chip | TFLOPS | rows/s", "M2 | 2.5 | 138.5")
    proposal = of_text(text)

    assert "'rows/s': no metric of ours is in rows/s" in "".join(proposal.left_out)
    assert [it[1] for it in figures(proposal, text)] == ["teraflops"]


def test_a_rate_of_seconds_is_no_time():
    proposal = of_text(PAGE + table("Clip | throughput_audio_s_per_s", "a | 39.5"))
    line = question(proposal, "unit of ")
    assert line.likely is None
    assert "ms" not in line.choices
    assert not [it for it in proposal.questions if it.key.startswith("time ")]


def test_the_lower_of_two_heads_is_the_unit():
    head = (
        "<tr><th></th><th colspan=2>GPU idle</th><th colspan=2>Model loaded</th></tr>"
    )
    lower = f"<tr><th>Size</th>{'<th>TFLOPS</th><th>ms</th>' * 2}</tr>"
    rows = "<tr><td>512</td><td>1.5</td><td>2.5</td><td>3.5</td><td>4.5</td></tr>"
    text = f"# matmul\n\n<table>{head}{lower}{rows}</table>\n"
    proposal = of_text(text, YES)

    times = {
        value.unit for value in proposal.map.table[0].columns.values() if value.unit
    }
    assert times == {"TFLOPS", "ms"}
    assert "load_seconds" not in {it[1] for it in figures(proposal, text)}


def test_what_no_word_explains_beside_results_is_one_line_and_left_out():
    text = PAGE + table("Chip | img/s | rt60 | gloss", "M2 | 138.5 | 2.5 | 3.5")
    proposal = of_text(text)

    line = question(proposal, "numbers of ")
    assert "'rt60' (2.5), 'gloss' (3.5)" in line.text
    assert line.likely == "leave-out"
    assert [value for _, _, value in figures(of_text(text, YES), text)] == [138.5]


def test_times_beside_a_specification_are_likely_times_and_not_left_out():
    header = "Chip | tdp | memory | avg_latency | max_latency"
    text = table(header, "M2 | 20.5 | 24 | 5.45 | 6.25", "M3 | 22.5 | 36 | 4.15 | 5.5")
    lines = [it for it in of_text(text).questions if "'avg_latency'" in it.text]

    assert lines
    assert all(it.likely != "leave-out" for it in lines)


def test_how_good_answers_are_is_asked_nowhere():
    header = "Chip | img/s | kappa | ontology_concordance | grad_norm"
    proposal = of_text(PAGE + table(header, "M2 | 138.5 | 0.875 | 0.5 | 0.75"))
    listed = "".join(proposal.left_out)
    assert not [it for it in proposal.questions if "kappa" in it.text]
    assert all(name in listed for name in ("kappa", "concordance", "grad_norm"))


def test_percentages_are_one_line():
    page = "# ResNet-50 inference on M2\n\n"
    header = "Chip | img/s | accuracy | pct_rejected | peak_cpu_pct"
    proposal = of_text(page + table(header, "M2 | 138.5 | 0.875 | 2.5 | 12.5"))
    (line,) = [it for it in proposal.questions if it.key.startswith("meaning ")]
    assert all(name in line.text for name in ("accuracy", "rejected", "cpu"))
    assert line.likely == "leave-out"


def test_the_peak_of_a_rate_is_a_statistic_on_the_card():
    text = PAGE + table("Chip | img/s", "M2 | 138.5 peak", "M3 | 150.5 peak")
    assert (
        "'img/s' -> peak (2)"
        in inferred(of_text(text))["setting statistic in names of columns"]
    )
    result = [
        record.run.parameters["statistic"]
        for record in records(of_text(text, YES), text)
    ]
    assert result == ["peak", "peak"]


def test_a_mean_among_peaks_is_no_peak():
    text = table("Test | Peak throughput (tok/s)", "a | 1992", "b | avg 1744")
    stored = {
        record.end.values[0].value: record.run.parameters["statistic"]
        for record in records(of_text(text, {"readings": "yes"}), text)
    }

    assert stored == {1992: "peak", 1744: "mean"}


def test_a_peak_among_plain_rates_is_left_out_with_a_word():
    text = PAGE + table("Chip | img/s", "M2 | 138.5 peak", "M3 | 150.5")
    assert "138.5 peak" in "".join(of_text(text).left_out)


SHOWN = """# Ollama on M4

```
Model
    architecture        llama
    parameters          3.2B
    context length      131072
    embedding length    3072
    quantization        Q4_K_M
```

Requests | Duration (s)
---|---
8 | 413.5
"""


def test_what_a_program_shows_of_a_model_is_no_result():
    proposal = of_text(SHOWN, YES)
    assert {value for _, _, value in figures(proposal, SHOWN)} == {413.5}
    assert not [it for it in of_text(SHOWN).questions if "131072" in it.text]


def test_bars_of_preparing_data_are_no_results():
    text = """# Training

Map (num_proc=2): 100%|####| 100/100 [00:02<00:00, 50.00 examples/s]
epoch: 100%|####| 60/60 [01:11<00:00, 1.19s/it]
"""
    proposal = of_text(text)
    assert "50.00 examples/s" in "".join(proposal.left_out)
    assert not [it for it in proposal.questions if "Map" in it.text]


NOTES = PAGE + table(
    "Batch | img/s | Notes",
    "8 | 138.5 | Memory usage: 4.5Gi/16.0Gi",
    "16 | 140.5 | Memory Usage: 5.5Gi/16.0Gi",
    "32 | 141.5 | out of luck",
)


@pytest.mark.parametrize("answer", ["GiB", "peak_memory_observed_bytes"])
def test_a_figure_in_a_column_of_words_is_taken_by_its_unit(answer):
    proposal = of_text(NOTES, {"readings": f"yes, but Notes: {answer}"})
    sizes = [it[2] for it in figures(proposal, NOTES) if it[1].startswith("peak")]

    assert sizes == [4.5 * 2**30, 5.5 * 2**30]
    assert bad_lines(proposal, NOTES) == []
    assert "Notes" not in "".join(proposal.left_out)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("W", "no cell has a figure with such a unit behind it"),
        ("s", "no cell has a figure with such a unit behind it"),
    ],
)
def test_a_unit_that_no_cell_of_words_has_is_refused_with_the_reason(answer, why):
    with pytest.raises(AnswerError, match=why):
        of_text(NOTES, {"readings": f"yes, but Notes: {answer}"})


def test_a_cell_of_words_with_two_such_figures_is_refused():
    text = NOTES.replace("out of luck", "2.5Gi, then 3.5Gi")
    with pytest.raises(AnswerError, match=r"several such are in '2\.5Gi, then 3\.5Gi'"):
        of_text(text, {"readings": "yes, but Notes: GiB"})


def test_the_card_says_what_is_kept_of_repetitions():
    rows = ("8 | 1.5 | 30.5", "8 | 2.5 | 31.5", "8 | 4.5 | 32.5")
    text = PAGE + table("Batch | Time (s) | Power (W)", *rows)
    kept = question(of_text(text), "repeat ").choices["samples"]
    assert kept == (
        "repetitions of one run: its samples and the median of 'Power (W)', without "
        "the samples"
    )


def test_repetitions_of_two_columns_are_two_figures_though_both_are_medians():
    rows = ("a | 15 | 11", "a | 16 | 12", "a | 17 | 13")
    text = table("Model | latency_p50_ms | latency_ms", *rows)
    stored = {
        record.run.parameters["variant"]: record.end.values[0].value
        for record in records(of_text(text, YES), text)
    }

    assert stored == {"latency_p50": 0.016, "latency": 0.012}


def test_times_of_a_list_beside_their_mean_are_samples_of_their_median():
    values, left = of_json(
        '{"framework": "mlx", "device": "gpu", "avg_latency": 2.5,'
        '"latencies": [1.5, 2.5, 3.75]}',
        YES,
    )
    assert values == [2.5]
    assert "'index': the number of a sample; kept are its samples" in left


def test_what_is_the_same_beside_each_repetition_is_kept_once():
    text = PAGE + table(
        "Batch | run_num | epoch_s | model_load_s",
        "8 | 1 | 30.5 | 11.5",
        "8 | 2 | 31.5 | 11.5",
        "16 | 1 | 40.5 | 12.5",
        "16 | 2 | 41.5 | 12.5",
    )
    loads = [it for it in figures(of_text(text, YES), text) if it[1] == "load_seconds"]
    assert [value for _, _, value in loads] == [11.5, 12.5]
