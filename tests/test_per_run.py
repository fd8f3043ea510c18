"""Which figures share a row of the table of values."""

from msgspec.structs import replace

from benchdb.report.per_run import homes, per_run
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import ValueRow
from tests import view_fixture

PATTERN = view_fixture.values()[0]


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

    first, second = per_run([rate, watts, other])

    assert (first.head, first.beside) == (rate, (watts,))
    assert (second.head, second.beside) == (other, ())


def test_processes_of_a_cell_are_a_line_together():
    (line,) = per_run([row("rate", "a", "b", "c"), row("watts", "a", "b", "c")])

    assert line.runs == ("a", "b", "c")


def test_a_figure_that_only_some_processes_have_joins_their_line():
    lines = per_run([row("rate", "a", "b"), row("watts", "b", "c"), row("rate", "d")])

    assert [line.runs for line in lines] == [("a", "b", "c"), ("d",)]
    assert homes(lines) == {"a": "a", "b": "a", "c": "a", "d": "d"}


def test_figures_of_no_common_run_stay_apart():
    lines = per_run([row("rate", "a", "b"), row("watts", "c")])

    assert [line.head.metric for line in lines] == ["rate", "watts"]


def test_places_are_told_once_in_their_order():
    (line,) = per_run(
        [
            row("rate", "a", locator="line 1"),
            row("watts", "a", locator="line 1", made="3 / 2"),
            row("bytes", "a", locator="line 2"),
        ]
    )

    assert line.places == ("line 1", "3 / 2", "line 2")


def test_nothing_is_lost():
    values = view_fixture.values()
    lines = per_run(values)

    shown = [figure for line in lines for figure in (line.head, *line.beside)]
    assert sorted(map(repr, shown)) == sorted(map(repr, values))
    assert per_run([]) == ()
