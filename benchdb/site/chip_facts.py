"""What is known of a chip: its sizes, what was measured on it, and what was not."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from benchdb import catalogue
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.wording import terms
from benchdb.report.workloads import trains, workload_of
from benchdb.site.content import Line, Site
from benchdb.store.places import Place

_REPEATED = 3  # processes behind a figure, from which on its spread is known
_ENERGY = frozenset({"mean_power_watts", "energy_joules", "samples_per_joule"})
_NAMED = 6  # workloads in a sentence
_SUITE = "standard"
Lack = Literal["training", "metal", "repeats", "energy", "tokens"]


class Variant(msgspec.Struct, frozen=True):
    """A size that a chip was sold in; what is not known is ``None``."""

    cpu_cores: int | None
    levels: tuple[tuple[str, int], ...]
    gpu_cores: int | None
    memory_gb: int | None
    bandwidth: float | None
    flops: float | None


class Missing(msgspec.Struct, frozen=True):
    """What nobody has measured on a chip, and the command that would."""

    lack: Lack
    workloads: tuple[str, ...]
    command: str


class ChipFacts(msgspec.Struct, frozen=True):
    """What stands at the head of a page: *labels* count figures by how they came.

    *machines* did the work, at least; *named* of them are told apart by their sources.
    """

    name: str
    variants: tuple[Variant, ...]
    figures: int
    labels: tuple[tuple[str, int], ...]
    machines: int
    named: int
    oldest: str | None
    newest: str | None


def of_chip(name: str, lines: Sequence[Line], places: Iterable[Place]) -> ChipFacts:
    """Return what is known of the chip *name*: of its *lines*, and their *places*."""
    figures = [row for line in lines for row in line if row.quantity]
    who = {place.machine: place.anonymous_id is not None for place in places}
    days = sorted(row.started[:10] for row in figures if row.started)
    counted = Counter(row.label for row in figures)
    return ChipFacts(
        name=name,
        variants=tuple(
            Variant(
                chip.cpu_cores,
                tuple(chip.cpu_levels.items()),
                chip.gpu_cores,
                chip.max_memory_gb,
                chip.memory_bandwidth_bytes_per_second,
                chip.peaks["fp32"].flops_per_second if "fp32" in chip.peaks else None,
            )
            for chip in catalogue.chips()
            if chip.name.casefold() == name.casefold()
        ),
        figures=len(figures),
        labels=tuple(counted.most_common()),
        machines=len(who),
        named=sum(who.values()),
        oldest=days[0] if days else None,
        newest=days[-1] if days else None,
    )


def missing(site: Site, name: str) -> tuple[Missing, ...]:
    """Return what nobody has measured on a chip of a Mac, or on a card."""
    devices = {row.system.device for line in site.by_chip[name] for row in line}
    device = next((it for it in ("metal", "cuda") if it in devices), None)
    if device is None:
        return ()
    rows = [
        row
        for line in site.by_chip[name]
        for row in line
        if row.system.device == device and row.quantity
    ]
    done = {row.workload.name for row in rows}
    of_suite = [entry.workload for entry in catalogue.suites()[_SUITE].entries]
    absent = tuple(it for it in of_suite if it not in done)
    option = f"--{device}"
    result = []
    if not any(trains(it) for it in done):
        command = f"benchdb collect --suite {_SUITE} {option}"
        result.append(Missing("training", (), command))
    elif absent:
        command = f"benchdb collect {' '.join(absent)} {option}"
        result.append(Missing("metal", absent, command))
    own = [row for row in rows if trains(row.workload.name)]
    if own and max(row.quantity.n for row in own if row.quantity) < _REPEATED:
        again = sorted({row.workload.name for row in own} & set(of_suite))[:3]
        command = f"benchdb collect {' '.join(again)} {option} --tier standard"
        result.append(Missing("repeats", (), " ".join(command.split())))
    if device == "metal" and not any(row.metric in _ENERGY for row in rows):
        command = f"benchdb collect resnet50 {option} --powermetrics"
        result.append(Missing("energy", (), command))
    if not any(row.metric == "tokens_per_second" for row in rows):
        command = "llama-bench -m MODEL.gguf -o jsonl | benchdb import -"
        result.append(Missing("tokens", (), command))
    return tuple(result)


class Fact(msgspec.Struct, frozen=True):
    """A fact in words: what it is of, what it is, and more in small letters."""

    name: str
    value: str
    more: str = ""


def facts(language: Language, chip: ChipFacts) -> list[Fact]:
    """Return the facts at the head of a page, those that are not known left out."""
    result = [
        _cpu(language, chip.variants),
        _gpu(language, chip.variants),
        _memory(language, chip.variants),
        Fact(
            language.pgettext("fact", "Figures"),
            language.number(chip.figures),
            language.comma.join(
                terms.counted_label(language, label, n) for label, n in chip.labels[:2]
            ),
        ),
        _machines(language, chip),
    ]
    if chip.oldest and chip.newest:
        first, last = chip.oldest[:4], chip.newest[:4]
        since = language.pgettext("fact", "since %(year)s", year=Name(first))
        result.append(
            Fact(
                language.pgettext("fact", "Newest"),
                language.date(chip.newest),
                since if first != last else "",
            )
        )
    return [fact for fact in result if fact.value]


def _cpu(language: Language, variants: Sequence[Variant]) -> Fact:
    counts = sorted({it.cpu_cores for it in variants if it.cpu_cores})
    levels = next((it.levels for it in reversed(variants) if it.levels), ())
    kinds = {
        "Performance": language.pgettext("cores", "performance"),
        "Efficiency": language.pgettext("cores", "efficiency"),
    }
    text = (
        language.ngettext(
            "%(counts)s core",
            "%(counts)s cores",
            counts[-1],
            counts=_or(language, list(map(language.number, counts))),
        )
        if counts
        else ""
    )
    more = language.comma.join(
        f"{language.number(n)} {kinds.get(level, level.lower())}" for level, n in levels
    )
    return Fact(language.pgettext("fact", "CPU"), text, more)


def _gpu(language: Language, variants: Sequence[Variant]) -> Fact:
    counts = sorted({it.gpu_cores for it in variants if it.gpu_cores})
    peaks = sorted({it.flops for it in variants if it.flops})
    speeds = [language.number(it / 1e12, 1) for it in peaks]
    peak = language.measure(_or(language, speeds), "TFLOPS") if speeds else ""
    if not counts:
        return Fact(language.pgettext("fact", "GPU"), peak, "fp32" if peak else "")
    text = language.ngettext(
        "%(counts)s core",
        "%(counts)s cores",
        counts[-1],
        counts=_or(language, list(map(language.number, counts))),
    )
    return Fact(language.pgettext("fact", "GPU"), text, f"{peak} fp32" if peak else "")


def _memory(language: Language, variants: Sequence[Variant]) -> Fact:
    sizes = [it.memory_gb for it in variants if it.memory_gb]
    widths = sorted({it.bandwidth for it in variants if it.bandwidth})
    speeds = [language.number(round(it / 1e9)) for it in widths]
    width = language.measure(_or(language, speeds), "GB/s") if speeds else ""
    name = language.pgettext("fact", "Memory")
    if not sizes:
        return Fact(name, width)
    most = language.bytes(max(sizes) * 2**30)
    text = language.pgettext("memory", "up to %(size)s", size=Name(most))
    return Fact(name, text, width)


def _machines(language: Language, chip: ChipFacts) -> Fact:
    count = language.number(chip.machines)
    text = language.isolate(count if chip.named == chip.machines else f"≥ {count}")
    named = language.ngettext(
        "%(n)s told apart by its source",
        "%(n)s told apart by their sources",
        chip.named,
    )
    more = named if 0 < chip.named < chip.machines else ""
    return Fact(language.pgettext("table header", "Machines"), text, more)


def _or(language: Language, counts: Sequence[str]) -> str:
    """Return the sizes that there are: ``24 or 32``; of many the range."""
    if len(counts) <= 1:
        return counts[0] if counts else ""
    if len(counts) == 2:
        return language.pgettext(
            "either", "%(one)s or %(other)s", one=counts[0], other=counts[1]
        )
    return language.pgettext(
        "interval", "%(low)s–%(high)s", low=counts[0], high=counts[-1]
    )


def missing_text(language: Language, result: Missing, chip: str) -> str:
    """Say what nobody has measured on a chip."""
    if result.lack == "metal":
        names = [terms.title_text(language, workload_of(it)) for it in result.workloads]
        more = len(names) - _NAMED
        shown = names if more <= 1 else [*names[:_NAMED], f"+ {more}"]
        return language.gettext(
            "Of the standard suite nobody has measured %(workloads)s on an %(chip)s.",
            workloads=shown,
            chip=Name(chip),
        )
    values = {
        "training": language.gettext(
            "Nobody has measured any training on this chip’s GPU."
        ),
        "repeats": language.gettext(
            "No training figure rests on three processes: nobody knows how much it "
            "varies."
        ),
        "energy": language.gettext("No energy was read from a counter."),
        "tokens": language.gettext("No language model was measured."),
    }
    return values[result.lack]
