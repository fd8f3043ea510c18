"""Which machine, device and runtime figures get, where a document names several."""

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    asked,
    converse,
    inferred,
    meanings,
    of_statistics,
    of_text,
    question,
    records,
    table,
)


def read_anew(text: str, answers: dict[str, str]) -> Proposal:
    """Return what is proposed for running text."""
    document = Document("results.md", text.encode())
    return propose(document, readable(document), answers)


LINE = "{bench} | {n} | {time} ms"
ANSWERS = {"time": "work_seconds", "work": "new: cnn", "framework": "torch"}


def ran(text: str, **answers: str) -> list[tuple[str, list[str], str]]:
    """Return the chip, the cards and the device of each run."""
    proposal, _ = converse(text, ANSWERS | answers)
    runs = records(proposal, text)
    return [
        (
            it.machine.chip.name,
            [o.name for o in it.machine.chip.accelerators],
            it.run.device,
        )
        for it in runs
    ]


def test_a_processor_and_a_card_in_one_cell_are_one_machine():
    text = table(
        "Device | GPU Time (sec)",
        "Tower (Ryzen 9 5950X, RTX 4060 Ti 16GB) | 6.5",
        "M1 Max | 3.1",
    )
    assert ran(text) == [
        ("Ryzen 9 5950X", ["GeForce RTX 4060 Ti"], "cuda"),
        ("M1 Max", [], "metal"),
    ]


def test_a_time_of_the_cpu_is_none_of_the_card_that_its_row_names():
    text = table("Device | CPU Time (sec)", "Colab (T4 GPU) | 1260", "M1 Max | 3.1")

    assert ran(text) == [("unknown", ["Tesla T4"], "cpu"), ("M1 Max", [], "cpu")]

    # Beside a time by the clock it is what the processor was busy for.
    wall = table("Device | CPU Time (sec) | Wall Time (sec)", "M1 Max | 3.1 | 2.5")
    answer = "CPU Time (sec): work_seconds; Wall Time (sec): leave-out; work: new: cnn"
    (record,) = records(of_text(wall, {"readings": answer}), wall)
    assert record.run.device == "unknown"


def benches(*heads: str) -> str:
    rows = "Vllm | 9.5", "AutoFoo | 7.5"
    header = "Engine | decode tok/s"
    return "\n".join(f"## {head}\n\n{table(header, *rows)}" for head in heads)


def test_each_heading_names_its_machine_and_each_row_its_engine():
    text = benches("A100 80GB Inference Bench:", "M2 Max 32GB in my new desk Bench:")
    proposal, _ = converse(text, {"device": "gpu"})

    runs = [(it.machine, it.run) for it in records(proposal, text)]
    assert [(it.chip.name, run.framework) for it, run in runs] == [
        ("A100", "vllm"),
        ("A100", "autofoo"),
        ("M2 Max", "vllm"),
        ("M2 Max", "autofoo"),
    ]


def test_the_machine_of_another_heading_is_no_choice():
    text = benches("My M3 Pro", "The old box")

    lines = [it.text for it in of_text(text).questions if "machine" in it.key]
    assert lines == [
        "machine: 'My M3 Pro' -> M3 Pro (2) (table 1 at line 3), from the headings "
        "above",
        "not stated: machine (the document names M3 Pro (line 1)) (table 2 at line 10)",
    ]


def test_a_gpu_is_what_its_machine_computes_by_and_asked_about_where_none_is_known():
    text = "Trained on an M2 laptop.\n\n## GPU\n\n" + table("Model | s/epoch", "a | 5")

    assert "M2 (line 1)" in question(of_text(text), "machine").text
    asked_of = question(of_text(text), "device").text
    assert asked_of.startswith("device: 'GPU' -> the GPU; by what it computed ")
    ((_, _, device),) = ran(text, machine="M2")
    assert device == "metal"
    ((chip, _, device),) = ran(text, device="cuda")
    assert (chip, device) == ("unknown", "cuda")


def test_rows_whose_names_end_like_units_do_not_turn_a_table():
    rows = "tf_foo_s,30,168,512", "tf_bar_s,11,431,512", "resnet50,8,618,256"
    text = "model,train_samples_per_sec,train_step_time,train_batch_size\n"
    proposal: Proposal = of_text(text + "\n".join(rows) + "\n", name="a.csv")

    meant = meanings(proposal.map.table[0])
    assert meant["train_samples_per_sec"] == "reported_samples_per_second"
    assert "tensorflow" not in question(proposal, "framework").text


ONNX = "ONNX Runtime 1.23.2 on an M1 Pro.\n\n## ONNX CPU benchmark\n\n"


def test_the_device_of_a_row_goes_before_that_of_a_heading():
    text = ONNX + table(
        "Model | Provider | Latency (ms)",
        "a | CPUExecutionProvider | 5.5",
        "a | CoreMLExecutionProvider | 6.5",
    )
    assert [device for _, _, device in ran(text)] == ["cpu", "unknown"]
    # A heading says nothing of cells of which a part is another's.
    rows = ("1 | lenet by CoreMLExecutionProvider | 6.5", "2 | lenet | 7.5")
    text = ONNX + table("Batch size | Run | ms", *rows)
    assert "device" in asked(of_text(text))


def test_a_column_of_versions_is_not_the_runtimes_unless_a_column_names_it():
    text = ONNX + table(
        "Model | Version | Latency (ms)", "a | 1.164 | 5", "b | 1.0.0 | 6"
    )

    line = inferred(of_text(text))["setting version in Version"]
    assert line == "setting version: 1.164 (1), 1.0.0 (1), from the column 'Version'"
    groups = {
        answer: [
            (run.parameters.get("version"), environment.framework_version)
            for run, environment in (
                (it.run, it.environment)
                for it in records(of_text(text, {"readings": answer}), text)
            )
        ]
        for answer in ("yes", "Version: version")
    }
    assert groups["yes"] == [(1.164, None), ("1.0.0", None)]
    assert groups["Version: version"] == [(None, "1.164"), (None, "1.0.0")]
    beside = table(
        "Model | Framework | Version | Latency (ms)", "a | torch | 2.1.0 | 5"
    )
    assert "setting version in Version" not in inferred(of_text(beside))


MAX = "We used an M2 Max.\n\n"
EPOCHS = table("Model | s/epoch", "lenet | 5", "cnn | 6")


def test_a_heading_that_names_a_chip_shortly_is_asked_about():
    text = MAX + "## M2\n\n" + EPOCHS

    line = inferred(of_text(text))["machine in headings"]
    assert line.endswith(
        "'M2' -> M2 (2) (the document also names M2 Max (line 1)), "
        "from the headings above"
    )
    assert {chip for chip, _, _ in ran(text, machine="not-stated")} == {"unknown"}
    assert {chip for chip, _, _ in ran(text, machine="M2 Max")} == {"M2 Max"}
    # Where tables of both are there, each is what it says.
    both = "## M2\n\n" + EPOCHS + "\n## M2 Max\n\n" + EPOCHS
    assert {chip for chip, _, _ in ran(both)} == {"M2", "M2 Max"}


def test_a_column_that_names_a_chip_shortly_is_asked_about():
    text = MAX + table("Model | M2 (s/epoch) | M1 (s/epoch)", "a | 5 | 4")

    line = inferred(of_text(text))["machine in names of columns"]
    assert "M2 Max (line 1)" in line
    chips = {
        answer: {chip for chip, _, _ in ran(text, **{"machine in names": answer})}
        for answer in ("M2 (s/epoch) -> M2 Max", "not-stated")
    }
    assert [*chips.values()] == [{"M2 Max", "M1"}, {"unknown", "M1"}]


def test_a_cell_that_names_a_chip_shortly_is_asked_about():
    text = MAX + table("Machine | s/epoch", "M2 | 5", "M1 | 6")

    assert inferred(of_text(text))["machine in Machine"] == (
        "machine: M2 (1) (the document also names M2 Max (line 1)), "
        "from the column 'Machine'"
    )
    chips = {
        answer: [chip for chip, _, _ in ran(text, **{"machine in Machine": answer})]
        for answer in ("yes", "M2 Max", "not-stated")
    }
    assert chips == {
        "yes": ["M2", "M1"],
        "M2 Max": ["M2 Max", "M1"],
        "not-stated": ["unknown", "M1"],
    }


def test_the_device_of_a_table_is_not_that_of_a_table_under_a_card():
    rows = table("Tool | Time[s] 1M", "lightgbm | 20", "xgboost | 30")
    text = f"# GBM\n\n## r4.8xlarge\n\n{rows}\n## Tesla M60\n\n{rows}"
    devices = [it.key for it in of_text(text).questions if "device" in it.key]
    assert devices == ["device at line 5", "device at line 12"]

    assert ran(text, **{"device at line 5": "cpu"}) == [
        ("unknown", [], "cpu"),
        ("unknown", [], "cpu"),
        ("Tesla M60", ["Tesla M60"], "unknown"),
        ("Tesla M60", ["Tesla M60"], "unknown"),
    ]


def test_a_gpu_that_is_typed_for_a_radeon_computes_by_what_its_framework_has():
    text = table("Device | Time (sec)", "RX 6950 XT | 6.5", "M1 Max | 3.1")

    typed = {"time": "work_seconds", "work": "new: cnn", "device": "gpu"}
    by_torch = of_text(text, typed | {"framework": "torch"})
    assert [it.run.device for it in records(by_torch, text)] == ["rocm", "metal"]

    unsettled = of_text(text, typed | {"framework": "llama.cpp"})
    assert [it.run.device for it in records(unsettled, text)] == ["unknown", "metal"]
    assert (
        "device: the GPU; by what it computed (cuda, metal, rocm, vulkan) is not "
        "stated; it is kept as unknown"
    ) in unsettled.notes


def test_a_machine_whose_tier_stands_apart_has_a_line_with_both_chips():
    text = table("Machine | Time (sec)", "M2 mini Pro | 6.5")
    line = inferred(of_text(text, ANSWERS))["machine in Machine"]
    assert line == (
        "machine: 'M2 mini Pro' -> M2 Pro, perhaps M2 (1), from the column 'Machine'"
    )


def test_the_max_of_a_product_is_no_statistic_of_its_figures():
    heads = "Model | iPhone 16 Pro Max time (ms) | Max time (ms) | Mean time (ms)"
    text = "# Inference\n\n" + table(heads, "lenet | 3.5 | 4.5 | 2.5")
    stored = of_statistics(of_text(text, {"readings": "yes"}), text)
    assert {(name, value) for name, _, value in stored} == {
        ("", 0.0035),
        ("max", 0.0045),
        ("", 0.0025),
    }


def test_how_hot_a_gpu_was_names_no_machine():
    text = table("Model | Avg TPS | GPU Temp", "phi3 | 7.5 | 50°C", "qwen | 9.5 | 52°C")
    proposal = of_text(text, {"readings": "yes"})
    assert {it.machine.label for it in records(proposal, text)} == {None}


def test_a_processor_above_the_figures_of_a_log_is_a_line_of_the_card():
    log = "cpu: AMD EPYC 9575F\nproduct: AMD Instinct MI325\n\n"
    log += "brax | 1 | 5.5 ms\ndqn | 2 | 6.5 ms\n"
    (logged,) = readable(Document("log.txt", log.encode()), [LINE])
    proposal = propose(Document("log.txt", log.encode()), [logged])
    line = inferred(proposal)["machine in cpu"]
    assert line == "machine: 'AMD EPYC 9575F' -> EPYC 9575F (2), from the column 'cpu'"


def test_the_title_of_a_document_says_no_format_where_rows_say_their_own():
    text = (
        "# Issues with AWQ\n\n"
        "1. The AWQ model `Meta-Llama-3.1-8B-Instruct` takes ~ 48 tokens/sec\n"
        "2. With 3 loras, the base model takes ~ 25 tokens/sec\n"
    )
    proposal = read_anew(text, {"readings": "yes"})
    formats = {
        it.end.values[0].value: it.run.parameters.get("quantization")
        for it in records(proposal, text)
    }
    assert formats == {48.0: None, 25.0: None}  # which the rows' names say


def test_the_part_of_a_chip_that_core_ml_names_in_one_word_is_a_device():
    text = "# Inference\n\n" + table(
        "Device | time (ms)", "neuralEngine | 2.5", "cpu | 3.5"
    )
    proposal = of_text(text, {"readings": "yes"})
    assert [it.run.device for it in records(proposal, text)] == ["npu", "cpu"]
