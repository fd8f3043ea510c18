"""Figures, factors and dates the way CLDR writes them."""

import pytest

from benchdb.report.language import load, numbers
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.view.atoms import Quantity
from tests.locales import other

NO_BREAK, NARROW = "\u00a0", "\u202f"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", "1,234,567.5"),
        ("de", "1.234.567,5"),
        ("fr", f"1{NARROW}234{NARROW}567,5"),
        ("de-CH", "1’234’567.5"),
        ("hi", "12,34,567.5"),
        ("ko", "1,234,567.5"),
        ("ar", "1,234,567.5"),
    ],
)
def test_numbers_have_the_marks_of_the_locale_and_latin_digits(code, written):
    assert other(code).number(1234567.5, 1) == written


def test_spanish_groups_only_from_five_digits():
    assert [other("es").number(n) for n in (1100, 11000)] == ["1100", "11.000"]


@pytest.mark.parametrize(
    ("text", "written"),
    [("91.80", "91,80"), ("1100", "1.100"), ("0.007", "0,007"), ("-1.50", "-1,50")],
)
def test_printed_figures_keep_every_digit(text, written):
    assert load("de").printed(text) == written


def test_printed_text_that_is_no_plain_figure_stays_as_it_is():
    assert load("de").printed("1:09:25.48") == "1:09:25.48"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3.46, "3.5×"),
        (99.94, "99.9×"),
        (99.96, "100×"),
        (150.4, "150×"),
        (1234, "1,234×"),
        (1, "1.0×"),
        (0.996, "1.0×"),
        (1.0049, "1.0×"),
        (1.005, "1.01×"),
        (1.0355, "1.04×"),
        (1.0949, "1.09×"),
        (1.095, "1.1×"),
        (0.968, "0.97×"),
        (0.13, "0.13×"),
        (0.0509, "0.051×"),
    ],
)
def test_factors_have_as_many_digits_as_matter(value, written):
    assert load("en").times(value) == written


def test_a_range_whose_ends_read_the_same_is_one_factor():
    german = load("de")

    assert german.times_range(2.87, 13.07) == "2,9–13,1×"
    assert german.times_range(2.001, 2.002) == "2,0×"
    assert german.times_range(0.997, 1.003) == "1,0×"


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (1.0229, 1.0483, "1.02–1.05×"),
        (0.97, 1.003, "0.97–1.00×"),
        (1.001, 1.03, "1.00–1.03×"),
        (1.0949, 1.0961, "1.09–1.10×"),
        (0.96, 1.7, "0.96–1.70×"),
        (1.04, 3.2, "1.04–3.2×"),
        (0.13, 26.4, "0.13–26.4×"),
        (0.051, 0.13, "0.051–0.13×"),
    ],
)
def test_both_ends_of_a_range_about_1_have_as_many_decimals(low, high, written):
    assert load("en").times_range(low, high) == written


def test_per_cent_keeps_its_space_in_german_and_french():
    assert load("de").percent(0.1234) == f"12{NO_BREAK}%"
    assert load("fr").percent(0.1234, 1) == f"12,3{NO_BREAK}%"
    assert load("ko").percent(0.1234) == "12%"
    assert load("es").percent(0.1234) == f"12{NO_BREAK}%"
    assert load("pt-BR").percent(0.1234, 1) == "12,3%"
    assert [load(code).percent(0.1234) for code in ("ja", "zh-Hans")] == ["12%", "12%"]


def test_significant_digits_never_round_whole_numbers():
    english = load("en")

    assert [english.significant(v) for v in (1234.5, 59.91, 4.9724, 0.0071, 0)] == [
        "1,235",
        "59.9",
        "4.97",
        "0.00710",
        "0",
    ]


def test_a_figure_is_shown_as_printed_or_else_rounded():
    exact = Quantity(4165.48, "s", "r", printed="4165.48")

    assert load("de").quantity(exact) == f"4.165,48{NO_BREAK}s"
    assert load("de").compact(exact) == f"4.165{NO_BREAK}s"
    assert load("de").quantity(Quantity(1141.11, "s", "r")) == f"1.141{NO_BREAK}s"


def test_rounding_never_adds_digits_to_a_printed_figure():
    coarse = Quantity(19, "seq/s", "r", printed="19")

    assert load("en").compact(coarse) == f"19{NO_BREAK}seq/s"


def test_factors_of_japanese_and_chinese_are_counted_in_bai():
    assert load("ja").times(3.46) == "3.5倍"
    assert load("ja").times_range(2.87, 13.07) == "2.9\N{FULLWIDTH TILDE}13.1倍"
    assert load("zh-Hans").times(3.46) == f"3.5{NO_BREAK}倍"
    assert load("zh-Hans").times_range(2.001, 2.002) == f"2.0{NO_BREAK}倍"


def test_dates_are_written_out_without_the_time():
    assert load("de").date("2026-11-21T10:00:00Z") == "21. November 2026"
    assert load("ko").date("2026-11-21") == "2026년 11월 21일"
    assert load("es").date("2026-11-21") == "21 de noviembre de 2026"
    assert load("pt-BR").date("2026-11-21") == "21 de novembro de 2026"
    assert load("ja").date("2026-11-21") == "2026年11月21日"
    assert load("zh-Hans").date("2026-11-21") == "2026年11月21日"


def test_decimals_follow_the_rounded_value():
    assert numbers.significant_decimals(9.996, 3) == 1
    assert numbers.significant_decimals(0, 3) == 0
    assert numbers.significant_decimals(float("nan"), 3) == 0


def test_the_environment_of_the_process_changes_nothing(monkeypatch):
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")

    assert load("de").times(3.46) == "3,5×"


@pytest.mark.parametrize(
    ("fact", "english", "arabic"),
    [
        ("a sentence", "a sentence", "a sentence"),
        (1234, "1,234", "\u20661,234\u2069"),
        (1.5, "1.50", "\u20661.50\u2069"),
        (Name("M1 Max"), "M1 Max", "\u2066M1 Max\u2069"),
        (Times(2.5), "2.5×", "\u20662.5×\u2069"),
        (Times(2.0, 4.0), "2.0–4.0×", "\u20662.0–4.0×\u2069"),
        (Share(0.12), "12%", "\u206612%\u2069"),
        (
            Quantity(12.34, "GB", "a"),
            "12.3 GB",
            "\u2067\u206612.3\u2069 غ.ب\u2069",
        ),
        (["M1", "M2"], "M1 and M2", "\u2066M1\u2069 و\u2066M2\u2069"),
    ],
)
def test_an_argument_of_a_message_is_written_as_what_it_is(fact, english, arabic):
    spaced = load("en").written(fact).replace("\u00a0", " ")
    assert spaced == english
    assert load("ar").written(fact).replace("\u00a0", " ") == arabic


def test_a_plural_has_its_number_without_being_told_twice():
    assert load("en").ngettext("%(n)s run", "%(n)s runs", 1200) == "1,200 runs"
