"""The ladder of trust: what stands behind a figure, the least first.

A grade says how good a measurement is, a step who can check it, and with what. Each
step asks for all below it. It follows from what is stored; nobody enters one.
"""

from collections.abc import Iterable
from typing import Literal, get_args

Step = Literal[
    "claimed",
    "transcribed",
    "aggregate",
    "samples",
    "gates",
    "signed",
    "replicated",
]
STEPS: tuple[Step, ...] = get_args(Step)


def lowest(steps: Iterable[Step | None]) -> Step | None:
    """Return the step of what rests on all that have one of *steps*."""
    return min(filter(None, steps), key=STEPS.index, default=None)


def at_least(step: Step) -> tuple[Step, ...]:
    """Return *step* and all above it."""
    return STEPS[STEPS.index(step) :]


def after(step: Step) -> Step | None:
    """Return the step above this one, if there is any."""
    return next(iter(STEPS[STEPS.index(step) + 1 :]), None)
