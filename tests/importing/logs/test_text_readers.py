"""What holds for all readers of running text."""

from typing import get_args

import pytest

from benchdb.importing.document import Document
from benchdb.importing.sheet import Habit, Reader
from benchdb.importing.sheets import READERS, readable
from tests.documents import SHAPES, like
from tests.importing.sheet_texts import FIXTURES, only_row, read, read_file, texts

FILES = ("columns.txt", "lists.md", "keras_2_pasted.md", "bars.log")
SAMPLES = [
    *(mapped.path for shape in SHAPES for mapped in like(shape)),
    *(FIXTURES / name for name in (*FILES, "keras_3_terminal.log")),
]
HOSTILE = {
    "a line too long": "Epoch 1, time " + "9" * 1_000_000,
    "backspaces": "vgg: 1\b" * 100_000,
    "escapes": "\x1b[" * 4900,
    "blanks": " " * 9900 + "x",
    "names": "a: " * 3300,
    "brackets": "[(1 " * 2400,
    "braces": '{"a":' * 1900 + "1" + "}" * 1900,
    "quotes": "{'" * 4900 + "}",
    "gaps": "a  b" * 2400,
    "bars": "1%|x| 1/1 [1:1 " * 600,
    "tags": "<!--<a " * 1400,
    "units": "epoch 1, " + "1 s " * 400,
    "headings": "\n".join("#" * (1 + n % 6) + f" {n}" for n in range(3000)) + "\na: 1",
    "groups": "\n".join(" " * n + "x:" for n in range(300)) + "\n" + " " * 300 + "a: 1",
    "fences": "```\n~~~\n" * 3001 + "a: 1",
}


def test_every_reader_that_a_map_may_name_is_there():
    assert set(READERS) == set(get_args(Reader))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_cells_are_as_many_as_columns_and_stand_on_their_lines(path):
    lines = Document(path.name, path.read_bytes()).lines

    for sheet in (it for habit in get_args(Habit) for it in read_file(habit, path)):
        assert len(set(sheet.header)) == len(sheet.header)
        for row in sheet.rows:
            assert len(row.cells) == len(sheet.header)
            last = row.cells[-1]
            below = "\n".join(lines[last.line - 1 : row.line + 20])
            assert all(word in below for word in last.text.split())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_makes_no_error_and_no_endless_sheet(text):
    habits = get_args(Habit)
    sheets = [it for habit in habits for it in read(habit, f"Results\n{text}\n")]

    assert all(len(sheet.context) <= 60 for sheet in sheets)
    assert all(len(item) <= 300 for sheet in sheets for item in sheet.context)


def sentences(text):
    """Return the keys and the figures that sentences of *text* have."""
    return [
        (row.cells[0].text, row.cells[1].text)
        for sheet in readable(Document("run.txt", text.encode()))
        if sheet.kind == "sentences"
        for row in sheet.rows
    ]


def test_a_label_in_brackets_names_the_time_behind_it_also_beside_other_tables():
    text = "| a | ms |\n|---|---|\n| x | 2.5 |\n\n[01_ask] 0.75s | 9KB | OK\n"
    text += "    Text: why?\n[INFO] 3.5 s\n[01_say] 7.40s | 8KB | OK\n"

    assert sentences(text) == [("01_ask", "0.75s"), ("01_say", "7.40s")]


def test_a_name_of_one_letter_is_told_by_the_words_that_begin_its_line():
    text = "[run] FIRST lang=en t=18.5s text='so'\n[run] LATER lang=en t=3.25s\n"
    text += "[run] load=42.5s\n"

    assert sentences(text) == [
        ("FIRST t", "18.5s"),
        ("LATER t", "3.25s"),
        ("load", "42.5s"),
    ]


def test_sizes_that_are_said_to_be_in_use_are_figures():
    text = "```\nloaded in 20s | VRAM 10235/10240 MiB\npeak memory 2.5 GB\n"
    text += "a card with 16 GB\n```\n"

    assert sentences(text) == [
        ("loaded in", "20s"),
        ("VRAM", "10235 MiB"),
        ("peak memory", "2.5 GB"),
    ]


def test_what_stands_before_a_colon_between_blanks_names_its_line():
    name = "self-layer, Input: [(16, 512)]"
    text = f"```\n{name}   :   0.98 ms,  389 GB/s,  0.11 GB used\n```\n"

    assert sentences(text) == [(name, "0.98 ms"), (name, "389 GB/s"), (name, "0.11 GB")]


def test_the_time_of_a_part_and_of_each_of_its_layers_are_two_columns():
    assert only_row(
        "timings",
        "whisper_print_timings:   encode time = 105842.56 ms / 3307.58 ms per layer\n"
        "whisper_print_timings:    total time = 245966.58 ms\n",
    ) == {
        "whisper encode time": "105842.56 ms",
        "whisper encode time ms per layer": "3307.58",
        "whisper total time": "245966.58 ms",
    }


def test_a_spread_before_the_unit_is_no_figure_and_a_dash_ends_the_name_of_a_line():
    text = (
        "Llama 8B — pp 512: 421.6 ± 2.1 t/s, tg 128: 28.92 ± 0.05 t/s\n"
        "Llama 3B — pp 512: 990.3 ± 0.8 t/s, tg 128: 70.11 ± 0.03 t/s\n"
    )
    (sheet,) = read("sentences", text)

    assert texts(sheet) == [
        ("Llama 8B pp", "421.6 ± 2.1 t/s"),
        ("Llama 8B tg", "28.92 ± 0.05 t/s"),
        ("Llama 3B pp", "990.3 ± 0.8 t/s"),
        ("Llama 3B tg", "70.11 ± 0.03 t/s"),
    ]
