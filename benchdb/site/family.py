"""A family of chips, held against the baseline of the site."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Literal

import msgspec

from benchdb.compare.cell_rows import CellRow
from benchdb.exchange.messages import Device
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Times
from benchdb.report.view.atoms import Workload
from benchdb.report.wording.cells import DASH
from benchdb.report.wording.terms import (
    device_text,
    framework_text,
)
from benchdb.report.workloads import trains, workload_of
from benchdb.site import wording
from benchdb.site.content import Site
from benchdb.site.plots import Axis, Mark, Plot, axis, is_flagged, look, times_tick
from benchdb.site.system_pairs import BASELINE, Worker
from benchdb.statistics.comparison import geometric_mean

_APPLE = re.compile(r"([AM]\d{1,2})(?: (Pro|Max|Ultra))?")
_SIZES = ("", "Pro", "Max", "Ultra")
# "GeForce RTX 3090 Ti", "Radeon RX 7900 XTX": two digits are the generation.
_CARD = re.compile(r"((?:GeForce |Radeon |Quadro )?(?:RTX|GTX|RX) )(\d\d)\d\d\b.*")
_DEVICES: tuple[Device, ...] = ("metal", "cuda", "rocm", "vulkan", "npu", "cpu")
Kind = Literal["training", "prefill", "decode", "inference", "operation"]
KINDS: tuple[Kind, ...] = ("training", "decode", "prefill", "inference", "operation")


class Member(msgspec.Struct, frozen=True):
    """A system of a family: like ratios to the baseline, flagged ones among them."""

    chip: str
    device: str
    cells: tuple[CellRow, ...]

    @property
    def sound(self) -> list[float]:
        """Return the ratios that nothing speaks against."""
        return [it.ratio.value for it in self.cells if not is_flagged(it)]

    @property
    def is_base(self) -> bool:
        """Tell whether it is the baseline itself."""
        return (self.chip, self.device) == BASELINE


class Ladder(msgspec.Struct, frozen=True):
    """The members that did the same kind of work by one protocol."""

    kind: Kind
    framework: str
    setting: str
    metric: str
    workloads: tuple[Workload, ...]
    sources: tuple[str, ...]
    members: tuple[Member, ...]


class Family(msgspec.Struct, frozen=True):
    """The chips of a family, in order, and how they stand."""

    name: str
    chips: tuple[str, ...]
    ladders: tuple[Ladder, ...]


class MemberRow(msgspec.Struct, frozen=True):
    """A member in words."""

    chip: str
    device: str
    badge: str
    current: bool
    plot: Plot
    mean: str
    spread: str
    cells: str
    note: str


class LadderRows(msgspec.Struct, frozen=True):
    """A ladder in words."""

    title: str
    about: str
    axis: Axis
    rows: tuple[MemberRow, ...]


@cache
def family_name(chip: str) -> str:
    """Return the family of a *chip*, "" for one that is of none."""
    if apple := _APPLE.fullmatch(chip):
        return apple[1]
    card = _CARD.fullmatch(chip)
    return f"{card[1]}{card[2]}00" if card else ""


def chips_of(site: Site, name: str) -> tuple[str, ...]:
    """Return the chips of a family that did any work, the smallest first."""

    def order(chip: str) -> tuple[object, ...]:
        apple = _APPLE.fullmatch(chip)
        return _SIZES.index(apple[2] or "") if apple else 0, chip

    own = (chip for chip in site.chips if name and family_name(chip) == name)
    return tuple(sorted(own, key=order))


def family(site: Site, chip: str) -> Family | None:
    """Return how the family of *chip* stands, ``None`` where it has none."""
    name = family_name(chip)
    chips = chips_of(site, name) or (chip,)
    workers = [Worker(text, device) for text in chips for device in _DEVICES]
    cells = {
        worker: site.systems.cells(BASELINE, worker)
        for worker in workers
        if worker != BASELINE
    }
    parts: defaultdict[tuple[str, ...], defaultdict[Worker, list[CellRow]]]
    parts = defaultdict(lambda: defaultdict(list))
    for worker, cell_rows in cells.items():
        for cell in cell_rows:
            if cell.counts and cell.ratio.leads:
                parts[_protocol(site, cell)][worker].append(cell)
    ladders = [
        ladder
        for kind in KINDS
        if (ladder := _ladder(site, kind, parts)) and _tells(ladder, chip)
    ]
    if not ladders:
        return None
    return Family(name, chips, tuple(ladders))


def _tells(ladder: Ladder, chip: str) -> bool:
    """Tell whether *chip* itself is on it, beside anything else."""
    return any(it.chip == chip and not it.is_base for it in ladder.members) or (
        chip == BASELINE.chip and len(ladder.members) > 1
    )


def _protocol(site: Site, cell: CellRow) -> tuple[str, ...]:
    setting = site.rows[cell.other.quantity.run].setting
    return kind_of(cell.workload), cell.other.framework, setting, cell.metric


def kind_of(workload: str) -> Kind:
    """Return the kind of a workload: what may stand in one mean."""
    if trains(workload):
        return "training"
    if workload in ("llm-prefill", "llm-decode"):
        return "prefill" if workload == "llm-prefill" else "decode"
    return "operation" if workload_of(workload).kind == "operation" else "inference"


def _ladder(
    site: Site,
    kind: Kind,
    parts: Mapping[tuple[str, ...], Mapping[Worker, Sequence[CellRow]]],
) -> Ladder | None:
    """Return the protocol of a *kind* that most chips of the family ran."""
    own = {key: some for key, some in parts.items() if key[0] == kind}
    if not own:
        return None

    def coverage(key: tuple[str, ...]) -> tuple[object, ...]:
        chips = {worker.chip for worker in own[key]}
        return len(chips), sum(map(len, own[key].values())), key

    key = max(own, key=coverage)
    _, framework, setting, metric = key
    every = [cell for some in own[key].values() for cell in some]
    # The baseline stands first; nothing is held against itself.
    members = [
        Member(*BASELINE, ()),
        *(
            Member(*worker, tuple(sorted(some, key=lambda it: it.ratio.value)))
            for worker, some in own[key].items()
        ),
    ]
    slugs = (site.source_of(site.rows[it.other.quantity.run]) for it in every)
    return Ladder(
        kind,
        framework,
        setting,
        metric,
        workloads=tuple(
            workload_of(name) for name in sorted({it.workload for it in every})
        ),
        sources=tuple(sorted(set(filter(None, slugs)))),
        members=tuple(members),
    )


def heading(language: Language, result: Family, chip: str) -> str:
    """Name the section: the chips of the family, or what the chip is held against."""
    if len(result.chips) < 2:
        return language.gettext("%(chip)s beside the M1 with Metal", chip=Name(chip))
    return language.gettext("The %(family)s family", family=Name(result.name))


def lead(language: Language, result: Family) -> str:
    """Say what the marks are."""
    return language.gettext(
        "Each mark is one piece of work, like for like: how many times as fast as the "
        "M1 with Metal. Nothing here mixes two protocols; a mean stands only where all "
        "of it is on one side of %(once)s.",
        once=Times(1),
    )


def rows(language: Language, result: Family, chip: str) -> Iterator[LadderRows]:
    """Yield the ladders as the table shows them."""
    values = [
        cell.ratio.value
        for ladder in result.ladders
        for member in ladder.members
        for cell in member.cells
    ]
    for n, ladder in enumerate(result.ladders):
        scale = axis(
            f"family-{n}", values, partial(times_tick, language), around=(1.0,)
        )
        origin = ladder.sources[:3] or (ladder.setting,)
        parts = [
            framework_text(language, ladder.framework),
            wording.protocol(language, ladder.metric, origin),
        ]
        yield LadderRows(
            title=kind_text(language, ladder.kind),
            about=" · ".join(parts),
            axis=scale,
            rows=tuple(_row(language, scale, it, chip) for it in ladder.members),
        )


def kind_text(language: Language, kind: Kind) -> str:
    """Name a kind of work."""
    return {
        "training": language.pgettext("kind of work", "Training"),
        "prefill": language.pgettext("workload", "LLM prefill"),
        "decode": language.pgettext("workload", "LLM decode"),
        "inference": language.pgettext("kind of work", "Inference"),
        "operation": language.pgettext("kind of work", "Single operations"),
    }[kind]


def _row(language: Language, scale: Axis, member: Member, chip: str) -> MemberRow:
    marks = tuple(
        Mark(
            scale.at(it.ratio.value),
            look(it.ratio, flagged=is_flagged(it)),
            _named(language, it),
        )
        for it in member.cells
    )
    good = member.sound
    low, high = (min(good), max(good)) if good else (1.0, 1.0)
    one_sided = len(good) > 1 and (low >= 1 or high <= 1)
    flagged = len(member.cells) - len(good)
    note = language.ngettext(
        "%(n)s flagged figure left out", "%(n)s flagged figures left out", flagged
    )
    return MemberRow(
        chip=member.chip,
        device=device_text(language, member.device),
        badge=wording.badge(member.device),
        current=member.chip == chip,
        plot=Plot(
            marks or (Mark(scale.at(1.0), "level"),),
            (scale.at(low), scale.at(high)) if len(good) > 1 else None,
            look="band",
        ),
        mean=language.times(geometric_mean(good))
        if one_sided
        else language.times(1.0)
        if member.is_base
        else "",
        spread=language.times_range(low, high) if good else "",
        cells=language.number(len(good)) if good else DASH,
        note=language.pgettext("legend", "baseline")
        if member.is_base
        else note
        if flagged
        else "",
    )


def _named(language: Language, cell: CellRow) -> str:
    title, more = wording.work(language, cell)
    parts = title, more, language.times(cell.ratio.value)
    return " · ".join(filter(None, parts))
