"""What is said of work per joule: who leads, and why nobody does."""

import pytest

from benchdb.report.language import load
from benchdb.report.sections.efficiency import words
from benchdb.report.view.atoms import Reading
from benchdb.report.view.page import Answer
from benchdb.report.wording.answers import answer_big, answer_text, answer_title
from benchdb.report.wording.metrics import reading_text
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_lead,
    section_title,
)
from tests.power_runs import (
    CARD,
    M1,
    M2,
    M4,
    PEAK,
    SOC,
    counted,
    group_of,
    known_chips,
    read,
    section_of,
)
from tests.section_page import pages_of_one_store
from tests.summary_page import answers
from tests.view_fixture import empty

__all__ = ["pages_of_one_store"]

EN = load("en")


def test_a_mac_beside_a_card_is_the_headline(pages):
    report = pages.of(
        [
            read(M1, 100.0, 20.0),
            read(M2, 200.0, 25.0),
            read(CARD, 900.0, 300.0, device="cuda", device_name="GeForce RTX 3090"),
        ]
    )

    found = answers(report)["watt"]

    # 200 / 25 against 900 / 300.
    assert found.low == found.high == pytest.approx(8 / 3)
    assert [a.kind for a in report.answers] == ["mac", "watt"]
    assert answer_title(EN, found) == "And per watt?"
    assert answer_big(EN, found) == "2.7×"
    assert answer_text(EN, found) == (
        "as much work per joule as the GeForce RTX 3090: the M2, on 1 workload. "
        "By peak power, not by the mean. One run each."
    )
    assert section_title(EN, report, "efficiency") == (
        "M2 does more work per joule than GeForce RTX 3090"
    )


def test_less_work_per_joule_is_said_the_other_way_round(pages):
    report = pages.of([read(M1, 10.0, 20.0), read(CARD, 900.0, 300.0, device="cuda")])

    assert answers(report)["watt"].low == pytest.approx(1 / 6)
    assert section_title(EN, report, "efficiency") == (
        "GeForce RTX 3090 does more work per joule than M1"
    )


def test_like_figures_decide_who_is_compared(pages):
    card = read(CARD, 900.0, 300.0, PEAK, device="cuda")
    report = pages.of([read(M1, 100.0, 20.0), read(M2, 100.0, 10.0), card])

    section = section_of(report)

    assert known_chips(section) == ("M1", "M2")
    assert answers(report)["watt"].low == pytest.approx(2.0)


def test_unlike_power_readings_meet_in_no_headline(pages):
    report = pages.of([read(M1, 100.0, 20.0), *counted(M4, [4.0, 4.1])])

    found = answers(report)["watt"]

    assert (found.bounded, answer_big(EN, found)) == (True, "≈ 1.2×")
    assert "power" in str(found.facts["differs"])
    assert "power reading" in answer_text(EN, found)
    assert section_title(EN, report, "efficiency") == "Throughput and power"


def test_two_readings_of_unknown_scope_are_not_alike(pages):
    report = pages.of([read(M1, 100.0, 20.0, PEAK), read(M2, 200.0, 20.0, PEAK)])

    assert answers(report)["watt"].facts["differs"] == ["power"]
    assert reading_text(EN, group_of(report, "M1").reading) == (
        "peak power of unknown scope"
    )


def test_a_flagged_power_never_leads(pages):
    doubtful = read(M2, 200.0, 20.0, flags=[("outlier", SOC)])

    report = pages.of([read(M1, 100.0, 20.0), doubtful])

    found = answers(report)["watt"]
    assert (found.low, answer_big(EN, found)) == (None, "–")
    assert "free of notes" in answer_text(EN, found)
    assert "1 flagged pair left out." in answer_text(EN, found)
    assert group_of(report, "M2").notes == ("a",)


def test_two_devices_of_one_chip_are_told_apart_by_name(pages):
    report = pages.of([read(M1, 100.0, 20.0), read(M1, 20.0, 10.0, device="cpu")])

    assert answer_text(EN, answers(report)["watt"]).startswith(
        "as much work per joule as the M1 · CPU: the M1 · Metal, on 1 workload."
    )
    assert section_title(EN, report, "efficiency") == (
        "M1 · Metal does more work per joule than M1 · CPU"
    )


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (Reading("mean", "board"), "mean power of the card"),
        (Reading("mean", "module"), "mean power of the module"),
        (Reading("mean", None), "mean power of unknown scope"),
        (Reading("peak", "chip"), "peak power of the chip"),
        (Reading("peak", "gpu"), "peak power of the GPU"),
    ],
)
def test_a_reading_says_its_time_and_its_scope(reading, said):
    assert reading_text(EN, reading) == said


def test_the_chart_is_described_with_the_numbers_of_every_system(pages):
    report = pages.of([read(M1, 100.0, 20.0), read(M1, 30.0, 10.0, workload="lstm")])

    assert chart_alt(EN, report, "efficiency").replace("\u00a0", " ") == (
        "M1 · Metal, peak power of the chip: 10.0–20.0 W, 3.00 seq/J and 5.00 img/J."
    )


def test_work_per_joule_reads_on_from_its_number():
    facts = {
        "reference": "RTX 3090",
        "reference_device": "cuda",
        "system": "M1 Max",
        "device": "metal",
        "differs": [],
        "workloads": 4,
    }
    answer = Answer("watt", 1.1, 1.6, facts)

    assert answer_title(EN, answer) == "And per watt?"
    assert answer_big(EN, answer) == "1.1–1.6×"
    assert answer_text(EN, answer) == (
        "as much work per joule as the RTX 3090: the M1 Max, on 4 workloads."
    )


def test_power_that_was_read_otherwise_is_named_as_what_differs():
    facts = {
        "reference": "RTX 3090",
        "reference_with": ["fp32"],
        "system": "M1 Max",
        "system_with": ["fp32"],
        "differs": ["power"],
        "published": True,
        "readings": [{"kind": "peak", "scope": None}, {"kind": "mean", "scope": "gpu"}],
    }

    answer = Answer("watt", 1.09, 1.62, {**facts, "workloads": 4}, bounded=True)

    assert answer_big(EN, answer) == "≈ 1.1–1.6×"
    assert answer_text(EN, answer) == (
        "as much work per joule as the RTX 3090 (fp32): the M1 Max (fp32), on 4 "
        "workloads. Power reading: peak power of unknown scope and mean power of "
        "unknown scope. Not like for like. Differences: power reading. As published."
    )


def test_without_power_there_is_little_to_say():
    report = empty()

    assert section_title(EN, report, "efficiency") == "Throughput and power"
    assert section_lead(EN, report, "efficiency") == ""
    assert runs_text(EN, report, "efficiency") == ""
    assert chart_alt(EN, report, "efficiency") == ""


def test_a_peak_is_told_to_be_none_of_the_mean(pages):
    section = section_of(pages.of([read(M1, 100.0, 20.0)]))

    (remark,) = words.chart_remarks(EN, section)

    assert remark.startswith("A peak lies above the mean")
