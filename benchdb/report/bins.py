"""Bins of like machines: a chip with its GPU cores and memory, and its bandwidth."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select

from benchdb.catalogue import Chip, chips
from benchdb.conditions import Conditions
from benchdb.exchange.messages import Device
from benchdb.metric_kinds import TOKENS
from benchdb.report.measurement import Measurement
from benchdb.store.machines import canonical
from benchdb.store.places import Place, chip_at_work, is_card, tidy
from benchdb.store.tables import chip, machine

# Who says how many cores a GPU has: the run's machine, or the catalogue of chips where
# it knows a single variant.
Basis = Literal["stated", "catalogue"]
_GIB = 2**30
# What figures of others may differ in and still be held beside each other, named: a
# hundred strangers have as many versions.
_NAMED = ("version", "system", "driver", "load")


class Bin(msgspec.Struct, frozen=True):
    """What can be bought as one thing; *memory* in GiB, the card's own of a card."""

    chip: str
    device: Device
    gpu_cores: int | None = None
    memory: int | None = None


class Bins:
    """Tells the bin of a place, as far as its machine or the catalogue says it."""

    def __init__(self, connection: Connection) -> None:
        """Look up what machines say; what is stated in two ways is not known."""
        same = canonical(connection)
        cores = defaultdict[str, set[int]](set)
        cards = defaultdict[str, set[int]](set)
        query = select(machine.c.digest, chip.c.gpu_cores, chip.c.accelerators)
        joined = query.join(chip, machine.c.chip == chip.c.digest)
        for row in connection.execute(joined):
            root = same.get(row.digest, row.digest)
            if (row.gpu_cores or 0) > 0:
                cores[root].add(row.gpu_cores)
            size = row.accelerators[0].get("memory_bytes") if row.accelerators else 0
            if isinstance(size, int) and size > 0:
                cards[root].add(size)
        self._cores, self._cards = _agreed(cores), _agreed(cards)
        self._known: dict[Place, Bin] = {}

    @property
    def known(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return cores of GPUs and memory of cards, by machine, as far as stated."""
        return self._cores, self._cards

    def cores(self, place: Place) -> tuple[int, Basis] | None:
        """Return the GPU cores at *place* and who says so; ``None`` if nobody does."""
        if place.machine in self._cores:
            return self._cores[place.machine], "stated"
        only = {
            variant.gpu_cores
            for variant in _variants(place.chip)
            if variant.vendor == place.vendor and variant.gpu_cores
        }
        return (only.pop(), "catalogue") if len(only) == 1 else None

    def of(self, place: Place) -> Bin:
        """Return the bin of *place*; a CPU is the same beside any number of cores."""
        if place not in self._known:  # a site asks ten times for each
            self._known[place] = self._bin(place)
        return self._known[place]

    def _bin(self, place: Place) -> Bin:
        cores = self.cores(place) if place.device == "metal" else None
        memory = self._cards.get(place.machine) if is_card(place) else place.ram_bytes
        return Bin(
            chip_at_work(place),
            place.device,
            cores and cores[0],
            round(memory / _GIB) if memory else None,
        )

    def bandwidth(self, result: Bin) -> float | None:
        """Return the bytes per second that the catalogue gives the chip of a bin."""
        known = {
            it.memory_bandwidth_bytes_per_second
            for it in _variants(result.chip)
            if result.gpu_cores in (None, it.gpu_cores)
        }
        return known.pop() if len(known) == 1 else None


def _agreed(stated: Mapping[str, set[int]]) -> dict[str, int]:
    return {name: min(every) for name, every in stated.items() if len(every) == 1}


@lru_cache(maxsize=4096)
def _variants(name: str) -> Sequence[Chip]:
    wanted = tidy(name).casefold()
    return [item for item in chips() if item.name.casefold() == wanted]


def likeness(measurement: Measurement) -> Conditions:
    """Return what must be equal to stand in one bin.

    Of language models and of what others published these are work and protocol: the
    versions around them are named where they differ. Nobody asks a language model's
    figure how thorough a collection it is of, if it is no trial.
    """
    own = measurement.conditions
    tokens = own.metric in TOKENS
    named = _NAMED if tokens or not measurement.place.measured else ()
    around = tuple(
        pair for pair in own.surroundings if pair[1] and pair[0] not in named
    )
    if tokens:
        own = replace(own, told_by=None, tier=own.tier if own.smoke else None)
    return replace(own, surroundings=around)


def named_differences(every: Sequence[Measurement]) -> tuple[str, ...]:
    """Return the names of what else is stated in several ways, or by some alone."""
    stated = defaultdict[str, set[str]](set)
    for measurement in every:
        for name, fact in measurement.conditions.surroundings:
            stated[name].add(fact)
    return tuple(name for name in _NAMED if len(stated[name]) > 1)


def reports(measurement: Measurement) -> list[Measurement]:
    """Return the figures of a measurement that may be of a machine each.

    A source of many strangers does not say who of them has the same machine. What was
    measured, has an id, or is a campaign of several processes is of one.
    """
    place = measurement.place
    if (
        place.measured
        or place.anonymous_id
        or measurement.campaign
        or len(measurement.runs) == 1
    ):
        return [measurement]
    pairs = zip(measurement.values, measurement.runs, strict=True)
    return [
        replace(measurement, values=(value,), runs=(run,), sizes=(1,), session=run)
        for value, run in pairs
    ]
