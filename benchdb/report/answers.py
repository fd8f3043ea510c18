"""The headlines: one number each, from like and unflagged figures only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.compared import (
    Distance,
    DistanceCell,
    MetalGroup,
    MetalRow,
    MetalSection,
    RankCell,
    Ranking,
    RankRow,
)
from benchdb.report.view.efficiency import Efficiency
from benchdb.report.view.page import Answer
from benchdb.stats import geometric_mean

_EFFECTS = ("pays", "even", "mixed", "hurts")
_SEVERAL = 2  # chips that a headline rests on, where there are that many


def answers(
    metal: MetalSection | None,
    ranking: Ranking | None,
    distance: Distance | None,
    efficiency: Efficiency | None = None,
) -> tuple[Answer, ...]:
    """Return the headlines that the sections support."""
    found = (
        _metal(metal) if metal else None,
        _mac(ranking) if ranking else None,
        _distance(distance) if distance else None,
        _watt(efficiency) if efficiency else None,
        _here(ranking) if ranking else None,
    )
    return tuple(answer for answer in found if answer is not None)


def _metal(section: MetalSection) -> Answer | None:
    rows: defaultdict[str, list[MetalRow]] = defaultdict(list)
    for group in _telling(section.groups):
        if good := _good(group):
            rows[group.workload.title] += good
    titles: defaultdict[str, list[str]] = defaultdict(list)
    for title, found in rows.items():
        titles[_effect(found)].append(title)
    gains = [ratio for title in titles["pays"] for ratio in _ratios(rows[title])]
    losses = [1 / ratio for title in titles["hurts"] for ratio in _ratios(rows[title])]
    counted = [row for found in rows.values() for row in found]
    if not counted:
        return None
    return Answer(
        kind="metal",
        low=min(gains, default=None),
        high=max(gains, default=None),
        facts={
            **{effect: titles[effect] for effect in _EFFECTS},
            "hurts_low": min(losses, default=None),
            "hurts_high": max(losses, default=None),
            "chips": max(len({row.chip for row in found}) for found in rows.values()),
            "frameworks": sorted({row.framework for row in counted}),
            "single": _single(side for row in counted for side in (row.cpu, row.metal)),
        },
    )


def _effect(rows: Iterable[MetalRow]) -> str:
    """Say what Metal does for a workload, as far as all of its rows say the same."""
    verdicts = {row.ratio.verdict for row in rows if row.ratio}
    if verdicts == {"faster"}:
        return "pays"
    if verdicts == {"slower"}:
        return "hurts"
    return "even" if verdicts <= {"even", "unclear"} else "mixed"


def _ratios(rows: Iterable[MetalRow]) -> list[float]:
    return [row.ratio.value for row in rows if row.ratio]


def _single(figures: Iterable[Quantity | None]) -> bool:
    return all(figure is None or figure.n == 1 for figure in figures)


def _telling(groups: Sequence[MetalGroup]) -> Sequence[MetalGroup]:
    """Return the groups with several chips; all of them where none has several."""
    telling = [g for g in groups if len({row.chip for row in _good(g)}) >= _SEVERAL]
    return telling or groups


def _good(group: MetalGroup) -> list[MetalRow]:
    return [row for row in group.rows if _counts(row.ratio)]


def _counts(ratio: Ratio | None) -> bool:
    return ratio is not None and not ratio.differs and not ratio.notes


def _mac(ranking: Ranking) -> Answer | None:
    rows: dict[str, RankRow] = {}
    for row in ranking.rows:  # best first, so a chip's best machine speaks for it
        if row.system.device == "metal" and row.mean and _unflagged(row, ranking):
            rows.setdefault(row.system.chip, row)
    if len(rows) < _SEVERAL:
        return None
    best = {chip: row.mean.value for chip, row in rows.items() if row.mean}
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
            "single": _single(
                figure for row in rows.values() for figure in _common(row, ranking)
            ),
        },
    )


def _common(row: RankRow, ranking: Ranking) -> list[Quantity]:
    """Return the row's figures that its mean rests on."""
    cells = zip(ranking.workloads, row.cells, strict=True)
    return [
        cell.quantity
        for workload, cell in cells
        if workload.name in ranking.common and cell.quantity is not None
    ]


def _unflagged(row: RankRow, ranking: Ranking) -> bool:
    """Tell whether a row's own common figures are free of notes.

    The baseline's do not matter: they cancel out between two rows.
    """
    return not any(figure.notes for figure in _common(row, ranking))


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


def _watt(section: Efficiency) -> Answer | None:
    """Say how much the compared system does per joule, beside the reference."""
    reference, compared = section.reference, section.compared
    if reference is None or compared is None:
        return None
    groups = [group for group in section.groups if group.system == compared]
    rows = [row for group in groups for row in group.rows if row.ratio]
    like = [row for row in rows if _counts(row.ratio)]
    ratios = [row.ratio.value for row in like if row.ratio]
    return Answer(
        kind="watt",
        low=min(ratios, default=None),
        high=max(ratios, default=None),
        facts={
            "reference": reference.chip,
            "reference_device": reference.device,
            "system": compared.chip,
            "device": compared.device,
            "differs": [] if like else _differs(row.ratio for row in rows if row.ratio),
            "peak": any(
                group.reading.kind == "peak" and any(row in like for row in group.rows)
                for group in groups
            ),
            "workloads": len({row.workload.name for row in like or rows}),
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
    order = (
        "precision",
        "compiler",
        "batch",
        "framework",
        "protocol",
        "tier",
        "power",
    )
    return [name for name in order if name in found]
