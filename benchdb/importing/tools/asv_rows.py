"""What asv keeps of one benchmark, for each combination of its parameters.

Version 1 wrote a number, or an object; version 2 a row whose columns the file names.
Null stands for a benchmark that failed, NaN for one that was skipped.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchdb.exchange.validation import RefusedError
from benchdb.importing.tools.outcome import require_few

# Columns of a row that hold one item for each combination, beside result and samples.
_SHARED = (
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "profile",
    "samples",
)

_AXES = 50  # the most axes of parameters; honest benchmarks have a handful


class Cell(msgspec.Struct, frozen=True):
    """One combination of parameters: its *result*, *samples*, and other columns.

    *at* is the JSON pointer to the result.
    """

    result: Any
    at: str
    parameters: dict[str, Any] = {}
    samples: Any = None
    statistics: dict[str, Any] = {}


class Row(msgspec.Struct, frozen=True):
    """What is said of all combinations of a benchmark, and the cells."""

    cells: tuple[Cell, ...]
    version: object = None
    started_at: object = None


def row(found: Any, columns: Sequence[str], at: str) -> Row:
    """Return what stands at *at*: a number, an object or a row of *columns*."""
    if isinstance(found, list):
        if not columns:
            raise RefusedError("a row, but the file has no result_columns")
        if len(found) > len(columns):
            raise RefusedError(f"{len(found)} cells for {len(columns)} columns")
        facts: Mapping[str, Any] = dict(zip(columns, found, strict=False))
        places = {name: f"{at}/{place}" for place, name in enumerate(columns)}
        return _row(facts, places.get("result", at))
    if isinstance(found, dict):
        return _row(_upgraded(found), f"{at}/result")
    return Row((Cell(found, at),))


def _upgraded(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object of version 1 as the columns of version 2."""
    facts = {name: one for name, one in found.items() if name != "stats"}
    stats = found.get("stats")
    if isinstance(stats, list) and all(isinstance(one, dict) for one in stats):
        names = dict.fromkeys(name for one in stats for name in one)
        facts |= {f"stats_{name}": [one.get(name) for one in stats] for name in names}
    return facts


def _row(facts: Mapping[str, Any], at: str) -> Row:
    result, params = facts.get("result"), facts.get("params") or []
    if not isinstance(params, list) or not all(isinstance(one, list) for one in params):
        raise RefusedError("params are no lists")
    require_few(len(facts), "columns")
    if len(params) > _AXES:
        raise RefusedError(f"{len(params)} axes of parameters; {_AXES} are read")
    version, started = facts.get("version"), facts.get("started_at")
    if not isinstance(result, list):
        whole = {"params": params} if params else {}
        return Row(
            (Cell(result, at, whole, _only(facts.get("samples"))),), version, started
        )
    count = math.prod(len(one) for one in params)
    if len(result) != count:
        raise RefusedError(f"{len(result)} results for {count} combinations of params")
    samples = facts.get("samples")
    statistics = {name: one for name, one in facts.items() if name not in _SHARED}
    cells = (
        Cell(
            one,
            f"{at}/{place}",
            {f"param{axis}": text for axis, text in enumerate(combination, start=1)},
            _item(samples, place),
            {name: _item(column, place) for name, column in statistics.items()},
        )
        for place, (one, combination) in enumerate(
            zip(result, itertools.product(*params), strict=True)
        )
    )
    return Row(tuple(cells), version, started)


def _only(column: Any) -> Any:
    return column[0] if isinstance(column, list) and len(column) == 1 else column


def _item(column: Any, place: int) -> Any:
    """Return what a column has for one combination; a column may be cut short."""
    if not isinstance(column, list):
        return None
    return column[place] if place < len(column) else None


def columns(results: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the columns of rows; none in version 1."""
    found = results.get("result_columns") or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise RefusedError("result_columns are no names")
    return tuple(found)
