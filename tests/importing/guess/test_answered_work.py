"""What is answered of the work of figures: for a line, a table or a column."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import figures, number, records, table

TWO = (
    "# Machine\n\n"
    + table("Machine | Copy (GB/s)", "M4 Pro | 243.7")
    + "\n## Serving\n\n"
    + table("Machine | tok/s", "M4 Pro | 31.9")
)
KEYED = (
    "# Cache\n\n## Write\n\n"
    + table("Layout | Time (us)", "flat | 2.72", "deep | 3.41")
    + "\n## Read\n\n"
    + table("Layout | Batch | Time (us)", "flat | 8 | 1.68", "deep | 8 | 2.71")
)


def answered(text: str, *cards: str) -> Proposal:
    keys = ["readings", "readings 2"][: len(cards)]
    texts = (f"yes, but {it}" if it else "yes" for it in cards)
    document = Document("results.md", text.encode())
    return propose(document, readable(document), dict(zip(keys, texts, strict=True)))


def test_the_number_of_a_line_answers_that_line_alone():
    line = number(answered(TWO), "What is the work")
    proposal = answered(TWO, f"{line}: new: copying")
    assert figures(proposal, TWO) == [
        ("copying", "gigabytes_per_second", 243.7),
        ("llm-decode", "tokens_per_second", 31.9),
    ]


def test_new_work_is_no_setting():
    text = table("Size | small (ms) | large (ms)", "8 | 2.5 | 3.5")
    for answer in ("seed: new: copying", "small (ms): new: copying"):
        with pytest.raises(AnswerError, match="new: copying"):
            answered(text, answer)


@pytest.mark.parametrize("name", ["memory-bandwidth", "mnist-cnn-training"])
def test_new_work_keeps_the_name_typed_beside_known_work_of_that_name(name):
    proposal = answered(TWO, f"Copy (GB/s): work new: {name}")
    assert figures(proposal, TWO)[0][0] == name
    known = {"memory-bandwidth": "bandwidth"}.get(name, "mnist-cnn")
    note = f"'new: {name}': known work of that name is {known!r}"
    assert note in proposal.notes


def test_new_work_that_a_line_asks_for_keeps_the_name_typed():
    line = number(answered(TWO), "What is the work")
    proposal = answered(TWO, f"{line}: new: memory-bandwidth")
    assert figures(proposal, TWO)[0][0] == "memory-bandwidth"
    assert "known work of that name is 'bandwidth'" in proposal.notes[0]


def test_the_work_of_a_table_is_not_asked_again_where_the_answer_gives_it():
    each = "work of table 1: new: writing; work of table 2: new: reading"
    proposal = answered(KEYED, f"{each}; Layout: setting")
    assert not proposal.questions
    assert {work for work, *_ in figures(proposal, KEYED)} == {"writing", "reading"}


def test_the_work_of_a_table_leaves_that_of_others_open():
    proposal = answered(KEYED, "work of table 1: new: writing; Layout: setting")
    (asked,) = proposal.questions
    assert asked.text.startswith("What is the work of table 2")


def test_what_an_answer_changed_is_not_said_to_be_read_so():
    text = "# torch\n\n" + table("Operation | Model | ms", "matmul | tiny | 2.5")
    text += "\n" + table("Operation | Size | ms", "conv | 8 | 7.5")
    proposal = answered(text, "Operation of table 2: setting; work of table 2: matmul")
    assert not [note for note in proposal.notes if "it was read so" in note]


PRINTS = (
    "# Llama 2 70B on M2 Max\n\n```\n"
    + "".join(
        f"llama_print_timings: {line}\n"
        for line in (
            "       load time = 28606.21 ms",
            "     sample time =    15.31 ms /    31 runs   (    0.49 ms per token,"
            "  2024.56 tokens per second)",
            "prompt eval time = 10514.60 ms /    11 tokens (  955.87 ms per token,"
            "     1.05 tokens per second)",
            "       eval time = 49937.32 ms /    30 runs   ( 1664.58 ms per token,"
            "     0.60 tokens per second)",
            "      total time = 60533.22 ms",
        )
    )
    + "```\n"
)


@pytest.mark.parametrize("result", ["", "; eval time: work llm-decode"])
def test_the_answer_for_a_column_leaves_the_work_of_those_beside_it(result):
    of_times = f"eval time: work_seconds; sample time: work_seconds{result}"
    first = f"{of_times}; sample time tokens per second: tok/s"
    proposal = answered(PRINTS, first, "1: new: llm-sampling")
    assert not proposal.questions
    works = {value: work for work, _, value in figures(proposal, PRINTS)}
    assert works[49.93732] == "llm-decode"
    assert works[0.01531] == "llm-generate"
    assert works[2024.56] == "llm-sampling"


NETWORKS = "# Speed\n\n" + "\n".join(
    f"## {name}\n\n" + table(f"{first} | gpu | alexnet | vgg16", f"a | RTX 4090 | {ms}")
    for name, first, ms in (("Train", "By", "11.5 | 148.5"), ("Test", "Of", "3.5 | 45"))
)


@pytest.mark.parametrize(
    ("answer", "works"),
    [
        ("Train: training", ["alexnet", "alexnet-inference"]),
        ("Test: training", ["alexnet", "alexnet"]),
        ("work of table 2: training", ["alexnet", "alexnet"]),
        ("work of table 1: inference", ["alexnet-inference", "alexnet-inference"]),
        ("Test: inference", ["alexnet", "alexnet-inference"]),
    ],
)
def test_headings_and_answers_for_a_table_say_what_is_done_with_models(answer, works):
    proposal = answered(NETWORKS, answer)
    assert [it for it, *_ in figures(proposal, NETWORKS) if "alex" in it] == works


def test_what_is_done_with_models_is_asked_for_by_table_where_no_heading_says_it():
    text = NETWORKS.replace("Train", "First").replace("Test", "Second")
    each = "work of table 1: training; work of table 2: inference"
    texts = [it for it, *_ in figures(answered(text, each), text) if "alex" in it]
    assert texts == ["alexnet", "alexnet-inference"]


def test_the_device_of_cards_has_its_column_as_source_and_follows_the_framework():
    text = "# Training\n\n" + table(
        "Framework | gpu | alexnet (ms)",
        "PyTorch | RTX 4090 | 11.5",
        "Caffe/OpenCL | RTX 4090 | 39.5",
    )
    proposal = answered(text, "Framework: framework")
    (line,) = [it for it in proposal.questions if it.topic == "device"]
    assert line.text == "device: cuda, opencl, from the column 'gpu'"
    assert [it.run.device for it in records(proposal, text)] == ["cuda", "opencl"]
