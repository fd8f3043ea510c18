"""The answers at a glance: a number, and what it is a number of."""

from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.view.page import Answer
from benchdb.report.wording import answers
from tests import view_fixture

EN = load("en")
REPORT = view_fixture.report()


def test_unlike_figures_bound_the_answer_and_say_how_they_were_computed():
    text = answers.answer_text(EN, REPORT.answers[2])

    assert text == (
        "as fast as the M1 Max (fp32, graph) is the GeForce RTX 3090 (fp16-mixed, "
        "XLA), on 3 workloads. Not like for like. Differences: precision and "
        "compiler. As published. One run each."
    )


def test_a_power_limit_that_is_stored_stands_beside_its_card():
    known = {**REPORT.answers[2].facts, "reference_limit": 400.0}
    limited = replace(REPORT.answers[2], facts=known)
    like = replace(limited, bounded=False)

    assert "(fp16-mixed, XLA, 400 W limit)" in spaced(limited)
    assert "is the GeForce RTX 3090 (400 W limit), on" in spaced(like)


def spaced(answer: Answer) -> str:
    return answers.answer_text(EN, answer).replace("\u00a0", " ")


def test_a_bounded_answer_is_rounded_to_two_digits():
    rough = replace(REPORT.answers[2], low=1.0891, high=116.2)

    assert answers.answer_big(EN, rough) == "≈ 1.1–120×"
    assert answers.answer_big(EN, replace(rough, bounded=False)) == "1.09–116×"


def test_what_was_left_out_is_counted():
    facts = {"hurts": ["LSTM"], "hurts_low": 2.0, "hurts_high": 3.0}
    answer = Answer("metal", None, None, {**facts, "flagged": 3, "insufficient": 1})

    assert answers.answer_text(EN, answer) == (
        "2.0–3.0× as long with Metal: LSTM. 3 flagged pairs left out. 1 pair without "
        "enough evidence left out."
    )


def test_without_a_figure_that_may_lead_there_is_no_headline():
    for kind in ("distance", "watt", "here", "metal"):
        facts = {**REPORT.answers[2].facts, **REPORT.answers[3].facts, "workloads": []}
        answer = Answer(kind, None, None, {**facts, "differs": []})

        assert answers.answer_big(EN, answer) == "–"
        assert "enough evidence for a headline" in answers.answer_text(EN, answer)


def test_metal_that_only_hurts_is_a_no():
    lost = {"hurts": ["LSTM"], "hurts_low": 6.8, "hurts_high": 8.0}
    facts = {**lost, "chips": 1, "frameworks": ["torch"], "single": True}
    answer = Answer("metal", None, None, facts)

    assert answers.answer_big(EN, answer) == "No"
    assert answers.answer_text(EN, answer) == (
        "6.8–8.0× as long with Metal: LSTM. Measured with PyTorch on 1 chip. "
        "One run each."
    )


def test_what_is_unclear_is_told_with_its_range():
    ranges = {"LSTM": [0.72, 1.29]}
    facts: dict[str, object] = {"unclear": ["LSTM"], "ranges": ranges}

    assert answers.answer_text(EN, Answer("metal", None, None, facts)) == (
        "No clear answer: LSTM (0.72–1.29×)."
    )


def test_like_headlines_read_on_from_their_number():
    facts = {"reference": "RTX 3090", "system": "M1 Max", "differs": [], "workloads": 1}
    own = {**REPORT.answers[3].facts, "differs": []}

    assert answers.answer_text(EN, Answer("distance", 5.7, 8.9, facts)) == (
        "as fast as the M1 Max is the RTX 3090, on 1 workload."
    )
    assert answers.answer_text(EN, Answer("here", 0.5, 0.5, own)) == (
        "as fast as the M1 is this machine (Example CPU · CPU): LSTM."
    )
    assert "not enough" in answers.answer_text(EN, Answer("mac", None, None, {}))


def test_a_mean_stands_with_its_range():
    assert answers.answer_text(EN, REPORT.answers[1]) == (
        "as fast as the M1: the M1 Ultra. With Metal, geometric mean of 4 workloads. "
        "From workload to workload: 1.5–9.7×. The others: M1 Max 3.3× (1.2–5.1×) and "
        "M1 Pro 0.88–2.7×."
    )


def test_a_range_across_one_has_no_mean():
    facts = {"best": "M2", "baseline": "M1", "others": [], "workloads": 3}
    mixed = Answer("mac", 0.8, 2.0, {**facts, "mean": None, "spread": [0.8, 2.0]})

    assert answers.answer_big(EN, mixed) == "0.80–2.0×"
    assert answers.answer_text(EN, mixed) == (
        "as fast as the M1: the M2. With Metal, the range over the workloads; no mean, "
        "for the order changes from one to another."
    )
