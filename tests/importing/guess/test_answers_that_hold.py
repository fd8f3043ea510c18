"""What an answer says holds, is refused or noted: none is dropped without a word."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import figures, question, records, table

SIDES = "# llama.cpp on M2 Max\n\n" + table(
    "Phase | tok/s", "first part | 198.2", "second part | 29.4"
)
KEYED = "# Timing on M2 Max\n\n- time: 0.98 ms\n- note: 3 of 4\n"
LOG = """rep1: decode 29.37 t/s | prefill 198.19 t/s | accept 274/374 = 73.3%
rep2: decode 29.43 t/s | prefill 198.66 t/s | accept 274/374 = 73.3%
"""
HEADED = """=== ub512 === (idle)
rep1: decode 29.37 t/s | prefill 198.19 t/s | accept 274/374 = 73.3%
=== ub2048 === (idle)
rep1: decode 27.43 t/s | prefill 310.79 t/s | accept 274/374 = 73.3%
"""


def proposed(text, answer=""):
    document = Document("results.md", text.encode())
    answers = {"readings": f"yes, but {answer}"} if answer else {}
    return propose(document, readable(document), answers)


def stored(text, answer):
    return figures(proposed(text, answer), text)


def test_an_answer_about_a_cell_wins_over_the_work_of_its_column():
    answer = "'tok/s': llm-decode; first part: work llm-prefill"
    assert stored(SIDES, answer) == [
        ("llm-prefill", "tokens_per_second", 198.2),
        ("llm-decode", "tokens_per_second", 29.4),
    ]


def test_an_answer_about_a_heading_wins_over_the_work_of_its_column():
    text = SIDES + "\n## Prompts\n\n" + table("Phase | tok/s", "long | 210.5")
    assert stored(text, "Prompts: work llm-prefill") == [
        ("llm-decode", "tokens_per_second", 198.2),
        ("llm-decode", "tokens_per_second", 29.4),
        ("llm-prefill", "tokens_per_second", 210.5),
    ]


def test_an_answer_about_a_cell_is_refused_where_the_columns_beside_it_differ():
    text = "# llama.cpp\n\n" + table("Model | M1 tok/s | M2 tok/s", "a | 20 | 30")
    with pytest.raises(AnswerError, match=r"differ in it; answer for these columns"):
        proposed(text, "a: machine M3")


def test_an_answer_is_refused_where_what_is_nearer_says_otherwise():
    text = "# Wool\n\n## Sheep\n\n" + table("Operation | ms", "matmul | 2.5")
    with pytest.raises(AnswerError, match="changed nothing: other words of the rows"):
        proposed(text, "Sheep: work conv")


def test_an_answer_that_says_what_is_read_already_is_noted():
    text = "# torch\n\n" + table("Operation | Model | ms", "matmul | tiny | 2.5")
    found = proposed(text, "tiny: model tiny")
    assert "'tiny': 'model tiny': no row is changed, it was read so" in found.notes


@pytest.mark.parametrize("answer", ["setting", "variant", "work", "leave-out"])
def test_keys_that_told_the_metric_of_their_rows_hand_it_on(answer):
    found = proposed(KEYED, f"key: {answer}; work: matmul")
    assert [it[1:] for it in figures(found, KEYED)] == [("work_seconds", 0.00098)]


def test_keys_that_tell_several_metrics_are_no_setting():
    text = "# Timing on M2 Max\n\n- load time: 2 s\n- speed: 30 tok/s\n"
    with pytest.raises(AnswerError, match="answer for each of these"):
        proposed(text, "key: setting")


def test_keys_that_name_sides_tell_the_work_and_runs_again_are_samples():
    found = proposed(LOG)
    assert [
        (it.end.values[0].value, it.run.workload) for it in records(found, LOG)
    ] == [
        (29.4, "llm-decode"),
        (198.425, "llm-prefill"),
    ]
    assert question(found, "repeat").likely == "samples"


def test_headings_stay_beside_keys_that_are_variants():
    runs = (record.run.parameters for record in records(proposed(HEADED), HEADED))
    assert [(it["variant"], it["variant_2"]) for it in runs] == [
        ("decode", "ub512"),
        ("prefill", "ub512"),
        ("decode", "ub2048"),
        ("prefill", "ub2048"),
    ]


def test_keys_that_are_left_out_take_their_figures():
    lines = "- about 58 tokens/sec in real-time generation\n"
    text = table("Run | tok/s", "1 | 57.2") + "\n## Analysis\n\n" + lines
    for answer in ("key: leave-out", "setting variant: leave-out"):
        assert [it[2] for it in stored(text, f"Run: repeat; {answer}")] == [57.2]


def test_a_column_may_tell_repetitions():
    text = table("Run | tok/s", "1 | 57.2", "2 | 59.3")
    found = proposed(text, "Run: repeat")
    assert [it.run.conditions["repeat"] for it in records(found, text)] == [1, 2]


def test_variant_is_an_answer_wherever_setting_is():
    text = table("Model | Before | After", "a | 20.5 | 30.5")
    text = "# Decode tok/s\n\n" + text
    found = proposed(text, "Before: variant; After: variant")
    told = {it.run.parameters["variant"] for it in records(found, text)}
    assert told == {"Before", "After"}


def test_the_side_that_a_heading_speaks_of_is_that_of_its_figures():
    text = "# Prefill, tok/s\n\n" + table("Model | Speed", "a | 200.5")
    assert question(proposed(text), "work").likely == "llm-prefill"


def test_a_size_in_the_name_of_a_machine_is_kept_or_refused():
    text = table("Operation | ms", "matmul | 2.5")
    machine = "machine: RTX 2000 Ada Generation Laptop"
    with pytest.raises(AnswerError, match="say it as 'memory: "):
        proposed(text, f"{machine} 8.2 GB")
    found = proposed(text, f"{machine}; memory: 8 GB")
    (record,) = records(found, text)
    assert record.machine.chip.ram_bytes == 8 * 2**30
