"""Which system a run is of, and what to call it."""

import re
from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from benchdb.report.view.atoms import System
from benchdb.store.places import Place, chip_at_work

_SHIPPED = "shipped"  # the key of such a system until it has its own


def is_here(place: Place, here: str | None) -> bool:
    """Tell whether *place* is to be marked.

    That is what is mine, or the machine with the anonymous id *here* instead.
    """
    return place.mine if here is None else place.anonymous_id == here


def party(place: Place, framework: str, here: str | None) -> System:
    """Return the system at *place*, equal for all of it, before ``resolve`` names it.

    What benchdb shipped is one, and what others say of the same chip another. *here*
    is as ``is_here`` has it.
    """
    return System(
        key=_SHIPPED if place.shipped else "",
        chip=chip_at_work(place),
        device=place.device,
        framework=framework,
        model=place.model,
        ram_bytes=place.ram_bytes,
        here=is_here(place, here),
        measured=place.measured,
        mine=place.mine,
    )


def resolve(parties: Iterable[System]) -> dict[System, System]:
    """Return the system of each party of one comparison, with its key.

    Machines of the same chip, device and framework stay apart only where their model
    or RAM differ. One that says neither joins the only other, if there is just one.
    """
    distinct = sorted(set(parties), key=_order)
    alike = defaultdict[tuple[object, ...], list[System]](list)
    for party in distinct:
        alike[_class(party)].append(party)
    owners = {party: _owner(party, alike[_class(party)]) for party in distinct}
    keys = _keys(sorted(set(owners.values()), key=_order))
    return {party: replace(owner, key=keys[owner]) for party, owner in owners.items()}


def _order(system: System) -> tuple[object, ...]:
    unsaid = system.model is None, system.ram_bytes is None
    pair = system.model or "", system.ram_bytes or 0
    return (*_class(system), *unsaid, *pair)


def _class(system: System) -> tuple[object, ...]:
    whose = system.measured, system.here, system.mine, system.key
    return system.chip, system.device, system.framework, *whose


def _owner(system: System, parties: list[System]) -> System:
    """Return the party of *system*: one that says all it says, and more."""
    fuller = [
        other for other in parties if other != system and _says_more(other, system)
    ]
    fullest = [
        other for other in fuller if not any(_says_more(more, other) for more in fuller)
    ]
    return fullest[0] if len(fullest) == 1 else system


def _says_more(other: System, system: System) -> bool:
    if other == system:
        return False
    return system.model in (None, other.model) and system.ram_bytes in (
        None,
        other.ram_bytes,
    )


def _keys(parties: list[System]) -> dict[System, str]:
    """Return keys that are fit for HTML ids: short, and longer where they must be."""
    slugs = defaultdict[str, list[System]](list)
    shipped = {_slug(party) for party in parties if party.key == _SHIPPED}
    for party in parties:
        slug = _slug(party)
        # What others contributed takes no key away.
        contributed = slug in shipped and party.key != _SHIPPED
        slugs[f"{slug}-contributed" if contributed else slug].append(party)
    return {
        party: slug if len(twins) == 1 else f"{slug}-{number}"
        for slug, twins in slugs.items()
        for number, party in enumerate(twins, start=1)
    }


def _slug(system: System) -> str:
    words = [system.chip, system.device, system.framework]
    if system.measured:
        words.append("here" if system.here else "measured")
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
