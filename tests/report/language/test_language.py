"""Figures, units, lists and dates as CLDR writes them; which language is taken."""

import re
from pathlib import Path

import pytest
from babel import Locale

from benchdb.errors import BenchdbError, UsageError
from benchdb.report import language
from benchdb.report.language import Language, load, significant_decimals
from benchdb.report.language import choice as language_choice
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.view.atoms import Quantity


def other(code: str) -> Language:
    """Return a locale that has no catalogue yet, with messages in English."""
    locale = Locale.parse(code, sep="-")
    english = load("en").catalogue
    direction = "rtl" if locale.text_direction == "rtl" else "ltr"
    return Language(code, code, direction, locale, english)  # type: ignore[arg-type]


NO_BREAK, NARROW, TILDE = "\u00a0", "\u202f", "\N{FULLWIDTH TILDE}"
LRI, RLI, PDI = "\u2066", "\u2067", "\u2069"
GIB = 2**30
EVERY = ("en", "de", "fr", "ko", "ja", "zh-Hans", "zh-Hant", "pt-BR", "es", "nb", "he")
CHIPS = ["M1", "M1 Pro", "M1 Max"]
EXACT = Quantity(4165.48, "s", "r", printed="4165.48")
TOKENS = ("s", "img/s", "seq/s", "product/s", "epoch/h", "W", "J", "TFLOPS", "GB/s")

# The method of a language, what it gets, and what it writes by language.
WRITTEN = [
    (
        *("number", (1234567.5, 1)),
        {
            "en": "1,234,567.5",
            "de": "1.234.567,5",
            "fr": f"1{NARROW}234{NARROW}567,5",
            "de-CH": "1’234’567.5",
            "hi": "12,34,567.5",
            "ko": "1,234,567.5",
            "ar": "1,234,567.5",
        },
    ),
    # Spanish and Italian group only from five digits.
    ("number", (1100,), {"es": "1100", "it": "1100"}),
    ("number", (11000,), {"es": "11.000", "it": "11.000"}),
    # Printed figures keep every digit; what is no plain figure stays.
    ("quantity", (Quantity(0, "", "r", printed="91.80"),), {"de": "91,80"}),
    ("quantity", (Quantity(0, "", "r", printed="1100"),), {"de": "1.100"}),
    ("quantity", (Quantity(0, "", "r", printed="0.007"),), {"de": "0,007"}),
    ("quantity", (Quantity(0, "", "r", printed="-1.50"),), {"de": "-1,50"}),
    ("quantity", (Quantity(0, "", "r", printed="1:09:25.48"),), {"de": "1:09:25.48"}),
    ("percent", (0.1234,), {"de": f"12{NO_BREAK}%", "es": f"12{NO_BREAK}%"}),
    ("percent", (0.1234,), {"ko": "12%", "ja": "12%", "zh-Hans": "12%"}),
    ("percent", (0.1234, 1), {"fr": f"12,3{NO_BREAK}%", "pt-BR": "12,3%"}),
    # Significant digits never round whole numbers.
    ("significant", (1234.5,), {"en": "1,235"}),
    ("significant", (59.91,), {"en": "59.9"}),
    ("significant", (4.9724,), {"en": "4.97"}),
    ("significant", (0.0071,), {"en": "0.00710"}),
    ("significant", (0,), {"en": "0"}),
    ("times", (3.46,), {"de": "3,5×", "ja": "3.5倍", "zh-Hans": f"3.5{NO_BREAK}倍"}),
    (*("times_range", (2.87, 13.07)), {"de": "2,9–13,1×", "ja": f"2.9{TILDE}13.1倍"}),
    # A range whose ends read the same is one factor.
    ("times_range", (2.001, 2.002), {"de": "2,0×", "zh-Hans": f"2.0{NO_BREAK}倍"}),
    ("times_range", (0.997, 1.003), {"de": "1,0×"}),
    # A figure is shown as printed, or rounded, never finer than printed.
    ("quantity", (EXACT,), {"de": f"4.165,48{NO_BREAK}s"}),
    ("compact", (EXACT,), {"de": f"4.165{NO_BREAK}s"}),
    ("quantity", (Quantity(1141.11, "s", "r"),), {"de": f"1.141{NO_BREAK}s"}),
    (
        *("compact", (Quantity(19, "seq/s", "r", printed="19"),)),
        {"en": f"19{NO_BREAK}seq/s"},
    ),
    (
        *("quantity", (Quantity(140, "img/s", "r", printed="140"),)),
        {
            "en": f"140{NO_BREAK}img/s",
            "de": f"140{NO_BREAK}Bilder/s",
            "fr": f"140{NO_BREAK}images/s",
            "ko": "140장/초",
        },
    ),
    (
        *("date", ("2026-11-21T10:00:00Z",)),
        {
            "de": "21. November 2026",
            "ko": "2026년 11월 21일",
            "es": "21 de noviembre de 2026",
            "pt-BR": "21 de novembro de 2026",
            "ja": "2026年11月21日",
            "zh-Hans": "2026年11月21日",
        },
    ),
    ("date", ("2026-11-21",), {"de": "21. November 2026"}),
    # Chinese writes symbols where CLDR spells units out.
    *(("unit", (token,), {"zh-Hans": token}) for token in ("W", "J", "GB")),
    *(("unit", (token,), {"de": token}) for token in ("s", "W")),
    ("unit", ("img/s",), {"de": "Bilder/s"}),
    # Memory is written as vendors do.
    (
        *("bytes", (64 * GIB,)),
        {"en": f"64{NO_BREAK}GB", "fr": f"64{NARROW}Go", "ko": "64GB"},
    ),
    ("bytes", (1536 * GIB,), {"de": f"1,5{NO_BREAK}TB"}),
    (
        *("listing", (CHIPS,)),
        {
            "en": "M1, M1 Pro, and M1 Max",
            "de": "M1, M1 Pro und M1 Max",
            "pt-BR": "M1, M1 Pro e M1 Max",
            "es": "M1, M1 Pro y M1 Max",
            "zh-Hans": "M1、M1 Pro 和 M1 Max",
            "ja": "M1、M1 Pro、M1 Max",
        },
    ),
    # Spanish lists end in e before the sound of i.
    ("listing", (["Ana", "Inés"],), {"es": "Ana e Inés"}),
    ("listing", (["Ana", "Luis", "Íñigo"],), {"es": "Ana, Luis e Íñigo"}),
    ("listing", (["Ana", "Hilario"],), {"es": "Ana e Hilario"}),
    ("listing", (["hielo", "hierro"],), {"es": "hielo y hierro"}),
    (
        *("listing", (["ResNet-50", "ResNet-50 y y"],)),
        {"es": "ResNet-50 y ResNet-50 y y"},
    ),
    ("listing", (["Inception"],), {"es": "Inception"}),
    # Chinese lists set Latin names off.
    (
        *("listing", (["M1「2.0倍」", "M1 Pro「3.3倍」"],)),
        {"zh-Hans": "M1「2.0倍」和 M1 Pro「3.3倍」"},
    ),
    ("listing", (["批大小", "编译器", "精度"],), {"zh-Hans": "批大小、编译器和精度"}),
    (*("listing", (["PyTorch", "未注明框架"],)), {"zh-Hans": "PyTorch 和未注明框架"}),
    ("listing", (["M1和M2", "M1"],), {"zh-Hans": "M1和M2 和 M1"}),
    ("listing", (["M1"],), {"zh-Hans": "M1", "he": f"{LRI}M1{PDI}"}),
    ("listing", ([],), {"es": "", "zh-Hans": ""}),
    ("isolate", ("M1 Pro",), {"ar": f"{LRI}M1 Pro{PDI}", "de": "M1 Pro"}),
    ("sentences", (["一。", "", "二。"],), {"ja": "一。二。"}),
    ("sentences", (["Why?", "一。", "二。"],), {"zh-Hans": "Why? 一。二。"}),
    ("sentences", (["Eins.", "", "Zwei."],), {"de": "Eins. Zwei."}),
]


@pytest.mark.parametrize(
    ("code", "method", "given", "written"),
    [
        (code, method, given, written)
        for method, given, by_code in WRITTEN
        for code, written in by_code.items()
    ],
)
def test_each_language_writes_as_its_readers_do(code, method, given, written):
    spoken = load(code) if code in language.available() else other(code)

    assert getattr(spoken, method)(*given) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((3.46, "3.5×"), (99.94, "99.9×"), (99.96, "100×"), (150.4, "150×")),
        *((1234, "1,234×"), (1, "1.0×"), (0.996, "1.0×"), (1.0049, "1.0×")),
        *((1.005, "1.01×"), (1.0355, "1.04×"), (1.0949, "1.09×"), (1.095, "1.1×")),
        *((0.968, "0.97×"), (0.13, "0.13×"), (0.0509, "0.051×")),
    ],
)
def test_factors_have_as_many_digits_as_matter(value, written):
    assert load("en").times(value) == written


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


def test_decimals_follow_the_rounded_value():
    given = (9.996, 0, float("nan"))
    assert [significant_decimals(value, 3) for value in given] == [1, 0, 0]


def test_the_environment_of_the_process_changes_nothing(monkeypatch):
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")

    assert load("de").times(3.46) == "3,5×"


@pytest.mark.parametrize(
    ("fact", "english", "arabic"),
    [
        ("a sentence", "a sentence", "a sentence"),
        (1234, "1,234", f"{LRI}1,234{PDI}"),
        (1.5, "1.50", f"{LRI}1.50{PDI}"),
        (Name("M1 Max"), "M1 Max", f"{LRI}M1 Max{PDI}"),
        (Times(2.5), "2.5×", f"{LRI}2.5×{PDI}"),
        (Times(2.0, 4.0), "2.0–4.0×", f"{LRI}2.0–4.0×{PDI}"),
        (Share(0.12), "12%", f"{LRI}12%{PDI}"),
        (Quantity(12.34, "GB", "a"), "12.3 GB", f"{RLI}{LRI}12.3{PDI} غ.ب{PDI}"),
        (["M1", "M2"], "M1 and M2", f"{LRI}M1{PDI} و{LRI}M2{PDI}"),
    ],
)
def test_an_argument_of_a_message_is_written_as_what_it_is(fact, english, arabic):
    assert load("en").written(fact).replace(NO_BREAK, " ") == english
    assert load("ar").written(fact).replace(NO_BREAK, " ") == arabic


def test_a_plural_has_its_number_without_being_told_twice():
    assert load("en").ngettext("%(n)s run", "%(n)s runs", 1200) == "1,200 runs"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", (", ", "; ")),
        ("fr", (", ", f"{NARROW}; ")),
        ("ja", ("、", "、")),
        ("zh-Hans", ("、", "\uff1b")),
    ],
)
def test_phrases_are_parted_as_the_script_does(code, written):
    assert (load(code).comma, load(code).semicolon) == written


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("es", "1140 imágenes/s, 1140 secuencias/s, 1140 s, 1140 W, 1140 %"),
        ("pt-BR", "1.140 imagens/s, 1.140 sequências/s, 1.140 s, 1.140 W, 1.140%"),
        ("ja", "1,140 枚/秒, 1,140 シーケンス/秒, 1,140 秒, 1,140 W, 1,140%"),
        ("zh-Hans", "1,140 张/秒, 1,140 序列/秒, 1,140 秒, 1,140 W, 1,140%"),
    ],
)
def test_units_never_wrap_apart_from_their_number(code, written):
    units = ("img/s", "seq/s", "s", "W", "%")
    figures = [Quantity(1140, unit, "r", printed="1140") for unit in units]

    assert [load(code).quantity(figure) for figure in figures] == [
        text.replace(" ", NO_BREAK) for text in written.split(", ")
    ]


@pytest.mark.parametrize("code", ["en", "de", "fr", "ko", "ja", "zh-Hans", "ar", "pl"])
def test_no_unit_shows_an_identifier_or_breaks_from_its_number(code):
    shown = [other(code).measure("5", token) for token in TOKENS]
    shown += [other(code).bytes(n) for n in (2**36, 3 * 2**40, 300 * 2**20)]

    assert not [text for text in shown if re.search(r"[a-z]+-[a-z]+", text)]
    assert not [text for text in shown if " " in text or "\ufffd" in text]


def choose(*requested: str, **environ: str) -> tuple[str, ...]:
    return language_choice.choose(EVERY, requested, environ)


def test_english_is_first_of_the_languages_there_are():
    assert language.available()[0] == "en"
    shipped = {"de", "fr", "ko", "es", "pt-BR", "ja", "zh-Hans"}
    assert shipped <= set(language.available())


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        *(("de", "de"), ("DE", "de"), ("de_AT.UTF-8@euro", "de"), ("de-AT", "de")),
        *(("de-u-nu-latn", "de"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"), ("no", "nb")),
        *(("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh_CN", "zh-Hans")),
        *(("zh", "zh-Hans"), ("iw", "he"), ("es-419", "es")),
    ],
)
def test_a_tag_finds_the_closest_language(asked, result):
    assert choose(asked) == (result,)


def test_several_languages_are_asked_for_with_commas_or_repeats():
    assert choose("de,fr", "ko", "de") == ("de", "fr", "ko")
    assert choose("all") == EVERY


@pytest.mark.parametrize("unknown", ["xx", "tlh", "de;rm -rf", "c++", "zh-Latn"])
def test_an_unknown_request_is_an_error_that_lists_what_there_is(unknown):
    with pytest.raises(UsageError, match=r"there are en, de, fr"):
        choose("de", unknown)


@pytest.mark.parametrize(
    ("environ", "result"),
    [
        ({"BENCHDB_LANG": "ko", "LC_ALL": "de_DE", "LANG": "fr_FR"}, "ko"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "fr_FR"}, "de"),
        ({"LC_MESSAGES": "fr_FR", "LANG": "de_DE"}, "fr"),
        ({"LC_ALL": "", "LANG": "ja_JP"}, "ja"),
        # What is unknown means English, without complaint.
        *(
            ({"LC_ALL": value, "LANG": "de_DE"}, "en")
            for value in ("C", "POSIX", "C.UTF-8", "tlh", "nonsense!")
        ),
        ({}, "en"),
    ],
)
def test_the_environment_chooses_in_its_usual_order(environ, result):
    assert choose(**environ) == (result,)


@pytest.mark.parametrize(
    ("asked", "environ", "result"),
    [
        ([], {"LANG": "ko_KR.UTF-8"}, ("ko",)),
        ([], {"LANG": "pt_BR.UTF-8"}, ("pt-BR",)),
        ([], {"LANG": "ja_JP.UTF-8"}, ("ja",)),
        (["es-MX,pt-PT"], {}, ("es", "pt-BR")),
        (["zh-CN,ja-JP"], {}, ("zh-Hans", "ja")),
    ],
)
def test_negotiation_uses_the_catalogues_that_exist(asked, environ, result):
    assert language.negotiate(asked, environ) == result


@pytest.mark.parametrize(
    ("code", "name"),
    [
        *(("de", "Deutsch"), ("fr", "Français"), ("ko", "한국어"), ("es", "Español")),
        *(("pt-BR", "Português (Brasil)"), ("ja", "日本語"), ("zh-Hans", "简体中文")),
    ],
)
def test_a_language_knows_its_own_name_and_direction(code, name):
    assert (load(code).name, load(code).direction) == (name, "ltr")


def test_a_language_lies_where_translators_expect_it():
    path = language.catalogue_path("zh-Hans")

    assert path.parts[-3:] == ("zh_Hans", "LC_MESSAGES", "benchdb.po")
    assert isinstance(path, Path)


def test_a_message_that_cannot_be_filled_in_names_its_catalogue():
    with pytest.raises(BenchdbError, match=r"benchdb\.po: '%\(figur\)s' .*figure"):
        load("de").gettext("%(figur)s", figure="7")


def test_a_catalogue_that_is_none_is_one_line(tmp_path, monkeypatch):
    path = tmp_path / "benchdb.po"
    path.write_text('msgid "a"\nmsgstr "b\nwrong\n')
    monkeypatch.setattr(language, "catalogue_path", lambda _code: path)

    with pytest.raises(BenchdbError, match=r"benchdb\.po: "):
        load.__wrapped__("de")
