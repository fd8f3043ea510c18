"""Which language a report is written in, and what languages there are."""

from pathlib import Path

import pytest

from benchdb.errors import UsageError
from benchdb.report import language
from benchdb.report.language import choice as language_choice
from benchdb.report.language import load

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
