"""Change points are where campaigns really changed, and next to never elsewhere."""

import math
import re

import msgspec
import numpy as np
import pytest

from benchdb.resources import folder
from benchdb.statistics.change_points import Change, changes, together
from benchdb.statistics.comparison import Sample, Spread, verdict
from benchmarks import change_points as simulated
from benchmarks.change_points import FIGURES, Noise
from benchmarks.promises import Table, markdown

DOCS = folder("schema").parent / "docs" / "statistics.md"
KNOWN = Spread(0.005, 0.01)
SMALL = Noise(0.01, 1.0)


def course(*levels: float, spread: Spread | None = KNOWN) -> list[Sample]:
    """Return campaigns of three processes around their levels."""
    turns = ((0.997, 1.0, 1.003), (1.002, 0.999, 0.999), (0.998, 1.003, 0.999))
    return [
        Sample((tuple(level * factor for factor in turns[n % 3]),), spread)
        for n, level in enumerate(levels)
    ]


def test_a_step_is_found_with_the_levels_on_both_sides():
    result = changes(course(100, 101, 100, 99, 110, 111, 110, 109))

    assert result == [Change(start=0, at=4, end=8)]


def test_several_steps_are_found_each_against_the_level_before_it():
    result = changes(course(*[100, 101, 100] * 3, *[120] * 6, *[100, 99, 100] * 2))

    assert result == [Change(0, 9, 15), Change(9, 15, 21)]


def test_a_course_and_its_inverse_change_at_the_same_places():
    rising = (100, 101, 100, 99, 110, 111, 110, 109)

    assert changes(course(*rising)) == changes(course(*(1 / it for it in rising)))


def test_what_is_faster_by_less_than_two_per_cent_is_no_change():
    still = [100.0, 100.1] * 10
    result = changes(course(*still, *(1.015 * level for level in still)))

    assert result == []


def test_one_campaign_out_of_the_ordinary_is_no_change():
    assert changes(course(100, 101, 100, 80, 99, 101, 100, 101)) == []


def test_the_newest_campaign_alone_may_be_a_change():
    level = (100.0, 101.0, 100.0, 99.0, 100.0, 101.0)

    assert changes(course(*level, 80.0)) == [Change(0, 6, 7)]
    # Where nobody knows what such work does from session to session, it may be chance.
    assert changes(course(*level, 80.0, spread=None)) == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_campaigns_have_no_change(count):
    assert changes(course(*[100.0, 100.5][:count])) == []


def test_equal_figures_are_no_change_and_no_division_by_zero():
    same = Sample(((100.0,),), None)

    assert changes([same] * 50) == []


def test_every_change_has_the_verdict_of_the_campaigns_on_both_sides():
    random = np.random.default_rng(4)
    texts = []
    for _ in range(40):
        logs = simulated.course(random, 30, Noise(0.02, 1.0))
        logs[10:20] += math.log(1.06)
        every = simulated.samples(logs, Noise(0.02, 1.0))
        for change in changes(every):
            before, after = (
                every[change.start : change.at],
                every[change.at : change.end],
            )
            texts.append(verdict([(together(after), together(before))]))
    assert len(texts) > 40
    assert set(texts) == {"faster", "slower"}


def test_a_candidate_that_the_judge_does_not_share_is_none_and_its_sides_are_one():
    asked: list[tuple[range, range]] = []

    def doubtful(before: range, after: range) -> str:
        asked.append((before, after))
        return "unclear" if before.start == 0 else "slower"

    result = changes(course(*[100.0] * 5, *[120.0] * 5, *[100.0] * 5), doubtful)

    assert result == []
    assert asked == [
        (range(5), range(5, 10)),
        (range(5, 10), range(10, 15)),
        (range(10), range(10, 15)),
    ]


def test_a_thousand_campaigns_are_judged_as_a_whole():
    random = np.random.default_rng(5)
    logs = simulated.course(random, 1000, SMALL)
    logs[400:] += math.log(1.05)

    (change,) = changes(simulated.samples(logs, SMALL))

    assert abs(change.at - 400) <= 1


def test_noise_is_seldom_called_a_change():
    random = np.random.default_rng(6)
    for noise in (Noise(0.03), Noise(0.03, 1.0)):
        for length in (3, 6, 10, 40):
            flags = [
                bool(
                    changes(
                        simulated.samples(
                            simulated.course(random, length, noise), noise
                        )
                    )
                )
                for _ in range(300)
            ]
            # 5 %, and three standard errors of so few courses.
            assert sum(flags) <= 300 * (0.05 + 3 * math.sqrt(0.05 * 0.95 / 300))


def test_three_campaigns_on_both_sides_show_a_step_of_five_per_cent():
    random, flags = np.random.default_rng(7), []
    for _ in range(300):
        logs = simulated.course(random, 6, SMALL)
        logs[3:] += math.log(1.05)
        flags.append(bool(changes(simulated.samples(logs, SMALL))))

    assert sum(flags) >= 270


def saved() -> list[Table]:
    return msgspec.json.decode(FIGURES.read_bytes(), type=list[Table])


def test_the_saved_rates_are_what_the_manual_says():
    text = DOCS.read_text(encoding="utf-8")
    noise, steps = saved()

    assert "\n".join(markdown(noise)) in text
    assert "\n".join(markdown(steps)) in text
    for words, row in noise.rows.items():
        assert "twice" in words or max(row) <= 5.5, words
    first = steps.columns.index("3 + 3")
    assert steps.rows["1 %, as their class"][first] >= 94


def test_the_program_prints_the_tables_that_were_saved(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(simulated, "FIGURES", tmp_path / "figures.json")
    monkeypatch.setattr(simulated, "LENGTHS", simulated.LENGTHS[:6])
    assert simulated.main(["--courses", "4", "--save"]) == 0

    printed = capsys.readouterr().out
    again = msgspec.json.decode(simulated.FIGURES.read_bytes(), type=list[Table])
    assert [table.title for table in again] == [table.title for table in saved()]
    assert all("\n".join(markdown(table)) in printed for table in again)
    assert re.search(r"\| 1 %, as their class \|", printed)
