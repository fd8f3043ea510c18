"""Rows put straight into the tables: a database of any shape in a few words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Table,
    create_engine,
    insert,
    select,
    type_coerce,
)
from sqlalchemy.types import NullType

from benchdb.catalogue import metrics
from benchdb.exchange.packing import Series, pack
from benchdb.identity import digest
from benchdb.store import contents, newest, tables

GIB = 2**30
SAMPLES = pack([Series("measure", 1, (1.0,))])


class Machine(msgspec.Struct, frozen=True):
    """A machine; *ours* is its anonymous id where a collector measured on it."""

    chip: str = "M1"
    vendor: str = "Apple"
    model: str | None = "MacBook"
    ram_gib: int | None = 16
    gpu: str | None = None
    ours: str | None = None
    gpu_cores: int | None = None
    cpu_cores: int | None = None


class Run(msgspec.Struct, frozen=True):
    """One run: by default a whole published script on the CPU of a Mac."""

    workload: str = "resnet50"
    device: str = "cpu"
    machine: Machine = Machine()
    framework: str = "tensorflow"
    version: str | None = None
    variables: Mapping[str, str] = {}
    devices: Sequence[Mapping[str, Any]] = ()
    values: Mapping[str, float | None] = {}
    printed: Mapping[str, str] = {}
    reasons: Mapping[str, str] = {}
    flags: Sequence[tuple[str, str | None]] = ()
    source: str | None = "paper"
    columns: Mapping[str, Any] = {}
    source_columns: Mapping[str, Any] = {}
    """Columns of the source."""
    uncertainties: Mapping[str, float] = {}
    derived: Mapping[str, str] = {}
    findings: Sequence[tuple[str, str, Mapping[str, Any]]] = ()
    figures: tuple[str, int] | None = None
    """Fingerprint of the figures, and the digits that it rests on."""
    sampled: bool = True
    """Whether a measured run has samples of its own."""
    packed: bytes = SAMPLES


def new_store(path: Path) -> Engine:
    """Return an empty database in a file at *path*."""
    engine = create_engine(f"sqlite:///{path}")
    tables.metadata.create_all(engine)
    return engine


def add(connection: Connection, run: Run) -> str:
    """Store *run* with all that it refers to; return its digest."""
    name = digest([repr(run)])
    row = _defaults(run) | {**run.columns}
    row |= {
        "digest": name,
        "machine": _machine(connection, run.machine),
        "environment": _environment(connection, run),
        "source": _source(connection, run),
    }
    _put(connection, tables.workload, name=row["workload"], version=1)
    connection.execute(insert(tables.run).values(row))
    for metric in run.values:
        _value(connection, name, metric, run)
    if run.sampled and row["label"] == "measured" and row["status"] == "ok":
        connection.execute(
            insert(tables.samples).values(run=name, count=1, packed=run.packed)
        )
    for position, (code, about) in enumerate(run.flags):
        connection.execute(
            insert(tables.flag).values(
                run=name, position=position, code=code, metric=about, detail={}
            )
        )
    for code, about, detail in run.findings:
        groups = {"run": name, "code": code, "metric": about, "detail": detail}
        connection.execute(insert(tables.finding).values(groups))
    if run.figures is not None:
        figures, digits = digest([run.figures[0]]), run.figures[1]
        _put(connection, tables.fingerprint, run=name, figures=figures, digits=digits)
    ages: newest.Ages = {}
    newest.note(ages, raw(connection, tables.run, tables.run.c.digest == name))
    newest.refresh(connection, ages)
    contents.refresh(connection, {name[: contents.LETTERS]})
    return name


def raw(
    connection: Connection, table: Table, *wanted: ColumnElement[bool]
) -> list[tuple[Any, ...]]:
    """Return rows as they are stored: JSON is text in them."""
    columns = (type_coerce(column, NullType) for column in table.columns)
    result = connection.execute(select(*columns).select_from(table).where(*wanted))
    return [tuple(row) for row in result]


def _defaults(run: Run) -> dict[str, Any]:
    extras = ("conditions_before", "conditions_after", "checks", "basis", "missing")
    return {
        **{name: {} for name in extras},
        "workload": run.workload,
        "workload_version": 1,
        "setting": "standard",
        "framework": run.framework,
        "device": run.device,
        "precision": "fp32",
        "compiler": "graph",
        "batch_size": 128,
        "parameters": {"batch_size": 128, "samples_total": 15360},
        "label": "transcribed" if run.source else "measured",
        "status": "ok",
    }


def _machine(connection: Connection, machine: Machine) -> str:
    gpus = [{"vendor": "NVIDIA", "name": machine.gpu}] if machine.gpu else []
    ram = machine.ram_gib and machine.ram_gib * GIB
    chip = {
        "vendor": machine.vendor,
        "name": machine.chip,
        "ram_bytes": ram,
        "cpu_levels": [],
        "accelerators": gpus,
    }
    for name in ("gpu_cores", "cpu_cores"):
        if (cores := getattr(machine, name)) is not None:
            chip[name] = cores
    known = _put(connection, tables.chip, digest=digest(chip), **chip)
    own: dict[str, Any] = {
        "chip": known,
        "model": machine.model,
        "anonymous_id": machine.ours,
        "missing": {},
    }
    return _put(connection, tables.machine, digest=digest(own), **own)


def _environment(connection: Connection, run: Run) -> str:
    facts: dict[str, Any] = {
        "framework": run.framework,
        "framework_version": run.version,
        "packages": {},
        "math": {},
        "variables": run.variables,
        "devices": [*run.devices],
        "missing": {},
    }
    return _put(connection, tables.environment, digest=digest(facts), **facts)


def _source(connection: Connection, run: Run) -> str | None:
    if run.source is None:
        return None
    facts: dict[str, Any] = {
        "slug": run.source,
        "title": run.source.title(),
        "authors": [],
        "supersedes": [],
        "protocol": {},
        "missing": {},
        **run.source_columns,
    }
    return _put(connection, tables.source, digest=digest(facts), **facts)


def _value(connection: Connection, run: str, metric: str, wanted: Run) -> None:
    known = metrics()[metric]
    facts = {"unit": known.unit, "direction": known.direction}
    _put(connection, tables.metric, name=metric, **facts)
    row = {
        "run": run,
        "metric": metric,
        "value": wanted.values[metric],
        "printed": wanted.printed.get(metric),
        "reason": wanted.reasons.get(metric),
        "uncertainty": wanted.uncertainties.get(metric),
        "derived": wanted.derived.get(metric),
    }
    connection.execute(insert(tables.value).values(row))


def _put(connection: Connection, table: Table, **row: Any) -> str:
    """Insert *row* unless its key is there already; return its first key column."""
    keys = list(table.primary_key.columns)
    there = select(table).where(*(key == row[key.name] for key in keys))
    if connection.execute(there).first() is None:
        connection.execute(insert(table).values(row))
    return str(row[keys[0].name])
