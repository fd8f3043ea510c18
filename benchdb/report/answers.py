"""The headlines: one number or range each, and what it rests on.

Figures that are like for like, without notes and with the evidence that a headline
needs make it. Where there are none, unlike figures bound it, with the names of what
differs: no mean, no verdict.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from benchdb.report.sections.distance import Distance
from benchdb.report.sections.efficiency import Efficiency, EfficiencyRow
from benchdb.report.sections.metal import MetalGroup, MetalSection, effect
from benchdb.report.sections.ranking import Ranking, RankRow
from benchdb.report.view.atoms import Quantity, Ratio, Reading, Way
from benchdb.report.view.page import Answer
from benchdb.statistics.comparison import geometric_mean

_EFFECTS = ("pays", "even", "unclear", "mixed", "hurts")
_SEVERAL = 2  # chips that a headline rests on, where there are that many
# The order of conditions in a sentence; the others follow by name.
_ORDER = (
    *("precision", "compiler", "batch", "framework", "version"),
    *("protocol", "tier", "work", "power"),
)


class _Pair(msgspec.Struct, frozen=True):
    """Two figures held against each other: the system's and the reference's."""

    title: str
    ratio: Ratio
    figures: tuple[Quantity, ...]
    way: Way | None = None
    other: Way | None = None
    chip: str = ""
    readings: tuple[Reading, ...] = ()

    @property
    def counts(self) -> bool:
        """Tell whether it may lead: like for like, without a note, with evidence."""
        ratio = self.ratio
        return not ratio.differs and not ratio.notes and ratio.leads


class _Choice(msgspec.Struct, frozen=True):
    """The pairs that make a headline; *bounded* ones are unlike.

    *flagged* and *insufficient* count those of the rest that a note or the lack of
    evidence keeps out.
    """

    pairs: tuple[_Pair, ...]
    bounded: bool
    flagged: int
    insufficient: int
    differs: tuple[str, ...]

    @property
    def facts(self) -> dict[str, object]:
        """Return what every headline says of its evidence."""
        figures = [figure for pair in self.pairs for figure in pair.figures]
        return {
            "differs": list(self.differs),
            "flagged": self.flagged,
            "insufficient": self.insufficient,
            "single": bool(figures) and all(figure.n == 1 for figure in figures),
            "published": bool(figures)
            and not any(figure.label == "measured" for figure in figures),
        }

    @property
    def sides(self) -> dict[str, object]:
        """Return how the figures of both sides were computed, under which limit."""
        facts: dict[str, object] = {}
        for side, ways in (
            ("system", [pair.way for pair in self.pairs]),
            ("reference", [pair.other for pair in self.pairs]),
        ):
            known = [way for way in ways if way]
            frameworks = [way.framework for way in known if "framework" in self.differs]
            precisions = [way.precision for way in known]
            how = (*frameworks, *precisions, *(way.compiler for way in known))
            facts[f"{side}_with"] = list(dict.fromkeys(filter(None, how)))
            # The watts that a card may draw, where all figures say the same.
            limits = {way.limit if way else None for way in ways}
            if len(limits) == 1 and None not in limits:
                facts[f"{side}_limit"] = limits.pop()
        return facts

    def answer(self, kind: Literal["distance", "watt", "here"], **facts: Any) -> Answer:
        """Return the headline of this *kind*, with *facts* beside its evidence."""
        ratios = [pair.ratio.value for pair in self.pairs]
        return Answer(
            kind=kind,
            low=min(ratios, default=None),
            high=max(ratios, default=None),
            facts={**self.facts, **self.sides, **facts},
            bounded=self.bounded,
        )


def answers(
    metal: MetalSection | None,
    ranking: Ranking | None,
    distance: Distance | None,
    efficiency: Efficiency | None = None,
    explained: Collection[str] = (),
) -> tuple[Answer, ...]:
    """Return the headlines that the sections support.

    *explained* are the letters of notes that say what is unlike, and doubt no figure.
    """
    found = (
        _metal(metal, explained) if metal else None,
        _mac(ranking) if ranking else None,
        _distance(distance, explained) if distance else None,
        _watt(efficiency, explained) if efficiency else None,
        _here(ranking, explained) if ranking else None,
    )
    return tuple(answer for answer in found if answer is not None)


def _chosen(pairs: Sequence[_Pair], explained: Collection[str]) -> _Choice:
    """Return the like pairs without notes, or else the unlike ones that bound them."""
    like = tuple(pair for pair in pairs if pair.counts)
    unlike = [pair for pair in pairs if pair.ratio.differs]
    bounds = tuple(
        pair
        for pair in unlike
        if pair.ratio.leads and not _doubted(pair.ratio, explained)
    )
    used = like or bounds
    # Beside like figures, those that are unlike are no news.
    rest = [pair for pair in pairs if pair not in used]
    rest = [pair for pair in rest if not (like and pair.ratio.differs)]
    flagged = sum(_doubted(pair.ratio, explained) for pair in rest)
    # Every condition that differs anywhere, once, in the usual order.
    unlikeness = {
        n for pair in bounds or unlike if not like for n in pair.ratio.differs
    }
    usual = [name for name in _ORDER if name in unlikeness]
    return _Choice(
        pairs=used,
        bounded=not like and bool(bounds),
        flagged=flagged,
        insufficient=len(rest) - flagged,
        differs=(*usual, *sorted(unlikeness.difference(usual))),
    )


def _doubted(ratio: Ratio, explained: Collection[str]) -> bool:
    """Tell whether a note speaks against a figure, not only against the comparison."""
    return not set(ratio.notes) <= set(explained if ratio.differs else ())


def _metal(section: MetalSection, explained: Collection[str]) -> Answer | None:
    pairs = [pair for group in section.telling for pair in _both(group)]
    if not pairs:
        return None
    choice = _chosen(pairs, explained)
    ratios = defaultdict[str, list[Ratio]](list)
    chips = defaultdict[str, set[str]](set)
    for pair in choice.pairs:
        ratios[pair.title].append(pair.ratio)
        chips[pair.title].add(pair.chip)
    titles = defaultdict[str, list[str]](list)
    for title, found in ratios.items():
        titles["bounded" if choice.bounded else effect(found)].append(title)
    values = {title: [one.value for one in found] for title, found in ratios.items()}
    gains = [v for title in titles["bounded"] or titles["pays"] for v in values[title]]
    losses = [1 / value for title in titles["hurts"] for value in values[title]]
    return Answer(
        kind="metal",
        low=min(gains, default=None),
        high=max(gains, default=None),
        facts={
            **choice.facts,
            **{name: titles[name] for name in _EFFECTS},
            "workloads": list(ratios),
            "ranges": {
                title: [min(values[title]), max(values[title])]
                for name in ("even", "unclear", "mixed")
                for title in titles[name]
            },
            "hurts_low": min(losses, default=None),
            "hurts_high": max(losses, default=None),
            "chips": max(map(len, chips.values()), default=0),
            "frameworks": sorted({p.way.framework for p in choice.pairs if p.way}),
        },
        bounded=choice.bounded,
    )


def _both(group: MetalGroup) -> list[_Pair]:
    return [
        _Pair(
            title=group.workload.title,
            ratio=row.ratio,
            figures=tuple(side for side in (row.cpu, row.metal) if side),
            way=Way(None, None, row.framework),
            chip=row.chip,
        )
        for row in group.rows
        if row.ratio is not None
    ]


def _mac(ranking: Ranking) -> Answer | None:
    rows: dict[str, RankRow] = {}
    ranked = [row for row in ranking.rows if row.system.device == "metal" and row.mean]
    for row in ranked:  # best first, so a chip's best machine speaks for it
        if row.leads and not _flagged(row, ranking):
            rows.setdefault(row.system.chip, row)
    if len(rows) < _SEVERAL:
        return None
    means = {chip: row.mean.value for chip, row in rows.items() if row.mean}
    chips = sorted(means, key=lambda chip: (-means[chip], chip))
    best, slowest = rows[chips[0]], rows[chips[-1]]
    times, spread = _against(best, slowest, ranking)
    ends: tuple[float | None, float | None] = spread
    if times is not None:  # unless chance may have ranked them
        ends = (times, times) if ranking.faster(best, slowest) else (None, None)
    figures = [one for row in rows.values() for one in _common(row, ranking)]
    others = [(chip, _against(rows[chip], slowest, ranking)) for chip in chips[1:-1]]
    left = [row for row in ranked if row.system.chip not in rows]
    return Answer(
        kind="mac",
        low=ends[0],
        high=ends[1],
        facts={
            "best": chips[0],
            "baseline": chips[-1],
            "mean": times,
            "spread": list(spread),
            "others": [[chip, mean, *both] for chip, (mean, both) in others],
            "workloads": len(ranking.common),
            "single": all(figure.n == 1 for figure in figures),
            "flagged": sum(_flagged(row, ranking) for row in left),
            "insufficient": sum(not _flagged(row, ranking) for row in left),
        },
    )


def _against(
    row: RankRow, other: RankRow, ranking: Ranking
) -> tuple[float | None, tuple[float, float]]:
    """Return the mean ratio of two rows, and its range over the common workloads.

    There is no mean where the order changes from one workload to another.
    """
    ratios = [
        mine.ratio.value / theirs.ratio.value
        for workload, mine, theirs in zip(
            ranking.workloads, row.cells, other.cells, strict=True
        )
        if workload.name in ranking.common and mine.ratio and theirs.ratio
    ]
    low, high = min(ratios), max(ratios)
    return (None if low < 1 < high else geometric_mean(ratios)), (low, high)


def _common(row: RankRow, ranking: Ranking) -> list[Quantity]:
    """Return the row's figures that its mean rests on."""
    cells = zip(ranking.workloads, row.cells, strict=True)
    return [
        cell.quantity
        for workload, cell in cells
        if workload.name in ranking.common and cell.quantity is not None
    ]


def _flagged(row: RankRow, ranking: Ranking) -> bool:
    """Tell whether a note hangs on any of the row's own common figures.

    The baseline's do not matter: they cancel out between two rows.
    """
    return any(figure.notes for figure in _common(row, ranking))


def _distance(section: Distance, explained: Collection[str]) -> Answer | None:
    index = _contender(section, explained)
    choice = _chosen(_shares(section, index), explained)
    found = choice.answer(
        "distance",
        reference=section.reference.chip,
        system=section.systems[index].chip,
        workloads=len({pair.title for pair in choice.pairs}),
    )
    ends = [1 / end if end else None for end in (found.high, found.low)]
    return replace(found, low=ends[0], high=ends[1])


def _shares(section: Distance, index: int) -> list[_Pair]:
    pairs = []
    for row in section.rows:
        cell = row.cells[index]
        if cell.share is not None and cell.quantity is not None:
            figures = cell.quantity, row.reference
            title = row.workload.title
            pairs.append(_Pair(title, cell.share, figures, cell.way, row.way))
    return pairs


def _contender(section: Distance, explained: Collection[str]) -> int:
    """Return the place of the best Mac's GPU, or of the best system without one."""
    places = range(len(section.systems))
    metal = [p for p in places if section.systems[p].device == "metal"]

    def standing(place: int) -> tuple[object, ...]:
        pairs = _shares(section, place)
        choice = _chosen(pairs, explained)
        shares = [pair.ratio.value for pair in choice.pairs or pairs]
        mean = geometric_mean(shares) if shares else 0.0
        like = bool(choice.pairs) and not choice.bounded
        return like, len(choice.pairs), len(shares), mean

    return max(metal or places, key=standing)


def _watt(section: Efficiency, explained: Collection[str]) -> Answer | None:
    """Say how much the compared system does per joule, beside the reference."""
    reference, compared = section.reference, section.compared
    if reference is None or compared is None:
        return None
    choice = _chosen(_per_joule(section), explained)
    readings = [reading for pair in choice.pairs for reading in pair.readings]
    return choice.answer(
        "watt",
        reference=reference.chip,
        reference_device=reference.device,
        system=compared.chip,
        device=compared.device,
        peak=any(reading.kind == "peak" for reading in readings),
        readings=[
            {"kind": reading.kind, "scope": reading.scope}
            for reading in dict.fromkeys(readings)
        ],
        workloads=len({pair.title for pair in choice.pairs}),
    )


def _per_joule(section: Efficiency) -> list[_Pair]:
    """Return the compared system's rows, each beside the reference's first one."""
    beside: dict[str, tuple[EfficiencyRow, Reading]] = {}
    for group in section.groups:
        if group.system == section.reference:
            for row in group.rows:
                beside.setdefault(row.workload.name, (row, group.reading))
    pairs = []
    for group in section.groups:
        for row in group.rows if group.system == section.compared else ():
            if section.reference and row.ratio and row.workload.name in beside:
                other, reading = beside[row.workload.name]
                own = Way(
                    row.precision, row.compiler, group.system.framework, row.limit
                )
                theirs = Way(
                    other.precision,
                    other.compiler,
                    section.reference.framework,
                    other.limit,
                )
                figures = row.per_joule, other.per_joule
                title, readings = row.workload.title, (group.reading, reading)
                pairs.append(
                    _Pair(title, row.ratio, figures, own, theirs, readings=readings)
                )
    return pairs


def _here(ranking: Ranking, explained: Collection[str]) -> Answer | None:
    others = [
        row
        for row in ranking.rows
        if row.system.here and row.system != ranking.baseline
    ]
    if not others:
        return None
    choices = {
        row.system.key: _chosen(_cells(row, ranking), explained) for row in others
    }

    def standing(row: RankRow) -> tuple[object, ...]:
        choice = choices[row.system.key]
        like = 0 if choice.bounded else len(choice.pairs)
        ratios = [cell.ratio.value for cell in row.cells if cell.ratio]
        pace = geometric_mean(ratios) if ratios else 0.0
        return like, len(choice.pairs), pace, row.system.key

    row = max(others, key=standing)
    choice = choices[row.system.key]
    cells = zip(ranking.workloads, row.cells, strict=True)
    ran = [workload.title for workload, cell in cells if cell.quantity is not None]
    return choice.answer(
        "here",
        chip=row.system.chip,
        device=row.system.device,
        workloads=[pair.title for pair in choice.pairs] or ran,
        baseline=ranking.baseline.chip,
    )


def _cells(row: RankRow, ranking: Ranking) -> list[_Pair]:
    base = next(one for one in ranking.rows if one.system == ranking.baseline)
    columns = zip(ranking.workloads, row.cells, base.cells, strict=True)
    return [
        _Pair(
            title=workload.title,
            ratio=cell.ratio,
            figures=tuple(one.quantity for one in (cell, anchor) if one.quantity),
            way=cell.way,
            other=anchor.way,
        )
        for workload, cell, anchor in columns
        if cell.ratio
    ]
