"""The identity of a figure is read wherever it stands, and whole.

In headers, headings, labels of rows, lines beside the table and the file's name.
"""

import pytest

from tests.importing.guess.guessed import figures, of_text, records, table

YES = {"readings": "yes"}


def agreed(text, name="results.md"):
    return records(of_text(text, YES, name), text, name)


def runs(text, name="results.md"):
    return [item.run for item in agreed(text, name)]


def left_out(text):
    return " ".join(of_text(text, YES).left_out)


def test_a_header_says_what_is_done_with_a_model():
    text = "## RTX 2080 Ti\n\n" + table(
        "Precision | vgg16 eval | vgg16 train | resnet152 eval",
        "32-bit | 28.5ms | 90.5ms | 42.5ms",
        "16-bit | 17.5ms | 59.5ms | 24.5ms",
    )
    assert {(run.workload, run.precision) for run in runs(text)} == {
        (work, precision)
        for work in ("vgg16-inference", "vgg16", "resnet152-inference")
        for precision in ("fp32", "16-bit")
    }


def test_what_is_done_may_stand_apart_from_the_model():
    columns = "# ms per batch\n\n" + table(
        "Model | train 32-bit | eval 16-bit", "vgg16 | 41.5 | 8.5"
    )
    rows = "# ResNet-50\n\n" + table(
        "Rate | M1 Max | M2",
        "train img/s | 131.5 | 99.5",
        "infer img/s | 410.5 | 301.5",
    )
    assert {(run.workload, run.precision) for run in runs(columns)} == {
        ("vgg16", "fp32"),
        ("vgg16-inference", "16-bit"),
    }
    rate = "reported_samples_per_second"
    assert sorted(figures(of_text(rows, YES), rows)) == [
        ("resnet50", rate, 99.5),
        ("resnet50", rate, 131.5),
        ("resnet50-inference", rate, 301.5),
        ("resnet50-inference", rate, 410.5),
    ]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("c=8 tok/s", {"concurrency": 8}),
        ("Output tok/s (c32)", {"concurrency": 32}),
        ("tok/s, 16 concurrent", {"concurrency": 16}),
        ("decode tok/s (512 in / 256 out)", {"prompt_tokens": 512}),
        ("128/128 tokens tok/s", {"generated_tokens": 128}),
        ("tg128 t/s", {"generated_tokens": 128}),
        ("MLX Q4_K_M tok/s", {"quantization": "Q4_K_M"}),
        ("w4a16 tok/s", {"quantization": "W4A16"}),
        ("Qwen2.5-7B 4bit tok/s", {"model": "Qwen2.5 7B", "quantization": "4bit"}),
        ("TP=4 tok/s", {"tensor_parallel": 4}),
    ],
)
def test_headers_name_settings(header, fields):
    text = "# Decoding\n\n" + table(f"Chip | {header}", "M2 | 31.5")
    (run,) = runs(text)
    assert run.parameters.items() >= fields.items()


def test_several_numbers_in_a_heading_are_no_setting():
    text = "# Decoding, concurrency 1 / 8 / 32\n\n" + table("Chip | tok/s", "M2 | 31.5")
    assert "concurrency" not in runs(text)[0].parameters


def test_a_line_that_lists_what_there_was_holds_for_the_table():
    text = (
        "Qwen3-32B AWQ on vLLM 0.9.2, 2x A100 80GB PCIe, 512 in / 256 out.\n\n"
        + table("Concurrency | Output tok/s", "1 | 41.5", "8 | 281.5")
    )
    result, _ = agreed(text)
    (card,) = result.machine.chip.accelerators
    assert (card.name, card.count) == ("A100 80GB PCIe", 2)
    assert result.run.framework == "vllm"
    assert result.run.parameters == {
        "model": "Qwen3 32B",
        "quantization": "AWQ",
        "prompt_tokens": 512,
        "generated_tokens": 256,
        "concurrency": 1,
    }


def test_bullets_say_batch_size_precision_and_the_number_of_cards():
    text = "- batch 16\n- fp16\n- 8xH100 SXM\n\n" + table(
        "model | images/sec", "SDXL | 31.5"
    )
    (result,) = agreed(text)
    (card,) = result.machine.chip.accelerators
    assert (card.name, card.count) == ("H100 80GB HBM3", 8)
    assert (result.run.precision, result.run.parameters["batch_size"]) == ("fp16", 16)


def test_a_sentence_says_a_batch_size_that_no_other_contradicts():
    times = table("Chip | s/step", "M2 | 0.5")
    text = "Below are times with a batch size of 16.\n\n## Steps\n\n" + times
    twice = text + "\nFormerly it was batch size=8.\n"
    assert runs(text)[0].parameters["batch_size"] == 16
    assert "batch_size" not in runs(twice)[0].parameters


def test_the_file_name_says_machine_precision_and_batch_size():
    text = "model,throughput (img/s)\nresnet50,2411\n"
    (result,) = agreed(text, "gpu_2x_a100_bs32_fp16.csv")
    (card,) = result.machine.chip.accelerators
    assert (card.name, card.count) == ("A100", 2)
    assert (result.run.precision, result.run.parameters["batch_size"]) == ("fp16", 32)


def test_names_of_machines_of_clouds_name_cards():
    text = "# Some-Coder-32B\n\n" + table(
        "SKU | Output tok/s", "gpu_1x_pro_6000_blackwell | 551", "gpu_8x_h100 | 3100"
    )
    cards = [item.machine.chip.accelerators[0] for item in agreed(text)]
    assert [(card.name, card.count) for card in cards] == [
        ("RTX PRO 6000 Blackwell", 1),
        ("H100", 8),
    ]
    assert {run.parameters["model"] for run in runs(text)} == {"Some-Coder-32B"}


def test_several_chips_are_not_one():
    text = "# llama.cpp\n\n" + table(
        "Setup | Decode tok/s", "1x DGX Spark | 31.5", "4x DGX Spark | 71.5"
    )
    counts = [run.parameters.get("chips") for run in runs(text)]
    assert counts == [None, 4]


def test_a_processor_beside_its_card_is_one_machine():
    text = "Setup: 4x3090 (250 W), Threadripper 3960X, exllamav2\n\n" + table(
        "quant | gen t/s", "4.0bpw | 41.5"
    )
    chip = agreed(text)[0].machine.chip
    (card,) = chip.accelerators
    assert chip.name == "Ryzen Threadripper 3960X"
    assert (card.name, card.count) == ("GeForce RTX 3090", 4)


def test_a_card_among_names_is_no_size():
    rows = table("GPU | s/step", "Titan V | 0.5", "1080 Ti | 0.7")
    cards = {item.machine.chip.accelerators[0].name for item in agreed(rows)}
    assert cards == {"TITAN V", "GeForce GTX 1080 Ti"}


def test_rows_named_after_metrics_have_units_of_their_own():
    text = "# Phi 4 with MLX on M2\n\n" + table(
        "Metric | baseline | MTP",
        "median tok/s | 24.5 | 41.5",
        "TTFT ms | 412 | 431",
        "peak memory GB | 17.5 | 18.5",
    )
    stored = {
        (item.run.parameters["variant"], value.metric, value.value)
        for item in agreed(text)
        for value in item.end.values
    }
    assert stored == {
        ("baseline", "tokens_per_second", 24.5),
        ("MTP", "tokens_per_second", 41.5),
        ("baseline", "time_to_first_token_seconds", 0.412),
        ("MTP", "time_to_first_token_seconds", 0.431),
        ("baseline", "peak_memory_observed_bytes", 17.5e9),
        ("MTP", "peak_memory_observed_bytes", 18.5e9),
    }


def test_a_unit_behind_the_row_is_that_of_all_its_columns():
    text = "# Phi 4\n\n" + table(
        "Metric | vLLM | SGLang | unit",
        "Throughput | 2310 | 2544 | tok/s",
        "TTFT p50 | 91 | 80 | ms",
    )
    assert {(run.framework, run.workload) for run in runs(text)} == {
        (framework, work)
        for framework in ("vllm", "sglang")
        for work in ("llm-decode", "llm-prefill")
    }
    values = {value for _, _, value in figures(of_text(text, YES), text)}
    assert values == {2310, 2544, 0.091, 0.08}


def test_a_column_of_units_that_say_no_metric_leaves_those_rows_out():
    text = "# On M2\n\n" + table(
        "name | value | metric_unit",
        "matmul | 13.5 | TFLOPS",
        "copy | 352.5 | GB/s",
        "softmax | 0.5 | ms",
    )
    assert {metric for _, metric, _ in figures(of_text(text, YES), text)} == {
        "teraflops",
        "gigabytes_per_second",
    }
    assert "rows in ms: of what, is not said" in left_out(text)


@pytest.mark.parametrize(
    "header",
    ["tok/s per $", "$/hr", "$/1M tokens", "tokens/W", "tok/s/GPU", "tok/s per user"],
)
def test_a_figure_per_something_else_is_refused(header):
    text = "# Phi 4\n\n" + table(f"Chip | tok/s | {header}", "M2 | 31.5 | 12.5")
    values = [value for _, _, value in figures(of_text(text, YES), text)]
    assert (values, header in left_out(text)) == ([31.5], True)


@pytest.mark.parametrize(
    "header",
    ["VRAM total (GB)", "VRAM free (GB)", "KV cache (GB)", "Weights (GB)", "VRAM (GB)"],
)
def test_memory_that_is_no_peak_of_a_run_is_left_out(header):
    text = "# Phi 4\n\n" + table(
        f"Chip | tok/s | {header} | Peak memory (GB)", "M2 | 31.5 | 24.5 | 9.5"
    )
    stored = figures(of_text(text, YES), text)
    assert [value for _, metric, value in stored if "memory" in metric] == [9.5e9]
    assert header in left_out(text)


def test_a_test_of_llama_bench_without_a_unit_is_a_rate():
    text = "# llama.cpp b4567\n\n## M2 Ultra 76c\n\n" + table(
        "model | pp512 | tg128", "Phi 4 Q4_0 | 1230 | 82.5"
    )
    assert sorted(figures(of_text(text, YES), text)) == [
        ("llm-decode", "tokens_per_second", 82.5),
        ("llm-prefill", "tokens_per_second", 1230),
    ]
    assert {item.machine.chip.gpu_cores for item in agreed(text)} == {76}
    assert "batch_size" not in runs(text)[0].parameters


def test_numbers_of_users_are_columns_and_columns_are_numbers_of_users():
    pivot = "# Phi 4\n\n" + table(
        "Metric | 1 user | 16 users", "tok/s | 61.5 | 702", "TTFT (ms) | 44 | 180"
    )
    column = "# Phi 4\n\n" + table(
        "parallel_requests | input_len | output_len | decode tok/s",
        "1 | 1024 | 128 | 78.5",
        "8 | 1024 | 128 | 512.5",
    )
    assert {run.parameters["concurrency"] for run in runs(pivot)} == {1, 16}
    settings = ("concurrency", "prompt_tokens", "generated_tokens")
    assert [tuple(run.parameters[it] for it in settings) for run in runs(column)] == [
        (1, 1024, 128),
        (8, 1024, 128),
    ]


def test_each_network_of_the_headers_is_work_of_its_own():
    text = "### 16-bit training, batch 256\n\n" + table(
        "GPU | ResNet-50 img/s | VGG-16 img/s | Inception v3 img/s",
        "V100 SXM2 16GB | 780 | 240 | 520",
    )
    assert {(run.workload, run.precision) for run in runs(text)} == {
        ("resnet50", "16-bit"),
        ("vgg16", "16-bit"),
        ("inception-v3", "16-bit"),
    }
    assert {run.parameters["batch_size"] for run in runs(text)} == {256}


def test_labels_of_rows_name_settings_beside_their_work():
    text = table("Benchmark | M1 | M2", "BERT-base bs=8 | 812 ms | 131 ms")
    assert {(run.workload, run.parameters["batch_size"]) for run in runs(text)} == {
        ("bert-base", 8)
    }


def test_a_number_alone_among_devices_is_a_card():
    text = table(
        "name | device | fp16 (it/s)", "SDXL | 3060 12GB | 8.5", "SDXL | 4090 | 41.5"
    )
    cards = {item.machine.chip.accelerators[0].name for item in agreed(text)}
    assert cards == {"GeForce RTX 3060", "GeForce RTX 4090"}


def test_a_unit_in_a_line_above_is_that_of_columns_of_networks():
    text = "Throughput in img/s, mixed precision.\n\n" + table(
        "GPUs | Batch/GPU | ResNet50 | EfficientNet-B0", "4x A100 | 256 | 9610 | 8230"
    )
    proposal = of_text(text, {"readings": "1: training"})
    (pair,) = {
        (it.run.parameters["batch_size_per_gpu"], "batch_size" in it.run.parameters)
        for it in records(proposal, text)
    }
    assert pair == (256, False)
    metrics = {metric for _, metric, _ in figures(proposal, text)}
    assert metrics == {"reported_samples_per_second"}


def test_keys_beside_results_are_settings_of_them():
    text = """\
GPU: 1x L40S 48GB
Precision: bf16
Input tokens: 1024
Output tokens: 256
Concurrency: 16
Throughput: 812.5 tok/s
"""
    (run,) = runs(text)
    assert run.precision == "bf16"
    assert run.parameters == {
        "prompt_tokens": 1024,
        "generated_tokens": 256,
        "concurrency": 16,
    }


def test_numbers_of_cards_stand_in_names_and_in_columns():
    names = "# Llama 3, tokens/s of generation\n\n" + table(
        "GPU | 8B Q4_K_M | 70B F16",
        "3090 24GB * 2 | 108.5 | OOM",
        "M2 Ultra 76c | 76.5 | 4.5",
    )
    column = table(
        "gpu_type | gpu_count | tp | output_tok_s | cost_per_m_tok",
        "H100-SXM5-80GB | 8 | 4 | 4100 | 0.41",
    )
    (card,) = {
        (card.name, card.count)
        for item in agreed(names)
        for card in item.machine.chip.accelerators
    }
    assert card == ("GeForce RTX 3090", 2)
    assert {run.parameters["model_size"] for run in runs(names)} == {8, 70}
    (run,) = runs("# Phi 4\n\n" + column)
    assert (run.parameters["gpus"], run.parameters["tensor_parallel"]) == (8, 4)


def test_what_a_network_carries_is_no_memory():
    text = "# Phi 4\n\n" + table("Setup | decode tok/s", "2x Spark + 200G | 11.5")
    (result,) = agreed(text)
    assert (result.machine.chip.name, result.machine.chip.ram_bytes) == ("GB10", None)
    assert result.run.parameters["chips"] == 2


def test_rows_of_values_and_advice_state_nothing():
    rows = "label,chip,ms\na,RTX 4090,1.5\nb,RTX 4090,2.5\n"
    advice = "# Phi 4\n\n" + table("Chip | tok/s", "M2 | 31.5")
    advice += "\nUse MLX FP16 - fast, stable, excellent performance\n"
    assert "precision" not in str(of_text(rows, YES, "rows.csv").map.set)
    assert runs(advice)[0].precision is None


def test_a_batch_size_that_one_table_tells_is_not_said_of_another():
    text = (
        "# Phi 4\n\n## First\n\nWith a batch size of 8.\n\n## Second\n\n"
        + table("Chip | tok/s", "M2 | 31.5")
        + "\n## Third\n\n"
        + table("Chip | Batch size | tok/s", "M2 | 8 | 99.5")
    )
    sizes = [run.parameters.get("batch_size") for run in runs(text)]
    assert sorted(sizes, key=str) == [8, None]


def test_language_models_say_themselves_what_is_done():
    text = "# Phi 4\n\n" + table(
        "Chip | train tok/s | inference tok/s", "M2 | 120.5 | 31.5"
    )
    works = {run.workload for run in runs(text)}
    assert not any(work.endswith("inference") for work in works)


def test_what_a_list_says_of_the_machine_and_its_software_is_of_all_runs():
    text = table("Model | Gen TPS", "some/Alpha-4B-8bit | 31.5", "some/Beta-9B | 12.5")
    text += "\n- **GPU/Chip**: Apple M4 Max\n- **RAM**: 128.0 GB\n- **GPU Cores**: 40\n"
    text += "- `mlx`: `0.30.7.dev20260208+9cd4b9be`\n"
    result, _ = agreed(text)
    chip, environment = result.machine.chip, result.environment
    assert (chip.name, chip.ram_bytes, chip.gpu_cores) == ("M4 Max", 128 * 2**30, 40)
    assert environment.framework == "mlx"
    assert environment.framework_version == "0.30.7.dev20260208+9cd4b9be"


def test_memory_of_no_whole_number_is_not_read_by_its_decimals():
    text = table("Model | Gen TPS", "Alpha 4B | 31.5")
    result, *_ = agreed(f"{text}\n- **Chip**: Apple M4 Max\n- **RAM**: 96.5 GB\n")
    assert result.machine.chip.ram_bytes is None


def test_the_precision_in_the_name_of_one_model_is_not_that_of_all():
    text = table("Model | Gen TPS", "Alpha 4B | 31.5", "Beta 9B | 12.5")
    text += "\n- `some/Beta-9B-bf16`\n- `other/Gamma-A3B-bf16` (slow)\n"
    text += "\n| `mlx` | 2 | slow, large, odd, `some/Beta-8bit`, `some/Gamma` |\n"
    result, two = agreed(text)
    assert {result.run.precision, two.run.precision} == {None}
    assert "quantization" not in result.run.parameters


@pytest.mark.parametrize("rate", ["2,537.5", "2537"])
def test_numbers_of_tokens_are_settings_with_grouped_digits_and_noughts(rate):
    text = table(
        "Model | Prompt (tokens) | Generation (tokens) | Prompt TPS | Gen TPS",
        f"Alpha 4B | 1,582 | 440 | {rate} | 324",
        "Beta 9B | 853 | 0.0 | 126 | 97",
    )
    counts = {
        (run.parameters["prompt_tokens"], run.parameters["generated_tokens"])
        for run in runs(text)
    }
    assert counts == {(1582, 440), (853, 0)}
    metrics = {metric for _, metric, _ in figures(of_text(text, YES), text)}
    assert metrics == {"tokens_per_second"}


def test_a_model_in_another_role_is_no_model_of_the_figures():
    text = "## Speculation on M2 Ultra GPU with llama.cpp\n\n" + table(
        "Draft Model | Draft Backend | Decode tok/s",
        "0.8B Q8 ★ | Local (M2 Ultra) | 53.5",
        "2B Q8 | M1 Max (network) | 41.5",
    )
    result, two = agreed(text)
    assert "model" not in result.run.parameters
    assert result.run.parameters["draft_model"] == "0.8B Q8"
    assert two.run.parameters["draft_backend"] == "M1 Max (network)"


def test_the_bandwidth_of_a_data_sheet_is_no_result_of_a_language_model():
    text = table(
        "Chip | Mem BW | Decode tok/s", "M2 Ultra | 800 GB/s | 42.5", "M1 | 68 GB/s | 9"
    )
    assert {metric for _, metric, _ in figures(of_text(text, YES), text)} == {
        "tokens_per_second"
    }
    assert "'Mem BW': as answered" in left_out(text)


def test_scores_of_sound_shares_and_lengths_of_recordings_are_no_times():
    text = table(
        "text | rtf | audio_s | mos | mos_min | peak_cpu_percent",
        "short | 0.25 | 12.5 | 4.25 | 4.05 | 18.5",
        "long | 0.22 | 28.5 | 4.45 | 3.15 | 20.5",
    )
    proposal = of_text(text, YES)
    assert {metric for _, metric, _ in figures(proposal, text)} == {"reported_value"}
    assert {run.parameters["audio_s"] for run in runs(text)} == {12.5, 28.5}
    assert "'mos_min' is how good answers are" in left_out(text)
    assert "'peak_cpu_percent': as answered" in left_out(text)


def test_the_least_beside_the_value_itself_is_in_no_minutes():
    text = table("case | rating | rating_min", "a | 4.25 | 4.05", "b | 4.45 | 3.15")
    assert "min" not in {it.unit for it in of_text(text).map.table[0].columns.values()}


def test_a_sentence_says_cores_and_memory_of_what_was_run_on():
    text = "Runs on Apple M5 Pro (laptop), 18-core CPU / 20-core GPU (new) / 64 GB.\n\n"
    (result,) = agreed(text + table("Model | Gen TPS", "Alpha 4B | 31.5"))
    chip = result.machine.chip
    assert (chip.name, chip.cpu_cores, chip.gpu_cores) == ("M5 Pro", 18, 20)
    assert chip.ram_bytes == 64 * 2**30


def test_what_a_row_did_without_is_not_what_it_ran_with():
    text = "## M2 Ultra\n\n" + table(
        "Config | Decode tok/s",
        "no CoreML | 53.5",
        "without MLX | 41.5",
        "CoreML | 9.5",
    )
    assert "coreml (3)" not in " ".join(it.text for it in of_text(text).questions)
    assert {item.environment.framework for item in agreed(text)} <= {None, "coreml"}


def test_figures_of_one_cell_are_imported_as_those_of_their_names():
    text = "# M4 Max\n\n" + table(
        "Engine | Phi-4 (Prefill/Decode) | Qwen3-4B (Prefill/Decode)",
        "MLX | 800 tok/s / 80 tok/s (2.5 GB RAM) | 900 tok/s / 90 tok/s (3 GB RAM)",
    )

    rows = {
        (item.run.workload, item.run.parameters.get("model"), value.printed)
        for item in agreed(text)
        for value in item.end.values
    }
    assert rows == {
        ("llm-prefill", "Phi-4", "800 tok/s"),
        ("llm-decode", "Phi-4", "80 tok/s"),
        ("llm-prefill", "Qwen3 4B", "900 tok/s"),
        ("llm-decode", "Qwen3 4B", "90 tok/s"),
    }
