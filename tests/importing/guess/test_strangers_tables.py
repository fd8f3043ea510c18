"""Habits of strangers' tables: each figure keeps the meaning that the page gives it."""

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    asked,
    choices,
    converse,
    figures,
    inferred,
    meanings,
    of_statistics,
    of_text,
    question,
    records,
    table,
)

PAGE = "# MLX on M2 Ultra GPU\n\n"


def of_work(text: str, workload: str) -> list[Record]:
    return [
        record
        for record in records(of_text(text), text)
        if record.run.workload == workload
    ]


def left_out(text: str) -> str:
    return "\n".join(of_text(text).left_out)


def test_what_qualifies_a_unit_tells_the_side_of_a_language_model():
    text = PAGE + table(
        "Model | speed | first",
        "Phi 4 | 28.9 tok/s (decode) | 512 prompt tokens/s",
    )
    assert figures(of_text(text), text) == [
        ("llm-decode", "tokens_per_second", 28.9),
        ("llm-prefill", "tokens_per_second", 512),
    ]


def test_output_a_second_is_of_a_request_or_of_its_answer_as_is_answered():
    text = PAGE + table("Model | speed", "Phi 4 | 28.9 output tok/s")
    assert asked(of_text(text)) == {"work of speed"}
    assert {"llm-decode", "llm-generate"} <= choices(of_text(text), "work of speed")


def test_a_batch_size_beside_a_figure_is_one_of_its_run():
    text = "# resnet training with torch on M1 GPU\n\n" + table(
        "Model | Speed", "resnet50 | 12 img/s @ bs 64", "resnet18 | 44 img/s @ bs 8"
    )
    sizes = [
        record.run.parameters["batch_size"] for record in records(of_text(text), text)
    ]
    assert sizes == [64, 8]


def test_a_column_of_two_sides_is_left_out_in_words():
    text = PAGE + table(
        "Model | speed", "a | 28 tok/s (decode)", "b | 400 tok/s (prefill)"
    )
    assert "'speed': more than a figure in a cell" in left_out(text)


def test_the_cells_that_cannot_be_read_are_why_a_table_is_not_taken():
    text = table("date | result", "2026-01-02 | 12 furlongs")
    assert "'furlongs' is no unit" in left_out(text)


def test_each_column_of_a_split_run_has_its_own_device():
    text = "# M2 Ultra, Core ML prefill + MLX decode on ANE\n\n" + table(
        "Model | Prefill (ANE) tok/s | Decode (GPU) tok/s", "Phi 4 | 1200 | 45.2"
    )
    devices = [(o.run.workload, o.run.device) for o in records(of_text(text), text)]
    assert devices == [("llm-prefill", "npu"), ("llm-decode", "metal")]


def test_a_heading_of_a_split_run_is_no_device_of_all():
    text = "# M2 Ultra\n\n## Hybrid ANE (Core ML prefill + MLX decode)\n\n" + table(
        "Model | Decode tok/s", "Phi 4 | 45.2"
    )
    (record,) = records(of_text(text), text)
    assert record.run.device == "unknown"


def test_where_a_part_ran_is_no_device_of_the_run():
    text = "# MLX on M2 Ultra\n\n" + table(
        "Way | Prefill | Decode | TTFT (410 tok)", "a | ANE | GPU | 17 ms"
    )
    (record,) = records(of_text(text), text)
    assert record.run.device == "unknown"
    assert record.run.parameters["decode"] == "GPU"
    assert record.run.parameters["prompt_tokens"] == 410


def test_the_accuracy_of_answers_is_not_that_of_a_last_epoch():
    text = PAGE + table("Model | Accuracy | Decode tok/s", "Phi 4 | 62.0% | 45.2")
    assert asked(of_text(text)) == {"meaning of Accuracy"}
    trained = PAGE + table("Model | Accuracy | s/epoch", "mnist | 97.0% | 1.5")
    assert meanings(of_text(trained).map.table[0])["Accuracy"] == "final_accuracy"


def test_memory_beside_the_sides_of_a_language_model_is_that_of_requests():
    header = "Model | Prefill tok/s | Decode tok/s | Peak memory"
    text = PAGE + table(header, "Phi 4 | 900 | 45.2 | 5.5 GB")
    (record,) = of_work(text, "llm-generate")
    assert [value.value for value in record.end.values] == [5.5e9]
    line = inferred(of_text(text))["work in names of columns"]
    assert "'Peak memory' -> llm-generate (1)" in line


def test_memory_beside_answers_alone_is_of_them():
    text = PAGE + table("Model | Decode tok/s | Peak memory", "Phi 4 | 45.2 | 5.5 GB")
    (record,) = of_work(text, "llm-decode")
    assert [value.value for value in record.end.values] == [5.5e9, 45.2]


def test_lines_about_several_chips_are_only_choices_that_keep_the_memory():
    text = (
        "# MLX GPU\n\nTested on an M1 Max with 64 GB. An M3 Pro is slower.\n\n"
        + table("Model | Decode tok/s", "Phi 4 | 45.2")
    )
    named = "M1 Max 64 GB (line 3), M3 Pro (line 3)"
    assert named in question(of_text(text), "machine").text
    proposal, _ = converse(text, {"machine": "M1 Max 64 GB"})
    (record,) = records(proposal, text)
    assert record.machine.chip.ram_bytes == 64 * 2**30


def test_a_time_that_is_said_twice_is_a_figure_and_no_setting():
    text = PAGE + table("Model | Total time | s/epoch", "mnist | 5046 s (84 min) | 1.5")
    assert "time of Total time" in asked(of_text(text))


def test_seconds_since_1970_are_no_duration():
    rows = ("mnist | 1772764769.1 | 1772764784.2 | 1.5",)
    text = PAGE + table("Model | start time | marks | s/epoch", *rows)
    assert "'start time': moments" in left_out(text)
    assert meanings(of_text(text).map.table[0])["start time"] == "ignore"


def test_statistics_of_one_figure_are_not_merged():
    text = "# vllm on H100 GPU\n\n" + table(
        "Model | mean_ttft_ms | median_ttft_ms | p99_ttft_ms | p99_tpot_ms",
        "Phi 4 | 45.6 | 42.1 | 89.2 | 19",
    )
    proposal = of_text(text)

    assert of_statistics(proposal, text) == [
        ("", "time_to_first_token_seconds", 0.0456),
        ("median", "time_to_first_token_seconds", 0.0421),
        ("p99", "time_to_first_token_seconds", 0.0892),
        ("p99", "time_per_token_seconds", 0.019),
    ]
    assert (
        "'p99_ttft_ms' -> p99"
        in inferred(proposal)["setting statistic in names of columns"]
    )


def test_a_minimum_beside_a_mean_is_no_number_of_minutes():
    text = "# torch operations on M1 CPU\n\n" + table(
        "Operation | Time min | Time avg | Time max", "matmul | 1.2 | 1.5 | 2.2"
    )
    (line,) = [it for it in of_text(text).questions if "unit" in it.text]

    assert all(name in line.text for name in ("Time min", "Time avg", "Time max"))
    assert line.likely == "s"


def test_percentiles_of_latency_are_metrics_of_their_own():
    text = "# yolo inference with torch on M1 CPU\n\n" + table(
        "Model | mean latency (ms) | p99 latency (ms)", "yolov8n | 12.5 | 19"
    )
    columns = meanings(of_text(text).map.table[0])
    assert columns["mean latency (ms)"] == "latency_mean_seconds"
    assert columns["p99 latency (ms)"] == "latency_p99_seconds"


def test_a_percentile_that_stands_twice_is_read_once():
    text = "# yolo inference with torch on M1 CPU\n\n" + table(
        "Model | 90th percentile latency (ns) | 90.00 percentile latency (ns)",
        "yolov8n | 5132456 | 5132456",
    )
    assert figures(of_text(text), text) == [
        ("yolov8n-inference", "latency_p90_seconds", 0.005132456)
    ]
    assert "as '90th percentile latency (ns)', which is the p90 too" in left_out(text)


def test_power_of_parts_keeps_the_names_of_these():
    text = PAGE + table(
        "Model | s/epoch | CPU (W) | GPU (W) | Total (W)", "mnist | 1.5 | 2 | 30 | 35"
    )
    columns = of_text(text).map.table[0].columns
    named = {n: it.set for n, it in columns.items() if n.endswith("(W)")}
    assert named == {
        f"{part} (W)": {"parameters.variant": part} for part in ("CPU", "GPU", "Total")
    }


def test_a_warm_up_stands_apart_from_other_runs():
    text = PAGE + "matmul: 12.5 ms (warmup)\nadd: 9.5 ms\n"
    proposal, _ = converse(
        text, {"names": "work", "time": "operation_seconds"}, "a.log"
    )
    remarks = [(o.run.workload, o.run.conditions) for o in records(proposal, text)]
    assert remarks == [("matmul", {"remark": "warmup"}), ("add", {})]


def test_results_in_sentences_are_named_with_their_lines():
    text = PAGE + "With Phi 4 we reach 45.2 tokens/s.\n"
    assert left_out(text).splitlines() == [
        "line 3: '45.2 tokens/s': in no table and no list that can be read",
        "to read such lines, name what differs: --answer "
        "'line=With Phi 4 we reach {figure 1} tokens/s.'",
    ]


def test_rows_whose_names_say_no_metric_are_named():
    text = PAGE + "latency: 12 ms\nmemory: 3 GB\nRun 1: 45\n"
    assert "rows whose names say no metric: Run 1 (45)" in left_out(text)


def test_a_caption_about_all_rows_holds_for_them():
    text = PAGE + "Table 1: All models in 4-bit, batch size 2.\n\n"
    text += table("Model | Decode tok/s", "Phi 4 | 45.2")
    (record,) = records(of_text(text), text)
    assert record.run.parameters["quantization"] == "4bit"


def test_a_footnote_stands_behind_other_lines_of_a_quotation():
    text = PAGE + table("Model | Decode tok/s", "Phi 4* | 45.2")
    text += "\n> Weights are converted.\n> *Phi 4: from 16 bits.\n"
    (record,) = records(of_text(text), text)
    assert record.run.basis["model"] == "footnote *: Phi 4: from 16 bits."


def test_a_runtime_with_its_weights_says_the_quantization():
    text = "# Phi 4 on M2 GPU\n\n" + table("Engine | Decode tok/s", "MLX-4bit | 31.1")
    (run,) = [record.run for record in records(of_text(text), text)]
    assert (run.framework, run.parameters["quantization"]) == ("mlx", "4bit")


def test_decimals_elsewhere_settle_what_a_comma_is():
    text = PAGE + table("Model | Decode tok/s", "Phi 4 | 45.2") + "\n## M1 GPU\n\n"
    text += table("Model | TTFT", "Phi 4 | 1,265 ms")
    assert figures(of_text(text), text)[1] == (
        "llm-prefill",
        "time_to_first_token_seconds",
        1.265,
    )
    assert any("a comma groups digits" in note for note in of_text(text).notes)


def test_settings_in_a_list_are_no_results():
    text = PAGE + "- Warmup runs: 2\n- Max tokens: 200\n\n"
    text += table("Model | Decode tok/s", "Phi 4 | 45.2")
    document = Document("results.md", text.encode())
    proposal = propose(document, readable(document))
    assert asked(proposal) == set()
    assert "line 3: 'Warmup runs' …: settings, beside no figures" in proposal.left_out


def test_rows_named_after_the_sides_of_a_language_model_are_their_work():
    text = PAGE + table(
        "Metric | Value", "Load time | 4300 ms", "Prefill | 152 tok/s", "Gen | 44 tok/s"
    )
    assert figures(of_text(text), text) == [
        ("llm-generate", "load_seconds", 4.3),
        ("llm-prefill", "tokens_per_second", 152),
        ("llm-decode", "tokens_per_second", 44),
    ]


def test_a_table_that_describes_the_runs_is_no_table_of_results():
    rows = ("Hardware | M2 Max", "RAM | 32 GB", "GPU cores | 38", "MLX | 0.30.0")
    text = table("Property | Value", *rows)
    text += "\n" + table("Model | Decode tok/s", "Phi 4 | 45.2")
    (record,) = records(of_text(text), text)
    assert record.machine.chip.ram_bytes == 32 * 2**30
    assert record.run.framework == "mlx"
    assert "'Hardware' …: what describes the runs" in left_out(text)


def test_a_label_says_the_device_and_the_model():
    text = "**Device**: MPS\n**Chip**: M2\n**Model**: Phi 4\n\n"
    text += table("Context | Decode tok/s", "512 | 45.2")
    (record,) = records(of_text(text), text)
    assert record.run.device == "metal"
    assert record.run.parameters["model"] == "Phi-4"


def test_what_is_needed_to_run_something_is_no_fact_of_its_results():
    text = (
        "# MLX GPU\n\n## Requirements\n\n- M2\n- macOS 14\n\n## Speed\n\n"
        "- Host: Linux or Windows\n- Python: 3.9+\n\n"
        + table("Model | Decode tok/s", "Phi 4 | 45.2")
    )
    (record,) = records(of_text(text), text)
    assert (record.machine.chip.name, record.environment.os_name) == ("unknown", None)
    assert record.environment.python is None


def test_single_is_a_precision_in_its_own_column_alone():
    text = PAGE + table("Topology | Decode tok/s", "SINGLE | 45.2")
    (record,) = records(of_text(text), text)
    assert record.run.precision is None
    assert record.run.parameters["topology"] == "SINGLE"


def test_a_prediction_is_no_result():
    text = PAGE + table("Model | Predicted TPS | Decode TPS", "Phi 4 | 50 | 45.2")
    assert figures(of_text(text), text) == [("llm-decode", "tokens_per_second", 45.2)]


def test_transactions_beside_language_models_are_tokens():
    text = PAGE + table("Model | TTFT (s) | speed", "Qwen 7B | 0.3 | 45 TPS")
    assert asked(of_text(text)) == {"work of speed"}


def test_a_heading_names_a_network_and_a_chip():
    text = "# Llama 3.1 8B on M2 Max GPU\n\n"
    text += table("Context | Decode tok/s", "512 | 45.2")
    (record,) = records(of_text(text), text)
    assert record.machine.chip.name == "M2 Max"
    assert record.run.parameters["model"] == "Llama 3.1 8B"


def test_a_row_of_ratios_is_left_out_in_words():
    rows = ("Prefill | 152 tok/s", "Load time | 2 s", "Speedup | 2.1x")
    text = PAGE + table("Metric | Value", *rows)
    assert "'Speedup': a ratio that the source computed" in left_out(text)
    assert len(records(of_text(text), text)) == 2


LOG = """# qwen2 7B on an M3 Pro, 36 GB

```
$ llama-cli -m model.gguf
llama_perf_print: load time = 812.50 ms
llama_perf_print: prompt eval time = 250 ms / 50 tokens (5 ms per token, \
200.00 tokens per second)
llama_perf_print:   eval time = 2000 ms / 40 runs   ( 50 ms per token, \
   20.00 tokens per second)
llama_perf_print:  total time = 2300 ms / 90 tokens
ggml_metal_free: deallocating
```
"""


def test_what_a_runtime_prints_of_a_request_is_known_but_for_where_it_ran():
    document = Document("issue.md", LOG.encode())
    proposal = propose(document, readable(document), {"device": "metal"})
    runs = [
        it for it in read(document, proposal.map, NOTHING) if isinstance(it, Record)
    ]

    assert asked(propose(document, readable(document))) == {"device", "framework"}
    assert {(it.run.device, it.machine.chip.name) for it in runs} == {
        ("metal", "M3 Pro")
    }
    assert figures(proposal, LOG) == [
        ("llm-generate", "load_seconds", 0.8125),
        ("llm-generate", "work_seconds", 2.3),
        ("llm-prefill", "tokens_per_second", 200),
        ("llm-decode", "tokens_per_second", 20),
    ]


def test_what_a_line_lists_of_one_thing_is_a_row_with_the_names_of_its_figures():
    text = "# Phi 4 on M2 GPU with mlx\n\n- short: decode 45.5 tok/s, ttft 210 ms\n"
    document = Document("x.md", text.encode())
    assert figures(propose(document, readable(document)), text) == [
        ("llm-decode", "tokens_per_second", 45.5),
        ("llm-prefill", "time_to_first_token_seconds", 0.21),
    ]


def test_columns_that_differ_by_a_number_alone_keep_their_conditions():
    text = PAGE + table("Model | 4K decode tok/s | 32k decode tok/s", "Phi 4 | 30 | 21")
    proposal = of_text(text)
    variants = [it.run.parameters.get("variant") for it in records(proposal, text)]

    assert variants[:2] == ["4K decode", "32k decode"]
    assert [value for *_, value in figures(proposal, text)] == [30, 21]


def test_marks_of_quality_and_calls_of_functions_are_no_results():
    text = "# YOLOv8n inference on M2 GPU\n\n" + table(
        "Size | mAP(50-95) | Precision | F1 Score | top1 | FPS",
        "640 | 0.59 | 0.82 | 0.81 | 0.78 | 36",
    )
    text += "\n# Detokenizing on M2 GPU\n\n" + table(
        "Metric | naive decode()", "Throughput | 681 tok/s"
    )
    answers = {"work": "yolo-inference", "work of naive decode()": "leave-out"}
    kept = [metric for _, metric, _ in figures(of_text(text, answers), text)]
    assert kept == ["frames_per_second"]


def test_a_block_of_output_says_nothing_of_the_figures_below_other_headings():
    text = (
        "# Two servers\n\n## One\n\n```\nDevice: mps\nModel: Qwen3 8B\n```\n\n"
        "## Two\n\n" + table("Context | Decode tok/s", "512 | 45.2")
    )
    (run,) = [record.run for record in records(of_text(text), text)]
    assert (run.device, run.parameters.get("model")) == ("unknown", None)


def test_nothing_that_looks_like_a_result_is_passed_over_without_a_word():
    text = "# M1\n\n| Chip | Train |\n|---|---|\n| M1 | 1.0x |\n| P100 | 6.0x |\n\n"
    text += "It took 12.5 s in all.\n\n```\n0   PyTorch  ok   6.2   12.53\n"
    text += "256, 0.0625, 1.125\n```\n"
    document = Document("x.md", text.encode())
    left = "\n".join(propose(document, readable(document)).left_out)

    assert "'Train': ratios, without the figures they are of" in left
    assert "line 8: '12.5 s'" in left
    assert "line 11: '6.2, 12.53': in no table and no list" in left
    assert "line 12: '0.0625, 1.125': in no table and no list" in left


def test_all_figures_of_a_sentence_are_named_and_those_of_comments():
    text = "# before: 12.5 tok/s on M1\n\nMatmul\n\n- time to load: 4.5 s\n\n"
    text += "The GPU took 0.25 ms where the CPU took 0.75 ms for it.\n"
    text += "In the end 5.75 GB of memory were reserved, of 16 GB.\n"
    document = Document("x.txt", text.encode())
    left = "\n".join(propose(document, readable(document)).left_out)

    assert "line 1: '12.5 tok/s': in no table and no list" in left
    assert "line 7: '0.25 ms, 0.75 ms': in no table and no list" in left
    assert "line 8: '16 GB': in no table and no list" in left  # 5.75 GB are read


def test_a_figure_within_the_words_before_another_is_read_as_well():
    text = "first token : 0.25 s\nwriting     : 120 pieces in 20.5 s  =  5.9 tok/s\n"
    document = Document("bench.txt", text.encode())
    cells = [
        cell.text for it in readable(document) for row in it.rows for cell in row.cells
    ]

    assert {"0.25 s", "20.5 s", "5.9 tok/s"} <= {*cells}


def test_of_two_runtimes_with_versions_in_one_line_it_is_asked_which_ran():
    text = "# M3 Ultra GPU\n\nSoftware: macOS 26.3, ollama 0.7.9, mlx 0.31.2\n\n"
    text += table("Model | Decode tok/s", "Phi 4 | 45.2")
    assert asked(of_text(text)) == {"framework"}
