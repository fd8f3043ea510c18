"""Answers: what they may be, what they bring up, and what cannot be answered."""

import pytest

from benchdb.importing.guess.questions import AnswerError, Doubt, Free, Inquiry
from tests.importing.guess.guessed import (
    asked,
    converse,
    figures,
    of_text,
    records,
    table,
)

FOO = "# matmul in JAX on M2 GPU\n\n" + table("Size | Foo", "512 | 12.5")
TIME = "# Training, JAX, M2 GPU\n\n" + table("Model | Time", "lenet | 12.5")
NO_MACHINE = "# Training, JAX, CPU\n\n" + table("Model | s/epoch", "lenet | 12.5")


@pytest.mark.parametrize(
    ("text", "key", "answer", "why"),
    [
        (FOO, "numbers of Foo", "bananas", "no unit that can be understood"),
        (FOO, "numbers of Foo", "", "none of the choices"),
        (TIME, "time of Time", "peak_power_watts", "no metric of schema/metrics.json"),
        (NO_MACHINE, "machine", "42", "names no chip and no Mac"),
        (NO_MACHINE, "machine", "whatever", "names no chip and no Mac"),
    ],
)
def test_an_answer_without_sense_is_refused_with_what_would_have(
    text, key, answer, why
):
    with pytest.raises(AnswerError) as error:
        of_text(text, {key: answer})

    assert why in str(error.value)
    assert "allowed: " in str(error.value)


def test_an_answer_to_what_nobody_asks_is_refused():
    with pytest.raises(AnswerError, match="nothing asks 'colour'; asked is: numbers"):
        of_text(FOO, {"colour": "blue"})


def test_an_answer_that_another_made_needless_is_no_error():
    answers = {"unit of Time": "leave-out", "time of Time": "epoch_seconds"}

    found = of_text(TIME, answers)
    assert found.questions == ()
    assert found.map.nothing == "no table with figures was found"


def test_a_unit_may_be_typed_as_it_is_written():
    found, _ = converse(FOO, {"numbers": "GFLOP/s"})

    assert figures(found, FOO) == [("matmul", "teraflops", 0.0125)]


def test_a_unit_and_what_is_timed_are_asked_in_one_round():
    assert asked(of_text(TIME)) == {"unit of Time", "time of Time"}

    found, rounds = converse(TIME, {"unit": "min", "time": "epoch_seconds"})
    assert rounds == [2]
    assert figures(found, TIME) == [("lenet", "epoch_seconds", 750.0)]


def test_what_an_answer_brings_up_is_asked_in_a_second_round():
    found, rounds = converse(FOO, {"numbers": "ms", "time": "operation_seconds"})

    assert rounds == [1, 1]
    assert figures(found, FOO) == [("matmul", "operation_seconds", 0.0125)]


def test_a_typed_machine_is_recognised_with_its_cores_and_memory():
    found, _ = converse(NO_MACHINE, {"machine": "M1 Max 32c 64 GB"})

    (run,) = records(found, NO_MACHINE)
    chip = run.machine.chip
    assert (chip.name, chip.gpu_cores, chip.ram_bytes) == ("M1 Max", 32, 64 * 2**30)


def test_what_is_not_stated_is_kept_as_not_known():
    found, _ = converse(NO_MACHINE, {"machine": "not-stated"})

    (run,) = records(found, NO_MACHINE)
    assert run.machine.chip.name == "unknown"
    assert run.run.workload == "lenet"


def test_answers_stand_in_the_notes_in_their_own_words():
    found, _ = converse(TIME, {"unit": "min", "time": "epoch_seconds"})

    assert any("'Time' (12.5)? minutes" in note for note in found.notes)


def test_what_matters_most_is_asked_first_and_what_matters_least_not_at_all():
    text = table("Name | Time | Power (W) | Memory", "a | 1.5 | 12 | 3.5 GB")

    found = of_text(text)
    assert [one.key.split(" of ")[0] for one in found.questions][:2] == ["unit", "work"]
    assert {"machine", "time of Time"} <= asked(found)
    assert "line 1: 'Power (W)': what it is, is not said" in found.left_out


def doubt(name: str, line: int, settle=lambda answer: None) -> Doubt:
    free = Free("a colour", lambda text: None if text == "blue" else "no colour")
    choices = {"red": "it is red"}
    return Doubt(
        "paint", "Which is {}?", name, f"'{name}'", line, choices, settle, free
    )


def test_doubts_of_a_kind_are_one_question_and_one_answer():
    settled: list[str] = []
    inquiry = Inquiry({})
    inquiry.settle([doubt(name, n) for n, name in enumerate("abcdef")])
    (one,) = inquiry.open()

    answers = Inquiry({one.key: "RED"})
    answers.settle([doubt(name, 1, settled.append) for name in "abcdef"])
    assert one.key == "paint of a, b, c, d"
    assert one.text == "Which is 'a', 'b', 'c', 'd' and 2 more?"
    assert one.lines == (0, 1, 2, 3, 4)
    assert settled == ["red"] * 6
    assert answers.notes == [f"{one.text} it is red"]


def test_what_is_typed_is_taken_where_it_has_sense():
    settled: list[str] = []
    Inquiry({"paint of a": "blue"}).settle([doubt("a", 1, settled.append)])

    assert settled == ["blue"]
    with pytest.raises(AnswerError, match="'green': no colour; allowed: red, or a col"):
        Inquiry({"paint of a": "green"}).settle([doubt("a", 1)])
