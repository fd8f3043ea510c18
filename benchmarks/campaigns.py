"""Many simulated campaigns at once: ``statistics.comparison`` over whole arrays.

A side is an array of logs, [campaign, session, process]; its truth is 0. The tests hold
the formulas here against ``benchdb.statistics.comparison`` itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchdb.statistics.comparison import (
    REPEATED_THRESHOLD,
    SEEN_FACTOR,
    SINGLE_THRESHOLD,
    Spread,
)
from benchdb.statistics.student import t_quantile

Effects = Literal["normal", "t3", "one in ten 15 % slower", "AR(1) 0.7", "spikes"]
EFFECTS: tuple[Effects, ...] = (
    "normal",
    "t3",
    "one in ten 15 % slower",
    "AR(1) 0.7",
    "spikes",
)
_RESEMBLANCE = 0.7  # of a process to the one before it
_SPIKED = 0.05  # share of processes that something delays
_SPIKE = 0.10  # by that much on average


NOT_SEEN = Spread()


@dataclass(frozen=True)
class Sides:
    """Both sides of one cell, and what is known of the work of each."""

    first: Any
    second: Any
    spreads: tuple[Spread, Spread] = (NOT_SEEN, NOT_SEEN)
    same_session: bool = False


def effects(random: Any, kind: Effects, spread: float, shape: tuple[int, ...]) -> Any:
    """Return process effects around 0: standard deviation *spread*, and what is added.

    What contaminates them is part of the truth: its mean is taken off.
    """
    if kind == "t3":
        return spread * random.standard_t(3, shape) / math.sqrt(3)
    noise = random.normal(0, spread, shape)
    if kind == "AR(1) 0.7":
        for turn in range(1, shape[-1]):
            fresh = math.sqrt(1 - _RESEMBLANCE**2) * noise[..., turn]
            noise[..., turn] = _RESEMBLANCE * noise[..., turn - 1] + fresh
    if kind == "one in ten 15 % slower":
        slow = math.log(1.15)
        noise += slow * (random.random(shape) < 0.1) - 0.1 * slow
    if kind == "spikes":
        delays = random.exponential(_SPIKE, shape) * (random.random(shape) < _SPIKED)
        noise += delays - _SPIKE * _SPIKED
    return noise


def side(
    random: Any,
    shape: tuple[int, int, int],
    spread: Spread,
    kind: Effects = "normal",
    shared: Any = 0.0,
) -> Any:
    """Return a side with its own sessions; *shared* is what they have from others."""
    session = spread.session or 0.0
    own = effects(random, kind, 1.0, shape[:2])[..., None] * session if session else 0.0
    return shared + own + effects(random, kind, spread.process or 0.0, shape)


def half(logs: Any, spread: Spread = NOT_SEEN) -> Any:
    """Return half the interval of each campaign of a side; *spread* is the seen one."""
    sessions = logs.shape[1]
    if sessions == 1:
        return _of_values(logs[:, 0])
    over = np.minimum(_of_values(logs.mean(axis=2)), _of_class(logs, spread))
    return np.maximum(over, _of_pooled(logs))


def _of_class(logs: Any, spread: Spread) -> Any:
    if spread.session is None or spread.process is None:
        return np.inf
    _, sessions, n = logs.shape
    seen = math.hypot(spread.session, spread.process / math.sqrt(n))
    here = logs.mean(axis=2).std(axis=1, ddof=1)
    return SEEN_FACTOR * np.maximum(seen, here) / math.sqrt(sessions)


def median_of_machines(logs: Any) -> Any:
    """Return the median of the machines of each campaign."""
    return np.median(logs.mean(axis=2), axis=1)


def half_of_machines(logs: Any) -> Any:
    """Return half the interval of the median of the machines of each campaign.

    Of each machine one session is there: *logs* are [campaign, machine, process].
    """
    campaigns, machines, n = logs.shape
    own = _of_values(logs.reshape(-1, n)).reshape(campaigns, machines)
    alone = np.sqrt((own**2).sum(axis=1)) / machines
    widening = math.sqrt(math.pi / 2) if machines > 2 else 1.0
    return widening * np.maximum(_of_values(logs.mean(axis=2)), alone)


def half_of_ratio(cells: Sequence[Sides]) -> Any:
    """Return half the interval of the mean log ratio over *cells*."""
    process, session = 0.0, 0.0
    for cell in cells:
        own, shared = _halves(cell)
        process, session = process + own**2, session + shared
    return np.sqrt(process + session**2) / len(cells)


def shift(cells: Sequence[Sides]) -> Any:
    """Return the mean log ratio over *cells*."""
    return np.mean([_mean(cell.first) - _mean(cell.second) for cell in cells], axis=0)


def differing(cells: Sequence[Sides]) -> Any:
    """Tell of which campaigns "faster" or "slower" is said."""
    repeated = all(
        logs.shape[1] * logs.shape[2] > 1
        for cell in cells
        for logs in (cell.first, cell.second)
    )
    small = math.log1p(REPEATED_THRESHOLD if repeated else SINGLE_THRESHOLD)
    distance = np.abs(shift(cells))
    return (distance > half_of_ratio(cells)) & (distance > small)


def _halves(cell: Sides) -> tuple[Any, Any]:
    sides = cell.first, cell.second
    if cell.same_session and cell.first.shape[1] > 1:
        means = cell.first.mean(axis=2) - cell.second.mean(axis=2)
        pooled = np.hypot(*map(_of_pooled, sides))
        return 0.0, np.maximum(_of_values(means), pooled)
    process, session = 0.0, 0.0
    for logs, spread in zip(sides, cell.spreads, strict=True):
        if logs.shape[1] > 1:
            session = session + half(logs, spread) ** 2
        else:
            process = process + _within(logs, spread) ** 2
            session = session + (SEEN_FACTOR * (spread.session or 0.0)) ** 2
    return np.sqrt(process), 0.0 if cell.same_session else np.sqrt(session)


def _within(logs: Any, spread: Spread) -> Any:
    if logs.shape[2] == 1:
        return np.full(len(logs), SEEN_FACTOR * (spread.process or 0.0))
    return _of_values(logs[:, 0])


def _of_values(values: Any) -> Any:
    n = values.shape[1]
    return t_quantile(0.975, n - 1) * values.std(axis=1, ddof=1) / math.sqrt(n)


def _of_pooled(logs: Any) -> Any:
    _, sessions, n = logs.shape
    if n == 1:
        return np.zeros(len(logs))
    variance = logs.var(axis=2, ddof=1).mean(axis=1)
    t = t_quantile(0.975, sessions * (n - 1))
    return t * np.sqrt(variance / n / sessions)


def _mean(logs: Any) -> Any:
    return logs.mean(axis=2).mean(axis=1)
