"""Machines and software: what was measured on what, with what."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.report.runs import StoredRun
from benchdb.report.sources import Sources
from benchdb.report.systems import is_here, tidy
from benchdb.report.view.listed import MachineRow
from benchdb.store.tables import chip, environment, machine


class _Use(msgspec.Struct, frozen=True):
    """So many runs of a machine with a framework, as *source* tells of them.

    *marked* and *measured* tell of all of them.
    """

    machine: Any
    environment: Any
    framework: str
    source: str | None
    runs: int
    marked: bool
    measured: bool


# A machine, and whether its runs are mine or shipped.
_Owner = tuple[str, bool, bool]


def machines(
    connection: Connection,
    runs: Sequence[StoredRun],
    here: str | None,
    sources: Sources,
) -> tuple[MachineRow, ...]:
    """Return the machines, marked ones first, then by source and chip.

    Those that are the same, by rule or by hand, are one. *here* is as
    ``systems.is_here`` has it.
    """
    known, software = _machines(connection), _environments(connection)
    found: defaultdict[_Owner, list[_Use]] = defaultdict(list)
    for (stands, mine, shipped, *use), count in _uses(runs, here).items():
        own, around, framework, source, marked, measured = use
        found[stands, mine, shipped].append(
            _Use(
                *(known[own], software[around], framework, source, count),
                *(marked, measured),
            )
        )
    sessions = _sessions(runs)
    rows = [
        _machine(known[key[0]], uses, sessions[key], sources, mine=key[1])
        for key, uses in found.items()
    ]
    return tuple(sorted(rows, key=_order))


def _sessions(runs: Iterable[StoredRun]) -> Mapping[_Owner, set[str]]:
    """Return the names of the sessions in which each machine was measured."""
    found: defaultdict[_Owner, set[str]] = defaultdict(set)
    for run in runs:
        if run.place.measured and not run.left_out:
            owner = run.place.machine, run.place.mine, run.place.shipped
            found[owner].add(run.facts.session.name)
    return found


def _uses(runs: Iterable[StoredRun], here: str | None) -> dict[tuple[Any, ...], int]:
    """Count the runs of each machine and software, in an order of their own."""
    counts = Counter(
        (
            run.place.machine,
            run.place.mine,
            run.place.shipped,
            run.facts.machine,
            run.facts.environment,
            run.facts.framework,
            run.place.source,
            is_here(run.place, here),
            run.place.measured,
        )
        for run in runs
        if not run.left_out
    )
    keys = sorted(counts, key=lambda key: tuple(str(part or "") for part in key))
    return {key: counts[key] for key in keys}


def _machines(connection: Connection) -> Mapping[str, Any]:
    query = select(
        machine.c.digest,
        machine.c.model,
        machine.c.anonymous_id,
        chip.c.name,
        chip.c.cpu_cores,
        chip.c.gpu_cores,
        chip.c.ram_bytes,
        chip.c.accelerators,
    ).join(chip, machine.c.chip == chip.c.digest)
    return {row.digest: row for row in connection.execute(query)}


def _environments(connection: Connection) -> Mapping[str, Any]:
    query = select(
        environment.c.digest,
        environment.c.os_name,
        environment.c.os_version,
        environment.c.framework_version,
    )
    return {row.digest: row for row in connection.execute(query)}


def _machine(
    stands: Any,
    uses: Sequence[_Use],
    names: Collection[str],
    sources: Sources,
    *,
    mine: bool,
) -> MachineRow:
    """Return one machine: what *stands* for it says, and the rest from the others.

    *names* are those of its sessions.
    """
    said = [stands, *(use.machine for use in uses)]
    around = [use.environment for use in uses]
    systems = {_joined(one.os_name, one.os_version) for one in around} - {""}
    gpus = _first(one.accelerators for one in said) or ()
    return MachineRow(
        chip=tidy(
            _first(one.name for one in said if one.name != "unknown") or "unknown"
        ),
        model=_first(one.model for one in said),
        cpu_cores=_first(one.cpu_cores for one in said),
        gpu_cores=_first(one.gpu_cores for one in said),
        ram_bytes=_first(one.ram_bytes for one in said),
        accelerators=tuple(_accelerator(gpu) for gpu in gpus),
        os=", ".join(sorted(systems)) or None,
        frameworks=tuple(sorted(_frameworks(uses))),
        here=any(use.marked for use in uses),
        sources=sources.keys(use.source for use in uses),
        runs=sum(use.runs for use in uses),
        mine=mine,
        measured=any(use.measured for use in uses),
        sessions=len(names) or None,
        identified=stands.anonymous_id is not None,
    )


def _frameworks(uses: Sequence[_Use]) -> set[str]:
    """Return what the machine ran, once without a version only where none is told."""
    told = {(use.framework, use.environment.framework_version) for use in uses}
    versioned = {framework for framework, version in told if version}
    return {
        _joined(framework, version)
        for framework, version in told
        if version or framework not in versioned
    }


def _first(facts: Iterable[Any]) -> Any:
    return next((fact for fact in facts if fact), None)


def _accelerator(gpu: dict[str, Any]) -> str:
    count = gpu.get("count", 1)
    name = tidy(str(gpu["name"]))
    return name if count == 1 else f"{count} × {name}"


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _order(row: MachineRow) -> tuple[object, ...]:
    source = int(row.sources[0]) if row.sources else 0
    said = row.model or "", row.ram_bytes or 0, row.os or ""
    return not row.here, source, row.chip, *said, row.frameworks, row.runs
