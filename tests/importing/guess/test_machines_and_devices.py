"""Which machine, device and runtime figures get, where a document names several."""

from benchdb.importing.guess.draft import Proposal
from tests.importing.guess.guessed import (
    asked,
    choices,
    converse,
    meanings,
    of_text,
    question,
    records,
    table,
)

ANSWERS = {"time": "work_seconds", "work": "new: cnn", "framework": "torch"}


def ran(text: str, **answers: str) -> list[tuple[str, list[str], str]]:
    """Return the chip, the cards and the device of each run."""
    found, _ = converse(text, ANSWERS | answers)
    runs = records(found, text)
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
    answers = {"time of CPU": "work_seconds", "time": "leave-out", "work": "new: cnn"}
    (one,) = records(converse(wall, answers)[0], wall)
    assert one.run.device == "unknown"


def benches(*heads: str) -> str:
    rows = "Vllm | 9.5", "AutoFoo | 7.5"
    header = "Engine | decode tok/s"
    return "\n".join(f"## {head}\n\n{table(header, *rows)}" for head in heads)


def test_each_heading_names_its_machine_and_each_row_its_engine():
    text = benches("A100 80GB Inference Bench:", "M2 Max 32GB in my new desk Bench:")
    found, _ = converse(text, {"device": "gpu"})

    runs = [(it.machine, it.run) for it in records(found, text)]
    assert [(it.chip.name, run.framework) for it, run in runs] == [
        ("A100", "vllm"),
        ("A100", "autofoo"),
        ("M2 Max", "vllm"),
        ("M2 Max", "autofoo"),
    ]


def test_the_machine_of_another_heading_is_no_choice():
    text = benches("My M3 Pro", "The old box")

    assert choices(of_text(text), "machine") == {"gpu", "cpu", "not-stated"}


def test_no_chip_is_offered_with_the_device_of_another_maker():
    text = "Trained on an M2 laptop.\n\n## GPU\n\n" + table("Model | s/epoch", "a | 5")

    offered = choices(of_text(text), "machine")
    assert any("M2, metal" in it for it in offered)
    assert not any("cuda" in it for it in offered)


def test_rows_whose_names_end_like_units_do_not_turn_a_table():
    rows = "tf_foo_s,30,168,512", "tf_bar_s,11,431,512", "resnet50,8,618,256"
    text = "model,train_samples_per_sec,train_step_time,train_batch_size\n"
    found: Proposal = of_text(text + "\n".join(rows) + "\n", name="a.csv")

    meant = meanings(found.map.table[0])
    assert meant["train_samples_per_sec"] == "reported_samples_per_second"
    assert not any("tensorflow" in it for it in choices(found, "machine"))


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
    assert "device" in question(of_text(text), "machine").text


def test_a_column_of_versions_is_not_the_runtimes_unless_a_column_names_it():
    text = ONNX + table(
        "Model | Version | Latency (ms)", "a | 1.164 | 5", "b | 1.0.0 | 6"
    )

    assert choices(of_text(text), "version") == {"setting", "framework", "leave-out"}
    told = {
        answer: meanings(converse(text, {"version": answer} | ANSWERS)[0].map.table[0])
        for answer in ("setting", "framework")
    }
    assert told["setting"]["Version"] == "parameters.version"
    assert told["framework"]["Version"] == "framework_version"
    beside = table(
        "Model | Framework | Version | Latency (ms)", "a | torch | 2.1.0 | 5"
    )
    assert "version" not in {key.split()[0] for key in asked(of_text(beside))}


MAX = "We used an M2 Max.\n\n"
EPOCHS = table("Model | s/epoch", "lenet | 5", "cnn | 6")


def test_a_heading_that_names_a_chip_shortly_is_asked_about():
    text = MAX + "## M2\n\n" + EPOCHS

    assert {"M2, gpu", "M2 Max, gpu"} <= choices(of_text(text), "machine")
    assert {chip for chip, _, _ in ran(text)} == {"unknown"}
    assert {chip for chip, _, _ in ran(text, machine="M2 Max")} == {"M2 Max"}
    # Where tables of both are there, each is what it says.
    both = "## M2\n\n" + EPOCHS + "\n## M2 Max\n\n" + EPOCHS
    assert {chip for chip, _, _ in ran(both)} == {"M2", "M2 Max"}


def test_a_column_that_names_a_chip_shortly_is_asked_about():
    text = MAX + table("Model | M2 (s/epoch) | M1 (s/epoch)", "a | 5 | 4")

    assert {"M2, gpu", "M2 Max, gpu"} <= choices(of_text(text), "machine")
    assert {chip for chip, _, _ in ran(text)} == {"unknown", "M1"}


def test_a_cell_that_names_a_chip_shortly_is_asked_about():
    text = MAX + table("Machine | s/epoch", "M2 | 5", "M1 | 6")

    assert choices(of_text(text), "machine of M2") == {"M2", "M2 Max", "not-stated"}
    chips = {
        answer: [chip for chip, _, _ in ran(text, **{"machine of M2": answer})]
        for answer in ("M2", "M2 Max", "not-stated")
    }
    assert chips == {
        "M2": ["M2", "M1"],
        "M2 Max": ["M2 Max", "M1"],
        "not-stated": ["unknown", "M1"],
    }


def test_the_device_of_a_table_is_not_that_of_a_table_under_a_card():
    rows = table("Tool | Time[s] 1M", "lightgbm | 20", "xgboost | 30")
    text = f"# GBM\n\n## r4.8xlarge\n\n{rows}\n## Tesla M60\n\n{rows}"
    asked_of = question(of_text(text), "machine").text
    assert "line 5" in asked_of
    assert "line 12" not in asked_of

    assert ran(text, machine="cpu") == [
        ("unknown", [], "cpu"),
        ("unknown", [], "cpu"),
        ("Tesla M60", ["Tesla M60"], "unknown"),
        ("Tesla M60", ["Tesla M60"], "unknown"),
    ]
