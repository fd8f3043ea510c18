"""The card: what was inferred is shown, and each line of it can be corrected.

The documents are made up; each has a way in which something was once stored that
nobody had agreed to.
"""

import pytest

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.mapping.maps import parse
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    figures,
    inferred,
    number,
    of_text,
    records,
    table,
)

EXACT = table(
    "workload | chip | device | framework | precision | size | TFLOPS",
    "matmul | M1 Max | mps | pytorch | fp16 | 512 | 7.5",
    "matmul | RTX 3090 | cuda | torch | fp32 | 512 | 20.5",
)
PROVIDERS = "# ONNX CPU benchmark\n\n" + table(
    "Model | Chip | ms",
    "lenet | M1 Pro | 5.5",
    "vgg16 | M2 Pro | 6.5",
)
TWO = (
    "# matmul with MLX\n\n## M1 Max\n\n"
    + table("Size | TFLOPS", "512 | 7.5")
    + "\n## M3 Pro\n\n"
    + table("Width | TFLOPS", "512 | 6.5")
)


def runs(text: str, answer: str, name: str = "results.md"):
    """Return the runs after an answer to the card, by which nothing stays open."""
    proposal = of_text(text, {"readings": answer}, name)
    assert proposal.questions == ()
    return [
        (record.machine.chip, record.run) for record in records(proposal, text, name)
    ]


def test_what_exact_headers_and_whole_cells_say_has_no_card():
    assert of_text(EXACT).questions == ()


def test_a_heading_has_a_line_with_what_it_prints_and_what_is_stored():
    assert inferred(of_text(PROVIDERS))["device in headings"] == (
        "device: 'ONNX CPU benchmark' -> cpu (2), from the headings above"
    )


@pytest.mark.parametrize(
    ("answer", "devices"),
    [
        ("yes", {"cpu"}),
        ("yes, but device: gpu", {"metal"}),
        ("device: not-stated", {"unknown"}),
    ],
)
def test_a_correction_holds_against_a_heading(answer, devices):
    assert {run.device for _, run in runs(PROVIDERS, answer)} == devices


def test_a_correction_by_name_holds_against_an_exact_column():
    proposal = of_text(EXACT, {"precision": "bf16", "machine": "M4 64 GB"})
    chips = [(record.machine.chip, record.run) for record in records(proposal, EXACT)]

    assert [(chip.name, chip.ram_bytes) for chip, _ in chips] == [
        ("M4", 64 * 2**30)
    ] * 2
    assert {run.precision for _, run in chips} == {"bf16"}
    # What told the rows apart stays, under its own name.
    assert {run.parameters["chip"] for _, run in chips} == {"M1 Max", "RTX 3090"}


def test_lines_of_the_document_say_machine_system_and_version():
    text = (
        "# Results\n\n- Device: Apple M2 Ultra, 192GB unified memory\n"
        "- OS: macOS 15.3 (24D60)\n- MLX version: 0.31.0\n- Python: 3.11\n\n"
        "## MLX GPU\n\n" + table("Model | Decode tok/s", "Phi 4 | 45.2")
    )
    (record,) = records(of_text(text), text)
    environment = record.environment
    assert record.machine.chip.name == "M2 Ultra"
    assert record.machine.chip.ram_bytes == 192 * 2**30
    assert (environment.os_version, environment.framework_version) == ("15.3", "0.31.0")
    assert environment.python == "3.11"
    lines = inferred(of_text(text))
    assert lines["machine"] == (
        "machine: M2 Ultra 192 GB, from line 3: "
        "'- Device: Apple M2 Ultra, 192GB unified memory'"
    )
    assert lines["version"].endswith("from line 5: '- MLX version: 0.31.0'")
    assert {"os", "python"} <= lines.keys()


def test_one_printed_text_is_corrected_by_itself():
    text = "# matmul with torch on CUDA\n\n" + table(
        "Card | TFLOPS", "RTX 3080, undervolted | 6.5", "RTX 3090 | 20.5"
    )
    line = inferred(of_text(text))["machine in Card"]
    assert "'RTX 3080, undervolted' -> GeForce RTX 3080 (1)" in line

    answer = "machine in Card: RTX 3080, undervolted -> RTX 4070"
    chips = [chip.name for chip, _ in runs(text, answer)]
    assert chips == ["GeForce RTX 4070", "GeForce RTX 3090"]
    unknown = "machine in Card: RTX 3080, undervolted -> not-stated"
    assert runs(text, unknown)[0][0].name == "unknown"


def test_a_card_of_another_generation_is_shown():
    text = "# matmul with torch on CUDA\n\n" + table(
        "Card | TFLOPS", "Maxwell Titan X | 6.5", "RTX 3090 | 20.5"
    )
    assert "'Maxwell Titan X' -> " in inferred(of_text(text))["machine in Card"]


def test_what_holds_for_one_table_is_answered_for_it_alone():
    result = runs(TWO, "device of table 1: cpu; precision of table 2: fp16")

    pairs = {chip.name: (run.device, run.precision) for chip, run in result}
    assert pairs == {"M1 Max": ("cpu", None), "M3 Pro": ("unknown", "fp16")}


def test_figures_of_a_table_are_left_out_by_a_line():
    result = runs(TWO, "precision of table 2: leave-out")

    assert [chip.name for chip, _ in result] == ["M1 Max"]


def test_a_column_is_what_is_answered():
    text = "# matmul with MLX on M2 GPU\n\n" + table(
        "Size | Type | TFLOPS", "512 | 32 | 7.5", "512 | 64 | 6.5"
    )
    sizes = [run.parameters["batch_size"] for _, run in runs(text, "Type: batch size")]
    assert sizes == [32, 64]

    words = text.replace("| 32 |", "| fp16 |").replace("| 64 |", "| fp32 |")
    assert {run.precision for _, run in runs(words, "Type: precision")} == {
        "fp16",
        "fp32",
    }


def test_a_column_of_figures_is_left_out_or_has_another_unit():
    text = "# matmul with MLX on M2 GPU\n\n" + table("Size | ms | W", "512 | 7.5 | 12")

    proposal = of_text(text, {"readings": "yes, but W: leave-out; ms: us"})
    assert [value for _, _, value in figures(proposal, text)] == [7.5e-6]


def test_a_gpu_of_no_known_maker_is_not_asked_about_twice():
    text = "# matmul with MLX\n\n" + table("Size | TFLOPS", "512 | 7.5")

    ((_, run),) = runs(text, "device: gpu")
    assert (run.device, run.missing["device"]) == (
        "unknown",
        "the GPU; by what it computed is not printed",
    )


def test_a_gpu_that_a_heading_names_is_what_is_answered():
    text = "# matmul on GPU\n\n" + table("Size | TFLOPS", "512 | 7.5")
    number = [it.key for it in of_text(text).questions].index(
        "device in headings at line 3"
    )

    ((_, run),) = runs(text, f"{number + 1}: cuda")
    assert run.device == "cuda"


def test_yes_and_no_name_nothing():
    text = (
        '{"runs": [{"model_bias": true, "machine": false, "size": 512, "tflops": 7.5},'
        ' {"model_bias": false, "machine": false, "size": 512, "tflops": 8.5}]}'
    )
    document = Document("results.json", text.encode())
    proposal = propose(document, readable(document), {"work": "matmul"})
    items = read(document, proposal.map, NOTHING)
    stored = [it for it in items if isinstance(it, Record)]

    assert [it.run.parameters["model_bias"] for it in stored] == ["true", "false"]
    assert {it.machine.label for it in stored} == {None}
    assert {it.run.workload for it in stored} == {"matmul"}


def test_each_row_says_whether_it_trains():
    text = "# PyTorch on RTX 3090\n\n" + table(
        "Model | Mode | img/s",
        "resnet50 | Training | 300",
        "resnet50 | Inference | 900",
        "vgg16 | Training | 200",
    )
    result = {run.workload for _, run in runs(text, "yes")}
    assert result == {"resnet50", "resnet50-inference", "vgg16"}


def test_what_was_agreed_on_is_a_map_that_reads_the_same_unasked():
    answer = "yes, but machine: M2 Ultra 192 GB; 1: gpu; precision: fp16"
    proposal = of_text(PROVIDERS, {"readings": answer})
    document = Document("results.md", PROVIDERS.encode())
    again = read(document, parse(proposal.toml.encode(), "results").map_, NOTHING)

    assert len(proposal.toml.splitlines()) <= 40
    assert [it.digest for it in again if isinstance(it, Record)] == [
        it.digest for it in records(proposal, PROVIDERS)
    ]


BITS = (
    "# Llama 3.1 8B with vLLM on RTX 3090\n\n## 16-wide\n\n"
    + table("Model | decode tok/s", "alpha | 90.5", "beta | 80.5")
    + "\n## 32-wide\n\n"
    + table("Model | decode tok/s", "alpha | 50.5", "beta | 40.5")
    + "\n## Both\n\n"
    + table("Model | 16 | 32", "gamma | 9.5 tok/s | 5.5 tok/s")
)


@pytest.mark.parametrize(
    ("answer", "figures_"),
    [
        ("precision: fp16", {5.5, 9.5, 40.5, 50.5, 80.5, 90.5}),
        ("precision of table 1: fp16", {40.5, 50.5, 80.5, 90.5}),
        ("16-wide: precision fp16", {80.5, 90.5}),
        ("32-wide: fp16", {40.5, 50.5}),
        ("'16': fp16", {9.5}),
        ("column 3 of table 2: precision fp16", {5.5}),
        ("precision in 32: fp16", {5.5}),
        ("beta: fp16", {40.5, 80.5}),
        ("precision in beta: fp16", {40.5, 80.5}),
    ],
)
def test_a_fact_is_of_all_a_table_a_heading_a_column_or_a_text(answer, figures_):
    proposal = of_text(BITS, {"readings": f"yes, but {answer}"})

    assert proposal.questions == ()
    assert {
        value.value
        for it in records(proposal, BITS)
        for value in it.end.values
        if it.run.precision == "fp16"
    } == figures_


@pytest.mark.parametrize(
    ("answer", "name", "value"),
    [
        ("concurrency: 32", "concurrency", 32),
        ("prompt tokens: 128", "prompt_tokens", 128),
        ("output tokens: 128", "generated_tokens", 128),
        ("number of GPUs: 4", "chips", 4),
        ("batch: 8", "batch_size", 8),
        ("setting kernel: flash 2", "kernel", "flash 2"),
    ],
)
def test_what_is_no_other_fact_is_a_setting_of_the_runs(answer, name, value):
    proposal = of_text(BITS, {"readings": f"yes, but {answer}"})

    assert {it.run.parameters[name] for it in records(proposal, BITS)} == {value}


def test_a_name_that_nothing_has_is_kept_as_a_setting_and_that_is_said():
    proposal = of_text(BITS, {"readings": "yes, but concurrency: 32"})

    note = "'concurrency': kept as 'setting concurrency' of the runs: 32"
    assert note in proposal.notes


def test_the_title_of_a_column_goes_before_the_name_of_a_setting():
    text = "# Qwen2 7B with MLX on M2 GPU\n\n" + table(
        "Weights | output tokens | Foo", "q4 | 128 | 30.5", "q8 | 256 | 20.5"
    )
    proposal = of_text(text, {"readings": "yes, but output tokens: setting; Foo: ms"})

    tokens = {it.run.parameters.get("output_tokens") for it in records(proposal, text)}
    assert tokens == {128, 256}


WORDS = "# matmul with MLX on M2 GPU\n\n" + table(
    "Kind | Foo tokens | TFLOPS", "wide | 128 | 7.5", "deep | 256 | 6.5"
)


@pytest.mark.parametrize(
    "name", ["kind", "setting kind", "'setting kind'", "setting kind in Kind", "Kind"]
)
@pytest.mark.parametrize(
    ("answer", "kept"),
    [("leave-out", None), ("Leave out", None), ("quantization", "quantization")],
)
def test_a_setting_goes_by_what_the_card_calls_it(name, answer, kept):
    lines = of_text(WORDS).questions
    assert "setting kind: wide (1), deep (1)" in "".join(it.text for it in lines)

    result = [run.parameters for _, run in runs(WORDS, f"yes, but {name}: {answer}")]
    rest = {"foo_tokens": 128}, {"foo_tokens": 256}
    ours = ({kept: "wide"}, {kept: "deep"}) if kept else ({}, {})
    assert result == [values | other for values, other in zip(ours, rest, strict=True)]


@pytest.mark.parametrize("name", ["5", "Foo tokens", "unit of Foo tokens"])
@pytest.mark.parametrize("answer", ["prompt tokens", "prompt_tokens", "input tokens"])
def test_a_column_of_numbers_is_the_setting_that_is_typed(name, answer):
    result = [run.parameters for _, run in runs(WORDS, f"yes, but {name}: {answer}")]
    assert [it["prompt_tokens"] for it in result] == [128, 256]


@pytest.mark.parametrize("answer", ["not stated", "Not-stated", "not-stated"])
def test_what_is_not_stated_is_answered_as_the_card_says_it(answer):
    (chip, other), _ = runs(WORDS, f"yes, but machine: {answer}; device: {answer}")
    assert (chip.name, other.device) == ("unknown", "unknown")


def test_a_model_that_may_not_be_the_one_that_ran_is_shown():
    text = "# MLX on M2 GPU\n\n" + table(
        "Helper Model | decode tok/s", "Qwen2 0.5B | 30.5", "Qwen2 1.5B | 20.5"
    )
    assert "model in Helper Model" in inferred(of_text(text))
    plain = text.replace("Helper Model", "Model name")
    assert not [key for key in inferred(of_text(plain)) if key.startswith("model")]


def test_a_fact_that_some_rows_state_is_corrected_in_all():
    rows = (f"MLX way {n} | {n}.5" for n in range(1, 5))
    text = "# matmul on M2 GPU\n\n" + table("Config | TFLOPS", *rows, "other | 9.5")
    keys = {it.key.partition(" at ")[0] for it in of_text(text).questions}
    assert {"framework in Config", "framework"} <= keys

    result = [run.framework for _, run in runs(text, "yes, but framework: jax")]
    assert result == ["jax"] * 5


def test_a_text_is_of_the_fact_that_its_column_tells():
    text = "# Qwen2 7B with MLX on M2 GPU\n\n" + table(
        "Quant | decode tok/s", "q4 | 30.5", "q8 | 20.5"
    )
    result = {run.parameters["quantization"] for _, run in runs(text, "q8: Q8_0")}
    assert result == {"q4", "Q8_0"}
    other = {run.parameters["quantization"] for _, run in runs(text, "q8: 8 of 8")}
    assert other == {"q4", "8 of 8"}


def test_a_column_that_is_read_as_a_fact_keeps_what_else_its_cells_say():
    text = "# matmul on M2 GPU\n\n" + table(
        "Runtime | TFLOPS", "MLX 0.21 | 7.5", "PyTorch 2.3 | 6.5"
    )
    proposal = of_text(text, {"readings": "yes, but column 1: framework"})
    versions = {it.environment.framework_version for it in records(proposal, text)}
    assert versions == {"0.21", "2.3"}


def test_a_column_goes_by_its_number():
    text = "# matmul with MLX on M2 GPU\n\n" + table(
        "Size | Engine type | Foo (ms)", "512 | fast | 7.5", "512 | slow | 6.5"
    )
    (_, result), (_, other) = runs(text, "column 2: framework")
    assert {result.framework, other.framework} == {"fast", "slow"}

    with pytest.raises(AnswerError, match="say of which, as 'column 3 of table 1'"):
        of_text(BITS + "\n" + text, {"readings": "yes, but column 3: framework"})


def test_rows_are_left_out_by_a_text_of_theirs():
    proposal = of_text(BITS, {"readings": "yes, but beta: leave-out"})

    assert {value for _, _, value in figures(proposal, BITS)} == {9.5, 5.5, 50.5, 90.5}
    assert "rows of 'beta' are left out" in proposal.notes


def test_a_table_is_left_out_by_its_number():
    proposal = of_text(BITS, {"readings": "yes, but table 1: leave-out"})

    assert {value for _, _, value in figures(proposal, BITS)} == {9.5, 5.5}


def test_a_correction_reaches_all_that_its_line_shows():
    text = "# Benchmarks\n\n## GPU\n\n" + table(
        "Thing | gpu_2x_foo (img/s) | gpu_4x_foo (img/s)", "lenet | 10.5 | 20.5"
    )
    proposal = of_text(text)
    device = number(proposal, "device in names of columns")
    assert {run.device for _, run in runs(text, f"{device}: cuda")} == {"cuda"}

    work = number(proposal, "What is the work")
    works = {run.workload for _, run in runs(text, f"{work}: new: Odd Work")}
    assert works == {"odd-work"}
    assert {run.workload for _, run in runs(text, "new: other")} == {"other"}


def test_a_card_with_what_has_no_likely_answer_needs_one():
    text = "# Benchmarks on M1 CPU\n\n" + table("Model | Throughput", "a | 10.5")
    lines = of_text(text).questions

    assert "NEEDS AN ANSWER: " in lines[0].reading()
    with pytest.raises(AnswerError, match="yes is not enough: In which unit are"):
        of_text(text, {"readings": "yes"})
    proposal = of_text(text, {"readings": "yes, but Throughput: img/s"})
    assert {value for _, _, value in figures(proposal, text)} == {10.5}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("maybe", "give yes, or what is wrong as NUMBER: ANSWER"),
        ("yes, but 99: ms", "nothing asks '99'; give the number of a line, a fact"),
        ("", "give yes, or what is wrong as NUMBER: ANSWER"),
        ("machine: -> M2", "'-> M2' is no machine"),
        ("yes, but 1: ", "give yes, or what is wrong as NUMBER: ANSWER"),
        ("device in headings: nothing -> cpu", "'nothing' is not there; allowed: "),
        ("precison: fp16", "nothing asks 'precison'; did you mean 'precision"),
        ("vgg16: +", "'+': say of what it is: allowed: machine"),
        ("table 1: cpu", "a table can only be left out"),
        ("device of table 9: cpu", "nothing asks 'device of table 9'"),
        ("device: toaster", "'toaster' is no device"),
        ("machine: cuda", "'cuda' is no machine"),
        ("work: Two Words!", "is no work"),
        ("ms: furlongs", "nothing that a column can be"),
    ],
)
def test_a_correction_without_sense_is_one_clear_line(answer, why):
    with pytest.raises(AnswerError) as error:
        of_text(PROVIDERS, {"readings": answer})

    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_a_batch_size_inside_a_title_is_a_line_of_the_card():
    text = "# Attention with MLX on an M4\n\n" + table(
        "N | MHA ms | BlockSparse (bs=32) ms", "512 | 1.5 | 2.5"
    )
    (line,) = (it.text for it in of_text(text).questions if it.topic == "batch size")
    assert "'BlockSparse (bs=32) ms' -> 32 (1)" in line


def test_a_title_that_is_a_batch_size_needs_no_line():
    text = "# Training ResNet-50, torch on an A100\n\n" + table(
        "Model | batch 32 img/s", "resnet50 | 2.5"
    )
    assert not any(it.topic == "batch size" for it in of_text(text).questions)
