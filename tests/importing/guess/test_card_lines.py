"""Lines of the card: what is one line, and to which part of it an answer goes."""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.mapping.mapped_figures import Observation
from benchdb.importing.mapping.table_rows import match_tables
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import (
    FOO,
    TIME,
    figures,
    metrics_of,
    number,
    of_text,
    question,
    records,
    table,
)


def asked_together(proposal: Proposal) -> list[set[str]]:
    """Return the keys of what each line of the card asks."""
    return [{it.short for it in line.questions} for line in proposal.lines()]


def test_all_that_is_asked_of_a_column_is_one_line():
    assert {"unit of Time", "time of Time"} in asked_together(of_text(TIME))

    n = number(of_text(TIME), "unit of Time")
    proposal = of_text(TIME, {"readings": f"yes, but {n}: min; {n}: epoch_seconds"})
    assert figures(proposal, TIME) == [("lenet", "epoch_seconds", 750.0)]
    gone = of_text(TIME, {"readings": f"yes, but {n}: leave-out"})
    assert figures(gone, TIME) == []


def test_what_is_not_stated_is_one_line_whose_answers_go_by_what_they_are():
    text = "# Results\n\n" + table("Model | s/epoch", "lenet | 12.5")
    n = number(of_text(text), "not stated: device")

    proposal = of_text(text, {"readings": f"yes, but {n}: cuda; {n}: fp16; {n}: jax"})
    (run,) = [it.run for it in records(proposal, text)]
    assert (run.device, run.framework, run.precision) == ("cuda", "jax", "fp16")
    with pytest.raises(AnswerError, match="'odd thing': say which fact it is; allow"):
        of_text(text, {"readings": f"yes, but {n}: odd thing"})


def test_a_line_shows_three_other_answers_and_an_error_all():
    proposal = of_text(FOO)
    line = question(proposal, "numbers of Foo").reading()
    assert line.endswith("without a unit; or score, tokens/s, img/s …")

    with pytest.raises(AnswerError, match="score, tokens/s, img/s, fps, s, ms, TFLOPS"):
        of_text(FOO, {"numbers of Foo": "furlongs"})


def test_what_needs_an_answer_stands_before_all_others():
    text = "# Training on M2\n\n" + table(
        "Model | Throughput (a) | Throughput (b)", "lenet | 12.5 | 13.5"
    )
    first, *others = of_text(text).lines()

    assert first.questions[0].likely is None
    assert all(it.likely for line in others for it in line.questions)


def test_columns_with_other_likely_units_are_lines_of_their_own():
    text = "# JAX on M2\n\n" + table("Model | Time | Latency", "lenet | 2.5 | 512.5")
    units = [it for it in of_text(text).questions if it.topic == "unit"]

    assert {it.key: it.likely for it in units} == {
        "unit of Time": "s",
        "unit of Latency": "ms",
    }


def test_a_path_says_what_its_last_part_says_but_that_of_another_thing():
    runs = [
        {
            "hardware": {"gpu_name": "NVIDIA A100", "torch": "2.5.1"},
            "draft": {"model": "Qwen2 1.5B"},
            "metrics": {"latency_mean_s": value, "latency_p90_s": value * 2},
            "baseline": {"latency_mean_s": 3.5},
            "config": {"ttft_ms": 90.5},
        }
        for value in (1.5, 2.5)
    ]
    document = Document("runs.json", json.dumps({"runs": runs}).encode())
    proposal = propose(document, READERS["json"](document))
    card = "\n".join(line.reading() for line in proposal.lines())

    assert metrics_of(proposal) == {
        "baseline.latency_mean_s": "latency_mean_seconds",
        "config.ttft_ms": "time_to_first_token_seconds",
    }
    of_hardware = [line for line in card.splitlines() if "hardware." in line]
    assert of_hardware == ["device: cuda, from the column 'hardware.gpu_name'"]
    drafted = proposal.map.table[0].columns["draft.model"]
    assert drafted.field == "parameters.draft_model"


def test_the_versions_of_two_frameworks_and_a_reason_name_no_framework():
    text = """{"host": {"torch": "2.4.0", "onnxruntime": "1.19.2"},
 "skipped": {"ort_cuda": "not in this onnxruntime build"},
 "results": [{"model": "wool", "p50_ms": 2.5, "min_cosine": 0.99},
             {"model": "felt", "p50_ms": 1.5, "min_cosine": 0.98}]}"""
    document = Document("wool.json", text.encode())
    proposal = propose(document, READERS["json"](document))
    lines = [it.text for it in proposal.questions]
    assert not any(it.startswith("version") for it in lines)
    assert "not stated: framework" in " ".join(lines)
    assert not any("framework" in str(it.columns) for it in proposal.map.table)


def test_sentences_are_samples_where_the_line_proposes_it():
    text = table("Model | sentences/s", "wool | 402.1")
    proposal = of_text(text)
    document = Document("results.md", text.encode())
    (figure,) = [
        it
        for matched_table in match_tables(document, proposal.map)
        for it in matched_table.read()
        if isinstance(it, Observation)
    ]
    assert figure.fault is None
    assert figure.value is not None
    assert figure.value.metric == "reported_samples_per_second"
    assert figure.value.value == 402.1


def test_the_name_of_some_rows_in_a_sentence_says_no_setting_of_all():
    rows = table("Part | tok/s", "wool | 30.5")
    text = f"# Sheep\n\n- `shear_c1` was the fastest\n\n{rows}"
    proposal = of_text(text)
    assert not any("concurrency" in it.text for it in proposal.questions)
    assert "parameters.concurrency" not in proposal.toml
