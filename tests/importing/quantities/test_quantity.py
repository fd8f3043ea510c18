import pytest

from benchdb.importing.quantities.characters import AmbiguousError, UnreadableError
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.quantities.tokens import Mark, convention

POINT: Mark = "."
COMMA: Mark = ","


def read(text, **hints):
    quantity = parsed(text, **hints)
    assert isinstance(quantity, Quantity)
    return quantity


NUMBERS = {
    1234.5: (
        *("1.234,5", "1 234,5", "1'234.5", "1’234.5"),
        "\u0661\u066c\u0662\u0663\u0664\u066b\u0665",
    ),
    12345: (*("12 345", "12\u00a0345", "12\u202f345", "12\u2009345", "12\u2007345"),),
    12.5: ("\uff11\uff12\uff0e\uff15", "\u06f1\u06f2\u066b\u06f5", "१२.५", "_12.5_"),
    1234567: ("1,234,567", "1.234.567", "12,34,567"),
    1000000: ("1_000_000",),
    4552.1: ("4,552.1",),
    0.123: ("0,123",),
    1234.567: ("1234,567",),
    1.2345: ("1,2345",),
    1.5: ("1,5", "`1.5`"),
    0.5: (".5",),
    5: ("5.",),
    -0.5: ("-0.5",),
    -3.5: ("−3,5",),
    -12.5: ("\uff0d\uff11\uff12\uff0e\uff15",),
    0.0012: ("1.2e-3", "1,2e-3", "1.2·10⁻³"),
    1200: ("1.2E+03", "1.2×10³"),
    0.0003: ("3×10^-4", "3 x 10^-4"),
    0.001: ("10^-3", "10⁻³"),
    140: ("**140**", "140¹"),
    18.5: ("18.5", "18.5*", "18.5**", "18.5²", "18.5 [1]"),
    12.3: ("✅ 12.3",),
    188.27877402305603: ("188.27877402305603",),
    12000: ("1.2万",),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [(text, value) for value, texts in NUMBERS.items() for text in texts],
)
def test_a_bare_number_is_read_in_any_writing(text, value):
    result = read(text)

    assert (result.value, result.unit, result.per) == (value, "1", None)


@pytest.mark.parametrize("text", ["1,234", "-4,552", "12,345", "999,999 ms"])
def test_a_comma_before_three_digits_is_ambiguous_alone(text):
    with pytest.raises(AmbiguousError, match="nothing says what its comma means"):
        parsed(text)


def test_a_point_before_three_digits_is_a_decimal_point():
    assert read("1.234").value == 1.234


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("1,234", POINT, 1234),
        ("1,234", COMMA, 1.234),
        ("1.234", POINT, 1.234),
        ("1.234", COMMA, 1234),
        ("96.76", COMMA, 96.76),
        ("54,17", POINT, 54.17),
    ],
)
def test_the_column_settles_what_the_shape_leaves_open(text, column, value):
    assert read(text, decimal=column).value == value


def test_one_figure_of_a_cell_settles_the_other():
    result = read("1,234 ± 0.5")

    assert (result.value, result.uncertainty) == (1234, 0.5)


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["4,552", "12.5"], "."),
        (["1,5", "3,25"], ","),
        (["1.234", "1:53,65"], ","),
        (["1,234,567"], "."),
        (["n/a", "1 234,5 ms"], ","),
        (["0m12,345s"], ","),
    ],
)
def test_a_column_shows_its_decimal_mark(cells, mark):
    assert convention(cells) == mark


@pytest.mark.parametrize(
    "cells",
    [
        [],
        ["1,234", "5,678"],
        ["1.234"],
        ["12", "x"],
        ["1,5", "3.25"],
        ["1.2.3", "01.02.2024"],
        ["fp16.5", "v1.5"],
        ["1" * 300 + ",5"],
    ],
)
def test_a_column_without_evidence_or_with_contradictions_shows_none(cells):
    assert convention(cells) is None


@pytest.mark.parametrize(
    "text", ["12.3 (0.4)", "94.5 ± 0.3%", "4096²", "128 256", "12k", "6.74 B", "12m"]
)
def test_what_has_two_readings_is_refused(text):
    with pytest.raises(AmbiguousError):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        *("abc", "12 €", "$12", "12 °C", "1.2.3", "1,23,4", "1/2", "12/15", "0x1F"),
        *("15s 998us/step", "12.3 (fp16)", "fp16 12", "12 img/s/GPU", "12 (batch 64)"),
        *("=12.3", "=1+2", "@SUM(1)", "(12.3)", "[12]", "+-3", "- 3", "1-", "12½"),
        *("1:2:3:4", "1 h 20", "12.3 (OOM at 256)", "1e999", "9e400", "1e-320"),
        *("best 12 ms (mean)", "1.5\u066c000", "1\u066c234.5.6", "1.2\u066b3"),
    ],
)
def test_what_is_no_single_figure_is_refused_in_one_line(text):
    with pytest.raises(UnreadableError) as refusal:
        parsed(text)

    assert repr(text) in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("12.3 ms (best)", 0.0123), ("Wall time: 1min 3s", 63), ("3.2x faster", 3.2)],
)
def test_a_known_word_may_stand_beside_the_figure(text, value):
    assert read(text).value == value


def test_what_is_printed_is_kept_without_markup():
    assert read("  **1 234,5\u00a0img/s***  ").printed == "1 234,5\u00a0img/s*"
    assert read("\u200f\u0661\u0662\u066b\u0665").printed == "\u0661\u0662\u066b\u0665"
