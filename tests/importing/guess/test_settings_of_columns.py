"""Columns of words and counts that tell rows apart and are no work and no figure."""

import json

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import of_text, records, table

SIZE = (160, 320, 640)
HEADER = "GPU | {} | Drive | Sample Size | Speed (FPS)"
ROWS = (
    "RTX 3070 | {} | NVME SSD | >1400 | 19.5",
    "RTX 3070 | {} | NVME SSD | >1400 | 40",
)


def text_of(header, first, second):
    text, other = ROWS
    return table(HEADER.format(header), text.format(first), other.format(second))


def test_a_drive_is_no_work_and_the_size_of_a_sample_no_time():
    text = "## RIFE\n\n" + text_of("Size/Factor", "1920x1080 - 2x", "1280x720 - 2x")
    result = records(of_text(text, {"readings": "yes"}), text)

    assert [it.run.workload for it in result] == ["rife", "rife"]
    assert [[value.value for value in it.end.values] for it in result] == [[19.5], [40]]
    assert [it.run.parameters["size_factor"] for it in result] == [
        "1920x1080 - 2x",
        "1280x720 - 2x",
    ]
    assert {it.run.conditions["drive"] for it in result} == {"NVME SSD"}
    assert {it.run.parameters["sample_size"] for it in result} == {">1400"}


def test_a_column_that_is_answered_a_setting_is_not_left_out_and_tells_rows_apart():
    text = "## RIFE\n\n" + text_of("Speedup", "a bit faster", "much faster")
    left = of_text(text)
    assert "line 3: 'Speedup' compares in words" in left.left_out
    assert any("repetitions" in it.reading() for it in left.questions)

    named = "yes, but Speedup: setting; work: new: rife"
    proposal = of_text(text, {"readings": named})
    assert not proposal.left_out
    assert not proposal.questions
    assert [it.run.parameters["speedup"] for it in records(proposal, text)] == [
        "a bit faster",
        "much faster",
    ]


# What was varied counts up left of the figures.
CLIENTS = table(
    "C | Engine A | Engine B", "1 | 61 | 58", "8 | 380 | 333", "64 | 999 | 870"
)
SIZES = table(
    "Program | Input Size | Mean (ms)",
    *(f"{name} | {size} | {size / 50}" for name in ("fast", "slow") for size in SIZE),
)


def test_clients_that_count_up_under_a_unit_are_a_setting_and_no_tokens_per_second():
    text = f"## Llama 8B, aggregate tok/s, still climbing at C=64\n\n{CLIENTS}"
    proposal = of_text(text)

    (asked,) = [it for it in proposal.questions if "'C'" in it.reading()]
    assert asked.likely == "setting"
    columns = proposal.map.table[0].columns
    assert columns["C"].field == "parameters.concurrency"
    assert columns["Engine A"].metric == "tokens_per_second"


def test_a_size_that_alone_tells_rows_apart_is_a_setting_and_they_are_no_repetitions():
    proposal = of_text(SIZES)
    columns = proposal.map.table[0].columns

    assert columns["Input Size"].field == "parameters.input_size"
    assert not any("repetitions" in it.reading() for it in proposal.questions)


def test_numbers_that_count_up_beside_names_that_tell_rows_apart_are_figures():
    rows = [f"Llama {n}B | {n}0 | {n}5" for n in (1, 3, 8)]
    text = "## tok/s\n\n" + table("Model | Before | After", *rows)
    columns = of_text(text).map.table[0].columns

    assert columns["Before"].metric == "tokens_per_second"


def test_what_is_off_or_so_many_milliseconds_is_no_time_of_the_work():
    text = table(
        "batching | max_queue_delay_ms | p50_latency_ms_mean | p50_latency_ms_sd",
        "off | 0 | 0.92 | 0.01",
        "10 ms | 10.0 | 6.75 | 0.07",
    )
    proposal = of_text(text)
    columns = proposal.map.table[0].columns

    assert columns["batching"].field == "conditions.batching"
    assert columns["max_queue_delay_ms"].field == "parameters.max_queue_delay_ms"
    assert columns["p50_latency_ms_mean"].metric == "latency_median_seconds"
    assert "'p50_latency_ms_sd' tells how other figures spread" in proposal.left_out[0]


def test_how_answers_are_drawn_is_a_setting():
    text = table("model | temperature | top_p | tok/s", "Llama 8B | 0.6 | 0.95 | 61.2")
    columns = of_text(text).map.table[0].columns

    assert columns["temperature"].field == "parameters.temperature"
    assert columns["top_p"].field == "parameters.top_p"


def test_what_the_best_run_had_is_no_setting_of_the_others():
    text = table(
        "category | baseline_latency_s | best_spec_latency_s | best_config",
        "maths | 1.58 | 1.08 | eagle_n3",
        "summary | 1.63 | 1.23 | eagle_n5",
    )
    proposal = of_text(text)

    assert proposal.map.table[0].columns["best_config"].is_ == "ignore"
    assert proposal.left_out == (
        "line 1: 'best_config' is of one of the runs alone, no setting of the others",
    )


def test_several_sizes_of_models_in_a_heading_are_the_size_of_none():
    text = "## 4B vs 9B on an RTX 4090\n\n" + table(
        "Small | Large", "61 tok/s | 30 tok/s"
    )
    proposal = of_text(text)

    assert not any("model_size" in str(it) for it in proposal.map.table[0].context)


def test_numbers_of_parameters_are_no_sizes_of_memory():
    text = table("Model | HF total | tok/s", "Qwen3 | ~4.0B | 61", "Gemma | ~5.1B | 55")
    proposal = of_text(text)

    assert proposal.map.table[0].columns["HF total"].field == "parameters.hf_total"
    assert not any("'HF total'" in it.reading() for it in proposal.questions)


def test_what_is_only_on_or_off_is_a_parameter():
    text = table("Flash attention | tok/s", "on | 61.5", "off | 48.5")
    columns = of_text(text).map.table[0].columns

    assert columns["Flash attention"].field == "parameters.flash_attention"


def test_the_amount_of_work_that_a_time_is_of_is_a_setting():
    text = table(
        "Net | Total Time (10 epochs) | time per 100 iters", "vgg | 17 s | 4 s"
    )
    columns = of_text(text).map.table[0].columns

    assert columns["Total Time (10 epochs)"].set["parameters.epochs"] == 10
    assert columns["time per 100 iters"].set["parameters.steps"] == 100


def of_json(value: object) -> list[Record]:
    """Return what a document of *value* becomes where all is likely."""
    text = json.dumps(value)
    document = Document("a.json", text.encode())
    proposal = propose(document, readable(document), {"readings": "yes"})
    return records(proposal, text, "a.json")


def test_what_sums_up_the_runs_in_words_and_counts_is_no_setting_of_each():
    summary = {"recommended_model_reason": "Fastest of all.", "model_count": 2}
    names = ("qwen3-4b", "phi-4")
    runs = [{"model": name, "decode_tps": 10.5} for name in names]
    result = of_json({"chip": "Apple M4", "summary": summary, "runs": runs})

    assert len(result) == 2
    assert not any("summary" in name for it in result for name in it.run.parameters)


def test_loads_and_sizes_of_a_host_and_intervals_of_its_statistics_are_no_figures():
    host = {"NCPU": 10, "MemTotal": 8319504384, "load_1m": 2.4}
    run = {"STATS_INTERVAL_SEC": 5, "total_time_sec": 404.3}
    result = of_json({"machine": {"chip": "Apple M5"}, "host": host, "run": run})

    values = [(it.metric, it.value) for record in result for it in record.end.values]
    assert values == [("work_seconds", 404.3)]


def test_a_cross_beside_check_marks_is_a_word_of_its_column():
    header = "Framework | Flash Attn | Cached | Time (ms)"
    rows = ("torch | {} | x | 6.19", "torch | ✗ | yes | 4.45", "torch | - | no | 3.5")
    flags = {}
    for mark in ("✔", "n/a"):
        text = "## ResNet-50 on an A100\n\n" + table(
            header, rows[0].format(mark), *rows[1:]
        )
        runs = records(of_text(text, {"readings": "yes"}), text)
        flags[mark] = [
            (it.run.parameters.get("flash_attn"), it.run.parameters.get("cached"))
            for it in runs
        ]

    assert flags["✔"] == [("✔", None), ("✗", "yes"), (None, "no")]
    assert ("✗", "yes") not in flags["n/a"]
