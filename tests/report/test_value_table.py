"""What tells rows of the table of values apart, and which figures share a line."""

import pytest
from msgspec.structs import replace

from benchdb.report.value_table import distinctions, per_run, runs_of
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import ValueRow
from tests import view_fixture

PATTERN = replace(
    view_fixture.values()[0],
    tier="standard",
    started="2026-03-01T08:10:30.000+00:00",
    setting="standard",
)
NEXT_DAY, EVENING = "2026-03-02T08:10:30.000+00:00", "2026-03-01T19:45:00.000+00:00"
OLD = (("version", "2.0"), ("system", "macOS 13"))
NEW = (("version", "2.13"), ("system", "macOS 26"))


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        # Alone of its kind a row needs nothing more.
        ([{}, {"precision": "bf16"}], ["", ""]),
        ([{"locator": "line 1"}, {"locator": "line 2"}], ["", ""]),
        ([{}, {"tier": "quick"}], ["standard", "quick"]),
        ([{}, {"started": NEXT_DAY}], ["2026-03-01", "2026-03-02"]),
        ([{}, {"started": EVENING}], ["2026-03-01 08:10", "2026-03-01 19:45"]),
        # The tier alone where it suffices.
        ([{}, {"tier": "quick", "started": NEXT_DAY}], ["standard", "quick"]),
        (
            [{}, {"tier": "quick"}, {"started": NEXT_DAY}],
            ["standard · 2026-03-01", "quick · 2026-03-01", "standard · 2026-03-02"],
        ),
        ([{}, {"setting": "pytorch-in-m1"}], ["standard", "pytorch-in-m1"]),
        ([{}, {"started": None, "tier": None}], ["standard", ""]),
        # All conditions that differ, where one would do.
        (
            [{"conditions": OLD}, {"conditions": NEW}],
            ["version 2.0 · system macOS 13", "version 2.13 · system macOS 26"],
        ),
    ],
)
def test_rows_that_read_alike_are_told_apart_by_what_differs(changes, names):
    assert distinctions([replace(PATTERN, **change) for change in changes]) == names


@pytest.mark.parametrize(
    ("points", "names"),
    [
        (
            [
                {"data": "synthetic", "image_size": "96", "trainable": "all"},
                {"data": "synthetic", "image_size": "96", "trainable": "last"},
                {"data": "synthetic", "image_size": "128", "trainable": "last"},
            ],
            [
                "image_size 96 · trainable all",
                "image_size 96 · trainable last",
                "image_size 128 · trainable last",
            ],
        ),
        ([{"data": "synthetic"}, {"data": "synthetic", "b": "2"}], ["", "b 2"]),
    ],
)
def test_points_of_a_sweep_are_told_by_the_parameters_in_which_they_differ(
    points, names
):
    rows = [replace(PATTERN, parameters=tuple(point.items())) for point in points]

    assert distinctions(rows) == names


def row(metric: str, *runs: str, locator: str = "", made: str = "") -> ValueRow:
    plain = replace(
        PATTERN,
        run=runs[0],
        runs=runs if len(runs) > 1 else (),
        metric=metric,
        quantity=Quantity(1.0, "s", runs[0], n=len(runs)),
    )
    return replace(plain, locator=locator or None, made=made or None)


def test_what_a_run_has_beside_its_headline_joins_its_line():
    rate, watts, other = row("rate", "a"), row("watts", "a"), row("rate", "b")

    lines, heads = per_run([rate, watts, other])

    assert lines == [(rate, watts), (other,)]
    assert heads == {"a": rate, "b": other}


def test_a_figure_that_only_some_processes_have_joins_their_line():
    rate, watts, other = row("rate", "a", "b"), row("watts", "b", "c"), row("rate", "d")

    lines, heads = per_run([rate, watts, other])

    assert heads == {"a": rate, "b": rate, "c": rate, "d": other}
    assert [*map(runs_of, lines)] == [("a", "b", "c"), ("d",)]


def test_nothing_is_lost():
    values = view_fixture.values()
    lines, heads = per_run(values)

    shown = [figure for line in lines for figure in line]
    assert sorted(map(repr, shown)) == sorted(map(repr, values))
    assert heads.keys() == {run for row in values for run in row.runs or (row.run,)}
    assert per_run([]) == ([], {})
