"""What a reproduction says at its end: the word, both figures, and what differs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import Engine

from benchdb.cli.console import conclude
from benchdb.cli.figure_text import figure
from benchdb.collecting.plan import Settings
from benchdb.statistics.agreement import rounded_up

if TYPE_CHECKING:
    from benchdb.compare.cell_rows import CellRow
    from benchdb.compare.reproduced import Judgement

_LETTERS = 12  # of a run


def conclude_reproduction(engine: Engine, settings: Settings) -> int:
    """Print what came of a campaign that reproduces, and return its exit status.

    That is 0 where the figure was reproduced, else 1.
    """
    # Comparing takes the parts of a report, which other campaigns do without.
    from benchdb.compare.reproduced import judge  # noqa: PLC0415  heavy

    judgement = judge(engine, settings.originals[0], settings.campaign)
    if judgement is None:
        return 1
    conclude(("", *lines(judgement, settings.originals[0])))
    return 0 if judgement.word == "reproduced" else 1


def lines(judgement: "Judgement", original: str) -> Iterator[str]:
    """Yield the word first, then the figures, then the conditions that differ."""
    yield _head(judgement)
    if (row := judgement.row) is not None:
        own = (row.metric, row.workload)
        head = f"run {original[:_LETTERS]}"
        for name, side in ((head, row.base), ("this time", row.other)):
            shown = figure(side.quantity.value, *own)
            yield f"  {name:<{len(head)}}  {shown}, n = {side.quantity.n}"
    for condition in judgement.conditions:
        yield f"  {condition.name}: {condition.base} → {condition.other}"


def _head(judgement: "Judgement") -> str:
    names = ", ".join(condition.name for condition in judgement.conditions)
    differ = f"conditions differ: {names}"
    if judgement.word == "failed":
        return f"not reproduced: {judgement.why}"
    if judgement.word == "reproduced":
        return "; ".join(filter(None, (_reproduced(judgement), names and differ)))
    by = _by(judgement.row) if judgement.row is not None else ""
    if judgement.word == "conditions differ":
        return "; ".join(filter(None, (differ, by, judgement.why)))
    parts = (
        ": ".join(filter(None, (judgement.word, by))),
        judgement.why,
        names and differ,
    )
    return "; ".join(filter(None, parts))


def _reproduced(judgement: "Judgement") -> str:
    verb = "replicated" if judgement.elsewhere and judgement.fresh else "reproduced"
    where = " on another machine" if judgement.elsewhere else ""
    seed = "another" if judgement.fresh else "the same"
    share = 100 * rounded_up(judgement.within)
    return f"{verb} within {share:.1f} %{where}, with {seed} seed"


def _by(row: "CellRow") -> str:
    """Say by how much the rerun is faster or slower, with the interval if any."""
    ratio = row.ratio
    word, sign = ("faster", 1) if ratio.value >= 1 else ("slower", -1)
    distance = f"{word} by {sign * 100 * (ratio.value - 1):.1f} %"
    if (ends := ratio.interval) is None:
        return distance
    if ends.wide:
        return f"{distance}, by an interval that tells nothing"
    if ends.low <= 1 <= ends.high:
        return f"{distance}, 95 % interval {ends.low:.2f}–{ends.high:.2f}×"
    low, high = sorted(sign * 100 * (end - 1) for end in (ends.low, ends.high))
    return f"{distance} ({low:.1f} to {high:.1f} %)"
