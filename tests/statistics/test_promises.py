"""Intervals and verdicts keep their promise in simulated campaigns, all sizes alike.

The formulas over arrays are held against ``statistics.comparison`` first; then they
stand for it in as many campaigns as the limits ask for.
"""

import math
from itertools import product
from typing import get_args

import msgspec
import numpy as np
import pytest

from benchdb.resources import folder
from benchdb.statistics.comparison import (
    Fleet,
    Pair,
    Sample,
    Spread,
    estimate,
    verdict,
)
from benchdb.statistics.spreads import WorkClass
from benchmarks import promises
from benchmarks.campaigns import (
    EFFECTS,
    Sides,
    differing,
    half,
    half_of_machines,
    median_of_machines,
    side,
)
from benchmarks.promises import FIGURES, Table, markdown

MANY = 3000
# Where one side alone varies 5 % is what the t test gives: three standard errors more.
AT_MOST = 5 + 3 * 100 * math.sqrt(0.05 * 0.95 / MANY)
DOCS = folder("schema").parent / "docs" / "statistics.md"


def saved() -> list[Table]:
    return msgspec.json.decode(FIGURES.read_bytes(), type=list[Table])


def as_sample(logs, spread: Spread | None) -> Sample:
    return Sample(tuple(tuple(np.exp(log).tolist()) for log in logs), spread)


def really_differing(cell: Sides) -> list[bool]:
    """Ask ``benchdb.statistics.comparison`` of each campaign."""
    sides = zip(cell.first, cell.second, strict=True)
    pairs = (
        Pair(
            as_sample(first, cell.spreads[0]),
            as_sample(second, cell.spreads[1]),
            cell.same_session,
        )
        for first, second in sides
    )
    return [verdict([pair]) in ("faster", "slower") for pair in pairs]


@pytest.mark.parametrize("same_session", [True, False])
def test_the_arrays_say_what_the_functions_say_of_all_sizes(same_session):
    random = np.random.default_rng(1)
    known = Spread(0.02, 0.02)
    flags = []
    for n1, n2 in product(promises.COUNTS, promises.COUNTS):
        first = side(random, (6, 1, n1), known) + random.choice((0.0, 0.1), (6, 1, 1))
        second = side(random, (6, 1, n2), known)
        cell = Sides(first, second, (known, known), same_session)

        flags += really_differing(cell)

        assert flags[-6:] == differing([cell]).tolist(), (n1, n2)
    assert 50 < sum(flags) < 500


@pytest.mark.parametrize("same_session", [True, False])
@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (5, 4)])
def test_the_arrays_say_what_the_functions_say_of_several_sessions(shape, same_session):
    random = np.random.default_rng(2)
    known = Spread(0.01, 0.02)
    result = random.choice((0.0, 0.2), (60, 1, 1))
    first, second = (side(random, (60, *shape), known) for _ in range(2))
    cell = Sides(first + result, second, (known, known), same_session)

    assert really_differing(cell) == differing([cell]).tolist()
    for spread in (Spread(), known):
        for logs, outcome in zip(cell.first, half(cell.first, spread), strict=True):
            interval = estimate(as_sample(logs, spread))
            assert interval.high is not None
            assert math.log(interval.high / interval.value) == pytest.approx(outcome)


@pytest.mark.parametrize("machines", [2, 3, 4, 5, 10])
def test_the_arrays_say_what_the_functions_say_of_several_machines(machines):
    random = np.random.default_rng(3)
    campaigns = side(random, (60, machines, 3), Spread(0.01, 0.01))
    halves, centers = half_of_machines(campaigns), median_of_machines(campaigns)

    for logs, half_, center in zip(campaigns, halves, centers, strict=True):
        fleet = Fleet(tuple(as_sample(log[None], None) for log in logs))
        interval = estimate(fleet)
        assert interval.high is not None
        assert math.log(interval.value) == pytest.approx(center)
        assert math.log(interval.high / interval.value) == pytest.approx(half_)


def test_intervals_of_several_machines_hold_the_truth():
    table = promises.coverage_of_machines(MANY * 2)

    assert len(table.rows) == 8
    assert min(map(min, table.rows.values())) >= 94


@pytest.mark.parametrize("table", [promises.coverage_within, promises.coverage_beyond])
def test_intervals_hold_the_truth_of_normal_and_t3_effects(table):
    result = table(MANY * 2)

    sound = {
        name: row
        for name, row in result.rows.items()
        if name.startswith(("normal", "t3")) and "twice" not in name
    }
    assert len(sound) in (2, 8)
    assert min(min(row) for row in sound.values()) >= 94


def test_what_contaminates_processes_is_shown_and_not_hidden():
    table = promises.coverage_within(MANY)

    assert set(table.rows) == set(EFFECTS)
    assert min(table.rows["one in ten 15 % slower"]) < 94
    assert min(table.rows["AR(1) 0.7"]) < 94


@pytest.mark.parametrize("kind", ["normal", "t3"])
def test_equal_pairs_are_rarely_called_different_whatever_n_and_spreads(kind):
    table = promises.false_verdicts(MANY, kind, unlike=True)

    assert [len(row) for row in table.rows.values()] == [10] * 10
    assert max(map(max, table.rows.values())) <= AT_MOST


@pytest.mark.parametrize("session", [0.2, 2.0])
def test_equal_pairs_of_two_sessions_are_rarely_called_different(session):
    table = promises.false_verdicts(MANY, session=session)

    assert max(map(max, table.rows.values())) <= 5


def test_the_freedom_of_welch_and_satterthwaite_would_break_the_promise():
    table = promises.welch(MANY)

    assert max(table.rows["here"]) <= 5
    assert table.rows["Welch and Satterthwaite"][0] > 8


def test_means_over_cells_are_rarely_called_different_with_a_host_in_common():
    table = promises.several_cells(MANY)

    assert max(map(max, table.rows.values())) <= 5


def test_five_processes_a_side_see_a_difference_of_five_per_cent():
    table = promises.power(MANY)

    assert table.rows["spread 1 %"][table.columns.index("n = 5")] >= 80
    assert table.rows["spread 2 %"][table.columns.index("n = 5")] >= 80


def test_single_runs_of_a_mixed_class_are_rarely_called_different():
    (row,) = promises.mixed_classes(MANY).rows.values()

    assert 2 < max(row) <= 5


def test_published_runs_of_one_cell_are_rarely_called_different():
    table = promises.published_pairs(MANY)

    assert set(table.rows) == set(get_args(WorkClass))
    assert max(map(max, table.rows.values())) <= 5


def test_the_tables_of_the_manual_are_those_that_were_saved():
    text = DOCS.read_text(encoding="utf-8")

    missing = [
        table.title
        for table in saved()
        if table.title in text and "\n".join(markdown(table)) not in text
    ]
    assert missing == []
    assert sum(table.title in text for table in saved()) == 5


def test_the_program_prints_every_table_that_was_saved(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(promises, "FIGURES", tmp_path / "promises.json")
    assert promises.main(["--campaigns", "16", "--save"]) == 0

    titles = [table.title for table in saved()]
    printed = capsys.readouterr().out
    again = msgspec.json.decode(promises.FIGURES.read_bytes(), type=list[Table])
    assert all("\n".join(markdown(table)) in printed for table in again)
    assert len(set(titles)) == len(promises.TABLES)
    assert [title for title in titles if title not in printed] == []
