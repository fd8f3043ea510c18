"""A record as rows of the tables, and back: what is written is what is read."""

from collections.abc import Container, Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from benchdb.catalogue import metrics
from benchdb.exchange.lines import (
    Accelerator,
    Chip,
    Claim,
    Collector,
    CoreLevel,
    End,
    Environment,
    Flag,
    Machine,
    Run,
    Source,
    Value,
)
from benchdb.exchange.record import Record, claim_digest, source_digest

Row = dict[str, Any]
Rows = dict[str, list[Row]]
Shared = tuple[str, Any]  # a table, and what identifies a row of it


def of_source(source: Source) -> Rows:
    """Return the rows of a published document."""
    return {"source": [{**_fields(source), "digest": source_digest(source)}]}


def of_claim(claim: Claim, source: Source) -> Rows:
    """Return the rows of a claim of *source*."""
    owner = source_digest(source)
    row = {**_fields(claim), "digest": claim_digest(claim, owner), "source": owner}
    return {"claim": [row]}


def of_record(record: Record, known: Container[Shared] = ()) -> Rows:
    """Return the rows of a run and of everything it refers to, by table.

    Of what many runs refer to, rows are left out where *known* has them.
    """
    run, rows = record.digest, _shared(record, known)
    rows |= {
        "run": [_run(record)],
        "value": [asdict(value) | {"run": run} for value in record.end.values],
        "flag": [
            {**_fields(flag), "run": run, "position": position}
            for position, flag in enumerate(record.end.flags)
        ],
    }
    if record.series:
        count = sum(len(one.values) for one in record.series)
        rows["samples"] = [{"run": run, "count": count, "packed": record.packed}]
    return rows


def _shared(record: Record, known: Container[Shared]) -> Rows:
    rows: Rows = {}
    chip, machine = record.chip_digest, record.machine_digest
    if ("machine", machine) not in known:
        rows["chip"] = [{**_fields(record.machine.chip), "digest": chip}]
        owner = {"digest": machine, "chip": chip}
        rows["machine"] = [{**_fields(record.machine), **owner}]
    environment = record.environment_digest
    if ("environment", environment) not in known:
        rows["environment"] = [{**_fields(record.environment), "digest": environment}]
    workload = (record.run.workload, record.run.workload_version)
    if ("workload", workload) not in known:
        rows["workload"] = [{"name": workload[0], "version": workload[1]}]
    named = (value.metric for value in record.end.values)
    rows["metric"] = [_metric(one) for one in named if ("metric", one) not in known]
    source = record.source
    if source is not None:
        reader = (record.source_digest, source.importer, source.importer_version)
        if ("source", reader) not in known:
            rows |= of_source(source)
    return rows


def _run(record: Record) -> Row:
    run, end, collector = record.run, record.end, record.run.collector
    row = asdict(run)
    del row["key"]
    before = row.pop("conditions")
    batch = run.parameters.get("batch_size")
    return {
        **row,
        "digest": record.digest,
        "machine": record.machine_digest,
        "environment": record.environment_digest,
        "source": record.source_digest,
        "batch_size": batch if type(batch) is int and 0 <= batch < 2**31 else None,
        "collector": collector and collector.name,
        "collector_version": collector and collector.version,
        "collector_sha256": collector and collector.sha256,
        "ended": end.ended,
        "status": end.status,
        "reason": end.reason,
        "conditions_before": before,
        "conditions_after": dict(end.conditions),
        "checks": dict(end.checks),
    }


def _metric(name: str) -> Row:
    known = metrics()[name]
    return {"name": name, "unit": known.unit, "direction": known.direction}


def _fields(line: msgspec.Struct) -> Row:
    """Return every field of *line* as plain data, but its file-local key."""
    names = (name for name in line.__struct_fields__ if name != "key")
    return {name: msgspec.to_builtins(getattr(line, name)) for name in names}


def to_source(row: Mapping[str, Any]) -> Source:
    """Return the published document of a row of ``source``."""
    lists = {name: tuple(row[name]) for name in ("authors", "supersedes")}
    return Source(key=row["digest"], **{**_rest(row), **lists})


def to_claim(row: Mapping[str, Any]) -> Claim:
    """Return the claim of a row of ``claim``."""
    flags = tuple(Flag(**flag) for flag in row["flags"])
    return Claim(**{**_rest(row), "flags": flags})


def to_machine(machine: Mapping[str, Any], chip: Mapping[str, Any]) -> Machine:
    """Return the machine of its row and that of its chip class."""
    levels = tuple(CoreLevel(**level) for level in chip["cpu_levels"])
    gpus = tuple(Accelerator(**gpu) for gpu in chip["accelerators"])
    built = Chip(**{**_rest(chip), "cpu_levels": levels, "accelerators": gpus})
    return Machine(key=machine["digest"], **{**_rest(machine), "chip": built})


def to_environment(row: Mapping[str, Any]) -> Environment:
    """Return the environment of a row of ``environment``."""
    return Environment(
        key=row["digest"], **{**_rest(row), "devices": tuple(row["devices"])}
    )


def to_run(row: Mapping[str, Any]) -> Run:
    """Return the start of the run in a row of ``run``."""
    facts = {
        name: row[name]
        for name in Run.__struct_fields__
        if name not in ("key", "collector", "conditions")
    }
    collector = None
    if row["collector"] is not None:  # an empty name is a name
        collector = Collector(
            name=row["collector"],
            version=row["collector_version"],
            sha256=row["collector_sha256"],
        )
    return Run(
        key=row["digest"],
        collector=collector,
        conditions=row["conditions_before"],
        **facts,
    )


def to_end(
    row: Mapping[str, Any],
    values: list[Mapping[str, Any]],
    flags: list[Mapping[str, Any]],
) -> End:
    """Return the end of the run in a row of ``run``, with its values and flags."""
    return End(
        run=row["digest"],
        status=row["status"],
        reason=row["reason"],
        ended=row["ended"],
        values=tuple(Value(**_rest(value)) for value in values),
        checks=row["checks"],
        conditions=row["conditions_after"],
        flags=tuple(Flag(**_rest(flag)) for flag in flags),
    )


def _rest(row: Mapping[str, Any]) -> Row:
    return {k: v for k, v in row.items() if k not in ("digest", "run", "position")}
