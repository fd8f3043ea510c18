"""The table of all values on the page: a row for each run, and all it has in it."""

import pytest
from msgspec.structs import replace

from benchdb.report import html, language
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import ValueRow
from tests.page import Element, parse
from tests.page_fixture import report
from tests.view_fixture import RESNET, digest

ENGLISH = language.load("en")
RUN = digest(RESNET.name, "55.8")
WORKLOAD, SYSTEM, SIZE, PRECISION, COMPILER, METRIC, VALUE, N = range(8)
GRADE, BESIDES, KIND, IDS = range(8, 12)


def row(*values: ValueRow) -> list[Element]:
    """Return the cells of the only row of a page with these *values*."""
    page = html.render(replace(report(), values=values), ENGLISH)
    (line,) = parse(page).by_id("table-values").all("tbody")[0].all("tr")
    return [cell for cell in line.children if isinstance(cell, Element)]


def text(cell: Element) -> str:
    return " ".join(cell.text.split())


@pytest.fixture(name="both")
def throughput_and_power() -> tuple[ValueRow, ...]:
    return tuple(value for value in report().values if value.run == RUN)


def with_quantity(value: ValueRow, **changed: object) -> ValueRow:
    assert value.quantity is not None
    return replace(value, quantity=replace(value.quantity, **changed))


def test_a_run_with_two_values_has_one_row(both: tuple[ValueRow, ...]):
    cells = row(*both)

    assert [text(cells[place]) for place in (METRIC, VALUE, N, BESIDES)] == [
        "throughput, whole epochs",
        "55.8 img/s",
        "1",
        "peak power: 35 W",
    ]
    assert text(cells[IDS]) == RUN[:12]


def test_what_is_beside_a_headline_keeps_its_notes_and_its_range(
    both: tuple[ValueRow, ...],
):
    rate, power = both
    told = with_quantity(power, notes=("a",), low=34.0, high=36.0, n=5)

    cell = row(rate, told)[BESIDES]

    assert [a.attributes["href"] for a in cell.all("a")] == ["#note-a"]
    assert text(cell) == "peak power: a35 W 34.0–36.0 n = 5"


def test_the_number_of_runs_is_said_once_where_it_is_the_same(
    both: tuple[ValueRow, ...],
):
    rate, power = (with_quantity(value, n=5) for value in both)

    cells = row(rate, power)

    assert (text(cells[N]), text(cells[BESIDES])) == ("5", "peak power: 35 W")


def test_every_place_in_the_source_is_told(both: tuple[ValueRow, ...]):
    rate, power = both

    cell = row(rate, replace(power, locator="line 7"))[KIND]

    assert text(cell) == f"transcribed [2] {rate.locator}; line 7"


@pytest.mark.parametrize(
    ("status", "said"), [("ok", "transcribed"), ("oom", "transcribed, out of memory")]
)
def test_how_a_run_ended_is_said_where_it_did_not_end_well(
    both: tuple[ValueRow, ...], status: str, said: str
):
    value = replace(both[0], status=status, source=None, locator=None, made=None)

    assert text(row(value)[KIND]) == said


def test_a_missing_figure_has_its_reason_and_is_no_zero(both: tuple[ValueRow, ...]):
    value = replace(both[0], status="oom", reason="8 GB", quantity=None)

    cells = row(value, both[1])

    assert [text(cells[place]) for place in (VALUE, N)] == ["–", "–"]
    assert text(cells[BESIDES]) == "peak power: 35 W"
    assert "out of memory 8 GB" in text(cells[KIND])


def test_names_are_kept_from_translators_and_words_are_not(both: tuple[ValueRow, ...]):
    page = parse(html.render(replace(report(), values=both), ENGLISH))
    body = page.by_id("table-values").all("tbody")[0]
    open_cells = [e for e in body.all("td") if "translate" in e.attributes]

    assert body.attributes["translate"] == "no"
    assert [text(cell) for cell in open_cells][:2] == [
        "throughput, whole epochs",
        "peak power: 35 W",
    ]
    assert {e.attributes["translate"] for e in open_cells} == {""}


def test_processes_of_a_cell_are_named_and_lead_to_their_row():
    runs = tuple(digest("cell", str(n)) for n in range(3))
    quantity = Quantity(2.0, "s", runs[0], n=3, low=1.5, high=2.5)
    value = replace(report().values[0], run=runs[0], runs=runs, quantity=quantity)

    cells = row(value)

    assert text(cells[IDS]) == " ".join([runs[0][:12], runs[1][:8], runs[2][:8]])
    assert text(cells[VALUE]) == "2.00 s 1.50–2.50"
