"""Which chips a text names, and the chip class that they make up.

How people write them is data: the catalogue, and the families in ``names.toml``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb import catalogue
from benchdb.exchange.messages import Accelerator, Chip, Device
from benchdb.importing.naming.names import (
    TEXT_LIMIT,
    meanings,
    names,
    tidied,
    way,
    without_networks,
)

UNKNOWN = Chip(vendor="unknown", name="unknown")
_GIB = 2**30
_FEWEST = 3  # cores that no GPU of Apple has
_MEMORIES = (8, 16, 24, 32, 36, 48, 64, 96)  # GB of Macs
_LIMIT = 300  # characters in which a Mac is looked for


class RecognisedChip(msgspec.Struct, frozen=True):
    """A chip as a text names it: *name* as systems print it, without the vendor.

    *accelerator*: it is a card and no processor; *ram_bytes* is then its own memory,
    and *count* may be more than 1. *model* is the Mac around it. *rest* is what was not
    understood: ``CPU`` and ``GPU`` are left there. *also* is another chip that it may
    be, as a word such as "Pro" stands apart from its name.
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
    also: str | None = None

    def chip_class(self) -> Chip:
        """Return what can be bought; a card stands for the processor beside it."""
        bare = Chip(vendor=self.vendor, name=self.name)
        if self.accelerator:
            card = Accelerator(
                vendor=self.vendor,
                name=self.name,
                memory_bytes=self.ram_bytes,
                count=self.count,
            )
            return replace(bare, accelerators=(card,))
        return replace(
            bare,
            cpu_cores=self.cpu_cores,
            gpu_cores=self.gpu_cores,
            ram_bytes=self.ram_bytes,
        )


class _Place(msgspec.Struct, frozen=True):
    """Where in a text a chip is named."""

    vendor: str
    name: str
    accelerator: bool
    start: int
    end: int
    memory_bytes: int | None = None


class _Writing(msgspec.Struct, frozen=True):
    """How chips are written. *name* is put before the groups of *pattern*.

    *number*: it is a number alone, which names a card only where cards are spoken of.
    """

    vendor: str
    pattern: re.Pattern[str]
    name: str
    accelerator: bool
    number: bool = False
    exact: bool = False  # the name is all that systems print


def chip(text: str, *, numbers: bool = False) -> RecognisedChip | None:
    """Return the chip that *text* names; ``None`` if it names none, or several.

    With *numbers* a number alone is a graphics card: ``3090`` in a column of GPUs.
    """
    return _chip(text, numbers) if len(text) <= TEXT_LIMIT else None


def chips_in(text: str, *, numbers: bool = False) -> tuple[RecognisedChip, ...]:
    """Return every chip that *text* names, each with its name alone if several."""
    if len(text) > TEXT_LIMIT:
        return ()
    if (only := chip(text, numbers=numbers)) is not None:
        return (only,)
    plain = _in_one_piece(text)
    bare: list[RecognisedChip] = []
    for place in _places(plain, numbers):
        names_ = [place.name]
        if variant := way("variant").match(plain[place.end :]):
            names_.append(f"{place.name.split()[0]} {_cased(variant[1])}")
        bare += (
            RecognisedChip(place.vendor, name, accelerator=place.accelerator)
            for name in (names_ if place.vendor == "Apple" else names_[:1])
        )
    return tuple(dict.fromkeys(bare))


@lru_cache(maxsize=4096)
def without_chips(text: str) -> str:
    """Return *text* without the names of chips: B200 is no batch size."""
    if (only := chip(text)) is not None:
        return only.rest
    for named in chips_in(text):
        text = re.sub(re.escape(named.name), " ", text, flags=re.IGNORECASE)
    return text


def processor_and_card(text: str) -> tuple[RecognisedChip, RecognisedChip] | None:
    """Return the two that *text* names beside each other, as of a desktop computer.

    A chip of Apple has no card of another maker beside it.
    """
    known = [
        it for piece in way("beside_each_other").split(text) if (it := chip(piece))
    ]
    known = known if len(known) == 2 else list(chips_in(text))
    known.sort(key=lambda it: it.accelerator)
    kinds = [it.accelerator for it in known]
    if kinds != [False, True] or len(chips_in(text)) > 2 or known[0].vendor == "Apple":
        return None
    return known[0], known[1]


def device(text: str, on: RecognisedChip | None = None) -> Device | None:
    """Return the back end that *text* names.

    ``GPU`` names none, unless it is known whose it is: *on* a chip of Apple it is
    ``metal``, on a card of NVIDIA ``cuda``. ``CPU/GPU`` and ``without GPU`` name none,
    ``CPU, no GPU`` names the CPU.
    """
    plain = tidied(text).casefold() if len(text) <= TEXT_LIMIT else ""
    plain = way("without").sub(" ", plain)
    if way("negated").search(plain):
        return None
    known: list[Device] = meanings(plain, "devices")  # type: ignore[assignment]
    if len(known) == 1:  # CPU/GPU names two
        return None if known == ["cpu"] and way("gpu").search(plain) else known[0]
    if not known and on is not None and way("gpu").search(plain):
        return gpu_of(on.vendor)
    return None


def gpu_of(vendor: str, *beside: str) -> Device | None:
    """Return by what the GPUs of *vendor* compute, where there is one way.

    What is *beside* them, a system and a framework, may leave one; some frameworks do
    whosever they are, and some name it: ``caffe-opencl``.
    """
    if named := {device(it) for it in beside} - {None, "cpu"}:
        return named.pop() if len(named) == 1 else None
    computing = names()["computing"]
    ways = computing["any"], computing.get(vendor, {})
    known = (way[it] for way in ways for it in (*beside, "") if it in way)
    return next(known, None) or None


def processor(printed: str) -> RecognisedChip | None:
    """Return the processor that a system calls *printed*; ``None`` for no name.

    What no family has keeps the system's name, without marks and clock speeds. Cores
    are read of chips of Apple only: ``16-Core`` may be one of two sockets.
    """
    bare = _without_noise(printed)
    if _hardware("unnamed").fullmatch(" ".join(printed.split())):
        return None
    known = chip(bare)
    if known is None or known.accelerator or not _is_whole(known):
        return _by_maker(bare)
    if known.vendor != "Apple":
        return RecognisedChip(known.vendor, known.name)
    return known


def accelerators(printed: Iterable[str]) -> tuple[Accelerator, ...]:
    """Return the discrete GPUs that systems call *printed*, equal ones counted.

    Chips of Apple and GPUs inside processors are left out: they belong to the chip.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for text in printed:
        bare = _without_noise(re.sub(names()["hardware"]["driver"], "", text.strip()))
        if bare and not _hardware("integrated").search(bare):
            known = chip(bare)
            if known is None or not known.accelerator or not _is_whole(known):
                known = _by_maker(bare)
            counts[known.vendor, known.name] += known.count
    return tuple(
        Accelerator(vendor=vendor, name=name, count=count)
        for (vendor, name), count in sorted(counts.items())
    )


def _is_whole(known: RecognisedChip) -> bool:
    """Tell whether the name says all: systems print "RTX A2000 12GB" for a variant."""
    return not known.rest and (known.ram_bytes is None or "GB" in known.name)


@cache
def _hardware(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(names()["hardware"][kind]), re.IGNORECASE)


def _without_noise(printed: str) -> str:
    tidy = " ".join(printed.split())
    return " ".join(_hardware("noise").sub(" ", tidy).split()) or tidy


def _by_maker(bare: str) -> RecognisedChip:
    """Return a chip of no family: its vendor by a word of its name."""
    vendors = (
        vendor
        for vendor, words in names()["makers"].items()
        if any(re.search(rf"\b{word}", bare) for word in words)
    )
    vendor = next(vendors, "unknown")
    name = re.sub(rf"^{vendor}\s+", "", bare, flags=re.IGNORECASE)
    return RecognisedChip(vendor, name.removesuffix(" Processor") or bare)


@lru_cache(maxsize=4096)
def _chip(text: str, numbers: bool) -> RecognisedChip | None:  # noqa: FBT001
    plain = _in_one_piece(text)
    places = list(_places(plain, numbers))
    # Where another variant follows it is two chips: M1 Pro/Max.
    if len(places) != 1 or way("variant").match(plain[places[0].end :]):
        return None
    (place,) = places
    before, after = plain[: place.start], plain[place.end :]
    facts = _beside(before, after, place.vendor, place.name)
    facts["ram_bytes"] = place.memory_bytes or facts["ram_bytes"]
    of_tier = place.vendor == "Apple" and " " not in place.name
    tier = way("tier").search(facts["rest"]) if of_tier else None
    also = f"{place.name} {_cased(tier[1])}" if tier else None
    if way("parted").search(way("joined").sub(" ", tidied(text))):
        also = place.name.split()[0]
    return RecognisedChip(
        place.vendor, place.name, accelerator=place.accelerator, also=also, **facts
    )


def _in_one_piece(text: str) -> str:
    """Return *text* with what belongs to a chip right behind it: M2 Pro mini.

    Names of networks go: the M2 of MiniMax-M2 is none.
    """
    plain = way("joined").sub(" ", without_networks(tidied(text)))
    return way("parted").sub(r"\1 \3\2", plain)


def _places(text: str, numbers: bool) -> Iterator[_Place]:  # noqa: FBT001
    """Yield the chips from left to right, the longest where several begin."""
    candidates: list[_Place] = []
    forms = names()["data_centre"]["forms"]
    for match in way("data_centre").finditer(text):
        base, tail = match[1].upper(), match[2].upper()
        size = re.search(r"(\d{2,3})\s?G", tail)
        whole = f"{base} {tail} {size[1] if size else ''}"
        name = next(m.expand(n) for form, n in forms if (m := re.match(form, whole)))
        memory = int(size[1]) * _GIB if size else None
        candidates.append(_Place("NVIDIA", name, True, *match.span(), memory))  # noqa: FBT003
    for writing in _writings():
        for match in (
            writing.pattern.finditer(text) if numbers or not writing.number else ()
        ):
            name = writing.name if writing.exact else _printed(writing.name, match)
            candidates.append(
                _Place(writing.vendor, name, writing.accelerator, *match.span())
            )
    candidates.sort(key=lambda place: (place.start, -place.end))
    end = 0
    for place in candidates:
        if place.start >= end:
            end = place.end
            # "M5 Max Pro" is none that is sold.
            apple = place.vendor == "Apple" and " " in place.name
            if not (apple and way("second").match(text, place.end)):
                yield place


@cache
def _writings() -> tuple[_Writing, ...]:
    """Return how chips are written: those of the catalogue, then those of families.

    Of Apple's all are in a family.
    """
    kinds = {
        (entry.vendor, entry.name): entry.kind == "gpu"
        for entry in catalogue.chips()
        if entry.vendor != "Apple"
    }
    writings = []
    for (vendor, name), accelerator in kinds.items():
        words = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", name)))
        whole = rf"(?<![A-Za-z0-9])(?:{vendor}[\s_-]+)?{words}<end>"
        pattern = re.compile(_with_parts(whole), re.IGNORECASE)
        writings.append(_Writing(vendor, pattern, name, accelerator, exact=True))
    for kind in ("names", "numbers"):
        for entry in names()["families"]:
            for written in entry.get(kind, ()):
                name, text = ("", written) if isinstance(written, str) else written
                whole = rf"<start>(?:{entry['vendor']}[\s-]+)?{text}<end>"
                pattern = re.compile(_with_parts(whole), re.IGNORECASE)
                cards = bool(entry.get("cards"))
                number = kind == "numbers"
                writings.append(_Writing(entry["vendor"], pattern, name, cards, number))
    return tuple(writings)


def _printed(prefix: str, match: re.Match[str]) -> str:
    parts = [prefix, *(group for group in match.groups() if group)]
    name = " ".join(_cased(word) for part in parts for word in part.split())
    for pattern, replacement in names()["printed"]["replaced"]:
        name = re.sub(pattern, replacement, name)
    return name


def _cased(word: str) -> str:
    for known in names()["printed"]["capitals"].split():
        if known.lower() == word.lower():
            return str(known)
    if re.fullmatch(r"i[3579]|v\d\w?", word, re.IGNORECASE):
        return word.lower()
    return word.upper() if any(char.isdigit() for char in word) else word


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds something that stands beside the name of a chip."""
    return tuple(
        re.compile(_with_parts(text), re.IGNORECASE) for text in names()["beside"][kind]
    )


def _with_parts(pattern: str) -> str:
    for part, text in names()["parts"].items():
        pattern = pattern.replace(f"<{part}>", text)
    return pattern


class _Text:
    """A text that loses what was understood; ¦ is where the chip's name stood."""

    def __init__(self, left: str) -> None:
        self.left = left

    def take(
        self, kind: str, accept: Callable[[re.Match[str]], bool] = lambda match: True
    ) -> re.Match[str] | None:
        """Return the first match of that *kind* that *accept* likes, and cut it out."""
        for pattern in _patterns(kind):
            for match in filter(accept, pattern.finditer(self.left)):
                cut = " ¦ " if "¦" in match[0] else " "
                self.left = self.left[: match.start()] + cut + self.left[match.end() :]
                return match
        return None


def _beside(before: str, after: str, vendor: str, name: str) -> dict[str, Any]:
    """Return fields of ``RecognisedChip`` by the texts around a chip's name."""
    text = _Text(f"{before} ¦ {after}")
    model = _model(text)
    virtual = text.take("virtual") is not None
    cpu, gpu = _cores(text, vendor, name)
    size = text.take("memory")
    # Of several sizes only one called memory is.
    if (
        size is None
        and len({match[0] for match in _patterns("size")[0].finditer(text.left)}) == 1
    ):
        size = text.take("size")
    times = text.take("times", lambda match: int(match[1]) > 0)
    numeral = None if times else text.take("numeral")
    count = {"dual": 2, "quad": 4}[numeral[1].lower()] if numeral else 1
    count = int(times[1]) if times else count
    if size and count > 1 and f"({size[0].strip()})" in after:
        text.left, size = text.left + size[0], None  # of one card, or of all of them
    terabytes = size is not None and size[2].upper() == "T"
    return {
        "cpu_cores": cpu,
        "gpu_cores": gpu,
        "ram_bytes": int(size[1]) * _GIB * (1024 if terabytes else 1) or None
        if size
        else None,
        "model": model,
        "count": count,
        "virtual": virtual,
        "rest": " ".join(_patterns("idle")[0].sub(" ", text.left).split()),
    }


def _cores(text: _Text, vendor: str, name: str) -> tuple[int | None, int | None]:
    """Return CPU and GPU cores; a bare count only where the catalogue settles it."""
    if apple := text.take("apple"):  # 8P+2E+16GPU
        return int(apple[1]) + int(apple[2]) or None, int(apple[3] or 0) or None
    cpu, gpu = (
        int(m[1]) if (m := text.take(side)) else None for side in ("cpu", "gpu")
    )
    sold = {
        (item.cpu_cores, item.gpu_cores)
        for item in catalogue.chips()
        if (item.vendor, item.name) == (vendor, name)
    }
    if cpu is None and gpu is None:
        pair = text.take("pair", lambda m: _are_cores(m, sold))
        if pair:
            return int(pair[1]), int(pair[2])
    if gpu is None and vendor == "Apple":
        bare = text.take("bare_gpu", lambda m: int(m[1]) > _FEWEST)
        gpu = int(bare[1]) if bare else None
    cpus = {number for number, _ in sold}
    gpus = {number for _, number in sold}
    if gpu is None and (
        bare := text.take("cores", lambda m: int(m[1]) in gpus - (cpus - {cpu, None}))
    ):
        gpu = int(bare[1])
    # Chips of others than Apple have no GPU cores: a bare count is of the CPU.
    known = bool(cpus - {None})
    if cpu is None and (
        bare := text.take("cores", lambda m: not known or int(m[1]) in cpus - gpus)
    ):
        cpu = int(bare[1])
    return cpu or None, gpu or None


def _are_cores(pair: re.Match[str], sold: set[tuple[int | None, int | None]]) -> bool:
    """Tell whether *pair* is ``10/32`` as sold, or ``8c/10g``, which is no memory."""
    counts = int(pair[1]), int(pair[2])
    lettered = re.fullmatch(r"\d+ ?c.*g", pair[0].strip(), re.IGNORECASE)
    return counts in sold or bool(lettered and counts[1] not in _MEMORIES)


def model(text: str) -> str | None:
    """Return the Mac that *text* names: ``MacBook Pro (16" 2021)``."""
    return _model(_Text(text[:_LIMIT] + " ¦ "))


def _model(text: _Text) -> str | None:
    match = text.take("model")
    if match is None:
        return None
    name = names()["macs"][re.sub(r"[\s-]", "", match["name"].lower())]
    around = f"{match['before']} {match['after']}"
    # The year may stand apart: MacBook Pro M1 (2020).
    year = _patterns("year")[0].search(around) or text.take("year")
    inches = _patterns("inches")[0].search(around)
    facts = [f'{inches[1]}"'] if inches else []
    facts += [year[1]] if year else []
    return f"{name} ({' '.join(facts)})" if facts else name
