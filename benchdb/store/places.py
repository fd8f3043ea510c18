"""Where runs ran, and which chip did the work there.

Machines that are the same are one here, by rule or by hand.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection, select

from benchdb.exchange.messages import Device
from benchdb.store.machines import canonical, my_ids, my_machines
from benchdb.store.tables import chip, machine

# What makers put around a name, and what people leave out.
_CLUTTER = re.compile(
    r"\((?:R|TM|C)\)|[®™]|\b(?:NVIDIA|Apple|Intel|AMD)\b"
    r"|\b(?:CPU|Processor|Corporation|Graphics)\b"
    r"|\b\d+(?:th|rd|nd|st) Gen\b|\b(?:Six|Eight|Quad|Dual|\d+)-Core\b"
    r"|@.*$|\b\d\d?c$|\bwith Radeon\b.*$"
    r"|\b\d+P\+\d+E(?:\+\d+GPU)?\b",
    re.IGNORECASE,
)
_NO_NAMES = re.compile(
    r"(?:cpu|gpu|mps|metal|cuda|rocm|hip|vulkan|opencl|sycl|xpu|npu|tpu|unknown)"
    r"(?::?\d+)?",
    re.IGNORECASE,
)
_UNKNOWN = "unknown"  # the name of a chip that a document does not name
# Devices that are a machine's discrete GPU, where it has one.
_GPUS = frozenset({"cuda", "rocm", "vulkan", "opencl", "sycl"})


class Place(msgspec.Struct, frozen=True, cache_hash=True):
    """Where something ran: the machine with its chips, and the device that worked.

    *source* is the digest of the document that published it, *machine* that of the
    machine that stands for this one. *mine* and *shipped* are told from what others
    contributed, of whatever machine they say that it is.
    """

    machine: str
    source: str | None
    vendor: str
    chip: str
    accelerator: str | None
    model: str | None
    ram_bytes: int | None
    anonymous_id: str | None
    device: Device
    device_name: str | None
    measured: bool
    mine: bool = False
    shipped: bool = False

    @property
    def known(self) -> bool:
        """Tell whether it is mine, shipped or published: nobody else's measurement."""
        return self.mine or self.shipped or not self.measured


class _Group(msgspec.Struct, frozen=True):
    """What is said anywhere of machines that are the same."""

    vendor: str
    chip: str
    accelerator: str | None
    model: str | None
    ram_bytes: int | None


class Places:
    """Tells where a run ran, with what is known of its machine from other runs."""

    def __init__(self, connection: Connection) -> None:
        """Look up the machines in the database, and which of them are the same."""
        self._same = canonical(connection)
        self._groups = _groups(connection, self._same)
        self._my_machines, self._my_ids = my_machines(connection), my_ids(connection)
        self._known: dict[tuple[Any, ...], Place] = {}

    def moved(self, later: "Places") -> set[str]:
        """Return the machines of which *later* says something else than this does."""
        both = self._same.keys() & later._same.keys()
        return {text for text in both if self.about(text) != later.about(text)}

    @property
    def my_ids(self) -> frozenset[str]:
        """Return the anonymous ids of machines of mine."""
        return self._my_ids

    def about(self, text: str) -> tuple[object, ...]:
        """Return what is told of a machine beside what its own row says."""
        stands = self._same[text]
        return stands, self._groups.get(stands), text in self._my_machines

    def of(self, row: Any, *, shipped: bool = False) -> Place:
        """Return where the run of *row* ran, which may be one that benchdb *shipped*.

        What the run's own machine says of its chip and memory counts; the rest is what
        others of its group say. A group has one model: that is but a name. What was
        contributed is of no group of mine, and has no id of mine.
        """
        # All else follows from the machine, and a report asks for each run thrice.
        result = row.machine, row.source, row.device, row.device_name, row.label
        key = *result, row.mine, shipped
        if key in self._known:
            return self._known[key]
        foreign = not row.mine and row.machine in self._my_machines
        stands = row.machine if foreign else self._same.get(row.machine, row.machine)
        group = None if foreign else self._groups.get(stands)
        known = row.mine or row.anonymous_id not in self._my_ids
        accelerator = _accelerator(row)
        vendor, name, model, ram = row.vendor, row.chip, row.model, row.ram_bytes
        if group is not None:
            if name == _UNKNOWN:
                vendor, name = group.vendor, group.chip
            model, ram = group.model, ram or group.ram_bytes
            accelerator = accelerator or group.accelerator
        self._known[key] = Place(
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
        return self._known[key]


def _groups(connection: Connection, same: Mapping[str, str]) -> dict[str, _Group]:
    """Return what is known of each machine that stands for several.

    That is what it says itself, else what any of the others does.
    """
    sizes = Counter(same.values())
    if all(size == 1 for size in sizes.values()):
        return {}
    query = select(
        machine.c.digest,
        machine.c.model,
        chip.c.vendor,
        chip.c.name.label("chip"),
        chip.c.ram_bytes,
        chip.c.accelerators,
    ).join(chip, machine.c.chip == chip.c.digest)
    members = defaultdict[str, list[Any]](list)
    for row in connection.execute(query.order_by(machine.c.digest)):
        if sizes[same[row.digest]] > 1:
            members[same[row.digest]].append(row)
    groups = {}
    for root, rows in members.items():
        rows.sort(key=lambda row: row.digest != root)
        named = next((row for row in rows if row.chip != _UNKNOWN), rows[0])
        groups[root] = _Group(
            vendor=named.vendor,
            chip=named.chip,
            accelerator=next(filter(None, map(_accelerator, rows)), None),
            model=next((row.model for row in rows if row.model), None),
            ram_bytes=next((row.ram_bytes for row in rows if row.ram_bytes), None),
        )
    return groups


def _accelerator(row: Any) -> str | None:
    gpus = row.accelerators
    return str(gpus[0]["name"]) if gpus else None


@lru_cache(maxsize=4096)  # every run of a report has one
def tidy(name: str) -> str:
    """Return a chip's *name* as people say it: ``GeForce RTX 3090``, ``Core i7``."""
    short = " ".join(_CLUTTER.sub(" ", name).split())
    return short or " ".join(name.split())


@lru_cache(maxsize=4096)  # a site asks a hundred thousand times
def chip_at_work(place: Place) -> str:
    """Return the tidy name of the chip that did the work."""
    return worked(place.device_name, place.device, place.accelerator, place.chip)


@lru_cache(maxsize=4096)  # as every run has one
def worked(own: str | None, device: str, card: str | None, chip: str) -> str:
    """Return which chip works as *device*, which may bear a name of its *own*."""
    if own and not _NO_NAMES.fullmatch(own.strip()):
        return tidy(own)
    return tidy(card if device in _GPUS and card else chip)


@lru_cache(maxsize=4096)
def is_known(place: Place) -> bool:
    """Tell whether anybody said which chip worked."""
    return chip_at_work(place).casefold() not in (_UNKNOWN, "")


def is_card(place: Place) -> bool:
    """Tell whether what worked is surely a discrete GPU.

    CUDA runs on nothing else. Through the other interfaces a processor's own graphics
    may work, or the processor itself, unless the run names one of the machine's cards.
    """
    if place.device == "cuda":
        return True
    named, card = place.device_name, place.accelerator
    return (
        place.device in _GPUS
        and bool(named and card)
        and (tidy(named or "") == tidy(card or ""))
    )
