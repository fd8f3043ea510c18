"""The run that an item asks for: as the plan knows it, and what is no answer to it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from statistics import median
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.collecting.plan import Item, Settings
from benchdb.collecting.programs import Program, fingerprint
from benchdb.exchange.messages import (
    Collector,
    End,
    Environment,
    Machine,
    Run,
    Value,
)
from benchdb.exchange.record import Record

UNSAID = "the collector ended before it could say"
_OF_CELL = (
    *("workload", "setting", "framework", "device", "precision", "compiler"),
    "parameters",
)
_WALL = "process_wall_seconds"
# In which an answer equals what was asked for.
_FIELDS = (
    *("workload", "workload_version", *_OF_CELL[1:], "seed", "tier", "campaign"),
    *("replicate", "replicates", "label", "source"),
)
# The switches of a framework decide which of these float32 is.
_FLOAT32 = ("fp32", "tf32")


def now() -> str:
    """Return the time of day as runs carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def run_line(item: Item, settings: Settings, started: str | None = None) -> Run:
    """Return the start of a run as the plan alone knows it."""
    facts = {name: getattr(item.cell, name) for name in _OF_CELL} | {
        "type": "run",
        "key": "run",
        "machine": "machine",
        "environment": "environment",
        "workload_version": workloads()[item.cell.workload].version,
        "seed": settings.seed + item.replicate,
        "tier": settings.tier,
        "campaign": settings.campaign,
        "replicate": item.replicate,
        "replicates": item.replicates,
        "started": started,
        "label": "measured",
        "missing": dict.fromkeys(("collector", "conditions", "device_name"), UNSAID),
    }
    return msgspec.convert(facts, Run)


def failed_run(item: Item, settings: Settings, started: str, reason: str) -> Record:
    """Return the record of a run whose collector never said that it began.

    It is made from the plan alone; the rest is missing, and says so. *started* is when
    the collector was.
    """
    here = fingerprint()
    system = here["system"]
    missing = {**system.get("missing", {}), "framework_version": UNSAID}
    facts = {**system, "framework": item.cell.framework}
    if settings.isolated:  # the collector's Python is another than the fingerprint's
        del facts["python"]
        missing["python"] = UNSAID
    line = {"type": "environment", "key": "environment", **facts, "missing": missing}
    run = run_line(item, settings, started)
    return Record(
        run,
        msgspec.convert(here["machine"], Machine),
        msgspec.convert(line, Environment),
        source=None,
        series=(),
        end=End(run=run.key, status="failed", reason=reason, ended=now()),
    )


def completed(
    record: Record, its: Program, here: Mapping[str, Any], seconds: float
) -> Record:
    """Return what a collector of others gave, with what benchdb knows better.

    *here* is the fingerprint from before it was started, *seconds* how long it has run.
    What it says itself stays.
    """
    machine, environment, run = record.machine, record.environment, record.run
    if machine.anonymous_id is None:
        machine = msgspec.convert(here["machine"], Machine)
    facts = msgspec.to_builtins(environment)
    system = {k: v for k, v in here["system"].items() if k not in ("python", "missing")}
    facts = {**system, "framework": its.framework, **facts}
    its_own = Collector(name=its.name, version=its.version or "0", sha256=its.digest)
    known = {_WALL: round(seconds, 3), **_step(record)}
    given = {value.metric: value for value in record.end.values}
    ours = {name: Value(metric=name, value=figure) for name, figure in known.items()}
    values = tuple(value for _, value in sorted({**ours, **given}.items()))
    return replace(
        record,
        machine=machine,
        environment=msgspec.convert(facts, Environment),
        end=replace(record.end, values=values),
        run=replace(
            run,
            precision=run.precision or "none",
            compiler=run.compiler or "none",
            collector=run.collector or its_own,
            conditions=run.conditions or here["conditions"],
        ),
    )


def _step(record: Record) -> dict[str, float]:
    """Return the median of the measured blocks, which grade and estimates go by."""
    blocks = [
        value / series.per
        for series in record.series
        if series.phase == "measure"
        for value in series.values
    ]
    return {"step_seconds": median(blocks)} if blocks else {}


def mismatch(
    record: Record, item: Item, settings: Settings, machine: str | None
) -> str | None:
    """Return the first thing in which *record* is no answer; None where it is one.

    *machine* is the anonymous id of the one that measures, where it is known.
    """
    asked, given = run_line(item, settings), record.run
    pairs = [("framework", asked.framework, record.environment.framework)]
    # A machine that could not read its identity is no other one.
    if machine and record.machine.anonymous_id:
        pairs.append(("machine", machine, record.machine.anonymous_id))
    return difference(asked, given, pairs)


def difference(
    asked: Run, given: Any, besides: Iterable[tuple[str, Any, Any]] = ()
) -> str | None:
    """Return the first thing in which the run *given* is not what was *asked* for.

    *besides* are names with what was asked for and what was given.
    """
    pairs = [(name, getattr(asked, name), getattr(given, name)) for name in _FIELDS]
    for name, wanted, value in (*pairs, *besides):
        if not _answers(name, wanted, value, begun=given.device_name is not None):
            return f"{name} {value!r:.80} where {wanted!r:.80} was asked for"
    return None


def _answers(name: str, asked: Any, given: Any, *, begun: bool) -> bool:
    if name == "parameters":  # the collector adds what a framework chose
        return bool(asked.items() <= given.items())
    if name == "compiler" and given is None:  # known once the framework is set up
        return not begun
    if name == "precision" and asked in _FLOAT32:
        return given in _FLOAT32
    return bool(asked == given)
