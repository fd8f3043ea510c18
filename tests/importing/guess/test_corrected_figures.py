"""Answers to a card with several tables, and to its lines about figures."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    figures,
    inferred,
    metrics_of,
    number,
    of_statistics,
    of_text,
    records,
    table,
)

# The work of the second is asked for, that of the first is in the names of columns.
BESIDE = (
    "# llama.cpp on M2 Max\n\n"
    + table("Model | prefill tok/s | decode tok/s", "Qwen2 7B | 410 | 31")
    + "\n## Wool\n\n"
    + table("Yarn | Foo", "red | 7.25", "blue | 7.75")
)
UNSTATED = (
    "# Lists\n\n"
    + table("Operation | ms", "matmul | 2.5")
    + "\n# Others\n\n"
    + table("Yarn | Foo", "red | 7.25", "blue | 7.75")
)
PERCENTILES = """# vLLM on H100, Llama 3.1 8B

- Avg latency: 0.37 seconds
- 10% percentile latency: 0.35 seconds
- 50% percentile latency: 0.36 seconds
- 90% percentile latency: 0.38 seconds
- 99% percentile latency: 0.39 seconds
"""


def stored(text: str, answer: str) -> list[tuple[str, str, float | None]]:
    proposal = agreed(text, answer)
    assert proposal.questions == ()
    return figures(proposal, text)


def agreed(text: str, answer: str) -> Proposal:
    document = Document("results.md", text.encode())
    return propose(document, readable(document), {"readings": answer})


@pytest.mark.parametrize("answer", ["leave-out", "setting"])
def test_the_table_beside_one_that_is_left_out_keeps_its_figures(answer):
    foo = number(of_text(BESIDE), "'Foo'")

    assert stored(BESIDE, f"yes, but {foo}: {answer}") == [
        ("llm-prefill", "tokens_per_second", 410),
        ("llm-decode", "tokens_per_second", 31),
    ]


def test_an_answer_about_work_is_to_the_table_that_it_is_asked_of():
    work = number(of_text(BESIDE), "What is the work")

    proposal = of_text(BESIDE, {"readings": f"yes, but {work}: leave-out"})

    assert {work for work, _, _ in figures(proposal, BESIDE)} == {
        "llm-prefill",
        "llm-decode",
    }


def test_a_table_whose_columns_are_all_left_out_goes_and_is_named():
    proposal = of_text(BESIDE, {"readings": "prefill tok/s: leave-out; Foo: leave-out"})
    assert proposal.questions == ()
    assert [len(it.columns) for it in proposal.map.table] == [3]

    answer = "prefill tok/s: leave-out; decode tok/s: leave-out"
    proposal = of_text(BESIDE, {"readings": answer})
    assert [it for it in proposal.left_out if it.startswith("line 3")] == [
        "line 3: 'prefill tok/s': as answered",
        "line 3: 'decode tok/s': as answered",
    ]


def test_a_line_is_answered_by_its_number_though_a_table_of_it_goes():
    asked_ = of_text(UNSTATED)
    framework, foo = number(asked_, "not stated: framework"), number(asked_, "'Foo'")

    answer = f"yes, but {framework}: jax; {foo}: leave-out"
    proposal = of_text(UNSTATED, {"readings": answer})

    assert proposal.questions == ()
    assert {it.run.framework for it in records(proposal, UNSTATED)} == {"jax"}
    assert not any("not needed" in note for note in proposal.notes)


def test_what_was_typed_is_not_asked_again():
    text = table("Yarn | Foo (ms)", "red | 7.25", "blue | 7.75")
    answer = "yes, but framework: ctranslate 1.12; work: new: to-knit"
    proposal = of_text(text, {"readings": answer})

    assert proposal.questions == ()
    (run, _) = [it.run for it in records(proposal, text)]
    assert (run.workload, run.framework) == ("to-knit", "ctranslate")


@pytest.mark.parametrize("answer", ["model", "work", "setting"])
def test_whole_headings_are_not_asked_again_once_they_are_answered(answer):
    text = "# Painting with MLX on M2 GPU\n\n" + "\n".join(
        f"## {name}\n\n" + table("Preset | Time (s)", f"quick | {seconds}")
        for name, seconds in (("Blue Heron", 2.5), ("Red Kite", 3.5))
    )
    proposal = agreed(
        text, f"yes, but {number(of_text(text), 'headings of')}: {answer}"
    )

    assert proposal.questions == ()
    runs = [it.run for it in records(proposal, text)]
    items = {
        "model": [it.parameters.get("model") for it in runs],
        "setting": [it.parameters.get("variant") for it in runs],
        "work": [it.workload.replace("-", " ").title() for it in runs],
    }
    assert items[answer] == ["Blue Heron", "Red Kite"]


def test_a_machine_that_nobody_knows_keeps_the_name_that_was_typed():
    proposal = of_text(UNSTATED, {"readings": "yes, but machine: Loom 8 GB"})
    assert {it.machine.label for it in records(proposal, UNSTATED)} == {"Loom 8 GB"}


def test_percentiles_of_a_latency_have_their_own_metrics():
    assert {*of_statistics(agreed(PERCENTILES, "yes"), PERCENTILES)} == {
        ("", "latency_mean_seconds", 0.37),
        ("p10", "latency_mean_seconds", 0.35),
        ("", "latency_median_seconds", 0.36),
        ("", "latency_p90_seconds", 0.38),
        ("", "latency_p99_seconds", 0.39),
    }


def test_a_row_and_a_column_have_the_metric_that_is_typed():
    answer = "yes, but 99% percentile latency: latency_p95_seconds"
    assert "latency_p95_seconds" in {it for _, it, _ in stored(PERCENTILES, answer)}
    with pytest.raises(AnswerError, match="give a metric"):
        agreed(PERCENTILES, "yes, but Avg latency: blue")

    text = "# matmul\n\n" + table("Size | Latency (ms)", "512 | 7.5")
    answer = "yes, but Latency (ms): operation_seconds"
    assert stored(text, answer) == [("matmul", "operation_seconds", 0.0075)]


def test_a_metric_that_is_not_printed_has_a_line_and_one_that_is_has_none():
    text = "# matmul on M1\n\n" + table(
        "Size | TTFT (ms) | GPU peak memory on the wall (MB) | img/s", "512 | 7 | 8 | 9"
    )
    assert metrics_of(of_text(text)) == {
        "GPU peak memory on the wall (M": "peak_memory_observed_bytes"
    }


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("GB", [("matmul", "peak_memory_observed_bytes", 8e9)]),
        ("stored_bytes", [("matmul", "stored_bytes", 8e6)]),
        ("leave-out", []),
    ],
)
def test_the_line_of_a_metric_takes_a_unit_or_another_metric(answer, expected):
    text = "# matmul on M1\n\n" + table("Size | Wall peak memory (MB)", "512 | 8")
    metric = number(of_text(text), "metric of")

    assert stored(text, f"yes, but {metric}: {answer}") == expected
    with pytest.raises(AnswerError, match="it is no unit, and no metric"):
        agreed(text, f"yes, but {metric}: latency_p99_seconds")


def test_all_values_that_are_stored_otherwise_than_printed_are_shown():
    names = [f"{n}x Tesla A100" for n in range(2, 14)]
    rows = [f"{name} | {n}.5" for n, name in enumerate(names)]
    lines = inferred(of_text(table("GPUs | Foo (ms)", *rows)))
    assert all(f"'{name}' -> " in lines["machine in GPUs"] for name in names)


def test_a_header_may_name_a_processor_and_its_card():
    text = "# Training, img/s\n\n" + table(
        "Model | 2700X-GeForce_RTX_2080_Ti | 2700X-GeForce_RTX_2070",
        "resnet50 | 307.5 | 209.5",
        "vgg16 | 181.2 | 120.9",
    )
    names = [f"2700X-GeForce_RTX_{it}: machine" for it in ("2080_Ti", "2070")]
    proposal = of_text(text, {"readings": f"yes, but {'; '.join(names)}"})
    assert {
        (it.machine.chip.name, *(card.name for card in it.machine.chip.accelerators))
        for it in records(proposal, text)
    } == {("2700X", "GeForce RTX 2080 Ti"), ("2700X", "GeForce RTX 2070")}


def test_models_in_a_list_of_sizes_are_no_samples_of_one():
    text = "# llama.cpp on RTX 4090\n\n- 7B: 191.0 token/sec\n- 13B: 108.8 token/sec\n"
    proposal = agreed(text, "yes")
    assert {
        it.run.parameters["model_size"]: it.end.values[0].value
        for it in records(proposal, text)
    } == {"7B": 191.0, "13B": 108.8}


PAIRS = "# ResNet-50 inference on M2 Max\n\n" + table(
    "framework | Latency (ms)", "PyTorch 2.1 | 13.5 / 56.1", "MLX 0.5 | 20.5 / 59.2"
)


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [("left", (0.0135, 0.0205)), ("right", (0.0561, 0.0592))],
)
def test_one_of_two_numbers_in_each_cell_is_the_figure_that_an_answer_says(
    answer, seconds
):
    proposal = of_text(
        PAIRS, {"readings": f"yes, but Latency (ms): {answer}", "readings 2": "yes"}
    )

    assert [value for *_, value in figures(proposal, PAIRS)] == pytest.approx(seconds)


def test_what_the_chosen_number_is_a_figure_of_is_asked_although_a_header_is_exact():
    proposal = of_text(PAIRS, {"readings": "yes, but Latency (ms): right"})
    likely = [it.likely for it in proposal.questions if it.text.startswith("What are")]

    assert likely == ["latency_mean_seconds"]


def test_a_header_with_two_statistics_tells_that_of_each_number():
    text = PAIRS.replace("Latency (ms)", "Latency mean / p99 (ms)")
    left, right = (
        of_text(text, {"readings": f"yes, but 'Latency mean / p99 (ms)': {answer}"})
        for answer in ("left", "right")
    )

    assert "latency_mean_seconds" in left.toml
    assert "latency_p99_seconds" in right.toml


def test_without_an_answer_two_numbers_in_a_cell_are_left_out():
    lines = of_text(PAIRS).questions
    proposal = of_text(PAIRS, {"readings": "yes"})

    assert [it.likely for it in lines if "two numbers" in it.text] == ["leave-out"]
    assert figures(proposal, PAIRS) == []
    assert any("'13.5 / 56.1'" in text for text in proposal.left_out)


def test_cells_that_are_not_all_pairs_are_not_asked_about():
    text = PAIRS + "JAX 0.4 | 31.5\nTVM 0.15 | 9.5 / 12.5 / 14.5\n"
    proposal = of_text(text)

    assert not any("two numbers" in it.text for it in proposal.questions)


def test_rows_that_do_not_fit_a_refused_table_are_named_with_their_figures():
    text = "# Notes\n\n" + table("Yarn | Colour", "wool | red", "a | b | 12.5 tok/s")
    document = Document("results.md", text.encode())

    left = propose(document, readable(document)).left_out
    assert "line 6: '12.5 tok/s': in no table and no list that can be read" in left
