"""What answers call by words of the document, and what nothing is called."""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import unit_in
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import of_text, question, records, table

MATMUL = "# Matmul with PyTorch on RTX 4090, CUDA\n\n" + table(
    "Case | ms", "FP32_1024 | 0.27", "BF16_1024 | 0.39", "FP32_2048 | 2.29"
)


def test_words_that_cells_begin_with_are_answered_for_all_of_these():
    answer = "yes, but work: matmul; FP32: fp32; BF16: bf16"
    stored = records(of_text(MATMUL, {"readings": answer}), MATMUL)

    assert [it.run.precision for it in stored] == ["fp32", "bf16", "fp32"]
    assert not any("fp32" in it.run.parameters for it in stored)


@pytest.mark.parametrize("answer", ["FP64: fp64", "Accelerators: gpu", "Part: work"])
def test_a_name_that_nothing_has_is_no_setting_where_its_value_is_a_fact(answer):
    with pytest.raises(AnswerError, match="nothing is called"):
        of_text(MATMUL, {"readings": f"yes, but {answer}"})


def test_a_rate_called_tps_has_tokens_a_second_beside_a_word_of_time():
    text = "# vLLM on RTX 3090, Llama 3.1 8B\n\n" + table(
        "Run | wall_TPS mean", "warm | 77.25", "cold | 70.5"
    )
    asked = question(of_text(text), "unit of wall_TPS mean")
    assert asked.likely == "tokens/s"


@pytest.mark.parametrize(
    ("name", "unit"),
    [("write_bandwidth_gb_s", "GB/s"), ("results.copy_mb_sec", "MB/s")],
)
def test_bytes_a_second_stand_at_the_end_of_names(name, unit):
    assert unit_in(name) == unit


def test_the_size_of_a_picture_that_goes_in_is_no_count_of_tokens():
    text = "# YOLO on Orin, TensorRT\n\n" + table("Input Size | ms", "640 | 12.5")
    (column, _) = of_text(text).map.table[0].columns.values()
    assert column.field != "parameters.prompt_tokens"


def test_what_an_answer_reopens_needs_no_second_card_for_its_own_name():
    runs = {"runs": [{"model": "a", "p99_ttft_ms": 80.5, "ttft_ms": 40.5}]}
    document = Document("runs.json", json.dumps(runs).encode())
    answer = "yes, but p99_ttft_ms: time_to_first_token_seconds"
    proposal = propose(document, READERS["json"](document), {"readings": answer})
    names = [it.key for it in proposal.questions if "variant" in it.key]

    assert not names
