"""Memory and cores are corrected without the name of their machine."""

import pytest

from benchdb.exchange.messages import Chip
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import figures, of_text, records, table

ROWS = table("Size | TFLOPS", "512 | 7.5", "1024 | 8.5")
NAMED = "# matmul with MLX\n\n- Chip: Apple M2 Max\n\n" + ROWS
UNNAMED = "# matmul with MLX\n\n" + ROWS
GIB = 2**30


def chip(text: str, answer: str) -> Chip:
    """Return the only chip of all rows after an answer to the card."""
    proposal = of_text(text, {"readings": answer})
    assert proposal.questions == ()
    (known,) = {it.machine.chip for it in records(proposal, text)}
    return known


@pytest.mark.parametrize("name", ["ram", "memory", "RAM"])
def test_memory_leaves_the_chip_of_the_document(name):
    known = chip(NAMED, f"yes, but {name}: 64 GB")

    assert (known.name, known.ram_bytes) == ("M2 Max", 64 * GIB)


@pytest.mark.parametrize(
    "answer",
    [
        "chip: Apple M3 Max; memory: 48 GB; GPU cores: 40; CPU cores: 16",
        "GPU cores: 40; CPU cores: 16; ram: 48 GB; 1: M3 Max",
        "memory: 48 GB; machine: Apple M3 Max (16-core CPU, 40-core GPU)",
    ],
)
@pytest.mark.parametrize("text", [NAMED, UNNAMED])
def test_parts_and_name_come_in_any_order(answer, text):
    known = chip(text, answer)

    assert (known.name, known.ram_bytes) == ("M3 Max", 48 * GIB)
    assert (known.cpu_cores, known.gpu_cores) == (16, 40)


def test_memory_alone_names_no_machine():
    proposal = of_text(UNNAMED, {"readings": "ram: 64 GB"})
    machine = records(proposal, UNNAMED)[0].machine

    assert (machine.label, machine.chip.ram_bytes) == (None, 64 * GIB)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("ram: 0 GB", "'0 GB' is no memory; allowed: one such as '64 GB'"),
        ("ram: much", "'much' is no memory"),
        ("gpu cores: many", "'many' is no gpu cores; allowed: one such as '40'"),
    ],
)
def test_what_is_no_memory_and_no_count_is_refused(answer, why):
    with pytest.raises(AnswerError, match=why):
        of_text(NAMED, {"readings": answer})


COLUMNS = "# llama.cpp\n\n" + table(
    "Chip | RAM | Model | decode tok/s",
    "M1 Max | 64 GB | Qwen2 7B | 60.5",
    "M2 Max | 32 GB | Qwen2 7B | 40.5",
)


@pytest.mark.parametrize(
    ("answer", "sizes"),
    [
        ("ram: 96 GB", [96, 96]),
        ("RAM: leave-out", [None, None]),
        ("RAM: setting", [None, None]),
        ("Chip: leave-out", [64, 32]),
    ],
)
def test_a_column_of_memory_is_corrected_by_value_or_by_title(answer, sizes):
    proposal = of_text(COLUMNS, {"readings": f"yes, but {answer}"})
    chips = [it.machine.chip for it in records(proposal, COLUMNS)]

    assert [chip.ram_bytes and chip.ram_bytes // GIB for chip in chips] == sizes
    named = ["unknown"] * 2 if answer.startswith("Chip") else ["M1 Max", "M2 Max"]
    assert [chip.name for chip in chips] == named


BANDWIDTHS = "# matmul with MLX on M2\n\n" + table(
    "Size | TFLOPS | Mem BW (GB/s) | Mem clock", "512 | 7.5 | 90.5 | low"
)


@pytest.mark.parametrize("words", ["Mem BW", "Mem"])
def test_columns_are_called_by_the_words_their_titles_begin_with(words):
    proposal = of_text(BANDWIDTHS, {"readings": f"yes, but {words}: leave-out"})

    assert proposal.map.table[0].columns["Mem BW (GB/s)"].is_ == "ignore"
    assert {value for *_, value in figures(proposal, BANDWIDTHS)} == {7.5}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("memory: leave-out", "no line says it; leave out a column, a row, or 'table"),
        ("fan speed: leave-out", "nothing asks 'fan speed'"),
    ],
)
def test_no_table_is_left_out_by_a_name_that_it_does_not_show(answer, why):
    with pytest.raises(AnswerError, match=why):
        of_text(BANDWIDTHS, {"readings": f"yes, but {answer}"})


MAC = "- Chip: M4 Pro, 48 GB RAM\n- OS: macOS 26.0\n\n"


@pytest.mark.parametrize(
    ("answer", "size", "system"),
    [
        ("phone time (ms): machine iPhone 13", None, None),
        ("phone time (ms): machine iPhone 13; ram: 4 GB", 4 * GIB, None),
        ("ram: 4 GB; phone time (ms): machine iPhone 13", 4 * GIB, None),
        ("phone time (ms): machine iPhone 13; os: iOS 18", None, "iOS"),
        ("phone time (ms): machine M4 Pro", 48 * GIB, "macOS"),  # the same
    ],
)
def test_the_memory_and_the_system_of_a_machine_go_with_it(answer, size, system):
    text = MAC + table("Model | time (ms) | phone time (ms)", "Encoder | 8.5 | 9.5")
    proposal = of_text(text, {"readings": f"yes, but {answer}"})
    (phone,) = [
        it for it in records(proposal, text) if it.end.values[0].value == 0.0095
    ]

    assert phone.machine.chip.ram_bytes == size
    assert phone.environment.os_name == system


@pytest.mark.parametrize("answer", ["Encoder", "Phones"])
def test_memory_goes_with_the_machine_of_a_text_but_not_that_of_a_column(answer):
    head = "Model | RAM | time (ms)"
    text = "# M4 Pro 48 GB, macOS 26.0\n\n## Phones\n\n" + table(
        head, "Encoder | 6 GB | 8.5"
    )
    proposal = of_text(text, {"readings": f"yes, but {answer}: machine iPhone 13"})
    (phone,) = records(proposal, text)

    assert (phone.machine.label, phone.machine.chip.ram_bytes) == ("iPhone 13", 6 * GIB)
    assert phone.environment.os_name is None


RUNS = '[{"model": "a", "decode_tps": 10.5}, {"model": "b", "decode_tps": 20.5}]'


@pytest.mark.parametrize(
    ("of_machine", "answer"),
    [
        ('"total_memory_gb": 64, "chip": "Apple M4 Pro"', "yes"),
        ('"chip": "Apple M4 Pro", "os": "macOS"', "yes, but ram: 64 GB"),
    ],
)
def test_the_name_of_a_chip_leaves_the_memory_that_is_said_beside_it(
    of_machine, answer
):
    text = f'{{"machine": {{{of_machine}}}, "runs": {RUNS}}}'
    document = Document("runs.json", text.encode())
    proposal = propose(document, READERS["json"](document), {"readings": answer})
    chips = [it.machine.chip for it in records(proposal, text, "runs.json")]

    assert [(it.name, it.ram_bytes) for it in chips] == [("M4 Pro", 64 * GIB)] * 2


def test_the_name_of_a_machine_in_a_row_takes_the_memory_of_a_heading_away():
    head = table("Host | RAM | time (ms)", "M2, new | 16 GB | 8.5", "M3, new | | 9.5")
    text = "# M4 Pro 48 GB\n\n" + head
    proposal = of_text(text, {"readings": "yes, but Host: machine; RAM: ram"})
    sizes = {
        it.machine.label: it.machine.chip.ram_bytes for it in records(proposal, text)
    }

    assert sizes == {"M2, new": 16 * GIB, "M3, new": None}
