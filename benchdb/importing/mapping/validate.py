"""What is wrong with a map although its TOML is right."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from benchdb.catalogue import metrics
from benchdb.exchange.lines import Device
from benchdb.importing.mapping import hardware, software
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.mapping.layers import Saying
from benchdb.importing.mapping.match import plain_name
from benchdb.importing.mapping.words import OF_RUNS

FIELDS = (*OF_RUNS, *hardware.FIELDS, *software.FIELDS)
_DEVICES = get_args(Device)


def faults(map_: Map) -> Iterator[str]:
    """Yield what cannot be meant: the key, and what is expected there."""
    yield from _of_saying(map_, "", map_)
    if map_.name is not None:
        yield from _of_groups([map_.name], "name")
    for key, meaning in map_.workloads.items():
        yield from _of_saying(meaning, f"workloads.{key}.", map_)
    for index, table in enumerate(map_.table):
        yield from _of_table(table, f"table[{index}].", map_)
    for index, figure in enumerate(map_.figure):
        yield from _of_saying(figure, f"figure[{index}].", map_)
        yield from _of_metrics([figure.metric], f"figure[{index}].metric")
    for index, flag in enumerate(map_.flag):
        yield from _of_metrics([flag.metric], f"flag[{index}].metric")
    if map_.nothing is None and not (map_.table or map_.figure):
        yield "[[table]] or [[figure]] is expected, or 'nothing' with the reason"
    if map_.nothing is not None and (map_.table or map_.figure):
        yield "nothing: but a [[table]] or [[figure]] is there"


def _of_table(table: Table, key: str, map_: Map) -> Iterator[str]:
    yield from _of_saying(table, key, map_)
    yield from _of_groups(table.context, f"{key}context")
    yield from _of_patterns(
        [*filter(None, [table.under]), *table.skip, *table.rows, *table.headings], key
    )
    for pattern, meaning in table.rows.items():
        yield from _of_saying(meaning, f"{key}rows.{pattern!r}.", map_)
    for pattern, heading in table.headings.items():
        yield from _of_saying(heading, f"{key}headings.{pattern!r}.", map_)
        yield from _of_patterns(heading.rows, key)
        for row, meaning in heading.rows.items():
            at = f"{key}headings.{pattern!r}.rows.{row!r}."
            yield from _of_saying(meaning, at, map_)
    plain: dict[str, str] = {}
    for name, column in table.columns.items():
        yield from _of_column(column, f"{key}columns.{name!r}.", table, map_)
        if plain_name(name) in plain:
            yield f"{key}columns.{name!r}: the same as {plain[plain_name(name)]!r}"
        plain[plain_name(name)] = name
    if not any(one.is_ in ("value", "ratio") for one in table.columns.values()):
        yield f'{key}columns: one with is = "value" is expected'


def _of_column(column: Column, key: str, table: Table, map_: Map) -> Iterator[str]:
    yield from _of_fields(column.set, f"{key}set", map_)
    yield from _of_fields(column.numerator, f"{key}numerator", map_)
    yield from _of_fields(column.denominator, f"{key}denominator", map_)
    yield from _of_metrics([column.metric, *column.parts.values()], f"{key}metric")
    for cell, meaning in column.cells.items():
        yield from _of_saying(meaning, f"{key}cells.{cell!r}.", map_)
    by_row = any(one.is_ == "metric" for one in table.columns.values())
    if column.is_ == "field":
        if column.field is None:
            yield f"{key}field: the name of a field is expected, or is = …"
        else:
            for value in (*column.values.values(), None):
                yield from _of_fields({column.field: value}, f"{key}field", map_)
    elif column.is_ == "metric":
        if not column.values:
            yield f"{key}values: labels with their metrics are expected"
        names = [str(name) for name in column.values.values()]
        yield from _of_metrics(names, f"{key}values")
    elif column.is_ == "value" and not (column.metric or column.parts or by_row):
        yield f"{key}metric: one of schema/metrics.json is expected, or parts"


def _of_saying(saying: Saying, key: str, map_: Map) -> Iterator[str]:
    yield from _of_fields(saying.set, f"{key}set", map_)


def _of_fields(fields: Mapping[str, object], key: str, map_: Map) -> Iterator[str]:
    for name, value in fields.items():
        at = f"{key}.{name}"
        if not _is_field(name):
            listed = ", ".join(sorted(FIELDS))
            yield f"{at}: no field; these are: {listed}, parameters.*, conditions.*"
        if name == "device" and value is not None and value not in _DEVICES:
            yield f"{at}: {value!r}; one of {', '.join(_DEVICES)} is expected"
        unknown = value is not None and value not in map_.environments
        if name == "environment" and unknown:
            yield f"{at}: no environments.{value} is in the map"


def _is_field(name: str) -> bool:
    return name in FIELDS or bool(re.match(r"(?:parameters|conditions)\..", name))


def _of_metrics(names: Iterable[str | None], key: str) -> Iterator[str]:
    for name in names:
        if name and name not in metrics():
            yield f"{key}: {name!r} is no metric of schema/metrics.json"


def _of_patterns(patterns: Iterable[str], key: str) -> Iterator[str]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            yield f"{key[:-1]}: {pattern!r} is no regular expression ({error})"


def _of_groups(patterns: Iterable[str], key: str) -> Iterator[str]:
    """Yield faults of expressions whose named groups set fields."""
    for pattern in patterns:
        broken = list(_of_patterns([pattern], f"{key}."))
        yield from broken
        names = () if broken else re.compile(pattern).groupindex
        for name in names:
            if not _is_field(name.replace("__", ".")):
                yield f"{key}: group {name!r} is no field"
        if not broken and not names:
            yield f"{key}: a named group is expected: (?P<machine>…)"
