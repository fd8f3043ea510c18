"""Every printed text of an exchange file means the value beside it."""

import re

import pytest

from benchdb.catalogue import metrics
from benchdb.exchange.messages import Claim, End, Run, Value
from benchdb.importing.mapping.fields import binary_factor
from benchdb.importing.quantities.missing_values import Missing, missing_of
from benchdb.importing.quantities.quantity import Quantity, parsed
from benchdb.importing.quantities.tokens import Mark, convention
from tests.documents import SHAPES
from tests.importing.published.transcriptions import (
    NAMES,
    lines_of,
    place_of,
    values_of,
)

every_file = pytest.mark.parametrize("name", NAMES)


def meaning(value: Value, mark: Mark | None) -> float:
    """Return what our reader of quantities makes of what was printed."""
    unit = metrics()[value.metric].unit
    hint = unit if unit == "s" else None  # most columns of seconds print bare numbers
    read = parsed(value.printed or "", decimal=mark, unit=hint)
    assert not isinstance(read, Missing)
    if unit == "B":  # our documents count memory as Activity Monitor does
        factor, divisor = binary_factor(value.printed or "", "GiB")
        return round(read.value * factor / divisor)
    return read.value


@every_file
def test_a_figure_is_what_our_reader_makes_of_its_printed_text(name: str):
    for end in lines_of(name):
        if isinstance(end, End):
            printed = [value.printed or "" for value in end.values]
            for value in end.values:
                if value.value is not None and value.derived is None:
                    assert meaning(value, convention(printed)) == value.value


@every_file
def test_a_figure_without_a_value_was_printed_as_none(name: str):
    for value in values_of(name):
        if value.value is None:
            assert missing_of(value.printed or "") is not None


@pytest.mark.parametrize("name", ["prose", "needle-metal"])
def test_a_derived_figure_follows_from_two_that_were_printed(name: str):
    (value,) = [value for value in values_of(name) if value.derived]
    printed = re.findall(r"\d+ \w+", value.printed or "")
    epochs, time = (parsed(figure) for figure in printed)

    assert isinstance(epochs, Quantity)
    assert isinstance(time, Quantity)
    assert (epochs.per, time.unit) == ("epoch", "s")
    assert value.value == pytest.approx(epochs.value / (time.value / 3600), rel=1e-12)


@every_file
def test_a_claim_has_the_number_that_was_printed_and_of_a_range_its_end(name: str):
    for claim in lines_of(name):
        if isinstance(claim, Claim):
            numbers = re.findall(r"\d+(?:\.\d+)?", claim.printed)
            assert max(map(float, numbers)) == claim.value


@every_file
def test_a_locator_names_a_line_and_at_most_a_column(name: str):
    runs = {line.key: line for line in lines_of(name) if isinstance(line, Run)}
    for line in lines_of(name):
        if isinstance(line, End):
            places = [place_of(value.locator) for value in line.values]
            assert {number for number, _ in places} == {
                place_of(runs[line.run].locator)[0]
            }
        if isinstance(line, Claim):
            assert place_of(line.locator)[0] > 0


@pytest.mark.parametrize("name", SHAPES.values())
def test_figures_of_a_published_file_stand_in_the_order_of_the_document(name: str):
    lines = [place_of(value.locator)[0] for value in values_of(name)]

    assert lines == sorted(lines)
