import re

import pytest

from benchdb.importing.quantities.characters import AmbiguousError, UnreadableError
from benchdb.importing.quantities.quantity import parts
from tests.documents import Mapped, each
from tests.transcriptions import place_of, values_of

TIME_CELL = re.compile(r"[^|]* user [^|]* system [^|]* cpu [^|]* total")


def facts(text, **given):
    return [(one.role, one.value, one.unit) for one in parts(text, **given)]


def test_zsh_prints_four_parts():
    assert facts("54,17s user 3,32s system 115% cpu 49,707 total") == [
        ("user", 54.17, "s"),
        ("system", 3.32, "s"),
        ("cpu", 115, "%"),
        ("total", 49.707, "s"),
    ]


def test_each_part_keeps_its_own_characters():
    found = parts("96.76s user 5.51s system 113% cpu 1:30.46 total")

    assert [one.printed for one in found] == [
        "96.76s user",
        "5.51s system",
        "113% cpu",
        "1:30.46 total",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "real\t0m12.3s\nuser\t0m10.5s\nsys\t0m1.25s",
        "real 0m12,3s user 0m10,5s sys 0m1,25s",
        "12.3 real 10.5 user 1.25 sys",
    ],
)
def test_bash_and_macos_print_three_parts(text):
    found = {role: (value, unit) for role, value, unit in facts(text)}

    assert found == {
        "real": (12.3, "s"),
        "user": (10.5, "s"),
        "system": (1.25, "s"),
    }


def test_gnu_time_glues_words_to_figures():
    assert facts("10.10user 1.20system 0:12.34elapsed 93%CPU") == [
        ("user", 10.1, "s"),
        ("system", 1.2, "s"),
        ("elapsed", 12.34, "s"),
        ("cpu", 93, "%"),
    ]


def test_the_total_of_cpu_times_is_not_taken_for_wall_time():
    text = "CPU times: user 1.2 s, sys: 30 ms, total: 1.23 s\nWall time: 1min 3s"

    assert facts(text) == [
        ("user", 1.2, "s"),
        ("system", 0.03, "s"),
        ("cpu total", 1.23, "s"),
        ("wall", 63, "s"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("78 ms / 3.1 GB", [(None, 0.078, "s"), (None, 3.1e9, "B")]),
        ("15s 998us/step", [(None, 15, "s"), (None, 0.000998, "s")]),
        ("12.3s (2.1x)", [(None, 12.3, "s"), (None, 2.1, "x")]),
        ("12.3 s (train) 4.5 s (test)", [("train", 12.3, "s"), ("test", 4.5, "s")]),
        ("Train: 12.3 s | Test: 4.5 s", [("train", 12.3, "s"), ("test", 4.5, "s")]),
        ("p50 12 ms p99 34 ms", [("p50", 0.012, "s"), ("p99", 0.034, "s")]),
        ("12 ms", [(None, 0.012, "s")]),
    ],
)
def test_words_stand_before_or_behind_figures(text, expected):
    assert facts(text) == expected


def test_a_label_with_a_colon_belongs_to_the_figure_after_it():
    found = parts("2s 998us/step - loss: 0.2 - accuracy: 0.94")

    assert [(one.role, one.per, one.printed) for one in found] == [
        (None, None, "2s"),
        (None, "step", "998us/step"),
        ("loss", None, "loss: 0.2"),
        ("accuracy", None, "accuracy: 0.94"),
    ]


def test_a_word_in_parentheses_is_printed_with_both():
    figures = parts("12 ms (best), 15 ms (mean)")

    assert [figure.printed for figure in figures] == ["12 ms (best)", "15 ms (mean)"]


def test_bounds_and_uncertainties_are_kept_in_parts():
    first, second = parts("train: ~12 s, test: 3.0 ± 0.1 s")

    assert (first.bound, second.uncertainty) == ("~", 0.1)
    assert (first.printed, second.printed) == ("train: ~12 s", "test: 3.0 ± 0.1 s")


def test_a_figure_without_unit_beside_one_with_is_ambiguous():
    with pytest.raises(AmbiguousError, match="neither unit nor name"):
        parts("12.3 / 45.6 ms")


def test_the_comma_of_a_part_may_need_the_column():
    text = "54s user 3s system 115% cpu 49,707 total"

    assert facts(text, decimal=",")[-1] == ("total", 49.707, "s")
    with pytest.raises(AmbiguousError):
        parts(text)


@pytest.mark.parametrize("text", ["", "-", "n/a", "OOM"])
def test_a_cell_that_says_it_has_no_figure_has_no_parts(text):
    assert parts(text) == ()


@pytest.mark.parametrize("text", ["abc", "user 1.2 s sys 3 ms done", "loss - 3"])
def test_parts_that_cannot_be_told_apart_are_refused(text):
    with pytest.raises(UnreadableError):
        parts(text)


@each("script-times")
def test_every_time_cell_of_a_real_table_reads_as_it_was_transcribed(mapped: Mapped):
    transcribed = {
        (place_of(value.locator)[0], value.printed, value.value)
        for value in values_of(mapped.name)
        if value.value is not None
    }
    read = {
        (number, part.printed, part.value)
        for number, line in enumerate(mapped.document.lines, start=1)
        if line.startswith("|")
        for cell in TIME_CELL.findall(line)
        for part in parts(cell)
    }

    assert len(read) == (44 if mapped.is_ours else 176)
    assert read == transcribed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("12.5 s (3.2 s wall)", ["12.5 s", "3.2 s wall"]),
        ("(3.2 s wall)", ["3.2 s wall"]),
        ("12.5 s (wall)", ["12.5 s (wall)"]),
        ("5.5s user (4.8 s (total))", ["5.5s user", "4.8 s (total)"]),
    ],
)
def test_a_bracket_is_printed_with_the_figure_where_it_opens_behind_it(text, printed):
    assert [one.printed for one in parts(text)] == printed
