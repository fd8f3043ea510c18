"""Units and sizes the way each language writes them, never apart from their number."""

import re

import pytest

from benchdb.report.language import load
from benchdb.report.view.atoms import Quantity
from tests.locales import other

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
