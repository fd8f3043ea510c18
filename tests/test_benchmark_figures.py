"""Benchmarks: ratios, figures to reach, and what changed since they were saved."""

from datetime import UTC, datetime

import pytest

from benchmarks import figures, table
from benchmarks.change import changed, judged, last
from benchmarks.figures import Figures, Machine
from benchmarks.rows import MIB, Cost, Limit, Row, Seen, Turn, missed, ratios, spread

HERE, ELSEWHERE = "a" * 16, "b" * 16
TIME = Row("help", "benchdb --help", "a bare program", (Limit("ratio", most=1.3),))
SPEED = Row("import", "import", "the limit", (Limit("ratio", least=0.7),), speed=True)


def seen(row: Row, *pairs: tuple[float, float], runs=None, peak=MIB) -> Seen:
    """Return a row whose turns took the seconds of *pairs*: what, and yardstick."""
    turns = (Turn(Cost(what, peak), Cost(other, MIB)) for what, other in pairs)
    return Seen(row, runs, tuple(turns))


def saved(*rows: Seen, day: int = 1, machine: str = HERE) -> Figures:
    return Figures(
        measured=datetime(2026, 1, day, tzinfo=UTC),
        machine=Machine("Apple M1 Max, 10 cores, 64 GiB", machine, {}),
        revision="abc",
        versions={"benchdb": "0.1.0"},
        cpus=10,
        load=((0.5, 0.5, 0.5), (1.5, 1.0, 0.5)),
        rows=rows,
    )


def steady(ratio: float, row: Row = TIME) -> Seen:
    """Return three turns about *ratio*, one in a hundred apart."""
    return seen(row, *((ratio * off, 1.0) for off in (0.99, 1.0, 1.01)))


def test_the_ratio_of_each_turn_is_of_its_own_two_sides():
    turns = ((2.0, 1.0), (30.0, 10.0), (4.0, 1.0))

    assert ratios(seen(TIME, *turns)) == [2.0, 3.0, 4.0]
    assert spread(ratios(seen(TIME, *turns))) == (3.0, 2.0, 4.0)


def test_a_ratio_of_speeds_is_less_than_one_where_more_time_was_taken():
    assert ratios(seen(SPEED, (4.0, 1.0))) == [0.25]


@pytest.mark.parametrize(
    ("limit", "reached"),
    [
        (Limit("ratio", most=3), True),
        (Limit("ratio", most=2.99), False),
        (Limit("ratio", least=3.01), False),
        (Limit("seconds", most=6), True),
        (Limit("seconds", most=5.99), False),
        (Limit("peak_bytes", most=150 * MIB), True),
        (Limit("peak_bytes", most=150 * MIB - 1), False),
    ],
)
def test_a_figure_to_reach_is_of_medians_and_of_the_most_memory(limit, reached):
    row = Row("x", "x", "y", (limit,))
    turns = ((4.0, 2.0), (6.0, 2.0), (90.0, 1.0))
    result = seen(row, *turns, peak=150 * MIB)

    assert missed(result) == ([] if reached else [limit])


@pytest.mark.parametrize(
    ("then", "now", "judgement"),
    [
        (steady(2.0), steady(1.0), "better"),
        (steady(1.0), steady(2.0), "worse"),
        (steady(0.4, SPEED), steady(0.8, SPEED), "worse"),  # seconds: half the speed
        (steady(1.0), steady(1.1), "worse"),
        (steady(1.0), seen(TIME, (0.7, 1), (1.1, 1), (1.5, 1)), "unclear"),
        (seen(TIME, *[(1.0, 1.0)] * 3), seen(TIME, *[(1.01, 1.0)] * 3), "even"),
        (steady(2.0), seen(TIME, (1.0, 1.0), (1.0, 1.0)), "too few turns"),
    ],
)
def test_a_change_is_one_only_if_it_exceeds_what_turns_differ_by(then, now, judgement):
    assert judged(saved(then), then, now).judgement == judgement


def test_the_factor_is_now_over_then_with_an_interval():
    change = judged(saved(), steady(2.0), steady(1.0))

    assert change.factor.value == pytest.approx(0.5)
    assert change.factor.low is not None
    assert change.factor.high is not None
    assert change.factor.low < 0.5 < change.factor.high


def test_only_figures_of_the_same_size_compare_and_this_machine_comes_first():
    small, large = (seen(SPEED, (1, 1), runs=runs) for runs in (1000, 100_000))
    other, older, newer = (
        saved(small, day=9, machine=ELSEWHERE),
        saved(small, day=1),
        saved(small, day=2),
    )

    assert last([other, newer, older], small, HERE) is newer
    assert last([other, newer, older], small, "c" * 16) is other
    assert last([other], small, HERE) is other
    assert last([other, newer, older], large, HERE) is None


def test_rows_without_earlier_figures_are_named():
    new = seen(SPEED, (1, 1), runs=1000)
    now = saved(steady(1.0), new)
    lines = [*table.changes(changed([saved(steady(2.0))], now), now.rows)]

    assert "better" in lines[1]
    assert "2026-01-01, Apple M1 Max" in lines[1]
    assert lines[-1] == "no figures to compare with: import of 1,000 runs"


def test_a_missed_figure_is_marked_in_the_table():
    _, good, bad, *_ = table.table([steady(1.0), steady(2.0)])

    assert good.endswith("≤ 1.3")
    assert bad.endswith("≤ 1.3 MISSED")


def test_a_machine_has_one_file_with_the_newest_figures_of_each_row_and_size(tmp_path):
    sizes = [seen(SPEED, (1, 1), runs=runs) for runs in (1000, 100_000)]
    first = saved(steady(1.0), *sizes, day=1)
    second = saved(steady(2.0), sizes[0], day=2)
    paths = {figures.save(item, tmp_path) for item in (first, second)}

    assert paths == {tmp_path / "apple-m1-max-10-cores-64-gib.json"}
    assert figures.saved(tmp_path) == [second, saved(sizes[1], day=1)]


def test_figures_of_all_machines_are_read_the_newest_first(tmp_path):
    measurements = [saved(steady(1.0), day=day) for day in (3, 2, 1)]
    figures.write(tmp_path / "a.json", measurements[1:2])
    figures.write(tmp_path / "b.json", measurements[::2])

    assert figures.saved(tmp_path) == measurements


def test_figures_that_were_all_measured_again_are_gone(tmp_path):
    for day in (1, 2):
        figures.save(saved(steady(1.0), day=day), tmp_path)

    assert figures.saved(tmp_path) == [saved(steady(1.0), day=2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "has no figures"),
        ("nonsense", "has no figures"),
        ('[{"format":1}]', "has no figures"),
        ('[{"format":99}]', "has format 99"),
    ],
)
def test_a_file_that_is_no_figures_is_named(tmp_path, content, message):
    path = tmp_path / "wrong.json"
    path.write_text(content)

    with pytest.raises(ValueError, match=f"wrong.json {message}"):
        figures.read(path)


def test_the_committed_figures_can_be_read():
    assert all(item.rows for item in figures.saved())
