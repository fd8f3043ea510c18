"""The answers at a glance: a number, and what it is a number of."""

from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.view.page import Answer
from benchdb.report.wording import sentences as wording
from tests import view_fixture

EN = load("en")
REPORT = view_fixture.report()


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
