"""Rows as data frames: tidy columns, nullable types, orders where things have one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import pandas as pd

from benchdb.errors import DatabaseError
from benchdb.exchange.messages import Device, Label
from benchdb.grading import Letter
from benchdb.steps import STEPS
from benchdb.store.views import Column

_TYPES = {
    "text": "string",
    "integer": "Int64",
    "real": "Float64",
    "boolean": "boolean",
}
_MOMENTS = {"started", "first_started", "last_started"}
# What has an order has it in every frame alike; others follow by their letters.
_ORDERS: Mapping[str, Sequence[str]] = {
    "device": get_args(Device),
    "grade": get_args(Letter),
    "label": get_args(Label),
    "precision": ("fp64", "fp32", "tf32", "fp16", "bf16", "fp16-mixed", "bf16-mixed"),
    "tier": ("smoke", "quick", "standard", "reference"),
    "trust": STEPS,
}


def frame(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Return *rows* as a data frame with these *columns*, units in its ``attrs``."""
    cells = zip(*rows, strict=True) if rows else ((),) * len(columns)
    table = pd.DataFrame(
        {
            column.name: _column(column, some)
            for column, some in zip(columns, cells, strict=True)
        },
        copy=False,
    )
    table.attrs["units"] = {
        column.name: column.unit for column in columns if column.unit
    }
    return table


def _column(column: Column, cells: Sequence[Any]) -> Any:
    try:
        if column.name in _MOMENTS:
            return moments(cells)
        # Of a comparison, each side has its own.
        plain = column.name.removeprefix("base_").removeprefix("other_")
        if plain in _ORDERS:
            return _ordered(plain, cells)
        return pd.array(cells, dtype=_TYPES[column.kind])
    except (ValueError, TypeError) as error:  # SQLite keeps anything
        raise DatabaseError(
            f"{column.name} is no {column.kind} everywhere: {error}; "
            "'benchdb db check' tells what else is damaged"
        ) from error


def moments(cells: Iterable[Any]) -> Any:
    """Return times as they were told in UTC; what tells no time is missing."""
    result = pd.Series(list(cells), dtype="object")
    return pd.to_datetime(result, utc=True, format="ISO8601", errors="coerce")


def _ordered(name: str, cells: Sequence[Any]) -> pd.Categorical:
    known = _ORDERS[name]
    others = set(cells) - {*known, None}
    names = [*known, *sorted(others)]
    return pd.Categorical(cells, categories=names, ordered=True)


def guessed(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Return *rows* of a query, each column of the type that all its cells have."""
    cells = zip(*rows, strict=True) if rows else ((),) * len(names)
    columns = [pd.Series(some, dtype=_kind(some)) for some in cells]
    result = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return result.set_axis(list(names), axis=1)


def _kind(cells: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return "boolean"
    if kinds == {str}:
        return "string"
    if kinds == {int} and max(map(abs, filter(None, cells)), default=0) < 2**63:
        return "Int64"
    return "Float64" if kinds and kinds <= {int, float} else "object"
