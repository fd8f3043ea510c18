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

    found = judge(engine, settings.originals[0], settings.campaign)
    if found is None:
        return 1
    conclude(("", *lines(found, settings.originals[0])))
    return 0 if found.word == "reproduced" else 1


def lines(found: "Judgement", original: str) -> Iterator[str]:
    """Yield the word first, then the figures, then the conditions that differ."""
    yield _head(found)
    if (row := found.row) is not None:
        own = (row.metric, row.workload)
        head = f"run {original[:_LETTERS]}"
        for name, side in ((head, row.base), ("this time", row.other)):
            shown = figure(side.quantity.value, *own)
            yield f"  {name:<{len(head)}}  {shown}, n = {side.quantity.n}"
    for one in found.conditions:
        yield f"  {one.name}: {one.base} → {one.other}"


def _head(found: "Judgement") -> str:
    names = ", ".join(one.name for one in found.conditions)
    differ = f"conditions differ: {names}"
    if found.word == "failed":
        return f"not reproduced: {found.why}"
    if found.word == "reproduced":
        return "; ".join(filter(None, (_reproduced(found), names and differ)))
    by = _by(found.row) if found.row is not None else ""
    if found.word == "conditions differ":
        return "; ".join(filter(None, (differ, by, found.why)))
    parts = (": ".join(filter(None, (found.word, by))), found.why, names and differ)
    return "; ".join(filter(None, parts))


def _reproduced(found: "Judgement") -> str:
    verb = "replicated" if found.elsewhere and found.fresh else "reproduced"
    where = " on another machine" if found.elsewhere else ""
    seed = "another" if found.fresh else "the same"
    share = 100 * rounded_up(found.within)
    return f"{verb} within {share:.1f} %{where}, with {seed} seed"


def _by(row: "CellRow") -> str:
    """Say by how much the rerun is faster or slower, with the interval if any."""
    ratio = row.ratio
    word, sign = ("faster", 1) if ratio.value >= 1 else ("slower", -1)
    said = f"{word} by {sign * 100 * (ratio.value - 1):.1f} %"
    if (ends := ratio.interval) is None:
        return said
    if ends.wide:
        return f"{said}, by an interval that tells nothing"
    if ends.low <= 1 <= ends.high:
        return f"{said}, 95 % interval {ends.low:.2f}–{ends.high:.2f}×"
    low, high = sorted(sign * 100 * (end - 1) for end in (ends.low, ends.high))
    return f"{said} ({low:.1f} to {high:.1f} %)"
