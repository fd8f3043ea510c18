"""Figures, factors and dates the way CLDR writes them."""

import re
from pathlib import Path

import pytest

from benchdb.errors import UsageError
from benchdb.report import language
from benchdb.report.language import choice as language_choice
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


def test_lists_end_as_the_language_does():
    chips = ["M1", "M1 Pro", "M1 Max"]

    assert load("en").listing(chips) == "M1, M1 Pro, and M1 Max"
    assert load("de").listing(chips) == "M1, M1 Pro und M1 Max"
    assert load("pt-BR").listing(chips) == "M1, M1 Pro e M1 Max"


@pytest.mark.parametrize(
    ("items", "written"),
    [
        (["M1", "M1 Pro", "M1 Max"], "M1, M1 Pro y M1 Max"),
        (["Ana", "Inés"], "Ana e Inés"),
        (["Ana", "Luis", "Íñigo"], "Ana, Luis e Íñigo"),
        (["Ana", "Hilario"], "Ana e Hilario"),
        (["hielo", "hierro"], "hielo y hierro"),
        (["ResNet-50", "ResNet-50 y y"], "ResNet-50 y ResNet-50 y y"),
        (["Inception"], "Inception"),
        ([], ""),
    ],
)
def test_spanish_lists_end_in_e_before_the_sound_of_i(items, written):
    assert load("es").listing(items) == written


@pytest.mark.parametrize(
    ("items", "written"),
    [
        (["M1", "M1 Pro", "M1 Max"], "M1、M1 Pro 和 M1 Max"),
        (["M1「2.0倍」", "M1 Pro「3.3倍」"], "M1「2.0倍」和 M1 Pro「3.3倍」"),
        (["批大小", "编译器", "精度"], "批大小、编译器和精度"),
        (["PyTorch", "未注明框架"], "PyTorch 和未注明框架"),
        (["M1和M2", "M1"], "M1和M2 和 M1"),
        (["M1"], "M1"),
        ([], ""),
    ],
)
def test_chinese_lists_set_latin_names_off(items, written):
    assert load("zh-Hans").listing(items) == written


def test_japanese_lists_have_commas_of_their_own():
    assert load("ja").listing(["M1", "M1 Pro", "M1 Max"]) == "M1、M1 Pro、M1 Max"


def test_phrases_are_parted_as_the_script_does():
    assert (load("en").comma, load("en").semicolon) == (", ", "; ")
    assert (load("fr").comma, load("fr").semicolon) == (", ", "\u202f; ")
    assert (load("ja").comma, load("ja").semicolon) == ("、", "、")
    assert (load("zh-Hans").comma, load("zh-Hans").semicolon) == ("\uff0c", "\uff1b")


def test_sentences_of_chinese_and_japanese_need_no_space():
    assert load("ja").sentences(["一。", "", "二。"]) == "一。二。"
    assert load("zh-Hans").sentences(["Why?", "一。", "二。"]) == "Why? 一。二。"
    assert load("de").sentences(["Eins.", "", "Zwei."]) == "Eins. Zwei."


def test_text_in_right_to_left_languages_is_isolated():
    assert other("ar").isolate("M1 Pro") == "\u2066M1 Pro\u2069"
    assert load("de").isolate("M1 Pro") == "M1 Pro"
    assert other("he").listing(["M1"]) == "\u2066M1\u2069"


NO_BREAK, NARROW = "\u00a0", "\u202f"
TOKENS = ("s", "img/s", "seq/s", "product/s", "epoch/h", "W", "J", "TFLOPS", "GB/s")


def test_the_translator_places_the_number_in_a_unit():
    figure = Quantity(140, "img/s", "r", printed="140")

    assert [load(code).quantity(figure) for code in ("en", "de", "fr", "ko")] == [
        f"140{NO_BREAK}img/s",
        f"140{NO_BREAK}Bilder/s",
        f"140{NO_BREAK}images/s",
        "140장/초",
    ]


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("es", ("1140 imágenes/s", "1140 sec./s", "1140 W", "1140 %")),
        ("pt-BR", ("1.140 imagens/s", "1.140 seq./s", "1.140 W", "1.140%")),
    ],
)
def test_spanish_and_portuguese_units_never_wrap(code, written):
    units = ("img/s", "seq/s", "W", "%")
    shown = [
        load(code).quantity(Quantity(1140, unit, "r", printed="1140")) for unit in units
    ]

    assert shown == [text.replace(" ", NO_BREAK) for text in written]


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("ja", ("1,140 枚/秒", "1,140 系列/秒", "1,140 秒", "1,140 W", "1,140%")),
        ("zh-Hans", ("1,140 张/秒", "1,140 序列/秒", "1,140 秒", "1,140 W", "1,140%")),
    ],
)
def test_japanese_and_chinese_units_never_wrap(code, written):
    units = ("img/s", "seq/s", "s", "W", "%")
    shown = [
        load(code).quantity(Quantity(1140, unit, "r", printed="1140")) for unit in units
    ]

    assert shown == [text.replace(" ", NO_BREAK) for text in written]


def test_chinese_writes_symbols_where_cldr_spells_units_out():
    assert [load("zh-Hans").unit(token) for token in ("W", "J", "GB")] == [
        "W",
        "J",
        "GB",
    ]


def test_units_stand_alone_in_headings():
    assert [load("de").unit(token) for token in ("s", "img/s", "W")] == [
        "s",
        "Bilder/s",
        "W",
    ]


@pytest.mark.parametrize("code", ["en", "de", "fr", "ko", "ja", "zh-Hans", "ar", "pl"])
def test_no_unit_shows_an_identifier_or_breaks_from_its_number(code):
    shown = [other(code).measure("5", token) for token in TOKENS]
    shown += [other(code).bytes(n) for n in (2**36, 3 * 2**40, 300 * 2**20)]

    assert not [text for text in shown if re.search(r"[a-z]+-[a-z]+", text)]
    assert not [text for text in shown if " " in text or "\ufffd" in text]


def test_memory_is_written_as_vendors_do():
    assert load("en").bytes(64 * 2**30) == f"64{NO_BREAK}GB"
    assert load("fr").bytes(64 * 2**30) == f"64{NARROW}Go"
    assert load("ko").bytes(64 * 2**30) == "64GB"
    assert load("de").bytes(1536 * 2**30) == f"1,5{NO_BREAK}TB"


EVERY = ("en", "de", "fr", "ko", "ja", "zh-Hans", "zh-Hant", "pt-BR", "es", "nb", "he")


def choose(*requested: str, **environ: str) -> tuple[str, ...]:
    return language_choice.choose(EVERY, requested, environ)


def test_english_is_first_of_the_languages_there_are():
    assert language.available()[0] == "en"
    shipped = {"de", "fr", "ko", "es", "pt-BR", "ja", "zh-Hans"}
    assert shipped <= set(language.available())


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de_AT.UTF-8@euro", "de"),
        ("de-AT", "de"),
        ("de-u-nu-latn", "de"),
        ("pt", "pt-BR"),
        ("pt-PT", "pt-BR"),
        ("zh-TW", "zh-Hant"),
        ("zh-HK", "zh-Hant"),
        ("zh_CN", "zh-Hans"),
        ("zh", "zh-Hans"),
        ("no", "nb"),
        ("iw", "he"),
        ("es-419", "es"),
    ],
)
def test_a_tag_finds_the_closest_language(asked, found):
    assert choose(asked) == (found,)


def test_several_languages_are_asked_for_with_commas_or_repeats():
    assert choose("de,fr", "ko", "de") == ("de", "fr", "ko")


def test_all_means_every_language():
    assert choose("all") == EVERY


@pytest.mark.parametrize("unknown", ["xx", "tlh", "de;rm -rf", "c++", "zh-Latn"])
def test_an_unknown_request_is_an_error_that_lists_what_there_is(unknown):
    with pytest.raises(UsageError, match=r"there are en, de, fr"):
        choose("de", unknown)


def test_the_environment_chooses_in_its_usual_order():
    assert choose(BENCHDB_LANG="ko", LC_ALL="de_DE", LANG="fr_FR") == ("ko",)
    assert choose(LC_ALL="de_DE.UTF-8", LANG="fr_FR") == ("de",)
    assert choose(LC_MESSAGES="fr_FR", LANG="de_DE") == ("fr",)
    assert choose(LC_ALL="", LANG="ja_JP") == ("ja",)


@pytest.mark.parametrize("value", ["C", "POSIX", "C.UTF-8", "tlh", "nonsense!"])
def test_an_unknown_environment_means_english_without_complaint(value):
    assert choose(LC_ALL=value, LANG="de_DE") == ("en",)


def test_nothing_said_means_english():
    assert choose() == ("en",)


def test_negotiation_uses_the_catalogues_that_exist():
    assert language.negotiate([], {"LANG": "ko_KR.UTF-8"}) == ("ko",)


def test_a_language_knows_its_own_name_and_direction():
    assert [load(code).name for code in ("de", "fr", "ko")] == [
        "Deutsch",
        "Français",
        "한국어",
    ]
    assert load("ko").direction == "ltr"


def test_spanish_and_portuguese_name_themselves():
    assert [load(code).name for code in ("es", "pt-BR")] == [
        "Español",
        "Português (Brasil)",
    ]
    assert language.negotiate([], {"LANG": "pt_BR.UTF-8"}) == ("pt-BR",)
    assert language.negotiate(["es-MX,pt-PT"], {}) == ("es", "pt-BR")


def test_japanese_and_chinese_name_themselves():
    assert [load(code).name for code in ("ja", "zh-Hans")] == ["日本語", "简体中文"]
    assert language.negotiate([], {"LANG": "ja_JP.UTF-8"}) == ("ja",)
    assert language.negotiate(["zh-CN,ja-JP"], {}) == ("zh-Hans", "ja")


def test_a_language_lies_where_translators_expect_it():
    path = language.catalogue_path("zh-Hans")

    assert path.parts[-3:] == ("zh_Hans", "LC_MESSAGES", "benchdb.po")
    assert isinstance(path, Path)
