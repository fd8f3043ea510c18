"""Systems: which chip did the work, and what to call it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.exchange.lines import Device
from benchdb.report.measurement import Place
from benchdb.report.view.atoms import System

# What makers put around a name, and what people leave out.
_CLUTTER = re.compile(
    r"\((?:R|TM|C)\)|[®™]|\b(?:NVIDIA|Apple|Intel|AMD)\b"
    r"|\b(?:CPU|Processor|Corporation|Graphics)\b"
    r"|\b\d+(?:th|rd|nd|st) Gen\b|\b(?:Six|Eight|Quad|Dual|\d+)-Core\b"
    r"|@.*$|\b\d\d?c$|\bwith Radeon\b.*$",
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


class Party(msgspec.Struct, frozen=True):
    """A system before its key is known: equal parties are the same system.

    What benchdb *shipped* is one, and what others say of the same chip another.
    """

    chip: str
    device: Device
    framework: str
    measured: bool
    here: bool
    model: str | None
    ram_bytes: int | None
    mine: bool = False
    shipped: bool = False


@lru_cache(maxsize=4096)  # every run of a report has one
def tidy(name: str) -> str:
    """Return a chip's *name* as people say it: ``GeForce RTX 3090``, ``Core i7``."""
    short = " ".join(_CLUTTER.sub(" ", name).split())
    return short or " ".join(name.split())


def chip_at_work(place: Place) -> str:
    """Return the tidy name of the chip that did the work."""
    own = place.device_name
    if own and not _NO_NAMES.fullmatch(own.strip()):
        return tidy(own)
    if place.device in _GPUS and place.accelerator:
        return tidy(place.accelerator)
    return tidy(place.chip)


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


def is_here(place: Place, here: str | None) -> bool:
    """Tell whether *place* is to be marked.

    That is what is mine, or the machine with the anonymous id *here* instead.
    """
    return place.mine if here is None else place.anonymous_id == here


def party(place: Place, framework: str, here: str | None) -> Party:
    """Return who worked at *place*; *here* as ``is_here`` has it."""
    return Party(
        chip=chip_at_work(place),
        device=place.device,
        framework=framework,
        measured=place.measured,
        here=is_here(place, here),
        model=place.model,
        ram_bytes=place.ram_bytes,
        mine=place.mine,
        shipped=place.shipped,
    )


def resolve(parties: Iterable[Party]) -> dict[Party, System]:
    """Return the system of each party of one comparison.

    Machines of the same chip, device and framework stay apart only where their model
    or RAM differ. One that says neither joins the only other, if there is just one.
    """
    distinct = sorted(set(parties), key=_order)
    alike: defaultdict[tuple[object, ...], list[Party]] = defaultdict(list)
    for one in distinct:
        alike[_class(one)].append(one)
    owners = {one: _owner(one, alike[_class(one)]) for one in distinct}
    keys = _keys(sorted(set(owners.values()), key=_order))
    systems = {one: _system(one, keys[one]) for one in keys}
    return {one: systems[owner] for one, owner in owners.items()}


def _order(one: Party) -> tuple[object, ...]:
    unsaid = one.model is None, one.ram_bytes is None
    said = one.model or "", one.ram_bytes or 0
    return (*_class(one), *unsaid, *said)


def _class(one: Party) -> tuple[object, ...]:
    whose = one.measured, one.here, one.mine, one.shipped
    return one.chip, one.device, one.framework, *whose


def _owner(one: Party, parties: list[Party]) -> Party:
    """Return the party that *one* belongs to: one that says all it says, and more."""
    fuller = [other for other in parties if other != one and _says_more(other, one)]
    fullest = [
        other for other in fuller if not any(_says_more(more, other) for more in fuller)
    ]
    return fullest[0] if len(fullest) == 1 else one


def _says_more(other: Party, one: Party) -> bool:
    if other == one:
        return False
    return one.model in (None, other.model) and one.ram_bytes in (None, other.ram_bytes)


def _keys(parties: list[Party]) -> dict[Party, str]:
    """Return keys that are fit for HTML ids: short, and longer where they must be."""
    slugs: defaultdict[str, list[Party]] = defaultdict(list)
    shipped = {_slug(one) for one in parties if one.shipped}
    for one in parties:
        slug = _slug(one)
        # What others contributed takes no key away.
        contributed = slug in shipped and not one.shipped
        slugs[f"{slug}-contributed" if contributed else slug].append(one)
    return {
        one: slug if len(twins) == 1 else f"{slug}-{number}"
        for slug, twins in slugs.items()
        for number, one in enumerate(twins, start=1)
    }


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
        mine=one.mine,
    )


def as_published(systems: Mapping[Party, System], one: Party) -> System:
    """Return the system of *one* with its own model and RAM, not a fuller twin's."""
    return replace(systems[one], model=one.model, ram_bytes=one.ram_bytes)
