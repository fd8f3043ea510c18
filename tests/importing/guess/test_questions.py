"""Answers: what they may be, what they bring up, and what cannot be answered."""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.doubts import Doubt, Free, Inquiry
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import READERS, readable
from tests.importing.guess.guessed import (
    FOO,
    TIME,
    asked,
    choices,
    converse,
    figures,
    inferred,
    number,
    of_text,
    question,
    records,
    table,
)

NO_MACHINE = "# Training, JAX, CPU\n\n" + table("Model | s/epoch", "lenet | 12.5")


@pytest.mark.parametrize(
    ("text", "key", "answer", "why"),
    [
        (FOO, "numbers of Foo", "bananas", "no unit that can be understood"),
        (FOO, "numbers of Foo", "", "it is no choice"),
        (TIME, "time of Time", "peak_power_watts", "no metric of schema/metrics.json"),
        (NO_MACHINE, "machine", "42", "'42' is no machine"),
        (NO_MACHINE, "device", "toaster", "'toaster' is no device"),
        (NO_MACHINE, "precision", "crisp", "'crisp' is no precision"),
        (NO_MACHINE, "work", "not-stated", "some work it must be"),
        (NO_MACHINE, "machine", "M2 -> M2 Max", "'M2' is not there"),
        (NO_MACHINE, "s/epoch", "later", "nothing that a column can be; allowed: "),
        (NO_MACHINE, "machine", "fp16", "is no machine"),
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
    with pytest.raises(AnswerError, match="nothing asks 'time of Foo'; did you mean"):
        of_text(FOO, {"time of Foo": "work_seconds"})


def test_an_answer_that_another_made_needless_is_no_error():
    answers = {"unit of Time": "leave-out", "time of Time": "epoch_seconds"}

    proposal = of_text(TIME, answers)
    assert asked(proposal) == set()
    assert proposal.map.nothing == "no table with figures was found"


def test_a_unit_may_be_typed_as_it_is_written():
    proposal, _ = converse(FOO, {"numbers": "GFLOP/s"})

    assert figures(proposal, FOO) == [("matmul", "teraflops", 0.0125)]


def test_a_unit_and_what_is_timed_are_asked_in_one_round():
    assert asked(of_text(TIME)) == {"unit of Time", "time of Time"}

    proposal, cards = converse(TIME, {"unit": "min", "time": "epoch_seconds"})
    assert cards == 1
    assert figures(proposal, TIME) == [("lenet", "epoch_seconds", 750.0)]


def test_what_an_answer_brings_up_is_asked_in_a_second_round():
    proposal, cards = converse(FOO, {"numbers": "ms", "time": "operation_seconds"})

    assert cards == 2
    assert figures(proposal, FOO) == [("matmul", "operation_seconds", 0.0125)]


def test_a_typed_machine_is_recognised_with_its_cores_and_memory():
    proposal, _ = converse(NO_MACHINE, {"machine": "M1 Max 32c 64 GB"})

    (run,) = records(proposal, NO_MACHINE)
    chip = run.machine.chip
    assert (chip.name, chip.gpu_cores, chip.ram_bytes) == ("M1 Max", 32, 64 * 2**30)


def test_what_is_not_stated_is_kept_as_not_known():
    proposal, _ = converse(NO_MACHINE, {"machine": "not-stated"})

    (run,) = records(proposal, NO_MACHINE)
    assert run.machine.chip.name == "unknown"
    assert run.run.workload == "lenet"


def test_answers_stand_in_the_notes_in_their_own_words():
    proposal, _ = converse(TIME, {"unit": "min", "time": "epoch_seconds"})

    assert any("'Time' (12.5)? minutes" in note for note in proposal.notes)


LARGE_AND_SMALL = (
    "# torch training on M1 CPU\n\n"
    + table("Model | Time", *(f"net{n} | {n}.5" for n in range(1, 41)))
    + "\nAnd a warm-up.\n\n"
    + table("Disk | Load", "a | 1.5")
)


def test_what_many_figures_and_what_few_wait_for_is_one_question():
    proposal = of_text(LARGE_AND_SMALL)

    result = question(proposal, "unit of")
    assert (proposal.card, result.likely, result.lines) == ("readings", "s", (3, 48))


CROWDED = "# torch training on M1 CPU\n\n" + "\nThen:\n\n".join(
    (
        table("Model | Time", *(f"net{n} | {n}.5" for n in range(1, 9))),
        table("Weights | tok/s", *(f"net{n} | {n}.5" for n in range(1, 5))),
        table("Disk | Peak memory", *(f"net{n} | {n}.5 GB" for n in range(1, 4))),
        table("Net | Foo", *(f"net{n} | {n}.5" for n in range(1, 3))),
    )
)


def test_likely_readings_are_one_question_whose_answer_may_correct_some():
    proposal = of_text(CROWDED)
    assert of_text(CROWDED, {"readings": "yes"}).questions == ()
    assert question(proposal, "unit of Time").likely == "s"
    shown = [metric for _, metric, _ in figures(proposal, CROWDED)]  # beside the card
    assert shown.count("peak_memory_observed_bytes") == 3

    answer = f"yes, but Peak memory: stored_bytes; {number(proposal, 'Foo')}: leave-out"
    last = of_text(CROWDED, {"readings": answer})
    assert asked(last) == set()
    assert any("'Foo'" in it and "as answered" in it for it in last.left_out)
    metrics = [metric for _, metric, _ in figures(last, CROWDED)]
    assert (metrics.count("work_seconds"), metrics.count("stored_bytes")) == (8, 3)

    with pytest.raises(AnswerError, match="nothing asks '99'"):
        of_text(CROWDED, {"readings": "yes, but 99: ms"})
    with pytest.raises(AnswerError, match="'unit of Time': 'furlongs'"):
        of_text(CROWDED, {"readings": f"{number(proposal, 'unit of Time')}: furlongs"})


def test_what_a_correction_brings_up_is_asked_further():
    n = number(of_text(CROWDED), "numbers of Foo")
    more = of_text(CROWDED, {"readings": f"yes, but {n}: ms"})
    assert "time of Foo" in asked(more)


TWO = (
    "# llama.cpp on M2 GPU\n\n"
    + table("Model | tok/s", "Phi 4 | 35.1")
    + "\n## By night\n\n"
    + table("Weights | tok/s", "Phi 4 | 34.1")
)


def test_tables_with_the_same_question_have_one_answer_or_each_its_own():
    result = question(of_text(TWO), "work of")
    assert result.lines == (3, 9)

    both = of_text(TWO, {result.key: "llm-decode"})
    assert [it[0] for it in figures(both, TWO)] == ["llm-decode"] * 2

    answers = {result.key: "llm-decode", "work of tok/s at line 9": "llm-prefill"}
    each = of_text(TWO, answers)
    assert sorted(figures(each, TWO)) == [
        ("llm-decode", "tokens_per_second", 35.1),
        ("llm-prefill", "tokens_per_second", 34.1),
    ]


MEMORY = "# matmul with MLX on M2 GPU\n\n" + "\nThen:\n\n".join(
    table(f"{name} | ms | Memory", f"512 | 1.5 | {gigabytes} GB")
    for name, gigabytes in (("Size", 8), ("Width", 9))
)


def test_keys_stay_when_another_answer_removes_a_column():
    memory = question(of_text(MEMORY), "meaning of Memory")
    left = {"meaning of Memory at line 3": "leave-out"}

    assert memory.key in asked(of_text(MEMORY, left))
    proposal = of_text(MEMORY, left | {memory.key: "stored_bytes"})
    stored = [it for it in figures(proposal, MEMORY) if it[1] == "stored_bytes"]
    assert [value for _, _, value in stored] == [9e9]


def test_an_answer_that_was_not_needed_is_named():
    answers = {"unit of Time": "leave-out", "time of Time": "epoch_seconds"}

    notes = of_text(TIME, answers).notes
    assert "'time of Time': the answer 'epoch_seconds' was not needed" in notes


UNSIDED = "# Phi 4 with MLX on M2 GPU\n\n" + table(
    "Context | In (tok/s) | Out (tok/s)", "4k | 410.5 | 31.5"
)


def test_the_sides_of_a_language_model_are_told_column_by_column():
    sides = "In: work llm-prefill; Out: work llm-decode"
    proposal = of_text(UNSIDED, {"readings": f"yes, but {sides}"})
    assert figures(proposal, UNSIDED) == [
        ("llm-prefill", "tokens_per_second", 410.5),
        ("llm-decode", "tokens_per_second", 31.5),
    ]
    assert not any(
        "variant" in record.run.parameters for record in records(proposal, UNSIDED)
    )


def test_what_nothing_states_has_a_line_with_what_the_document_names():
    text = "This was made with MLX on a Mac mini, M4 Pro, 48 GB.\n\n" + table(
        "Model | tok/s", "Phi 4 | 35.1"
    )
    assert [line.text for line in of_text(text).questions][:3] == [
        "not stated: machine (the document names M4 Pro (line 1))",
        "not stated: device",
        "not stated: framework (the document names mlx)",
    ]

    for answer, row in {
        "yes, but 1: M4 Pro 48 GB; 1: gpu; 1: mlx": ("M4 Pro", "metal", "mlx"),
        "machine: M1 Max 32c; framework: llama.cpp": ("M1 Max", "unknown", "llama.cpp"),
        "yes": ("unknown", "unknown", "unknown"),
    }.items():
        proposal = of_text(text, {"readings": answer})
        (run,) = records(proposal, text)
        assert proposal.questions == ()
        assert (run.machine.chip.name, run.run.device, run.run.framework) == row


@pytest.mark.parametrize(
    ("answer", "work"),
    [("diffusion-image", "diffusion-image"), ("new: agent-harness", "agent-harness")],
)
def test_work_is_one_that_is_known_or_typed_as_new(answer, work):
    text = "# MLX on M2 GPU\n\n" + table("Name | img/s", "alpha | 35.1")

    proposal, _ = converse(text, {"work": answer})
    assert figures(proposal, text)[0][0] == work
    for nonsense in ("maybe", "new: 4.2", f"new: {'a' * 41}"):
        with pytest.raises(AnswerError, match="no work that is known"):
            of_text(text, {"work of Name": nonsense})


def test_work_that_the_name_of_a_file_names_is_a_choice():
    text = "epoch,s/epoch\n1,12.5\n2,12.1\n"
    name = "cifar_resnet50_torch.csv"

    assert {"resnet50", "resnet50-inference"} <= choices(of_text(text, name=name), "wo")
    proposal = of_text(text, {"work": "resnet50"}, name)
    assert {record.run.workload for record in records(proposal, text, name)} == {
        "resnet50"
    }


def test_columns_of_names_in_a_program_are_asked_about_one_by_one():
    text = "begin_s,stop_s,model\n" + "".join(
        f"{n}.5,{n}.7,a{n}\n" for n in range(1, 9)
    )

    answers = {"time of begin_s": "load_seconds", "time of stop_s": "work_seconds"}
    proposal = of_text(text, answers | {"work of model": "lstm"}, name="a.csv")

    values = [
        it for record in records(proposal, text, "a.csv") for it in record.end.values
    ]
    assert {(it.metric, it.value) for it in values} >= {
        ("load_seconds", 1.5),
        ("work_seconds", 1.7),
    }


def test_the_card_says_the_value_that_was_taken_and_where_from():
    text = "# torch training on M1 CPU\n\n" + table("Model | s/epoch", "lenet | 12")

    where = "(1), from the headings above"
    lines = inferred(of_text(text))
    assert lines["device in headings"].endswith(
        f"'torch training on M1 CPU' -> cpu {where}"
    )
    assert lines["machine in headings"].endswith(
        f"'torch training on M1 CPU' -> M1 {where}"
    )


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
    (result,) = inquiry.lines()

    answers = Inquiry({result.key: "RED"})
    answers.settle([doubt(name, 1, settled.append) for name in "abcdef"])
    assert result.key == "paint of a"
    assert result.text == "Which is 'a', 'b', 'c', 'd' and 2 more?"
    assert result.lines == (0, 1, 2, 3, 4, 5)
    assert settled == ["red"] * 6
    assert answers.notes == [f"{result.text} it is red"]


def test_what_is_typed_is_taken_where_it_has_sense():
    settled: list[str] = []
    Inquiry({"paint of a": "blue"}).settle([doubt("a", 1, settled.append)])

    assert settled == ["blue"]
    refused = Inquiry({"paint of a": "green"})
    refused.settle([doubt("a", 1)])
    with pytest.raises(AnswerError, match="'green': no colour; allowed: red, a col"):
        refused.faults.check()


def test_figures_of_one_kind_in_an_object_are_one_question():
    text = """{"framework": "mlx", "device": "gpu", "chip": "M2 Max",
        "prompt_throughput": 512.0, "generation_throughput": 45.1,
        "peak_memory": 5.5, "active_memory": 4.5}"""
    document = Document("results.json", text.encode())
    proposal = propose(document, READERS["json"](document))
    asked_of = {it.key: it.text for it in proposal.questions}
    rates = "'prompt_throughput' (512.0), 'generation_throughput' (45.1)"
    assert rates in asked_of["unit of prompt_throughput"]
    memory = "'peak_memory' (5.5), 'active_memory' (4.5)"
    assert memory in asked_of["unit of peak_memory"]


def test_an_answer_to_what_was_not_asked_brings_its_questions_up():
    runs = [
        {
            "test": name,
            "max_tokens": 100,
            "completion_tokens": count,
            "total_time": time,
        }
        | {"tps": count / time}
        for name, count, time in (("a", 64, 2.0), ("b", 100, 5.0))
    ]
    text = json.dumps({"machine": "M3 Ultra", "runtime": "mlx", "results": runs})
    document = Document("runs.json", text.encode())
    sheets = READERS["json"](document)
    proposal = propose(document, sheets, {"unit of tps": "tok/s"})
    assert "work of tps" in asked(proposal)
    assert not any(
        "contradict" in it.text for it in proposal.questions
    )  # a limit is none


COUNTS = (
    "# matmul with MLX on M2 GPU\n\n"
    + table("Size | TFLOPS", "512 | 7.5")
    + "\n## Marks\n\n"
    + table("Grade | Foo", "good | 11", "bad | 2")
)


def test_a_table_that_is_named_as_left_out_has_no_line_of_its_own():
    proposal = of_text(COUNTS)

    assert not [it.key for it in proposal.questions if "Foo" in it.text]
    left = "table 2 at line 9 (Grade, Foo): no column is one of figures"
    assert left in "\n".join(proposal.left_out)


def test_a_column_of_such_a_table_is_a_result_if_somebody_says_so():
    proposal = of_text(COUNTS, {"readings": "yes, but Foo: score"})

    stored = {(metric, value) for _, metric, value in figures(proposal, COUNTS)}
    assert stored == {("teraflops", 7.5), ("score", 11), ("score", 2)}


def test_a_table_alone_is_asked_about_though_it_may_hold_no_figures():
    text = "# matmul with MLX on M2 GPU\n\n" + table("Grade | Foo", "good | 11")

    assert "numbers of Foo" in asked(of_text(text))


def test_a_line_that_another_makes_needless_is_a_note_once_it_is_needed():
    text = "# Qwen2 7B with MLX on M2 GPU\n\n" + table(
        "Weights | decode tok/s | idle %", "q4 | 30.5 | 0.0"
    )
    topics = {it.partition(" of ")[0] for it in asked(of_text(text))}
    assert "meaning" in topics
    assert "zeros" not in topics

    proposal = of_text(text, {"readings": "yes, but idle %: script_cpu_percent"})
    assert any(it.startswith("What does '0.0' mean") for it in proposal.notes)
    assert not proposal.questions


LOG = """Run = 3
{'loss': 2.5, 'elapsed': 0.77, 'epoch': 1.0}
{'loss': 2.1, 'elapsed': 0.81, 'epoch': 2.0}
{'train_runtime': 71.5, 'train_steps_per_second': 0.839}
"""


def of_log(answers: dict[str, str]) -> Proposal:
    document = Document("log.txt", LOG.encode())
    return propose(document, [*readable(document)], answers)


def works_of_log(answer: str) -> list[tuple[str, float | None]]:
    """Return the work and the value of what is stored of a log."""
    proposal = of_log({"readings": f"yes, but {answer}"})
    assert not [note for note in proposal.notes if "not needed" in note]
    stored = records(proposal, LOG, "log.txt")
    return [(it.run.workload, value.value) for it in stored for value in it.end.values]


def test_an_answer_for_two_tables_holds_for_that_which_another_answer_leaves():
    proposal = of_log({})
    (asked,) = (it for it in proposal.questions if it.topic == "work")
    assert asked.lines == (2, 4)
    answer = f"elapsed: leave-out; {number(proposal, f'{asked.key}: ')}: llm-train"
    assert works_of_log(answer) == [("llm-train", 0.839), ("llm-train", 71.5)]


@pytest.mark.parametrize("of_table_first", [True, False])
def test_a_fact_of_all_figures_leaves_a_table_with_an_answer_of_its_own(of_table_first):
    text = "# Training resnet50 with PyTorch\n\n" + "\n".join(
        f"## {machine}\n\n" + table(f"Machine | {header}", f"{machine} | 138 img/s")
        for machine, header in (("M1 Max", "img/s"), ("RTX 4090", "images/s"))
    )
    typed = ["device of table 2: cpu", "device: gpu"]
    answer = "; ".join(typed if of_table_first else typed[::-1])
    stored = records(of_text(text, {"readings": f"yes, but {answer}"}), text)
    assert [it.run.device for it in stored] == ["metal", "cpu"]

    with pytest.raises(AnswerError, match="nothing asks 'device of table 9'"):
        of_text(text, {"readings": f"yes, but {answer}; device of table 9: cpu"})


def test_the_metric_of_a_column_that_names_a_side_leaves_its_work():
    text = "# Llama 7B, MLX, M2 Ultra GPU\n\n" + table(
        "Model | eval time | prompt eval time", "Llama 7B | 54.78 | 35.72"
    )
    answer = "eval time: time_per_token_seconds; prompt eval time: "
    proposal = of_text(text, {"readings": f"yes, but {answer}time_per_token_seconds"})
    metric = "time_per_token_seconds"
    assert figures(proposal, text) == [
        ("llm-decode", metric, 54.78),
        ("llm-prefill", metric, 35.72),
    ]
