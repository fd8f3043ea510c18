"""Where runs ran: machines that are the same are one here, by rule or by hand."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.report.measurement import Place
from benchdb.store import machines
from benchdb.store.machines import canonical
from benchdb.store.tables import chip, machine

_UNKNOWN = "unknown"


class _Group(msgspec.Struct, frozen=True):
    """What is said anywhere of machines that are the same."""

    vendor: str
    chip: str
    accelerator: str | None
    model: str | None
    ram_bytes: int | None


class _Own(msgspec.Struct, frozen=True):
    """The machines of mine, and their anonymous ids."""

    machines: frozenset[str]
    ids: frozenset[str]


class Places:
    """Tells where a run ran, with what is known of its machine from other runs."""

    def __init__(
        self, same: Mapping[str, str], groups: Mapping[str, _Group], own: _Own
    ) -> None:
        """Take the machine that stands for each, and what is known of the groups."""
        self._same = same
        self._groups = groups
        self._own = own
        self._known: dict[tuple[Any, ...], Place] = {}

    def machine(self, digest: str) -> str:
        """Return the machine that stands for *digest*."""
        return self._same.get(digest, digest)

    def of(self, row: Any, *, shipped: bool = False) -> Place:
        """Return where the run of *row* ran, which may be one that benchdb *shipped*.

        What the run's own machine says of its chip and memory counts; the rest is what
        others of its group say. A group has one model: that is but a name. What was
        contributed is of no group of mine, and has no id of mine.
        """
        # All else follows from the machine, and a report asks for each run thrice.
        said = row.machine, row.source, row.device, row.device_name, row.label
        key = *said, row.mine, shipped
        if key not in self._known:
            self._known[key] = self._of(row, shipped=shipped)
        return self._known[key]

    def _of(self, row: Any, *, shipped: bool) -> Place:
        foreign = not row.mine and row.machine in self._own.machines
        stands = row.machine if foreign else self.machine(row.machine)
        group = None if foreign else self._groups.get(stands)
        known = row.mine or row.anonymous_id not in self._own.ids
        accelerator = _accelerator(row)
        vendor, name, model, ram = row.vendor, row.chip, row.model, row.ram_bytes
        if group is not None:
            if name == _UNKNOWN:
                vendor, name = group.vendor, group.chip
            model, ram = group.model, ram or group.ram_bytes
            accelerator = accelerator or group.accelerator
        return Place(
            machine=stands,
            source=row.source,
            vendor=vendor,
            chip=name,
            accelerator=accelerator,
            model=model,
            ram_bytes=ram,
            anonymous_id=row.anonymous_id if known else None,
            device=row.device,
            device_name=row.device_name,
            measured=row.label == "measured",
            mine=row.mine,
            shipped=shipped,
        )


def places(connection: Connection) -> Places:
    """Return the places of the runs in the database."""
    same = canonical(connection)
    sizes = Counter(same.values())
    members: defaultdict[str, list[Any]] = defaultdict(list)
    if any(size > 1 for size in sizes.values()):
        for row in connection.execute(_machines()):
            if sizes[same[row.digest]] > 1:
                members[same[row.digest]].append(row)
    own = _Own(machines.my_machines(connection), machines.my_ids(connection))
    groups = {root: _group(root, rows) for root, rows in members.items()}
    return Places(same, groups, own)


def _machines() -> Any:
    return (
        select(
            machine.c.digest,
            machine.c.model,
            chip.c.vendor,
            chip.c.name.label("chip"),
            chip.c.ram_bytes,
            chip.c.accelerators,
        )
        .join(chip, machine.c.chip == chip.c.digest)
        .order_by(machine.c.digest)
    )


def _group(root: str, rows: list[Any]) -> _Group:
    """Return what the machine that stands for the others says, else any of them."""
    rows = sorted(rows, key=lambda row: (row.digest != root, row.digest))
    named = [row for row in rows if row.chip != _UNKNOWN] or rows
    return _Group(
        vendor=named[0].vendor,
        chip=named[0].chip,
        accelerator=next(filter(None, map(_accelerator, rows)), None),
        model=next((row.model for row in rows if row.model), None),
        ram_bytes=next((row.ram_bytes for row in rows if row.ram_bytes), None),
    )


def _accelerator(row: Any) -> str | None:
    gpus = row.accelerators
    return str(gpus[0]["name"]) if gpus else None
