"""The sentences in the languages that they are translated to."""

import re

import pytest

from benchdb.report.language import load
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Answer
from benchdb.report.wording import answers, terms
from tests import view_fixture

REPORT = view_fixture.report()


def test_german_and_korean_and_french_read_as_natives_write():
    answer = REPORT.answers[0]

    assert answers.answer_text(load("de"), answer).startswith(
        "so schnell mit Metal wie ohne: ResNet-50, MobileNetV2 und DistilBERT."
    )
    assert answers.answer_text(load("fr"), answer).startswith(
        "la vitesse sans Metal\u00a0: ResNet-50, MobileNetV2 et DistilBERT."
    )
    assert "MobileNetV2 및 DistilBERT" in answers.answer_text(load("ko"), answer)


def test_spanish_and_portuguese_read_as_natives_write():
    answer = REPORT.answers[0]

    assert answers.answer_text(load("es"), answer).startswith(
        "tan rápido con Metal como sin Metal: ResNet-50, MobileNetV2 y DistilBERT."
    )
    assert answers.answer_text(load("pt-BR"), answer).startswith(
        "tão rápido com Metal quanto sem Metal: ResNet-50, MobileNetV2 e DistilBERT."
    )


@pytest.mark.parametrize(
    ("code", "fast", "long"),
    [
        ("es", "3,5× tan rápido", "2,0× el tiempo"),
        ("pt-BR", "3,5× tão rápido", "2,0× o tempo"),
    ],
)
def test_ratios_stay_ratios_in_spanish_and_portuguese(code, fast, long):
    language = load(code)

    assert terms.verdict_text(language, Ratio(3.46, "faster")) == fast
    assert terms.verdict_text(language, Ratio(0.5, "slower")) == long


def test_japanese_and_chinese_read_as_natives_write():
    answer = REPORT.answers[0]

    assert answers.answer_text(load("ja"), answer).startswith(
        "Metalなしに対するMetal使用時の速さ：ResNet-50、MobileNetV2、DistilBERT。"
    )
    assert answers.answer_text(load("zh-Hans"), answer).startswith(
        "使用 Metal 相对于不使用时的速度：ResNet-50、MobileNetV2 和 DistilBERT。"
    )


@pytest.mark.parametrize(
    ("code", "fast", "long"),
    [
        ("ja", "3.5倍の速さ", "2.0倍の時間"),
        ("zh-Hans", "3.5\N{NO-BREAK SPACE}倍速度", "2.0\N{NO-BREAK SPACE}倍耗时"),
    ],
)
def test_ratios_stay_ratios_in_japanese_and_chinese(code, fast, long):
    language = load(code)

    assert terms.verdict_text(language, Ratio(3.46, "faster")) == fast
    assert terms.verdict_text(language, Ratio(0.5, "slower")) == long


def test_korean_uses_no_bare_particle_after_a_name():
    korean = load("ko")
    names = [f"X{n}" for n in range(3)]
    metal = Answer("mac", 2.0, 2.0, {"best": names[0], "baseline": names[1]})

    text = answers.answer_text(korean, metal)

    assert not re.search(r"X\d(은|는|이|가|을|를|과|와)(?![(와과가는를])", text)
