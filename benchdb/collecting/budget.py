"""Which process next, where time is short: a plan anew after each of them.

A *question* is a cell, or the cell of a GPU with that of the CPU beside it. One that
is begun is brought to a verdict before another begins; what is left of the time goes to
the widest interval. Nothing here measures, waits or looks at a clock.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from benchdb import catalogue
from benchdb.collecting.plan import Cell
from benchdb.statistics.comparison import (
    Estimate,
    Pair,
    Sample,
    Word,
    deviance,
    logs,
    ratio,
    verdict,
)
from benchdb.statistics.student import t_quantile

# Of each side: three are a grade of their own, from two on there is an interval.
_PROCESSES = (3, 2)
# A verdict that so many leave open is left open: another question shows more.
ENOUGH = 5
_MOST = 10  # as the most thorough tier has
# Degrees of freedom that the spread of a class of work counts for.
_FREEDOM = 2
_UNKNOWN_SPREAD = 0.05
# Nobody buys a GPU for fewer operations a step, in powers of ten.
_NEGLIGIBLE = 5.0
_UNKNOWN_WORK = 4.0
# What a process may take beyond what its like took, and beyond a guess.
_LEEWAY, _GUESS = 1.03, 1.15
# The same where another is to follow: better one that fills the time than a gap.
_FOLLOWED = 1.2


class Cost(msgspec.Struct, frozen=True):
    """Seconds of a process of a cell with the shortest window of its tier.

    The *first* one has more to check. *closing* comes after the blocks, which can go on
    for *stretch* longer, or end *squeeze* earlier; *measured* tells an observation from
    a guess.
    """

    first: float
    later: float
    closing: float = 0.0
    stretch: float = 0.0
    squeeze: float = 0.0
    measured: bool = False

    def of(self, count: int) -> float:
        """Return what the process that follows *count* others takes."""
        return self.later if count else self.first

    def after_blocks(self, count: int) -> float:
        """Return the seconds that follow the blocks of that process."""
        return self.closing + (0.0 if count else max(0.0, self.first - self.later))

    def cautious(self, count: int) -> float:
        """Return the same with what has to be kept back for it, in shorter blocks."""
        leeway = _LEEWAY if self.measured and count else _GUESS
        return self.of(count) * leeway - self.squeeze


class Known(msgspec.Struct, frozen=True):
    """What is known of a cell: seconds of a step, for each process of each session.

    *foreseen* are processes of which there is no figure yet. *spread* is the standard
    deviation of logs that such work shows.
    """

    sessions: Mapping[str, tuple[float, ...]] = {}
    foreseen: int = 0
    spread: float = _UNKNOWN_SPREAD

    @property
    def count(self) -> int:
        """Return the number of processes."""
        return sum(map(len, self.sessions.values())) + self.foreseen

    def half_width(self, more: int = 0) -> float | None:
        """Return half of the 95 % interval with *more* processes, relative; or None.

        The spread is that of the class until the cell has shown its own.
        """
        n = self.count + more
        if n < 2:
            return None
        sessions = [*self.sessions.values()]
        own = math.fsum(deviance(logs(session)) for session in sessions)
        freedom = sum(len(session) - 1 for session in sessions)
        variance = (_FREEDOM * self.spread**2 + own) / (_FREEDOM + freedom)
        return math.expm1(t_quantile(0.975, n - 1) * math.sqrt(variance / n))


class Question(msgspec.Struct, frozen=True):
    """One cell, or the same work on a GPU and on the CPU, and how useful it is."""

    cells: tuple[Cell, ...]
    weight: float

    @property
    def workload(self) -> str:
        """Return what is measured."""
        return self.cells[0].workload


class Answer(msgspec.Struct, frozen=True):
    """How many times as fast the first cell of a question is as the second."""

    question: Question
    ratio: Estimate
    word: Word


class State(msgspec.Struct, frozen=True):
    """All that a decision follows from: what a cell costs, and what is known of it."""

    questions: tuple[Question, ...]
    costs: Mapping[Cell, Cost]
    known: Mapping[Cell, Known]

    def count(self, cell: Cell) -> int:
        """Return how many processes there are of *cell*."""
        return self.known[cell].count

    def asked_of(self, cell: Cell) -> list[Question]:
        """Return the questions that *cell* is a side of."""
        return [question for question in self.questions if cell in question.cells]

    def with_one(self, cell: Cell) -> "State":
        """Return the state once a process of *cell* has been."""
        result = self.known[cell]
        later = replace(result, foreseen=result.foreseen + 1)
        return replace(self, known={**self.known, cell: later})


class Step(msgspec.Struct, frozen=True):
    """The process to run next, whose blocks end so that it takes these *seconds*."""

    cell: Cell
    seconds: float


def questions(
    cells: Sequence[Cell],
    compared: Mapping[tuple[str, str], int] = MappingProxyType({}),
) -> tuple[Question, ...]:
    """Return what can be asked: pairs of devices where there are any, else cells.

    *compared* counts the stored figures to compare with, by framework and device.
    """
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        work = (cell.workload, cell.setting, cell.framework, cell.precision)
        groups.setdefault((*work, cell.compiler, cell.axes), []).append(cell)
    pairs: list[tuple[Cell, ...]] = []
    for some in groups.values():
        own = [cell for cell in some if cell.device == "cpu"]
        gpus = [cell for cell in some if cell.device != "cpu"]
        pairs += [(gpu, cpu) for gpu in gpus for cpu in own]
    every = pairs or [(cell,) for cell in cells]
    heads = {(some[0].framework, some[0].device) for some in every}
    total = sum(compared.get(head, 0) for head in heads)
    return tuple(
        Question(
            some,
            _weight(some[0])
            * (1 + compared.get((some[0].framework, some[0].device), 0) / (total or 1)),
        )
        for some in every
    )


def _weight(cell: Cell) -> float:
    """Return how useful it is to know: the larger the work, the more is at stake."""
    if not cell.operations:
        return _UNKNOWN_WORK
    return max(1.0, math.log10(cell.operations) - _NEGLIGIBLE)


def next_step(state: State, seconds: float) -> Step | None:
    """Return the process to run in the *seconds* that are left, or None for none.

    Where nothing else fits behind it, its blocks go on until the time is over.
    """
    cell = _next(state, seconds) or _begun(state, seconds)
    if cell is None:
        return None
    cost, count = state.costs[cell], state.count(cell)
    usual, after = cost.of(count), state.with_one(cell)
    # Fewer processes than a grade asks for leave a question open: time is kept for
    # those that lack, in blocks that end earlier where they have to.
    kept = max(
        _until(after, question, _PROCESSES[0]) for question in state.asked_of(cell)
    )
    least = cost.cautious(count)
    takes = least if kept else _FOLLOWED * usual
    if _next(after, seconds - takes) is None:
        usual += cost.stretch
    elif kept and least <= seconds - kept:
        usual = min(usual, seconds - kept)
    return Step(cell, min(seconds, usual))


def _next(state: State, seconds: float) -> Cell | None:
    begun = [
        question
        for question in state.questions
        if any(map(state.count, question.cells)) and not is_answered(state, question)
    ]
    for question in begun:
        # The side that lags behind; neighbours in time share a machine's mood.
        behind = min(question.cells, key=state.count)
        if _fits(state, behind, seconds):
            return behind
    return _of_new(state, seconds) or _widest(state, seconds)


def is_answered(state: State, question: Question) -> bool:
    """Tell whether a question has its verdict, or enough processes without."""
    least = min(map(state.count, question.cells))
    if least < _PROCESSES[0]:
        return False
    result = answer(state.known, question)
    return result is None or result.word != "unclear" or least >= ENOUGH


def answer(known: Mapping[Cell, Known], question: Question) -> Answer | None:
    """Return what a pair shows so far; None where a side has fewer than two figures."""
    if len(question.cells) < 2 or any(known[cell].foreseen for cell in question.cells):
        return None
    first, second = (known[cell].sessions for cell in question.cells)
    both = [name for name in first if name in second]
    if not both or min(sum(len(of[n]) for n in both) for of in (first, second)) < 2:
        return None
    # Of seconds: the second side over the first is how fast the first is.
    sides = [Sample(tuple(of[name] for name in both)) for of in (second, first)]
    pair = [Pair(sides[0], sides[1], same_session=True)]
    return Answer(question, ratio(pair), verdict(pair))


def _of_new(state: State, seconds: float) -> Cell | None:
    """Return the first process of the question that shows most for its time."""
    fresh = [
        question
        for question in state.questions
        if not any(map(state.count, question.cells))
    ]
    asked = [question for question in state.questions if question not in fresh]
    workloads = Counter(question.workload for question in asked)
    kinds = Counter(_kind(question.workload) for question in asked)
    # Each of a set as often as the grade asks for, or where that is too long, as an
    # interval does, but only as long as nothing at all has been asked.
    for processes in _PROCESSES[: 1 if asked else 2]:
        fitting = {
            question: cost
            for question in fresh
            if (cost := _until(state, question, processes)) <= seconds
        }
        if fitting:
            best = max(
                fitting,
                key=lambda question: (
                    question.weight
                    / (
                        (1 + workloads[question.workload])
                        * (1 + kinds[_kind(question.workload)])
                    )
                    / fitting[question]
                ),
            )
            return best.cells[0]
    return None


def _kind(workload: str) -> str:
    return catalogue.workloads()[workload].kind


def _until(state: State, question: Question, processes: int) -> float:
    """Return the seconds until each cell of a question has so many *processes*."""
    counts = ((cell, range(state.count(cell), processes)) for cell in question.cells)
    every = ((state.costs[cell], n) for cell, turns in counts for n in turns)
    return sum(cost.cautious(n) for cost, n in every)


def _widest(state: State, seconds: float) -> Cell | None:
    """Return the cell whose interval shrinks most for its time, by its use."""
    gains: dict[Cell, float] = {}
    for question in state.questions:
        for cell in question.cells:
            known, count = state.known[cell], state.count(cell)
            now, then = known.half_width(), known.half_width(1)
            if not count or count >= _MOST or not _fits(state, cell, seconds):
                continue
            shrinks = (now or 1.0) - (then or 1.0) if count > 1 else 1.0
            gain = question.weight * max(0.0, shrinks) / state.costs[cell].of(count)
            gains[cell] = max(gain, gains.get(cell, 0.0))
    return max(gains, key=lambda cell: gains[cell]) if gains else None


def _begun(state: State, seconds: float) -> Cell | None:
    """Return a cell to begin with where no interval fits: it counts next time."""
    fresh = {
        cell: question.weight / state.costs[cell].of(0)
        for question in state.questions
        for cell in question.cells
        if not state.count(cell) and _fits(state, cell, seconds)
    }
    return max(fresh, key=lambda cell: fresh[cell]) if fresh else None


def _fits(state: State, cell: Cell, seconds: float) -> bool:
    return state.costs[cell].cautious(state.count(cell)) <= seconds


def foreseen(state: State, seconds: float) -> State:
    """Return what is expected to be known once the *seconds* are over."""
    while (step := next_step(state, seconds)) is not None:
        state = state.with_one(step.cell)
        seconds -= step.seconds
    return state


def shortest(state: State) -> float:
    """Return the seconds that it takes until anything can be told."""
    return min(_until(state, question, _PROCESSES[-1]) for question in state.questions)
