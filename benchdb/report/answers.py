"""The headlines: one number each, from like and unflagged figures only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from benchdb.report.view import (
    Answer,
    Distance,
    DistanceCell,
    MetalGroup,
    MetalRow,
    MetalSection,
    RankCell,
    Ranking,
    RankRow,
    Ratio,
)
from benchdb.stats import geometric_mean

_CLEAR = 1.5  # a workload gains, or loses, beyond this factor on average
_SEVERAL = 2  # chips that a headline rests on, where there are that many


def answers(
    metal: MetalSection | None, ranking: Ranking | None, distance: Distance | None
) -> tuple[Answer, ...]:
    """Return the headlines that the sections support."""
    found = (
        _metal(metal) if metal else None,
        _mac(ranking) if ranking else None,
        _distance(distance) if distance else None,
        _here(ranking) if ranking else None,
    )
    return tuple(answer for answer in found if answer is not None)


def _metal(section: MetalSection) -> Answer | None:
    groups = _telling(section.groups)
    ratios: defaultdict[str, list[float]] = defaultdict(list)
    for group in groups:
        ratios[group.workload.title] += [
            row.ratio.value for row in group.rows if _counts(row.ratio) and row.ratio
        ]
    means = {title: geometric_mean(found) for title, found in ratios.items() if found}
    pays = [title for title in means if means[title] > _CLEAR]
    hurts = [title for title in means if means[title] < 1 / _CLEAR]
    gains = [ratio for title in pays for ratio in ratios[title]]
    losses = [1 / ratio for title in hurts for ratio in ratios[title]]
    if not means:
        return None
    return Answer(
        kind="metal",
        low=min(gains, default=None),
        high=max(gains, default=None),
        facts={
            "pays": pays,
            "even": [title for title in means if title not in (*pays, *hurts)],
            "hurts": hurts,
            "hurts_low": min(losses, default=None),
            "hurts_high": max(losses, default=None),
            "chips": len({row.chip for group in groups for row in _good(group)}),
        },
    )


def _telling(groups: Sequence[MetalGroup]) -> Sequence[MetalGroup]:
    """Return the groups with several chips; all of them where none has several."""
    telling = [g for g in groups if len({row.chip for row in _good(g)}) >= _SEVERAL]
    return telling or groups


def _good(group: MetalGroup) -> list[MetalRow]:
    return [row for row in group.rows if _counts(row.ratio)]


def _counts(ratio: Ratio | None) -> bool:
    return ratio is not None and not ratio.differs and not ratio.notes


def _mac(ranking: Ranking) -> Answer | None:
    best: dict[str, float] = {}
    for row in ranking.rows:  # best first, so a chip's best machine speaks for it
        if row.system.device == "metal" and row.mean and _unflagged(row, ranking):
            best.setdefault(row.system.chip, row.mean.value)
    if len(best) < _SEVERAL:
        return None
    chips = sorted(best, key=lambda chip: (-best[chip], chip))
    slowest = chips[-1]
    times = best[chips[0]] / best[slowest]
    return Answer(
        kind="mac",
        low=times,
        high=times,
        facts={
            "best": chips[0],
            "baseline": slowest,
            "others": [[chip, best[chip] / best[slowest]] for chip in chips[1:-1]],
            "workloads": len(ranking.common),
        },
    )


def _unflagged(row: RankRow, ranking: Ranking) -> bool:
    """Tell whether a row's own common figures are free of notes.

    The baseline's do not matter: they cancel out between two rows.
    """
    cells = zip(ranking.workloads, row.cells, strict=True)
    return not any(
        cell.quantity is not None and cell.quantity.notes
        for workload, cell in cells
        if workload.name in ranking.common
    )


def _distance(section: Distance) -> Answer | None:
    index = _contender(section)
    cells = [row.cells[index] for row in section.rows]
    shared = [cell.share for cell in cells if cell.share is not None]
    like = [share for share in shared if _counts(share)]
    system = section.systems[index]
    return Answer(
        kind="distance",
        low=min((1 / share.value for share in like), default=None),
        high=max((1 / share.value for share in like), default=None),
        facts={
            "reference": section.reference.chip,
            "system": system.chip,
            "differs": [] if like else _differs(shared),
            "workloads": len(like or shared),
        },
    )


def _contender(section: Distance) -> int:
    """Return the place of the best Mac's GPU, or of the best system without one."""
    places = range(len(section.systems))
    metal = [p for p in places if section.systems[p].device == "metal"]

    def standing(place: int) -> tuple[int, float]:
        cells: Iterable[DistanceCell] = (row.cells[place] for row in section.rows)
        shares = [cell.share.value for cell in cells if cell.share is not None]
        return len(shares), geometric_mean(shares) if shares else 0.0

    return max(metal or places, key=standing)


def _here(ranking: Ranking) -> Answer | None:
    own = [row for row in ranking.rows if row.system.here]
    others = [row for row in own if row.system != ranking.baseline]
    if not others:
        return None
    row = max(others, key=lambda r: (len(_like(r)), _pace(r), r.system.key))
    like, rated = _like(row), [cell.ratio for cell in row.cells if cell.ratio]
    ratios = [cell.ratio.value for cell in like if cell.ratio]
    shown = [
        workload.title
        for workload, cell in zip(ranking.workloads, row.cells, strict=True)
        if cell.quantity is not None and (not like or cell in like)
    ]
    return Answer(
        kind="here",
        low=min(ratios, default=None),
        high=max(ratios, default=None),
        facts={
            "chip": row.system.chip,
            "device": row.system.device,
            "workloads": shown,
            "differs": [] if like else _differs(rated),
            "baseline": ranking.baseline.chip,
        },
    )


def _like(row: RankRow) -> list[RankCell]:
    return [cell for cell in row.cells if _counts(cell.ratio)]


def _pace(row: RankRow) -> float:
    ratios = [cell.ratio.value for cell in row.cells if cell.ratio]
    return geometric_mean(ratios) if ratios else 0.0


def _differs(ratios: Iterable[Ratio]) -> list[str]:
    """Return every condition that differs anywhere, once, in the usual order."""
    found = dict.fromkeys(name for ratio in ratios for name in ratio.differs)
    order = ("precision", "compiler", "batch", "framework", "protocol")
    return [name for name in order if name in found]
