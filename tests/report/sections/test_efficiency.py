"""Work per joule: which figures belong together, and which of them compare."""

import pytest
from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.site.answers.efficiency import words
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
from tests.report.power_runs import (
    CARD,
    FIT,
    M1,
    M2,
    M4,
    MEAN,
    PEAK,
    PER_JOULE,
    RATE,
    SOC,
    counted,
    group_of,
    known_chips,
    read,
    rows,
    section_of,
)
from tests.report.section_page import pages_of_one_store
from tests.summary_page import answers, known
from tests.view_fixture import empty

__all__ = ["pages_of_one_store"]

EN = load("en")


def test_out_of_a_published_power_follow_samples_per_joule(pages):
    run = read(M1, 55.8, 36.08, printed={FIT: "55.8 img/sec", SOC: "36.08W"})

    (row,) = rows(pages.of([run]))

    assert row.per_joule.value == pytest.approx(55.8 / 36.08)
    assert (row.per_joule.unit, row.per_joule.derived) == ("img/J", True)
    assert (row.power.printed, row.power.unit, row.power.derived) == (
        "36.08",
        "W",
        False,
    )
    assert (row.per_joule.n, row.per_joule.low) == (1, None)
    assert {row.rate.run, row.power.run, row.per_joule.run} == {row.rate.run}


def test_counted_joules_are_shown_as_counted_with_their_interval(pages):
    report = pages.of(counted(M4, [2.0, 2.1, 1.9]))

    (row,) = rows(report)

    assert row.per_joule.value == pytest.approx((2.0 * 2.1 * 1.9) ** (1 / 3))
    assert (row.per_joule.n, row.per_joule.derived) == (3, False)
    assert row.per_joule.low is not None
    assert row.per_joule.high is not None
    assert row.per_joule.low < row.per_joule.value < row.per_joule.high
    assert group_of(report, "M4").reading == Reading("mean", "soc_model")


def test_samples_per_joule_told_alone_give_the_power(pages):
    run = read(M1, 100.0, 4.0, PER_JOULE)

    (row,) = rows(pages.of([run]))

    assert (row.power.value, row.power.derived) == (25.0, True)
    assert (row.per_joule.value, row.per_joule.derived) == (4.0, False)


@pytest.mark.parametrize("watts", [None, 0.0, -5.0])
def test_no_power_is_no_zero(pages, watts):
    assert pages.of([read(M1, 100.0, watts)]).sections["efficiency"] is None


def test_a_process_without_power_leaves_its_cell_out(pages):
    first, second = counted(M4, [2.0, 2.1])
    second = replace(second, values={RATE: 100.0})

    assert pages.of([first, second]).sections["efficiency"] is None


def test_the_mean_is_preferred_to_a_peak_and_the_chip_to_its_gpu(pages):
    both = replace(
        read(M1, 100.0, 30.0),
        values={FIT: 100.0, "peak_gpu_power_watts": 10.0, SOC: 30.0, MEAN: 20.0},
    )

    (row,) = rows(pages.of([both]))

    assert row.power.value == 20.0


def test_one_system_alone_is_shown_and_answers_nothing(pages):
    report = pages.of([read(M1, 100.0, 20.0), read(M1, 9.0, 20.0, workload="lstm")])

    section = section_of(report)

    assert (section.reference, section.compared) == (None, None)
    assert [column.workload.name for column in section.columns] == ["lstm", "resnet50"]
    assert report.answers == ()
    assert runs_text(EN, report, "efficiency").startswith("One run per figure")


def test_of_several_batch_sizes_the_one_that_most_systems_ran_is_shown(pages):
    runs = [
        read(M1, 100.0, 20.0, batch_size=64),
        read(M1, 900.0, 20.0, batch_size=256),
        read(M2, 100.0, 10.0, batch_size=64),
        read(M4, 100.0, 10.0, batch_size=16),
    ]

    report = pages.of(runs)

    assert {row.batch_size for row in rows(report)} == {64, 16}
    assert [column.batch_size for column in section_of(report).columns] == [64]
    assert section_of(report).more == 1
    assert "1 more figure, of another" in words.chart_remarks(EN, section_of(report))[1]


def test_a_precision_that_others_have_is_shown_before_a_thriftier_one(pages):
    runs = [
        read(M1, 100.0, 20.0),
        read(M1, 300.0, 20.0, precision="fp16"),
        read(M2, 100.0, 10.0),
    ]

    assert {row.precision for row in rows(pages.of(runs))} == {"fp32"}


def test_work_that_one_system_did_stands_aside_where_others_share_some(pages):
    alone = read(M1, 100.0, 20.0, workload="lstm")

    report = pages.of([alone, read(M1, 100.0, 20.0), read(M2, 100.0, 10.0)])

    assert {row.workload.name for row in rows(report)} == {"resnet50"}
    assert section_of(report).more == 1


def test_systems_without_common_work_are_shown_and_not_compared(pages):
    report = pages.of([read(M1, 100.0, 20.0), read(M2, 9.0, 9.0, workload="lstm")])

    assert section_of(report).reference is None
    assert all(row.ratio is None for row in rows(report))
    assert len(rows(report)) == 2


def test_the_reference_does_less_per_joule_in_the_work_that_both_did(pages):
    runs = [
        read(M1, 20.0, 10.0),
        read(M1, 1000.0, 10.0, workload="lstm"),
        read(M2, 30.0, 10.0),
        read(M4, 1100.0, 10.0, workload="lstm"),
    ]

    assert known_chips(section_of(pages.of(runs))) == ("M1", "M2")


def test_a_card_is_the_reference_though_it_does_more_per_joule(pages):
    card = replace(CARD, gpu="NVIDIA A100")

    report = pages.of([read(M1, 10.0, 20.0), read(card, 900.0, 100.0, device="cuda")])

    assert known_chips(section_of(report)) == ("A100", "M1")


def test_a_missing_batch_size_stays_missing(pages):
    (row,) = rows(pages.of([read(M1, 100.0, 20.0, batch_size=None)]))

    assert row.batch_size is None


def test_ratios_are_those_of_the_samples_per_joule(pages):
    report = pages.of([*counted(M1, [1.0, 1.1]), *counted(M2, [3.0, 3.3])])

    ratio = known(group_of(report, "M2").rows[0].ratio)

    assert ratio.value == pytest.approx(3.0)
    assert (ratio.verdict, ratio.differs) == ("faster", ())
    assert "Ranges are 95%" in runs_text(EN, report, "efficiency")
    assert words.chart_remarks(EN, section_of(report)) == ()


def test_an_unheard_of_scope_is_an_unknown_one(pages):
    odd = counted(M1, [1.0], scope="the whole street")
    bare = counted(M2, [1.0], checks={"energy": "a lot"})

    report = pages.of([*odd, *bare])

    assert {group.reading for group in section_of(report).groups} == {
        Reading("mean", None)
    }


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
