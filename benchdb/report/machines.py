"""Machines and software: what was measured on what, with what."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from benchdb.report.sources import Sources
from benchdb.report.systems import tidy
from benchdb.report.view import MachineRow
from benchdb.store.tables import chip, environment, machine, run


def machines(
    connection: Connection, here: str | None, sources: Sources
) -> tuple[MachineRow, ...]:
    """Return the machines, this one first, then by source and chip."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(_uses()):
        found[row.digest].append(row)
    rows = [_machine(uses, here, sources) for uses in found.values()]
    return tuple(sorted(rows, key=_order))


def _uses() -> Any:
    """Select each machine with each software it was used with, and how often."""
    columns = (
        machine.c.digest,
        machine.c.model,
        machine.c.anonymous_id,
        chip.c.name,
        chip.c.cpu_cores,
        chip.c.gpu_cores,
        chip.c.ram_bytes,
        chip.c.accelerators,
        environment.c.os_name,
        environment.c.os_version,
        environment.c.framework_version,
        run.c.framework,
        run.c.source,
    )
    return (
        select(*columns, func.count().label("runs"))
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .join(environment, run.c.environment == environment.c.digest)
        .group_by(*columns)
        .order_by(*columns)
    )


def _machine(uses: Sequence[Any], here: str | None, sources: Sources) -> MachineRow:
    first = uses[0]
    systems = {_joined(use.os_name, use.os_version) for use in uses} - {""}
    frameworks = {_joined(use.framework, use.framework_version) for use in uses}
    return MachineRow(
        chip=tidy(first.name),
        model=first.model,
        cpu_cores=first.cpu_cores,
        gpu_cores=first.gpu_cores,
        ram_bytes=first.ram_bytes,
        accelerators=tuple(_accelerator(gpu) for gpu in first.accelerators),
        os=", ".join(sorted(systems)) or None,
        frameworks=tuple(sorted(frameworks)),
        here=here is not None and first.anonymous_id == here,
        sources=sources.keys(use.source for use in uses),
        runs=sum(use.runs for use in uses),
    )


def _accelerator(gpu: dict[str, Any]) -> str:
    count = gpu.get("count", 1)
    name = tidy(str(gpu["name"]))
    return name if count == 1 else f"{count} × {name}"


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _order(row: MachineRow) -> tuple[object, ...]:
    source = int(row.sources[0]) if row.sources else 0
    return not row.here, source, row.chip, row.model or "", row.ram_bytes or 0, row.os
