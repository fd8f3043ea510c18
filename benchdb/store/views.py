"""The columns of the views that anybody may ask in SQL: their types, units, meanings.

The migrations make the views; data frames and Parquet files have the same columns in
the same order. ``SAMPLES`` is no view: samples are packed, and unpacked where asked.
"""

import tomllib
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from benchdb.resources import folder

Kind = Literal["text", "integer", "real", "boolean"]


class Column(msgspec.Struct, frozen=True):
    """A column: its *name*, what it is *about*, and its *unit*, ``None`` without any.

    A unit ``column unit`` is told by the column of that name, row by row. *required*
    tells that it is never missing.
    """

    name: str
    about: str
    kind: Kind = "text"
    unit: str | None = None
    required: bool = False


class _Shape(NamedTuple):
    """All of a column but what it means, which ``schema/comments.toml`` says."""

    name: str
    kind: Kind = "text"
    unit: str | None = None
    required: bool = False


_OF_THE_COLUMN = "column unit"


def _sure(name: str, kind: Kind = "text", unit: str | None = None) -> _Shape:
    return _Shape(name, kind, unit, required=True)


_WORK = (
    _sure("workload"),
    _sure("workload_title"),
    _Shape("system"),
    _Shape("accelerator"),
    _sure("chip"),
    _Shape("memory_gib", "real", "GiB"),
    _sure("device"),
    _sure("framework"),
    _Shape("framework_version"),
    _Shape("precision"),
    _Shape("compiler"),
    _Shape("batch_size", "integer"),
    _Shape("size", "integer"),
    _sure("setting"),
    _sure("parameters"),
    _Shape("tier"),
    _sure("metric"),
    _sure("metric_title"),
)
_TRUST = (
    _Shape("grade"),
    _Shape("trust"),
    _sure("label"),
    _Shape("source"),
    _Shape("campaign"),
    _Shape("started"),
    _sure("mine", "boolean"),
    _Shape("machine"),
)
_SHAPES = {
    "results": (
        *_WORK,
        _sure("value", "real", _OF_THE_COLUMN),
        _Shape("low", "real", _OF_THE_COLUMN),
        _Shape("high", "real", _OF_THE_COLUMN),
        _sure("unit"),
        _sure("direction"),
        _sure("n", "integer"),
        *_TRUST,
        _sure("run"),
    ),
    "figures": (
        _sure("run"),
        _sure("first"),
        *_WORK,
        _Shape("value", "real", _OF_THE_COLUMN),
        _Shape("uncertainty", "real", _OF_THE_COLUMN),
        _sure("unit"),
        _sure("direction"),
        _Shape("reason"),
        _Shape("printed"),
        _Shape("locator"),
        _Shape("derived"),
        _sure("status"),
        *_TRUST,
    ),
    "doubts": (
        _sure("run"),
        _sure("workload"),
        _Shape("system"),
        _sure("code"),
        _Shape("metric"),
        _sure("detail"),
        _sure("kind"),
    ),
    "machine_details": (
        _sure("machine"),
        _Shape("anonymous_id"),
        _Shape("model"),
        _sure("vendor"),
        _sure("chip"),
        _Shape("cpu_cores", "integer"),
        _Shape("gpu_cores", "integer"),
        _Shape("memory_gib", "real", "GiB"),
        _Shape("bandwidth_gb_per_second", "real", "GB/s"),
        _Shape("accelerators"),
        _Shape("virtual", "boolean"),
        _sure("mine", "boolean"),
        _sure("runs", "integer"),
        _Shape("first_started"),
        _Shape("last_started"),
    ),
}


def _columns() -> dict[str, tuple[Column, ...]]:
    path = folder("schema") / "comments.toml"
    result = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        view: tuple(
            Column(
                shape.name, (result["results"] | result[view])[shape.name], *shape[1:]
            )
            for shape in shapes
        )
        for view, shapes in _SHAPES.items()
    }


COLUMNS: Mapping[str, tuple[Column, ...]] = _columns()
SAMPLES = (
    Column("run", "digest of the run", required=True),
    Column("phase", "seed, warmup, burst, measure, settle or step", required=True),
    Column("index", "place in the run, from 0, as taken", "integer", required=True),
    Column("steps", "steps that it lasted", "integer", required=True),
    Column("seconds", "time of all its steps", "real", "s", required=True),
)
TABLES: Mapping[str, tuple[Column, ...]] = {**COLUMNS, "samples": SAMPLES}
