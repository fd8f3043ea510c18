"""Systems: which chip did the work, and what to call it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from benchdb.report.measurement import Device, Place
from benchdb.report.view import System

# What makers put around a name, and what people leave out.
_CLUTTER = re.compile(
    r"\((?:R|TM|C)\)|[®™]|\b(?:NVIDIA|Apple|Intel|AMD)\b"
    r"|\b(?:CPU|Processor|Corporation|Graphics)\b"
    r"|\b\d+(?:th|rd|nd|st) Gen\b|\b(?:Six|Eight|Quad|Dual|\d+)-Core\b"
    r"|@.*$|\b\d\d?c$|\bwith Radeon\b.*$",
    re.IGNORECASE,
)
_NO_NAMES = re.compile(r"(?:cpu|gpu|mps|metal|cuda)(?::?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Party:
    """A system before its key is known: equal parties are the same system."""

    chip: str
    device: Device
    framework: str
    measured: bool
    here: bool
    model: str | None
    ram_bytes: int | None


def tidy(name: str) -> str:
    """Return a chip's *name* as people say it: ``GeForce RTX 3090``, ``Core i7``."""
    short = " ".join(_CLUTTER.sub(" ", name).split())
    return short or " ".join(name.split())


def chip_at_work(place: Place) -> str:
    """Return the tidy name of the chip that did the work."""
    own = place.device_name
    if own and not _NO_NAMES.fullmatch(own.strip()):
        return tidy(own)
    if place.device == "cuda" and place.accelerator:
        return tidy(place.accelerator)
    return tidy(place.chip)


def party(place: Place, framework: str, here: str | None) -> Party:
    """Return who worked at *place*; *here* is this machine's anonymous id."""
    return Party(
        chip=chip_at_work(place),
        device=place.device,
        framework=framework,
        measured=place.measured,
        here=here is not None and place.anonymous_id == here,
        model=place.model,
        ram_bytes=place.ram_bytes,
    )


def resolve(parties: Iterable[Party]) -> dict[Party, System]:
    """Return the system of each party of one comparison.

    Machines of the same chip, device and framework stay apart only where their model
    or RAM differ. One that says neither joins the only other, if there is just one.
    """
    distinct = sorted(set(parties), key=_order)
    owners = {one: _owner(one, distinct) for one in distinct}
    keys = _keys(sorted(set(owners.values()), key=_order))
    systems = {one: _system(one, keys[one]) for one in keys}
    return {one: systems[owner] for one, owner in owners.items()}


def _order(one: Party) -> tuple[object, ...]:
    unsaid = one.model is None, one.ram_bytes is None
    said = one.model or "", one.ram_bytes or 0
    return (*_class(one), *unsaid, *said)


def _class(one: Party) -> tuple[object, ...]:
    return one.chip, one.device, one.framework, one.measured, one.here


def _owner(one: Party, parties: list[Party]) -> Party:
    """Return the party that *one* belongs to: one that says all it says, and more."""
    fuller = [other for other in parties if other != one and _says_more(other, one)]
    fullest = [
        other for other in fuller if not any(_says_more(more, other) for more in fuller)
    ]
    return fullest[0] if len(fullest) == 1 else one


def _says_more(other: Party, one: Party) -> bool:
    if _class(other) != _class(one) or other == one:
        return False
    return one.model in (None, other.model) and one.ram_bytes in (None, other.ram_bytes)


def _keys(parties: list[Party]) -> dict[Party, str]:
    """Return keys that are fit for HTML ids: short, and longer where they must be."""
    keys: dict[Party, str] = {}
    for one in parties:
        twins = [other for other in parties if _slug(other) == _slug(one)]
        keys[one] = _slug(one)
        if len(twins) > 1:
            keys[one] += f"-{twins.index(one) + 1}"
    return keys


def _slug(one: Party) -> str:
    words = [one.chip, one.device, one.framework]
    if one.measured:
        words.append("here" if one.here else "measured")
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def _system(one: Party, key: str) -> System:
    return System(
        key=key,
        chip=one.chip,
        device=one.device,
        framework=one.framework,
        model=one.model,
        ram_bytes=one.ram_bytes,
        here=one.here,
        measured=one.measured,
    )


def as_published(systems: Mapping[Party, System], one: Party) -> System:
    """Return the system of *one* with its own model and RAM, not a fuller twin's."""
    return replace(systems[one], model=one.model, ram_bytes=one.ram_bytes)
