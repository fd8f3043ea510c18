"""The sentences of a report say what its rows say, and no more."""

import re
from dataclasses import replace

import pytest

from benchdb.report.language import available, load
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Answer
from benchdb.report.wording import sentences as wording
from tests import view_fixture

EN = load("en")
REPORT = view_fixture.report()
SECTIONS = (
    "glance",
    "metal",
    "ranking",
    "distance",
    "values",
    "machines",
    "notes",
    "how",
    "sources",
)


def with_metal(**facts: object):
    answer = Answer("metal", 2.0, 3.0, facts)
    return replace(REPORT, answers=(answer,))


def test_ratios_are_times_as_fast_or_as_long():
    assert wording.verdict_text(EN, Ratio(3.46, "faster")) == "3.5× as fast"
    assert wording.verdict_text(EN, Ratio(1 / 6.78, "slower")) == "6.8× as long"


def test_unclear_ratios_claim_no_difference():
    assert wording.verdict_text(EN, Ratio(1.04, "even")) == "no clear difference"
    assert wording.verdict_text(EN, Ratio(1.3, "unclear")) == "no clear difference"
    assert wording.verdict_text(EN, None) == ""


def test_unlike_ratios_are_marked():
    unlike = ("precision",)

    fast = wording.verdict_text(EN, Ratio(3.46, "faster", differs=unlike))
    slow = wording.verdict_text(EN, Ratio(0.5, "slower", differs=unlike))

    assert (fast, slow) == ("≠ 3.5× as fast", "≠ 2.0× as long")


def test_the_verdict_word_and_the_factor_agree_below_one():
    assert wording.verdict_text(load("de"), Ratio(0.5, "slower")) == "2,0× so lange"


@pytest.mark.parametrize("code", available())
def test_no_sentence_counts_speed_in_per_cent(code):
    language = load(code)
    said = [wording.lead(language, REPORT)]
    said += [wording.answer_text(language, answer) for answer in REPORT.answers]
    said += [wording.section_lead(language, REPORT, name) for name in SECTIONS]

    assert not [text for text in said if "%" in text]


def test_metal_pays_off_for_large_networks_only_when_the_rows_say_so():
    assert wording.section_title(EN, REPORT, "metal") == (
        "Metal pays off for large networks, not for small ones"
    )


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        ({"pays": ["LSTM"]}, "Metal pays off for every workload measured"),
        ({"hurts": ["LSTM"]}, "Metal pays off for none of the workloads measured"),
        (
            {"pays": ["LSTM"], "even": ["ResNet-50"]},
            "Metal pays off for some workloads, not for others",
        ),
        (
            {"pays": ["ResNet-50"], "hurts": ["MobileNetV2"]},
            "Metal pays off for some workloads, not for others",
        ),
        (
            {"pays": ["ResNet-50"], "mixed": ["LSTM"]},
            "Metal pays off for large networks, not for small ones",
        ),
        ({}, "With and without Metal"),
    ],
)
def test_the_metal_heading_follows_the_answer(facts, title):
    assert wording.section_title(EN, with_metal(**facts), "metal") == title


def test_the_ranking_heading_names_the_best_like_system():
    assert wording.section_title(EN, REPORT, "ranking") == (
        "M1 Ultra · Metal trains fastest of 6 systems under like conditions"
    )


def test_a_flagged_system_never_heads_the_ranking():
    assert REPORT.ranking is not None
    flagged = next(
        row
        for row in REPORT.ranking.rows
        if row.system.chip == "M1 Pro" and row.system.device == "cpu"
    )
    best = replace(flagged, mean=Ratio(99, "faster"))
    rows = (best, *REPORT.ranking.rows)
    report = replace(REPORT, ranking=replace(REPORT.ranking, rows=rows))

    assert wording.section_title(EN, report, "ranking") == "Ranking"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_an_empty_report_has_a_title(section):
    empty = view_fixture.empty()

    assert wording.section_title(EN, empty, section)
    assert "%(" not in wording.section_lead(EN, empty, section)


def test_the_lead_names_chips_and_reference():
    assert wording.lead(EN, REPORT) == (
        "Deep-learning training on M1, M1 Pro, M1 Max, and M1 Ultra, with and without "
        "Metal, next to a GeForce RTX 3090."
    )
    alone = replace(REPORT, distance=None)
    assert wording.lead(EN, alone).endswith("with and without Metal.")
    assert "no measurements" in wording.lead(EN, view_fixture.empty())


def test_many_chips_are_counted_instead_of_named():
    assert REPORT.metal is not None
    row = REPORT.metal.groups[0].rows[0]
    rows = tuple(replace(row, chip=f"M{n}") for n in range(9))
    group = replace(REPORT.metal.groups[0], rows=rows)
    report = replace(REPORT, metal=replace(REPORT.metal, groups=(group,)))

    assert wording.lead(EN, report).startswith("Deep-learning training on 9 chips")


def test_without_metal_the_lead_names_ranked_or_listed_chips():
    ranked = replace(REPORT, metal=None)
    listed = replace(ranked, ranking=None)

    assert "M1 Ultra" in wording.lead(EN, ranked)
    assert "Example CPU" in wording.lead(EN, listed)


def test_headlines_carry_their_range():
    metal, mac, distance, here = REPORT.answers

    assert wording.answer_big(EN, metal) == "2.9–13.1×"
    assert wording.answer_big(EN, mac) == "5.5×"
    assert wording.answer_big(EN, distance) == "≠"
    assert wording.answer_big(EN, here) == "≠"


def test_a_headline_without_a_like_figure_says_what_differs():
    text = wording.answer_text(EN, REPORT.answers[2])

    assert text == (
        "No like-for-like figure: the GeForce RTX 3090 and the M1 Max differ in "
        "precision and compiler."
    )


def test_flagged_figures_alone_make_no_headline():
    for answer in REPORT.answers[2:]:
        flagged = replace(answer, facts={**answer.facts, "differs": []})

        assert wording.answer_big(EN, flagged) == "–"
        assert "carries a note" in wording.answer_text(EN, flagged)


def test_metal_that_only_hurts_is_a_no():
    lost = {"hurts": ["LSTM"], "hurts_low": 6.8, "hurts_high": 8.0}
    facts = {**lost, "chips": 1, "frameworks": ["torch"], "single": True}
    answer = Answer("metal", None, None, facts)

    assert wording.answer_big(EN, answer) == "No"
    assert wording.answer_text(EN, answer) == (
        "6.8–8.0× as long with Metal: LSTM. Measured with PyTorch on 1 chip. "
        "One run each."
    )


def test_like_headlines_read_on_from_their_number():
    facts = {"reference": "RTX 3090", "system": "M1 Max", "differs": [], "workloads": 1}
    own = {**REPORT.answers[3].facts, "differs": []}

    assert wording.answer_text(EN, Answer("distance", 5.7, 8.9, facts)) == (
        "as fast as the M1 Max is the RTX 3090, on 1 workload."
    )
    assert wording.answer_text(EN, Answer("here", 0.5, 0.5, own)) == (
        "as fast as the M1 is this machine (Example CPU · CPU): LSTM."
    )
    assert "not enough" in wording.answer_text(EN, Answer("mac", None, None, {}))


def test_a_single_rival_needs_no_others():
    facts = {"best": "M2", "baseline": "M1", "others": [], "workloads": 3}

    assert wording.answer_text(EN, Answer("mac", 2.0, 2.0, facts)) == (
        "as fast as the M1: the M2. With Metal, geometric mean of 3 workloads."
    )


def test_counts_and_dates_come_from_the_report():
    assert wording.counts(load("de"), REPORT) == (
        "41 Messwerte",
        "9 Systeme",
        "3 Quellen",
    )
    assert wording.as_of(EN, REPORT) == "Newest measurement: November 20, 2026"
    assert wording.as_of(EN, view_fixture.empty()) == ""


def test_missing_figures_say_so_in_words():
    assert wording.missing_text(EN, None) == "not measured"
    assert wording.missing_text(EN, "8 GB", "oom") == "out of memory: 8 GB"
    assert wording.missing_text(EN, "a dash", "ok") == "not measured: a dash"


def test_differing_conditions_are_named():
    assert wording.differs_text(EN, ("precision", "batch")) == (
        "Not like for like: precision and batch size differ."
    )
    assert wording.differs_text(EN, ()) == ""
    assert wording.condition(EN, "moon phase") == "moon phase"


def test_unknown_tokens_stay_readable():
    assert wording.metric_text(EN, "odd_new_metric") == "odd new metric"
    assert wording.label_text(EN, "odd") == "odd"
    assert wording.status_text(EN, "odd") == "odd"
    assert wording.framework_text(EN, "torch 2.13.0") == "PyTorch 2.13.0"


def test_german_and_korean_and_french_read_as_natives_write():
    answer = REPORT.answers[0]

    assert wording.answer_text(load("de"), answer).startswith(
        "so schnell mit Metal wie ohne: ResNet-50, MobileNetV2 und DistilBERT."
    )
    assert wording.answer_text(load("fr"), answer).startswith(
        "la vitesse sans Metal\u00a0: ResNet-50, MobileNetV2 et DistilBERT."
    )
    assert "MobileNetV2 및 DistilBERT" in wording.answer_text(load("ko"), answer)


def test_spanish_and_portuguese_read_as_natives_write():
    answer = REPORT.answers[0]

    assert wording.answer_text(load("es"), answer).startswith(
        "tan rápido con Metal como sin Metal: ResNet-50, MobileNetV2 y DistilBERT."
    )
    assert wording.answer_text(load("pt-BR"), answer).startswith(
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

    assert wording.verdict_text(language, Ratio(3.46, "faster")) == fast
    assert wording.verdict_text(language, Ratio(0.5, "slower")) == long


def test_japanese_and_chinese_read_as_natives_write():
    answer = REPORT.answers[0]

    assert wording.answer_text(load("ja"), answer).startswith(
        "Metalなしに対するMetal使用時の速さ：ResNet-50、MobileNetV2、DistilBERT。"
    )
    assert wording.answer_text(load("zh-Hans"), answer).startswith(
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

    assert wording.verdict_text(language, Ratio(3.46, "faster")) == fast
    assert wording.verdict_text(language, Ratio(0.5, "slower")) == long


def test_korean_uses_no_bare_particle_after_a_name():
    korean = load("ko")
    names = [f"X{n}" for n in range(3)]
    metal = Answer("mac", 2.0, 2.0, {"best": names[0], "baseline": names[1]})

    text = wording.answer_text(korean, metal)

    assert not re.search(r"X\d(은|는|이|가|을|를|과|와)(?![(와과가는를])", text)
