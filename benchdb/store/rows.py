"""A record as rows of the tables, and back: what is written is what is read."""

from collections.abc import Container, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
import sqlalchemy
from msgspec.structs import astuple

from benchdb.catalogue import metrics, workloads
from benchdb.errors import DatabaseError
from benchdb.exchange.messages import (
    Claim,
    End,
    Environment,
    Machine,
    Run,
    Source,
)
from benchdb.exchange.record import Record, claim_digest, digest_of
from benchdb.plausibility.fingerprint import fingerprint
from benchdb.sorted_json import sorted_json

Row = dict[str, Any]
# Rows by table. There are many of what belongs to a single run: those are tuples, in
# the order of the table's columns, and JSON is text in them.
Rows = dict[str, list[Any]]
_REMEMBERED = 20_000  # shared rows that were seen; then they are forgotten
OF_A_RUN = ("run", "value", "samples", "flag", "fingerprint")
Shared = tuple[str, Any]  # a table, and what identifies a row of it
_Kind = TypeVar("_Kind")


def of_source(source: Source) -> Rows:
    """Return the rows of a published document."""
    return {"source": [{**_fields(source), "digest": digest_of(source)}]}


def of_claim(claim: Claim, source: Source) -> Rows:
    """Return the rows of a claim of *source*."""
    owner = digest_of(source)
    row = {**_fields(claim), "digest": claim_digest(claim, owner), "source": owner}
    return {"claim": [row]}


def of_record(
    record: Record, known: Container[Shared] = (), *, mine: bool = False
) -> Rows:
    """Return the rows of a run and of everything it refers to, by table.

    Of what many runs refer to, rows are left out where *known* has them. Whether the
    run is *mine* is no part of the record.
    """
    run, end = record.digest, record.end
    rows: Rows = {
        **shared(record, known),
        "run": [(*_run(record), mine, record.run.reproduces)],
        "value": [(run, *astuple(value)) for value in end.values],
    }
    if end.flags:
        rows["flag"] = [
            (run, position, flag.code, flag.metric, sorted_json(flag.detail))
            for position, flag in enumerate(end.flags)
        ]
    if record.series:
        count = sum(len(series.values) for series in record.series)
        rows["samples"] = [(run, count, record.packed)]
    return rows


def of_likeness(record: Record) -> Rows:
    """Return the row by which copies of a run are recognised, if any."""
    pair = fingerprint(record)
    return {} if pair is None else {"fingerprint": [(record.digest, *pair)]}


def shared(record: Record, known: Container[Shared] = ()) -> Rows:
    """Return the rows of what a run refers to, where *known* does not have them."""
    rows: Rows = {}
    if ("machine", digest_of(record.machine)) not in known:
        rows |= of_machine(record.machine)
    environment = digest_of(record.environment)
    if ("environment", environment) not in known:
        rows["environment"] = [{**_fields(record.environment), "digest": environment}]
    workload = (record.run.workload, record.run.workload_version)
    if ("workload", workload) not in known:
        rows["workload"] = [_workload(*workload)]
    named = [value.metric for value in record.end.values]
    if not all(("metric", text) in known for text in named):
        rows["metric"] = [_metric(text) for text in named]
    source = record.source
    if source is not None:
        reader = (record.source_digest, source.importer, source.importer_version)
        if ("source", reader) not in known:
            rows |= of_source(source)
    return rows


def of_machine(machine: Machine) -> Rows:
    """Return the row of a machine, and that of its chip class."""
    chip = digest_of(machine.chip)
    owner = {"digest": digest_of(machine), "chip": chip}
    return {
        "chip": [{**_fields(machine.chip), "digest": chip}],
        "machine": [{**_fields(machine), **owner}],
    }


def as_mine(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the *row* of a run as that of one that is mine."""
    return (*row[:-2], True, row[-1])


_WHAT = attrgetter(
    *("workload", "workload_version", "setting", "framework", "device"),
    *("device_name", "precision", "compiler"),
)
_WHICH = attrgetter("seed", "tier", "campaign", "replicate", "replicates")


def unknown(rows: Rows, known: set[Shared]) -> Rows:
    """Return *rows* less the rows of *known*, which takes in those that are shared.

    Machines and the like repeat in every run; each has to be inserted once.
    """
    for name, some in rows.items():
        if name not in OF_A_RUN:
            keys = [(name, _identity(row)) for row in some]
            new = [row for key, row in zip(keys, some, strict=True) if key not in known]
            rows[name] = new
            known.update(keys)
    if len(known) > _REMEMBERED:
        known.clear()
    return rows


def _identity(row: Row) -> Any:
    """Return what identifies a shared row, as ``shared`` knows it."""
    if "importer_version" in row:
        return row["digest"], row["importer"], row["importer_version"]
    if "version" in row:
        return row["name"], row["version"]
    return row.get("digest") or row["name"]


def _run(record: Record) -> tuple[Any, ...]:
    run, end, collector = record.run, record.end, record.run.collector
    return (
        *(record.digest, digest_of(record.machine), digest_of(record.environment)),
        *_WHAT(run),
        record.batch_size,
        sorted_json(run.parameters),
        *_WHICH(run),
        *((None, None, None) if collector is None else astuple(collector)),
        *(run.started, end.ended, run.label),
        *(record.source_digest, run.locator, end.status, end.reason),
        sorted_json(run.conditions),
        sorted_json(end.conditions),
        sorted_json(end.checks),
        sorted_json(run.basis),
        sorted_json(run.missing),
    )


def _metric(name: str) -> Row:
    known = metrics()[name]
    facts = {"unit": known.unit, "direction": known.direction, "title": known.short}
    return {"name": name, **facts}


def _workload(name: str, version: int) -> Row:
    known = workloads().get(name)
    title = name if known is None else known.title
    return {"name": name, "version": version, "title": title}


def _fields(line: msgspec.Struct) -> Row:
    """Return every field of *line* as plain data, but its file-local key."""
    names = (name for name in line.__struct_fields__ if name != "key")
    return {name: msgspec.to_builtins(getattr(line, name)) for name in names}


def plain(row: sqlalchemy.Row[Any]) -> Row:
    """Return *row* by the names of its columns."""
    return dict(zip(_names(row._fields), row, strict=True))


@lru_cache(maxsize=64)
def _names(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str, columns))  # SQLAlchemy's are more than strings


def to_source(row: Mapping[str, Any]) -> Source:
    """Return the published document of a row of ``source``."""
    return converted(Source, {**_rest(row), "key": row["digest"]})


def to_claim(row: Mapping[str, Any]) -> Claim:
    """Return the claim of a row of ``claim``."""
    return converted(Claim, _rest(row))


def to_machine(machine: Mapping[str, Any], chip: Mapping[str, Any]) -> Machine:
    """Return the machine of its row and that of its chip class."""
    own = {"key": machine["digest"], "chip": _rest(chip)}
    return converted(Machine, {**_rest(machine), **own})


def to_environment(row: Mapping[str, Any]) -> Environment:
    """Return the environment of a row of ``environment``."""
    return converted(Environment, {**_rest(row), "key": row["digest"]})


def to_run(row: Mapping[str, Any]) -> Run:
    """Return the start of the run in a row of ``run``."""
    facts = {
        name: row[name]
        for name in Run.__struct_fields__
        if name not in ("key", "collector", "conditions")
    }
    if row["collector"] is not None:  # an empty name is a name
        facts["collector"] = {
            "name": row["collector"],
            "version": row["collector_version"],
            "sha256": row["collector_sha256"],
        }
    own = {"key": row["digest"], "conditions": row["conditions_before"]}
    return converted(Run, {**facts, **own})


def to_end(
    row: Mapping[str, Any],
    values: list[Mapping[str, Any]],
    flags: list[Mapping[str, Any]],
) -> End:
    """Return the end of the run in a row of ``run``, with its values and flags."""
    facts = {
        "run": row["digest"],
        "status": row["status"],
        "reason": row["reason"],
        "ended": row["ended"],
        "values": [_rest(value) for value in values],
        "checks": row["checks"],
        "conditions": row["conditions_after"],
        "flags": [_rest(flag) for flag in flags],
    }
    return converted(End, facts)


def converted(kind: type[_Kind], facts: Any) -> _Kind:
    """Return *facts* as a *kind*; raise ``DatabaseError`` for those changed by hand."""
    try:
        return msgspec.convert(facts, kind)
    except msgspec.ValidationError as error:
        raise DatabaseError(f"a row of {kind.__name__.lower()}: {error}") from error


def _rest(row: Mapping[str, Any]) -> Row:
    return {k: v for k, v in row.items() if k not in ("digest", "run", "position")}
