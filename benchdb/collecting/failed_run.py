"""The record of a run whose collector never said that it began."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from benchdb.catalogue import workloads
from benchdb.collecting.plan import Item, Settings
from benchdb.collecting.programs import fingerprint
from benchdb.exchange.lines import End, Environment, Machine, Run
from benchdb.exchange.record import Record

UNSAID = "the collector ended before it could say"


def now() -> str:
    """Return the time of day as runs carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def record_of_silence(
    item: Item, settings: Settings, started: str, reason: str
) -> Record:
    """Return a failed run made from the plan alone; the rest is missing, and says so.

    *started* is when the collector was.
    """
    found = fingerprint()
    machine = msgspec.convert(found["machine"], Machine)
    environment = _environment(item, found["system"], isolated=settings.isolated)
    run = run_line(item, settings, started)
    end = End(run=run.key, status="failed", reason=reason, ended=now())
    return Record(run, machine, environment, source=None, series=(), end=end)


def _environment(item: Item, system: dict[str, Any], *, isolated: bool) -> Environment:
    missing = {**system.get("missing", {}), "framework_version": UNSAID}
    facts = {**system, "framework": item.cell.framework}
    if isolated:  # uv chose the collector's Python; the fingerprint is of ours
        del facts["python"]
        missing["python"] = UNSAID
    line = {"type": "environment", "key": "environment", **facts, "missing": missing}
    return msgspec.convert(line, Environment)


def run_line(item: Item, settings: Settings, started: str | None = None) -> Run:
    """Return the start of a run as the plan alone knows it."""
    cell = item.cell
    facts = {
        "type": "run",
        "key": "run",
        "machine": "machine",
        "environment": "environment",
        "workload": cell.workload,
        "workload_version": workloads()[cell.workload].version,
        "setting": cell.setting,
        "framework": cell.framework,
        "device": cell.device,
        "precision": cell.precision,
        "compiler": cell.compiler,
        "parameters": cell.parameters,
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
