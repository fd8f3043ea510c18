"""How each language lists, parts and joins what it says."""

import pytest

from benchdb.report.language import load
from tests.locales import other


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
