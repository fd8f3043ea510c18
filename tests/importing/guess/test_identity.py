"""What tells rows apart is kept, and nothing that holds for some rows is said of all.

The documents are made up; each has a way in which rows once lost what they are of.
"""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import unit_in
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.questions import (
    LEAVING,
)
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import (
    asked,
    bad_lines,
    choices,
    converse,
    figures,
    meanings,
    of_text,
    question,
    records,
    table,
)

DECODING = "# Decoding with MLX on M2 GPU\n\n"
MATMUL = "# matmul with MLX on M2 GPU\n\n"


def columns(text, name="results.md"):
    (only,) = of_text(text, name=name).map.table
    return meanings(only)


def test_names_of_models_with_their_frameworks_stay_whole():
    text = "# Decoding on M2 GPU\n\n" + table(
        "test_name | decode tok/s",
        "Qwen3.5 4bit mlx-lm kv2 | 43.5",
        "Qwen3.5 8bit mlx-lm kv4 | 41.5",
        "Qwen3.5 8bit llama.cpp | 40.5",
    )
    runs = [record.run for record in records(of_text(text), text)]
    assert [(run.parameters["model"], run.framework) for run in runs] == [
        ("Qwen3.5 4bit mlx-lm kv2", "mlx"),
        ("Qwen3.5 8bit mlx-lm kv4", "mlx"),
        ("Qwen3.5 8bit llama.cpp", "llama.cpp"),
    ]


def test_a_column_of_frameworks_alone_names_frameworks():
    rows = ("Size | Runtime | TFLOPS", "512 | MLX | 3.5")
    assert columns("# matmul on M2 GPU\n\n" + table(*rows))["Runtime"] == "framework"


def test_an_object_beside_the_rows_is_not_their_work():
    text = """{"extra": {"benchmark": "alpha"}, "suites": [
        {"suite": "beta", "latency_seconds": 3.5},
        {"suite": "gamma", "latency_seconds": 4.5}]}"""
    proposal = propose(
        document := Document("results.json", text.encode()), READERS["json"](document)
    )
    assert any(key.startswith("work of") for key in asked(proposal))
    assert not any(key.startswith("extra") for key in choices(proposal, "work of"))


@pytest.mark.parametrize(
    "caption",
    [
        "Some of the layers are kept in FP16.",
        "一部の層をFP16で維持する方式の検証。",
        "Note: some layers of this model stay in FP16",
        "4bit DWQ vs Q8_0 GGUF",
    ],
)
def test_a_caption_or_a_comparison_is_not_said_of_all_rows(caption):
    text = DECODING + f"{caption}\n\n" + table("Way | decode tok/s", "alpha | 175.1")
    (record,) = records(of_text(text), text)
    assert record.run.precision is None
    assert record.run.parameters == {"way": "alpha"}


def test_a_heading_is_said_of_all_rows():
    text = "# Decoding with MLX on M2 GPU, Phi 4, 4bit\n\n" + table(
        "Way | decode tok/s", "alpha | 175.1"
    )
    (record,) = records(of_text(text), text)
    assert record.run.parameters["quantization"] == "4bit"


def test_power_of_a_part_of_the_machine_names_no_device():
    text = MATMUL + table("Size | TFLOPS | cpu_mw", "512 | 3.5 | 120.5")
    (only,) = of_text(text).map.table
    assert only.columns["cpu_mw"].set == {}


def test_a_figure_of_what_holds_the_rows_is_none_of_theirs():
    text = """{"extra": {"mean_power_watts": 7.5}, "runs": [
        {"size": 512, "tflops": 3.5}, {"size": 1024, "tflops": 4.5}]}"""
    document = Document("results.json", text.encode())
    left = propose(document, READERS["json"](document)).left_out
    assert any("figures of what holds the rows" in line for line in left)


def samples_of(name, first, second):
    """Return samples of two tests that differ in a number, and what is made of them."""
    text = f"""{{"model": "a-7b", "tests": [
        {{"{name}": {first}, "decode_tps": [50.5, 51.5]}},
        {{"{name}": {second}, "decode_tps": [40.5, 41.5]}}]}}"""
    document = Document("results.json", text.encode())
    return text, propose(document, READERS["json"](document))


def test_a_count_of_what_holds_samples_is_a_setting_of_their_runs():
    text, result = samples_of("n_gen", 128, 256)

    stored = {
        (run.run.parameters["n_gen"], run.end.values[0].value)
        for run in records(result, text)
    }
    assert stored == {(128, 50.5), (128, 51.5), (256, 40.5), (256, 41.5)}


def test_samples_of_objects_that_differ_in_another_number_are_not_pooled():
    text, result = samples_of("gloss", 0.5, 0.9)

    reasons = [bad.reason for bad in bad_lines(result, text)]
    assert len(reasons) == 4
    assert all("'tests.gloss' ('0." in reason for reason in reasons)
    stored = {metric for _, metric, _ in figures(result, text)}
    assert "tokens_per_second" not in stored


def test_a_size_of_a_model_in_a_heading_tells_tables_apart():
    text = "".join(
        f"# Decoding with MLX on M2 GPU\n\n## Test with the {size}B model\n\n"
        + table("Way | decode tok/s", "alpha | 175.1")
        for size in ("1.5", "32")
    )
    sizes = [
        record.run.parameters["model_size"] for record in records(of_text(text), text)
    ]
    assert sizes == [1.5, 32]
    assert asked(of_text(text)) == set()


def test_the_nearest_heading_names_the_machine_whatever_stands_below_it():
    text = "# Training with JAX on CPU\n\n## M1\n\n"
    text += table("Model | s/epoch", "lenet | 3.5")
    text += "\n### M2 Max\n\n" + table("Model | s/epoch", "lenet | 2.5")
    chips = [record.machine.chip.name for record in records(of_text(text), text)]
    assert (chips, asked(of_text(text))) == (["M1", "M2 Max"], set())


def test_two_ways_of_one_framework_stay_apart():
    text = "# matmul on M2 GPU\n\n"
    text += table("Size | mlx (TFLOPS) | mlx compiled (TFLOPS)", "512 | 3.5 | 4.5")
    (key,) = [it for it in asked(of_text(text)) if it.startswith("columns")]
    proposal = of_text(text, {key: "framework"})
    assert [run.run.framework for run in records(proposal, text)] == ["mlx", "mlx"]
    assert bad_lines(proposal, text) == []


def test_a_part_of_a_name_is_no_device():
    text = "# bench_ane_run, training on M2 with JAX\n\n"
    text += table("Model | s/epoch", "lenet | 3.5")
    assert [record.run.device for record in records(of_text(text), text)] == ["unknown"]


def test_noughts_of_which_nothing_is_said_are_left_out_in_words():
    text = MATMUL + table("Size | TFLOPS", "512 | 3.5", "1024 | 0.0", "2048 | 0.00")
    proposal = of_text(text, {"zeros of TFLOPS": "leave-out"})
    assert figures(proposal, text) == [("matmul", "teraflops", 3.5)]
    (left,) = proposal.left_out
    assert "whether it was measured is not said" in left


def test_a_loss_of_each_epoch_is_no_final_one():
    rows = ("epoch | loss | final loss", "1 | 0.9 | 0.4", "2 | 0.8 | 0.4")
    assert columns("# lenet training, JAX, M2 GPU\n\n" + table(*rows)) == {
        "epoch": "parameters.epoch",
        "loss": "ignore",
        "final loss": "final_loss",
    }


def test_a_cell_of_several_figures_is_neither_a_figure_nor_a_setting():
    text = DECODING + table(
        "Model | Decode tok/s (n=3) | TTFT",
        "Phi 4 | 59.2 / 59.9 / 59.7 (avg 59.6) | 0.3 s",
    )
    assert columns(text)["Decode tok/s (n=3)"] == "ignore"
    assert "more than a figure in a cell" in of_text(text).left_out[0]


def test_beside_a_column_that_is_left_out_the_other_header_is_asked_about():
    text = DECODING + table("Test | Alpha | Beta", "a | 180.4s | 100.0s (-45%)")
    assert "columns of Alpha" in asked(of_text(text))


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("decode_tokens_per_sec", "tokens per sec"),
        ("prefill_tokens_per_s", "tokens per s"),
        ("run.tok_s", "tok/s"),
        ("throughput_samples_sec", "samples/s"),
        ("images_sec", "images/s"),
        ("tokens_sec", "tokens/s"),
        ("it_sec", "it/s"),
        ("token_sec", "sec"),
        ("Speed (T/s)", "t/s"),
        ("ane_mw", "mW"),
        ("peak_gb", "gb"),
        ("Throughput per second", None),
        ("load_s", "s"),
        ("Speed (unit: Tokens / second)", "Tokens/second"),
        ("Seconds per epoch", "Seconds per epoch"),
    ],
)
def test_units_in_names_of_columns(header, unit):
    assert unit_in(header) == unit


def test_a_rate_in_a_name_is_no_time():
    text = DECODING + table("Model | decode_tokens_per_sec", "Phi 4 | 71.5")
    assert figures(of_text(text), text) == [("llm-decode", "tokens_per_second", 71.5)]


def test_parameters_by_the_billion_and_bits_are_settings():
    text = DECODING + table(
        "Model | Size (B) | Draft (B) | Quant | Decode (T/s)",
        "qwen 2.5 | 1.5 | - | 4 | 282",
        "qwen 2.5 | 7 | 1.5 | Q4_K_M | 70",
        "qwen 2.5 | 7 | - | 8 | 58",
    )
    assert columns(text) == {
        "Model": "parameters.model",
        "Size (B)": "parameters.model_size",
        "Draft (B)": "parameters.draft_b",
        "Quant": "parameters.quantization",
        "Decode (T/s)": "tokens_per_second",
    }
    assert bad_lines(of_text(text), text) == []


def test_rows_that_nothing_tells_apart_may_be_samples_of_a_run():
    text = MATMUL + table("Size | TFLOPS", "512 | 3.5", "512 | 3.7", "1024 | 4.5")
    assert choices(of_text(text), "repeat of rows") == {"samples", "nothing"}
    proposal = of_text(text, {"repeat of rows": "samples"})
    assert figures(proposal, text) == [
        ("matmul", "teraflops", 3.6),
        ("matmul", "teraflops", 4.5),
    ]


def test_speed_ups_are_claims_and_not_asked_about():
    text = MATMUL + table(
        "Size | TFLOPS | speedup (a/b) | speedup (a/c)", "512 | 3.5 | +10% | +50%"
    )
    assert asked(of_text(text)) == set()
    assert columns(text)["speedup (a/b)"] == "ratio"


def test_every_question_has_an_answer_that_leaves_out():
    for text in (
        "# JAX\n\n" + table("Size | ResNet-50 | U-Net", "8 | 3.5 img/s | 4.5 img/s"),
        "# Training with JAX\n\n" + table("Model | s/epoch", "lenet | 1,234"),
        MATMUL + table("Size | TFLOPS", "512 | 3.5", "1024 | 0.0"),
    ):
        doubts = [it for it in of_text(text).questions if it.choices]
        assert doubts
        for doubt in doubts:
            assert doubt.choices.keys() & {*LEAVING}
        proposal, _ = converse(text, {"": "leave-out"})
        assert figures(proposal, text) == []


def test_what_answers_bring_up_is_on_further_cards_until_nothing_is_open():
    text = "# Results\n\n" + table("Thing | Foo | Bar | Baz", "alpha | 1.5 | 2.5 | 3.5")
    answers = {"readings": "yes, but Foo: ms"}
    proposal = of_text(text, answers)

    assert proposal.card == "readings 2"
    assert "time of Foo" in {it.key for it in proposal.questions}
    assert of_text(text, {**answers, "readings 2": "yes"}).questions == ()


def test_a_table_that_is_left_out_is_not_read_as_another_with_fewer_columns():
    wide = table("Chip | switch | Model | Time (s)", "M1 | yes | a | 9.1")
    narrow = table("Chip | Model | Time (s)", "M1 | a | 283.2")
    text = f"## Training of 20 epochs, switched\n\n{wide}\n## Training\n\n{narrow}"
    answers = {"time of Time (s)": "work_seconds"}
    proposal = of_text(text, {**answers, "time of Time (s) at line 3": "leave-out"})

    assert figures(proposal, text) == [("a", "work_seconds", 283.2)]
    assert "line 3: 'Time (s)': as answered" in proposal.left_out


def test_a_time_below_a_title_that_speaks_of_epochs_is_asked_about():
    text = "# Training on M1 CPU, epoch: 20\n\n" + table("Model | Time (s)", "a | 9.1")

    assert "epoch_seconds" in choices(of_text(text), "time of Time")


def test_numbers_name_no_work():
    text = table(
        "model | avg_duration | total_test_time",
        "codellama:7b | 1324 | 131514",
        "llama2:7b | 4626 | 80963",
    )
    proposal = of_text(text)

    works = {"llm-generate", "llm-prefill", "llm-decode", "title", "leave-out"}
    assert choices(proposal, "work of model") == works
    assert "'total_test_time' (131514, 80963)" in question(proposal, "unit").text


def test_a_number_of_requests_to_a_model_is_no_model():
    header = "Machine | Number of Parallel Model Requests Allowed | LLM | decode tok/s"
    meant = columns(table(header, "M1 | 128 | a | 3.5", "M1 | 64 | b | 3.7"))

    assert [*meant.values()] == [
        "machine",
        "parameters.number_of_parallel_model_requests_allowed",
        "parameters.model",
        "tokens_per_second",
    ]


def test_a_word_before_the_names_of_models_and_their_sizes_are_no_part_of_them():
    rows = table("Requests | decode tok/s", "1 | 41.5", "8 | 281.5")
    heads = "Model: LLAMA 3.2 (2.0GB)", "Model: Mistral (4.1 GB)"
    text = "\n".join(f"## {head}\n\n{rows}" for head in heads)

    proposal = of_text(text)
    assert question(proposal, "headings").likely == "model"
    models = {record.run.parameters["model"] for record in records(proposal, text)}
    assert models == {"LLAMA 3.2", "Mistral"}


def test_settings_and_sentences_are_no_names_of_work():
    rows = "latency: 9.5 ms\n"
    for line in ("Parameters = 41,943,040", "It is there. Nothing else was found"):
        proposal = of_text(f"## {line}\n\n{rows}", name="runs/speed_test.txt")
        assert "'speed test' -> speed-test" in question(proposal, "work").text


def test_names_of_frameworks_and_precisions_are_no_models_below_that_header():
    rows = table(
        "Model | Latency mean (ms) | inf/s",
        "Vanilla | 15.5 | 65",
        "TRT_fp32 | 9.5 | 105",
        "TRT_int8 | 4.5 | 222",
    )
    text = f"# mobilenet bs 1\n\n{rows}\n# resnet18 bs 8\n\n{rows}"

    runs = [record.run for record in records(of_text(text, {"readings": "yes"}), text)]
    assert [(o.workload, o.framework, o.precision) for o in runs[3:]] == [
        ("resnet18-inference", "unknown", None),
        ("resnet18-inference", "tensorrt", "fp32"),
        ("resnet18-inference", "tensorrt", "int8"),
    ]
    assert {run.parameters["batch_size"] for run in runs} == {1, 8}


def test_a_large_network_that_makes_images_is_no_language_model():
    rows = table("Case | Request time (s)", "{} 14B | 9.5", "{} 1B | 4.5")

    images = question(of_text(rows.replace("{}", "Wan2.1 T2V")), "work")
    assert "llm-generate" not in images.choices
    answers = question(of_text(rows.replace("{}", "Some")), "work")
    assert answers.likely == "llm-generate"


def test_the_precision_in_a_name_is_that_of_its_own_rows_alone():
    text = """{"gpu": "RTX 4090", "results": {
        "onnx": {"fps": 38.5, "ms": 26.5, "rank": 4},
        "trt_fp16": {"fps": 121.5, "ms": 8.5, "rank": 3},
        "trt_int8": {"fps": 160.5, "ms": 6.5, "rank": 1}}}"""
    document = Document("results.json", text.encode())
    proposal = propose(document, READERS["json"](document), {"readings": "yes"})

    assert [(it.run.workload, it.run.precision) for it in records(proposal, text)] == [
        ("onnx", None),
        ("trt-fp16", "fp16"),
        ("trt-int8", "int8"),
    ]
    card = propose(document, READERS["json"](document)).questions
    assert any("'trt_fp16' -> fp16" in line.reading() for line in card)


@pytest.mark.parametrize("weights", ["Q4_K_M", "Q4_0", "IQ2_XXS", "Q3_K_XL"])
def test_weights_in_the_name_of_a_file_keep_their_whole_name(weights):
    text = "# llama.cpp on an M2 Max\n\n" + table("Batch | tg tok/s", "1 | 30.5")

    (record,) = records(of_text(text, name=f"fit__Qwen3-8B-{weights}__run.md"), text)

    assert record.run.parameters["quantization"] == weights
    assert record.run.parameters["model"] == "Qwen3 8B"
