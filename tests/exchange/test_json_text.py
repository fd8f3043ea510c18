"""JSON in columns of text: equal content is equal text, and nobody shares an object."""

import pytest
from sqlalchemy.dialects import sqlite

from benchdb.store.tables import Json

DIALECT = sqlite.dialect()


def written(value):
    return Json().process_bind_param(value, DIALECT)


def read(text):
    return Json().process_result_value(text, DIALECT)


def test_the_order_of_keys_is_not_kept():
    assert written({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'


def test_nothing_stays_nothing():
    assert written(None) is None
    assert read(None) is None


@pytest.mark.parametrize("value", [{}, {"a": 1}, [1, 2], {"a": "é" * 300}, "text", 7])
def test_what_is_written_is_read(value):
    assert read(written(value)) == value


@pytest.mark.parametrize("text", ["{}", '{"a":1}'])
def test_who_changes_what_was_read_changes_it_for_nobody_else(text):
    before = read(text)
    read(text)["b"] = 2

    assert read(text) == before


def test_who_changes_a_list_that_was_read_changes_it_for_nobody_else():
    read("[1]").append(2)

    assert read("[1]") == [1]
