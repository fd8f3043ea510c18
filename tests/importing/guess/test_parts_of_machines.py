"""Memory and cores are corrected without the name of their machine."""

import pytest

from benchdb.exchange.messages import Chip
from benchdb.importing.guess.facts import AnswerError
from tests.importing.guess.guessed import figures, of_text, records, table

ROWS = table("Size | TFLOPS", "512 | 7.5", "1024 | 8.5")
NAMED = "# matmul with MLX\n\n- Chip: Apple M2 Max\n\n" + ROWS
UNNAMED = "# matmul with MLX\n\n" + ROWS
GIB = 2**30


def chip(text: str, answer: str) -> Chip:
    """Return the only chip of all rows after an answer to the card."""
    found = of_text(text, {"readings": answer})
    assert found.questions == ()
    (known,) = {it.machine.chip for it in records(found, text)}
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
    found = of_text(UNNAMED, {"readings": "ram: 64 GB"})
    machine = records(found, UNNAMED)[0].machine

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
    found = of_text(COLUMNS, {"readings": f"yes, but {answer}"})
    chips = [it.machine.chip for it in records(found, COLUMNS)]

    assert [chip.ram_bytes and chip.ram_bytes // GIB for chip in chips] == sizes
    named = ["unknown"] * 2 if answer.startswith("Chip") else ["M1 Max", "M2 Max"]
    assert [chip.name for chip in chips] == named


BANDWIDTHS = "# matmul with MLX on M2\n\n" + table(
    "Size | TFLOPS | Mem BW (GB/s) | Mem clock", "512 | 7.5 | 90.5 | low"
)


@pytest.mark.parametrize("words", ["Mem BW", "Mem"])
def test_columns_are_called_by_the_words_their_titles_begin_with(words):
    found = of_text(BANDWIDTHS, {"readings": f"yes, but {words}: leave-out"})

    assert found.map.table[0].columns["Mem BW (GB/s)"].is_ == "ignore"
    assert {value for *_, value in figures(found, BANDWIDTHS)} == {7.5}


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
