import re

import pytest

from benchdb.importing.quantities.characters import AmbiguousError, UnreadableError
from benchdb.importing.quantities.quantity import parts
from tests.documents import Mapped, each
from tests.importing.published.transcriptions import place_of, values_of

TIME_CELL = re.compile(r"[^|]* user [^|]* system [^|]* cpu [^|]* total")


def facts(text, **given):
    quantities = parts(text, **given)
    return [
        (word, quantity.value, quantity.unit) for word, quantity in quantities.items()
    ]


def test_zsh_prints_four_parts():
    assert facts("54,17s user 3,32s system 115% cpu 49,707 total") == [
        ("user", 54.17, "s"),
        ("system", 3.32, "s"),
        ("cpu", 115, "%"),
        ("total", 49.707, "s"),
    ]


def test_each_part_keeps_its_own_characters():
    quantities = parts("96.76s user 5.51s system 113% cpu 1:30.46 total")

    assert [quantity.printed for quantity in quantities.values()] == [
        "96.76s user",
        "5.51s system",
        "113% cpu",
        "1:30.46 total",
    ]


def test_macos_prints_words_behind_bare_seconds():
    assert facts("12.3 real 10.5 user 1.25 sys") == [
        ("real", 12.3, "s"),
        ("user", 10.5, "s"),
        ("sys", 1.25, "s"),
    ]


def test_gnu_time_glues_words_to_figures():
    assert facts("10.10user 1.20system 0:12.34elapsed 93%CPU") == [
        ("user", 10.1, "s"),
        ("system", 1.2, "s"),
        ("elapsed", 12.34, "s"),
        ("cpu", 93, "%"),
    ]


def test_the_comma_of_a_part_may_need_the_column():
    text = "54s user 3s system 115% cpu 49,707 total"

    assert facts(text, decimal=",")[-1] == ("total", 49.707, "s")
    with pytest.raises(AmbiguousError):
        parts(text)


@pytest.mark.parametrize(
    "text", ["", "-", "abc", "12 ms", "1.2s user 3 ms done", "1.2s user, twice"]
)
def test_a_cell_that_time_did_not_print_has_no_parts(text):
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
        for part in parts(cell).values()
    }

    assert len(read) == (44 if mapped.is_ours else 176)
    assert read == transcribed
