"""Machines and software: what was measured on what, with what."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from benchdb.report.references import Sources
from benchdb.report.runs import StoredRun
from benchdb.report.systems import is_here
from benchdb.report.view.listed import MachineRow
from benchdb.store.places import tidy
from benchdb.store.tables import chip, environment, machine


class _Use(NamedTuple):
    """So many runs of a machine with a framework, as *source* tells of them.

    *here* and *measured* tell of all of them.
    """

    machine: Any
    environment: Any
    framework: str
    source: str | None
    here: bool
    measured: bool
    runs: int


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
    facts = "digest", "model", "anonymous_id"
    of_chip = "name", "cpu_cores", "gpu_cores", "ram_bytes", "accelerators"
    query = select(
        *(machine.c[name] for name in facts), *(chip.c[name] for name in of_chip)
    ).join(chip, machine.c.chip == chip.c.digest)
    known = {row.digest: row for row in connection.execute(query)}
    around = "digest", "os_name", "os_version", "framework_version"
    query = select(*(environment.c[name] for name in around))
    software = {row.digest: row for row in connection.execute(query)}
    counts: Counter[tuple[Any, ...]] = Counter()
    sessions = defaultdict[_Owner, set[str]](set)
    for run in runs:
        place, own = run.place, run.facts
        owner = place.machine, place.mine, place.shipped
        if not run.left_out:
            used = own.machine, own.environment, own.framework, place.source
            counts[*owner, *used, is_here(place, here), place.measured] += 1
        if place.measured and not run.left_out:
            sessions[owner].add(own.session.name)
    uses = defaultdict[_Owner, list[_Use]](list)
    for key in sorted(counts, key=lambda key: tuple(str(part or "") for part in key)):
        used, around, framework, source, *whose = key[3:]
        where = known[used], software[around]
        use = _Use(*where, framework, source, whose[0], whose[1], counts[key])
        uses[key[:3]].append(use)
    rows = [
        _machine(known[owner[0]], own, sessions[owner], sources, mine=owner[1])
        for owner, own in uses.items()
    ]
    return tuple(sorted(rows, key=_order))


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
    machines = [stands, *(use.machine for use in uses)]
    around = [use.environment for use in uses]
    systems = {_joined(item.os_name, item.os_version) for item in around} - {""}
    software = {(use.framework, use.environment.framework_version) for use in uses}
    versioned = {framework for framework, version in software if version}
    gpus = _first(item.accelerators for item in machines) or ()
    name = _first(item.name for item in machines if item.name != "unknown") or "unknown"
    return MachineRow(
        chip=tidy(name),
        model=_first(item.model for item in machines),
        cpu_cores=_first(item.cpu_cores for item in machines),
        gpu_cores=_first(item.gpu_cores for item in machines),
        ram_bytes=_first(item.ram_bytes for item in machines),
        accelerators=tuple(
            _joined(f"{gpu['count']} ×" if gpu.get("count", 1) != 1 else None, name)
            for gpu in gpus
            for name in (tidy(str(gpu["name"])),)
        ),
        os=", ".join(sorted(systems)) or None,
        # Once without a version only where none is known.
        frameworks=tuple(
            sorted(
                _joined(framework, version)
                for framework, version in software
                if version or framework not in versioned
            )
        ),
        here=any(use.here for use in uses),
        sources=sources.keys(use.source for use in uses),
        runs=sum(use.runs for use in uses),
        mine=mine,
        measured=any(use.measured for use in uses),
        sessions=len(names) or None,
        identified=stands.anonymous_id is not None,
    )


def _first(facts: Iterable[Any]) -> Any:
    return next((fact for fact in facts if fact), None)


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _order(row: MachineRow) -> tuple[object, ...]:
    source = int(row.sources[0]) if row.sources else 0
    result = row.model or "", row.ram_bytes or 0, row.os or ""
    return not row.here, source, row.chip, *result, row.frameworks, row.runs
