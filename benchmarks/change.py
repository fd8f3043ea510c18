"""Then and now: whether a ratio changed by more than turns differ by themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchdb.statistics.comparison import Estimate, ratio, verdict
from benchmarks.figures import Figures
from benchmarks.rows import Seen, ratios

Judgement = Literal["better", "worse", "even", "unclear", "too few turns"]

_WORDS: dict[str, Judgement] = {"faster": "better", "slower": "worse"}
_FEWEST = 3  # turns: of two, an interval says next to nothing


@dataclass(frozen=True)
class Change:
    """A row measured before and now; *factor* is now over then, of the ratios.

    Its interval is of 95 %, as between two campaigns of processes.
    """

    before: Figures
    then: Seen
    now: Seen
    factor: Estimate
    judgement: Judgement


def last(before: Iterable[Figures], now: Seen, machine: str | None) -> Figures | None:
    """Return the newest figures of the same row and size, those of *machine* first.

    *before* has the newest first.
    """
    earlier = [figures for figures in before if of_row(figures, now) is not None]
    same = [
        figures
        for figures in earlier
        if machine and figures.machine.anonymous_id == machine
    ]
    return next(iter(same or earlier), None)


def of_row(figures: Figures, row: Seen) -> Seen | None:
    """Return what *figures* tell of the same row at the same size."""
    key = (row.row.name, row.runs)
    return next((it for it in figures.rows if (it.row.name, it.runs) == key), None)


def changed(before: Sequence[Figures], now: Figures) -> list[Change]:
    """Return the change of each row that was measured before."""
    changes = []
    for row in now.rows:
        figures = last(before, row, now.machine.anonymous_id)
        then = figures and of_row(figures, row)
        if figures and then:
            changes.append(judged(figures, then, row))
    return changes


def judged(before: Figures, then: Seen, now: Seen) -> Change:
    """Compare two measurements of a row; the spread of either counts."""
    factor = ratio([(ratios(now), ratios(then))])
    if min(len(then.turns), len(now.turns)) < _FEWEST:
        return Change(before, then, now, factor, "too few turns")
    # What is better is greater: a speed, or the inverse of a time.
    text = verdict([(_merits(now), _merits(then))])
    return Change(before, then, now, factor, _WORDS.get(text) or _same(text))


def _merits(seen: Seen) -> list[float]:
    return ratios(seen) if seen.row.speed else [1 / it for it in ratios(seen)]


def _same(text: str) -> Judgement:
    return "even" if text == "even" else "unclear"
