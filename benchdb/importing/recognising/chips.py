"""Which chip a text names, and what it says of its cores, memory and machine."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from benchdb import chips as catalogue
from benchdb.importing.recognising import sizes
from benchdb.importing.recognising.families import FAMILIES, NUMBERS

TEXT_LIMIT = 300  # characters; longer texts are prose, not names
_CLUTTER = re.compile(r"\((?:R|TM|C)\)|[®™©]", re.IGNORECASE)
_GIB = 2**30


class RecognisedChip(msgspec.Struct, frozen=True):
    """A chip as a text names it: *name* as systems print it, without the vendor.

    *accelerator*: it is a card and no processor; *ram_bytes* is then its own memory,
    and *count* may be more than 1. *model* is the Mac around it. *rest* is what was not
    understood: ``CPU`` and ``GPU`` are left there.
    """

    vendor: str
    name: str
    cpu_cores: int | None = None
    gpu_cores: int | None = None
    ram_bytes: int | None = None
    accelerator: bool = False
    model: str | None = None
    rest: str = ""
    count: int = 1
    virtual: bool = False


class _Found(msgspec.Struct, frozen=True):
    vendor: str
    name: str
    accelerator: bool
    start: int
    end: int
    memory_bytes: int | None = None


def chip(text: str, *, numbers: bool = False) -> RecognisedChip | None:
    """Return the chip that *text* names; ``None`` if it names none, or several.

    With *numbers* a number alone is a graphics card: ``3090`` in a column of GPUs.
    """
    return _chip(text, numbers) if len(text) <= TEXT_LIMIT else None


def chips(text: str, *, numbers: bool = False) -> tuple[RecognisedChip, ...]:
    """Return every chip that *text* names, each with its name alone if several."""
    if len(text) > TEXT_LIMIT:
        return ()
    if (only := chip(text, numbers=numbers)) is not None:
        return (only,)
    return _several(text, numbers)


@lru_cache(maxsize=4096)
def _several(text: str, numbers: bool) -> tuple[RecognisedChip, ...]:  # noqa: FBT001
    bare = (
        RecognisedChip(one.vendor, one.name, accelerator=one.accelerator)
        for one in _found(tidied(text), numbers)
    )
    return tuple(dict.fromkeys(bare))


def tidied(text: str) -> str:
    """Return *text* with plain spaces, digits and letters, and without ® and ™."""
    plain = unicodedata.normalize("NFKC", _CLUTTER.sub(" ", text))
    return " ".join(plain.split())


@lru_cache(maxsize=4096)
def _chip(text: str, numbers: bool) -> RecognisedChip | None:  # noqa: FBT001
    plain = tidied(text)
    found = list(_found(plain, numbers))
    if len(found) != 1 or _goes_on(plain[found[0].end :]):
        return None
    (one,) = found
    said = sizes.said(plain[: one.start], plain[one.end :], one.vendor, one.name)
    return RecognisedChip(
        vendor=one.vendor,
        name=one.name,
        cpu_cores=said.cpu_cores,
        gpu_cores=said.gpu_cores,
        ram_bytes=one.memory_bytes or said.ram_bytes,
        accelerator=one.accelerator,
        model=said.model,
        rest=said.rest,
        count=said.count,
        virtual=said.virtual,
    )


def _goes_on(after: str) -> bool:
    """Tell whether another variant follows: ``M1 Pro/Max`` are two chips."""
    return bool(re.match(r"\s*[/|&,]\s*(?:Pro|Max|Ultra|Ti)\b", after, re.IGNORECASE))


def _found(text: str, numbers: bool) -> Iterator[_Found]:  # noqa: FBT001
    """Yield the chips from left to right, the longest where several begin."""
    candidates = [*_data_centre(text), *_listed(text), *_members(text, numbers)]
    candidates.sort(key=lambda one: (one.start, -one.end))
    end = 0
    for one in candidates:
        if one.start >= end:
            yield one
            end = one.end


def _listed(text: str) -> Iterator[_Found]:
    for pattern, vendor, name, accelerator in _catalogue():
        for match in pattern.finditer(text):
            yield _Found(vendor, name, accelerator, match.start(), match.end())


@cache
def _catalogue() -> tuple[tuple[re.Pattern[str], str, str, bool], ...]:
    """Return the chips of the catalogue but Apple's, all of whose family we know."""
    names = {
        (one.vendor, one.name): one.kind == "gpu"
        for one in catalogue.chips()
        if one.vendor != "Apple"
    }
    return tuple(
        (_spelt(vendor, name), vendor, name, accelerator)
        for (vendor, name), accelerator in names.items()
    )


def _spelt(vendor: str, name: str) -> re.Pattern[str]:
    words = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
    whole = rf"(?<![A-Za-z0-9])(?:{vendor}[\s_-]+)?{words}(?![A-Za-z0-9])"
    return re.compile(whole, re.IGNORECASE)


def _members(text: str, numbers: bool) -> Iterator[_Found]:  # noqa: FBT001
    for family in (*FAMILIES, *NUMBERS) if numbers else FAMILIES:
        for match in family.pattern.finditer(text):
            yield _Found(
                family.vendor,
                family.member(match),
                family.accelerator,
                *match.span(),
            )


_DATA_CENTRE = re.compile(
    r"(?:(?<![A-Za-z0-9.])|(?<=\dx))(?:NVIDIA[\s-]+)?(?:Tesla[\s-]+)?"
    r"(V100S?|P100|A100|A800|H100|H800|H200|H20|B100|B200|B300|GH200|GB200|GB300)"
    r"((?:[\s_/(-]*(?:SXM\d?|PCI-?E(?:x\d+)?|NVL|HBM\de?"
    r"|\d{2,3}\s?G(?:i?B)?(?!/s|\s+(?:of\s+)?RAM)))*\)?)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_SXM = {"V100": "SXM2", "P100": "SXM2", "A100": "SXM4", "A800": "SXM4"}
_TESLA = ("V100", "V100S", "P100")


def _data_centre(text: str) -> Iterator[_Found]:
    """Yield the cards of which the form and the memory are part of the name."""
    for match in _DATA_CENTRE.finditer(text):
        base, tail = match[1].upper(), match[2].upper()
        size = re.search(r"(\d{2,3})\s?G", tail)
        name = _form(base, tail, size[1] if size else "")
        memory = int(size[1]) * _GIB if size else None
        yield _Found("NVIDIA", name, True, *match.span(), memory)  # noqa: FBT003


def _form(base: str, tail: str, gigabytes: str) -> str:
    """Return the name that the driver prints, as far as the text settles it."""
    sxm = re.search(r"SXM(\d?)", tail)
    nvl, pcie = "NVL" in tail, "PCI" in tail
    if base in ("H100", "H800") and (sxm or "HBM3" in tail):
        return f"{base} 80GB HBM3"
    if nvl or (pcie and base.startswith("H")):
        return f"{base} {'NVL' if nvl else 'PCIe'}"
    if base == "A100" and pcie and gigabytes == "80":
        return "A100 80GB PCIe"
    name = f"Tesla {base}" if base in _TESLA else base
    if base not in _SXM and base != "V100S":
        return name
    form = "-PCIE" if pcie else f"-{_SXM[base]}" if sxm and base in _SXM else ""
    return name + form + (f"-{gigabytes}GB" if form and gigabytes else "")
