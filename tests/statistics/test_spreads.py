"""The spread of classes of work: what counts, what is shipped, what stands in."""

import math

import pytest

from benchdb.resources import folder
from benchdb.statistics.comparison import Sample, Spread
from benchdb.statistics.spreads import (
    Seen,
    WorkClass,
    seen,
    shipped,
    spread_of,
    work_class,
)
from tools import seen_spreads


def test_the_shipped_spreads_are_those_of_the_published_runs():
    written = (folder("schema") / "spreads.json").read_text(encoding="utf-8")

    assert written == seen_spreads.encoded(seen_spreads.classes())


def test_work_that_waits_for_its_host_is_wide_and_work_of_the_device_narrow():
    short = spread_of("launch-bound", shipped())
    long = spread_of("long-steps", shipped())

    assert short is not None
    assert long is not None
    assert (short.process or 0) > 0.05
    assert (short.session or 0) > 0.03
    assert spread_of("short-steps", shipped()) == short  # they may wait as well
    assert (long.process or 1) < 0.005
    assert (long.session or 1) < 0.01


@pytest.mark.parametrize(
    ("device", "seconds", "operation", "whole_run", "expected"),
    [
        ("cuda", 0.1, False, False, "long-steps"),
        ("metal", 0.1, False, False, "long-steps"),
        ("cuda", 0.099, False, False, "short-steps"),
        ("cuda", 0.05, False, False, "short-steps"),
        ("metal", 0.049, False, False, "launch-bound"),
        ("cuda", 20e-6, True, False, "long-steps"),
        ("cuda", 19e-6, True, False, "short-steps"),
        ("cuda", 9e-6, True, False, "launch-bound"),
        ("cuda", None, False, False, None),
        ("cuda", None, False, True, "whole-runs"),
        ("cpu", None, False, True, "whole-runs"),
        ("cpu", 3.0, False, False, "cpu"),
        ("tpu", 3.0, False, False, None),
        ("unknown", 3.0, False, True, None),
    ],
)
def test_a_class_is_of_the_device_and_the_length_of_its_steps(
    device, seconds, operation, whole_run, expected
):
    text = work_class(device, seconds, operation=operation, whole_run=whole_run)

    assert text == expected


def sample(*sessions: tuple[float, ...]) -> Sample:
    """Return a sample of these logs."""
    return Sample(tuple(tuple(map(math.exp, session)) for session in sessions))


def test_variances_are_pooled_over_cells_by_their_freedom():
    cells = [sample((0.0, 0.2)), sample((1.0, 1.0, 1.0)), sample((5.0,))]

    (result,) = seen(("cpu", cell) for cell in cells).values()

    # 0.02 of three degrees of freedom; no cell has two sessions.
    assert result.process == pytest.approx(math.sqrt(0.02 / 3))
    assert (result.values, result.cells, result.process_freedom) == (6, 3, 3)
    assert (result.session, result.session_freedom) == (None, 0)


def test_what_processes_do_to_session_means_is_taken_off():
    cell = sample((0.9, 1.1), (1.9, 2.1))

    result = seen([("cpu", cell)])["cpu"]

    # Means 1 and 2: variance 0.5, of which 0.02 / 2 is that of two processes; but one
    # standard error of so few is more than all of it.
    assert result.process == pytest.approx(math.sqrt(0.02))
    assert result.session == pytest.approx(math.sqrt(0.5 * math.sqrt(2)))
    many = seen([("cpu", cell)] * 50)["cpu"]
    assert many.session == pytest.approx(math.sqrt(0.5 - 0.01))


def test_sessions_that_agree_by_chance_have_a_spread_all_the_same():
    cells = [sample((0.0, 1.0), (0.1, 0.9)), sample((0.0, 1.0), (0.0, 1.2))] * 8

    assert (seen(("cpu", cell) for cell in cells)["cpu"].session or 0) > 0


def known(process_freedom: int, session_freedom: int) -> dict[WorkClass, Seen]:
    return {"cpu": Seen(40, 10, 0.05, process_freedom, 0.02, session_freedom)}


def test_the_database_comes_first_where_it_has_seen_enough():
    ours = known(30, 30)
    theirs: dict[WorkClass, Seen] = {"cpu": Seen(99, 20, 0.5, 50, 0.2, 50)}

    assert spread_of("cpu", ours, theirs) == Spread(0.05, 0.02)
    assert spread_of("cpu", known(2, 30), theirs) == Spread(0.5, 0.02)
    assert spread_of("cpu", known(30, 2), theirs) == Spread(0.05, 0.2)
    assert spread_of("cpu", {}, theirs) == Spread(0.5, 0.2)


def test_a_class_that_nobody_has_measured_has_no_spread():
    assert spread_of("cpu", {}) is None
    assert spread_of("cpu", known(2, 2)) is None
    assert spread_of(None, known(30, 30)) is None


def test_few_runs_are_taken_for_as_wide_as_student_s_t_asks_for():
    spread = spread_of("cpu", known(3, 30))

    assert spread is not None
    assert spread.process == pytest.approx(0.05 * 3.182446 / 3, rel=1e-6)
