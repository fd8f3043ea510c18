"""What documents do not say is asked, and stored only as it is answered.

The documents are made up; each has one of the ways in which figures of others were once
stored with a meaning that nobody had given them.
"""

import pytest

from tests.importing.guess.guessed import (
    asked,
    bad_lines,
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

# Documents of which no figure may be stored unasked; and what the questions are about.
UNSAID = {
    "a time of which nobody says what it is of": (
        "# torch training on M1 CPU\n\n"
        + table("Model | Time (s)", "lenet | 12.5", "unet | 81.5"),
        {"time of Time (s)"},
    ),
    "sizes of a model that nothing names": (
        "# inference on M1 CPU, torch\n\n"
        + table("Model | Inference latency, mean (ms)", "tiny | 12.5", "base | 81.5"),
        {"work of Model"},
    ),
    "a time without a unit": (
        "# torch training on M1 CPU\n\n" + table("Model | Latency", "lenet | 12.5"),
        {"unit of Latency"},
    ),
    "numbers of which nothing is said": (
        "# torch training on M1 CPU\n\n" + table("Model | Foo", "lenet | 12.5"),
        {"numbers of Foo"},
    ),
    "numbers that can be two": (
        "# torch training on M1 CPU\n\n" + table("Model | s/epoch", "lenet | 1,234"),
        {"mark of s/epoch"},
    ),
    "power of which nobody says whether it is a peak": (
        "# torch training on M1 CPU\n\n" + table("Model | Power", "lenet | 12 W"),
        {"meaning of Power"},
    ),
    "memory that was used, or that the machine has": (
        "# torch training on M1 CPU\n\n" + table("Model | Memory", "lenet | 16 GB"),
        {"meaning of Memory"},
    ),
    "a specification": (
        "# Cards for PyTorch\n\n"
        + table("GPU | TFLOPS | Memory | TDP", "RTX 3090 | 35.6 | 24 GB | 350 W"),
        {"results of TFLOPS"},
    ),
    "theoretical figures": (
        "# Theoretical peaks, torch\n\n" + table("GPU | TFLOPS", "RTX 3090 | 35.6"),
        {"results of TFLOPS"},
    ),
    "cores and rates alone": (
        "# Apple silicon\n\n"
        + table("Chip | GPU cores | Bandwidth (GB/s)", "M1 Max | 32 | 400"),
        {"results of Bandwidth (GB/s)"},
    ),
    "noughts": (
        "# matmul with MLX on M2 GPU\n\n"
        + table("Size | TFLOPS", "512 | 3.5", "1024 | 0.0"),
        {"zeros of TFLOPS"},
    ),
    "a rate of the input": (
        "# matmul with MLX on M2 GPU\n\n"
        + table("Size | Input rate (fps)", "512 | 30"),
        {"results of Input rate (fps)"},
    ),
    "a percentage": (
        "# matmul with MLX on M2 GPU\n\n" + table("Size | Gap", "512 | 35%"),
        {"meaning of Gap"},
    ),
    "models that are trained or applied": (
        "# JAX on M2 GPU\n\n" + table("Model | img/s", "ResNet-50 | 35.1"),
        {"work of Model"},
    ),
    "tokens that are read or written": (
        "# MLX on M2 GPU\n\n" + table("Model | tok/s", "Phi 4 | 35.1"),
        {"work of tok/s"},
    ),
    "words that may be the work, a setting or a person": (
        "# MLX on M2 GPU\n\n" + table("Name | img/s", "alpha | 35.1"),
        {"work of Name"},
    ),
    "variants of one operation": (
        "# matmul in JAX on M2 GPU\n\n"
        + table("Size | Forward (ms) | Backward (ms)", "512 | 1.5 | 3.1"),
        {"time of Forward (ms)", "time of Backward (ms)"},
    ),
    "columns that may be anything": (
        "# matmul in JAX on M2 GPU\n\n"
        + table("Size | Red | Blue", "512 | 1.5 TFLOPS | 3.1 TFLOPS"),
        {"columns of Red"},
    ),
    "devices of a maker that nobody knows": (
        "# Training with torch on my M1 Max\n\n"
        + table("Device | Model | img/s", "Ascend 910B | ResNet-50 | 500"),
        {"names of Device"},
    ),
    "labels that may be anything": (
        "Results of JAX on M2 GPU\nalpha: 18.5 s\nbeta: 35.9 s\n",
        {"names of key", "time of value"},
    ),
    "two frameworks in the text": (
        "PyTorch and JAX were tried.\n\n# Training on M1 CPU\n\n"
        + table("Model | s/epoch", "lenet | 35.9"),
        {"framework"},
    ),
    "a framework that only the text names": (
        "# Training on M1 CPU\n\n"
        + table("Model | s/epoch", "lenet | 35.9")
        + "\nThis was made with PyTorch, as far as I remember.\n",
        {"framework"},
    ),
    "a machine that only the text names": (
        "# Training with JAX on CPU\n\n"
        + table("Model | s/epoch", "lenet | 35.9")
        + "\nMy old M1 was slower.\n",
        {"machine"},
    ),
    "a device that only the text names": (
        "# Training with JAX on M1\n\nThe GPU was busy for most of the evening.\n\n"
        + table("Model | s/epoch", "lenet | 35.9"),
        {"device"},
    ),
    "tables that are alike under headings that nobody knows": (
        "# Training with JAX on M1 CPU\n\n## Monday\n\n"
        + table("Model | s/epoch", "lenet | 35.9")
        + "\n## Friday\n\n"
        + table("Model | s/epoch", "lenet | 33.9"),
        {"headings of Monday"},
    ),
    "a title that some headings contradict": (
        "# Training with JAX on M1 CPU\n\n## My desk\n\n"
        + table("Model | s/epoch", "lenet | 35.9")
        + "\n## On RTX 3090\n\n"
        + table("Model | s/epoch", "lenet | 3.9"),
        {"device"},
    ),
}


@pytest.mark.parametrize("name", UNSAID)
def test_what_is_not_said_is_asked_and_nothing_else(name):
    text, expected = UNSAID[name]
    proposal = of_text(text)

    assert asked(proposal) - {"device", "framework"} >= expected - {
        "device",
        "framework",
    }
    assert expected <= asked(proposal)
    assert proposal.questions


@pytest.mark.parametrize("name", UNSAID)
def test_two_cards_settle_any_document(name):
    _, cards = converse(UNSAID[name][0])

    assert 1 <= cards <= 2


@pytest.mark.parametrize("name", UNSAID)
def test_a_metric_that_is_only_likely_stands_on_the_card(name):
    proposal = of_text(UNSAID[name][0])

    columns = [it for item in proposal.map.table for it in item.columns.values()]
    likely = {it.metric for it in columns} - {
        *("epoch_seconds", "teraflops", "operation_seconds", "gigabytes_per_second"),
        *("reported_samples_per_second", "tokens_per_second", "latency_mean_seconds"),
        None,
    }
    answers = {item.likely for item in proposal.questions}
    assert {"figure" if it == "reported_value" else it for it in likely} <= answers
    assert proposal.map.set.get("device") in (None, "cpu", "gpu")


def test_a_remark_among_figures_is_refused_alone():
    text = "# MLX training on M2 CPU\n\n" + table(
        "Model | s/epoch", "lenet | 12.1", "vgg | N/A", "unet | 15.1", "bert | gave up"
    )
    proposal = of_text(text)

    assert asked(proposal) == set()
    assert [value for _, _, value in figures(proposal, text)] == [12.1, None, 15.1]
    assert [line.locator for line in bad_lines(proposal, text)] == [
        "line 8, column s/epoch"
    ]


def test_another_vendors_figures_never_land_on_a_mac():
    text, _ = UNSAID["devices of a maker that nobody knows"]

    for answer in ("machine", "setting", "leave-out"):
        proposal, _ = converse(
            text, {"names of Device": answer, "machine": "not-stated"}
        )
        assert [record.machine.chip.name for record in records(proposal, text)] == [
            "unknown"
        ]


def test_a_specification_is_left_out_by_one_answer_without_more_questions():
    text, _ = UNSAID["a specification"]
    proposal, cards = converse(text, {"results": "leave-out"})

    assert cards == 1
    assert proposal.map.nothing is not None
    assert any("'TDP' is a specification" in item for item in proposal.left_out)


def test_noughts_that_were_not_run_are_no_figures():
    text, _ = UNSAID["noughts"]
    proposal, _ = converse(text, {"zeros": "not-run"})

    assert [value for _, _, value in figures(proposal, text)] == [3.5, None]


def test_one_answer_is_for_all_columns_that_are_alike():
    text = "# Sort in JAX on M2\n\n" + table(
        "Operation | CPU (a) | GPU (a) | Metal", "Sort | 1.5 | 3.5 | 8"
    )
    proposal = of_text(text)

    result = question(proposal, "unit of CPU")
    assert "'CPU (a)' (1.5), 'GPU (a)' (3.5)" in result.text


def test_a_title_that_is_contradicted_below_holds_where_it_is_not():
    text, _ = UNSAID["a title that some headings contradict"]
    proposal, _ = converse(text, {"device": "gpu"})

    ran = {(it.machine.chip.name, it.run.device) for it in records(proposal, text)}
    assert ran == {("M1", "metal"), ("GeForce RTX 3090", "cuda")}
    assert (
        "'Training with JAX on M1 CPU' -> M1 (1)"
        in (inferred(of_text(text))["machine in headings"])
    )


def test_headings_tell_apart_what_is_answered():
    text, _ = UNSAID["tables that are alike under headings that nobody knows"]
    proposal, _ = converse(text, {"headings": "repeat"})

    repeats = [record.run.conditions["repeat"] for record in records(proposal, text)]
    assert repeats == ["Monday", "Friday"]
    assert proposal.map.table[0].context == ("^(?P<conditions__repeat>Monday|Friday)$",)


def test_variants_of_one_operation_are_kept_apart():
    text, _ = UNSAID["variants of one operation"]
    proposal, _ = converse(text, {"columns": "setting", "time": "operation_seconds"})

    variants = [record.run.parameters["variant"] for record in records(proposal, text)]
    assert variants == ["Forward", "Backward"]


def test_labels_are_what_is_answered():
    text, _ = UNSAID["labels that may be anything"]
    chosen = {"names of key": "work", "time of value": "operation_seconds"}
    proposal, _ = converse(text, chosen)

    assert proposal.map.table[0].read == "key-value"
    assert meanings(proposal.map.table[0]) == {
        "key": "workload",
        "value": "operation_seconds",
    }


def test_a_table_without_figures_is_left_out_with_what_it_holds():
    words = table("Step | Command", "first | pip install", "second | python3 run.py")
    proposal = of_text(
        words + "\n# Training, JAX\n\n" + table("Chip | s/epoch", "M1 | 12")
    )

    (why,) = [text for text in proposal.left_out if "line 1" in text]
    assert len(proposal.map.table) == 1
    assert "no column is one of figures; its cells are such as" in why


def test_prose_beside_a_table_names_neither_its_machine_nor_its_framework():
    text = (
        "# Training\n\nMuch faster than what I had on the M1 Max in PyTorch.\n\n"
        + table("Model | s/epoch", "lenet | 12")
    )
    proposal = of_text(text)

    assert proposal.map.table[0].names == ()
    assert asked(proposal) >= {"machine", "device", "framework"}
    assert "M1 Max (line 3)" in question(proposal, "machine").text
    assert question(proposal, "framework").text.endswith("the document names torch)")


def test_a_score_of_which_less_is_better_is_asked():
    text = "Lower is better.\n\n" + table("Model | Chip | Score", "a | M1 | 108.2")

    assert "unit of Score" in asked(of_text(text))


def test_questions_show_the_words_of_the_document_and_its_lines():
    text, _ = UNSAID["numbers of which nothing is said"]
    result = question(of_text(text), "numbers")

    assert result.text == "What are 'Foo' (12.5)?"
    assert result.lines == (3,)
    assert {"setting", "figure", "leave-out"} <= result.choices.keys()


def test_a_gpu_of_no_known_maker_is_asked_about():
    text = "# MLX decoding\n\n## GPU results\n\n" + table(
        "Model | Decode tok/s", "Phi 4 | 45.2"
    )
    line = question(of_text(text), "device").text
    assert line == (
        "device: 'GPU results' -> the GPU; by what it computed (cuda, metal, rocm, "
        "vulkan) is not stated (1), from the headings above"
    )

    for answer, device in {"M1 Max": "metal", "cuda": "cuda"}.items():
        key = "machine" if answer == "M1 Max" else "device"
        (record,) = records(of_text(text, {key: answer}), text)
        assert record.run.device == device


def test_the_side_that_ran_is_read_in_the_cell_of_each_machine():
    text = "# matmul with MLX\n\n" + table(
        "Hardware | TFLOPS",
        "M1 Pro (16-Core GPU) | 1.3",
        "M1 Pro (10-Core CPU) | 4.7",
        "RTX 3090 | 0.2",
        "M2 GPU disabled | 21",
    )
    runs = [record.run for record in records(of_text(text), text)]
    assert [run.device for run in runs] == ["metal", "cpu", "cuda", "cpu"]

    result = text.replace("CPU", "GPU").replace(" GPU disabled", "")
    assert asked(of_text(result)) == {"device"}


def test_a_maximum_alone_is_no_mean():
    text = "# Inference of resnet50, torch, M1 CPU\n\n" + table(
        "Machine | Max latency (ms)", "M1 Max | 12.5", "M2 Max | 10.5"
    )

    assert of_statistics(of_text(text), text) == [
        ("max", "latency_mean_seconds", 0.0125),
        ("max", "latency_mean_seconds", 0.0105),
    ]


def test_what_warmed_up_is_a_setting_of_its_own_and_counts_no_steps():
    text = "# resnet50 inference, torch, M1 CPU\n\n" + table(
        "warmup_iters | measure_iters | warmup_seconds | timeout_s | throughput_inf_s",
        "24 | 153 | 20.5 | 60 | 12.5",
    )
    (run,) = records(of_text(text), text)

    assert run.run.parameters == {
        "warmup_iters": 24,
        "steps": 153,
        "warmup_seconds": 20.5,
        "timeout_s": 60,
    }
    (rate,) = run.end.values
    assert (rate.metric, rate.value) == ("operations_per_second", 12.5)


def test_how_long_warming_up_took_is_asked_and_no_setting_where_cells_have_units():
    text = "# resnet50 inference, torch, M1 CPU\n\n" + table(
        "warmup run took | Latency", "0.02 s | 3.5 ms"
    )
    proposal = of_text(text)

    assert question(proposal, "time of warmup run took").likely == "leave-out"
    assert "warmup run took" in "\n".join(proposal.left_out)
    answer = {"readings": "yes, but warmup run took: work_seconds"}
    kept = {(it[1], it[2]) for it in figures(of_text(text, answer), text)}
    assert kept == {("work_seconds", 0.02), ("latency_mean_seconds", 0.0035)}


def test_statistics_beside_a_percentile_of_answers_are_of_the_same_times():
    text = "# resnet50 inference, torch, M1 CPU\n\n" + table(
        "min_ms | mean_ms | median_ms | p95_ms", "7 | 8 | 7.5 | 9"
    )
    proposal = of_text(text)

    assert {*of_statistics(proposal, text)} == {
        ("min", "latency_mean_seconds", 0.007),
        ("", "latency_mean_seconds", 0.008),
        ("", "latency_median_seconds", 0.0075),
        ("", "latency_p95_seconds", 0.009),
    }


def test_a_column_of_units_tells_of_each_row_what_its_figure_counts():
    text = "# Training with torch, M1 GPU\n\n" + table(
        "Model | Throughput | Unit",
        "resnet50 | 151.5 | img/s",
        "bert | 3692.5 | tok/s",
    )
    assert set(figures(of_text(text), text)) == {
        ("resnet50", "reported_samples_per_second", 151.5),
        ("bert", "tokens_per_second", 3692.5),
    }
    of_rows = table("Metric | Value | Unit", "Latency | 12 | ms", "Power | 3 | W")
    text = "# Inference of resnet50 with torch, M1 GPU\n\n" + of_rows
    proposal = of_text(text)
    assert all(
        "unit" not in record.run.parameters for record in records(proposal, text)
    )


def test_numbers_that_are_kept_as_printed_are_no_times_whatever_else_is_answered():
    text = "# resnet50 inference, torch, M1 CPU\n\n" + table(
        "Duration | ok", "0.8 | yes"
    )
    answers = {"unit of Duration": "figure", "time of Duration": "work_seconds"}

    kept = [
        (metric, value) for _, metric, value in figures(of_text(text, answers), text)
    ]
    assert kept == [("reported_value", 0.8)]
