"""A campaign that ends with its time: what is known, and what follows from that."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from statistics import fmean
from threading import Timer
from time import monotonic
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, func, select

from benchdb.collecting.budget import (
    Cost,
    Question,
    State,
    Step,
    foreseen,
    next_step,
    questions,
)
from benchdb.collecting.campaign import Event, Finished, Started, measured
from benchdb.collecting.costs import (
    Device,
    Seen,
    guessed,
    known,
    learned,
    reference_seconds,
    start_seconds,
    step_seconds,
)
from benchdb.collecting.history import AROUND, Past, of_campaign, on_machine
from benchdb.collecting.plan import Cell, Item, Memory, Plan, Settings
from benchdb.collecting.processes import Interruption
from benchdb.sessions import PAUSE, moment
from benchdb.store.database import reading
from benchdb.store.tables import machine, run

TIER = "quick"
ENDING = "-budget"  # of the name of a campaign
_REPLICATES = 3  # planned of a cell, as far as anybody can tell before
_CLOSING = 1.25  # times what it took: a process that is ended is no figure
_OVER = 0.035  # of the time: a process that takes so much more is ended


class Purse(msgspec.Struct, frozen=True):
    """The time there is, from the moment *begun* by the monotonic clock, in seconds.

    *kept* is what the end of the program needs.
    """

    seconds: float
    begun: float
    kept: float = 0.0

    @property
    def spent(self) -> float:
        """Return the seconds that are gone."""
        return monotonic() - self.begun

    @property
    def left(self) -> float:
        """Return the seconds that processes can take from now on."""
        return self.seconds - self.kept - self.spent


class Prospect(msgspec.Struct, frozen=True):
    """What can be measured, and what a process takes as far as that can be guessed.

    *steps* are seconds of a step with what they follow from.
    """

    plan: Plan
    questions: tuple[Question, ...]
    guesses: Mapping[Cell, Cost]
    steps: Mapping[Cell, tuple[float, str]]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of all questions."""
        every = (cell for question in self.questions for cell in question.cells)
        return tuple(dict.fromkeys(every))


def prospect(
    plan: Plan, devices: Sequence[Device], seen: Sequence[Seen], load: float = 0.0
) -> Prospect:
    """Return what *plan* offers on these *devices*, guessed by figures *seen*.

    *load* is what else runs for each CPU, and takes its share of them.
    """
    steps = {cell: step_seconds(cell, devices, seen, load) for cell in plan.cells}
    compared = Counter((item.framework, item.device) for item in seen)
    asked, guesses = questions(plan.cells, compared), {}
    for cell in (cell for question in asked for cell in question.cells):
        reference = reference_seconds(cell, devices, seen, load)
        starting = start_seconds(cell, load)
        guesses[cell] = guessed(steps[cell][0], plan.protocol, reference, starting)
    return Prospect(plan, asked, guesses, steps)


def state(
    its: Prospect,
    past: Sequence[Past],
    around: float = AROUND,
    without: Collection[Cell] = (),
) -> State:
    """Return what is known by the processes of the *past*, but of cells *without*.

    *around* are the seconds that a process takes beside what it measures.
    """
    costs, facts = {}, {}
    for cell in its.cells:
        mine = [item for item in past if item.status == "ok" and item.is_of(cell)]
        costs[cell] = learned(mine, its.plan.protocol, around, its.guesses[cell])
        facts[cell] = known(cell, mine, its.steps[cell][0])
    gone = set(without)
    asked = tuple(
        question for question in its.questions if not gone & {*question.cells}
    )
    return State(asked, costs, facts)


def past_of(connection: Connection, campaign: str, here: str | None) -> list[Past]:
    """Return what counts: the campaign, and what else this machine has measured."""
    own = of_campaign(connection, campaign, mine=True)
    others = [] if here is None else on_machine(connection, here, TIER)
    return [*(past for past in others if past.campaign != campaign), *own]


def campaign_of(connection: Connection, here: str | None, fresh: str) -> str:
    """Return the campaign to go on with: one of the last half hour, else *fresh*."""
    name, ended = run.c.campaign, func.max(run.c.ended)
    query = (
        select(name, ended)
        .join(machine, machine.c.digest == run.c.machine)
        .where(name.endswith(ENDING), run.c.mine, machine.c.anonymous_id == here)
        .group_by(name)
        .order_by(name.desc())
        .limit(1)
    )
    last = connection.execute(query).first() if here else None
    end = moment(last[1]) if last else None
    if last and end and datetime.now(UTC) - end < PAUSE:
        return str(last[0])
    return fresh


def measure(
    engine: Engine,
    its: Prospect,
    settings: Settings,
    interruption: Interruption,
    memory: Memory,
    purse: Purse,
) -> Iterator[Event]:
    """Run one process after another until the time is over; yield what happens.

    A cell that fails is not tried again. Raise ``UsageError`` when the first collector
    refuses to start.
    """
    around: list[float] = []
    failed: set[Cell] = set()
    position = 0
    while not interruption.requested:
        with reading(engine) as connection:
            past = past_of(connection, settings.campaign, memory.machine)
        now = state(its, past, fmean(around) if around else AROUND, failed)
        left = purse.left
        step = next_step(now, left)
        if step is None:
            return
        position += 1
        item = _item(step, now, past, settings.campaign)
        more = processes(now, foreseen(now, left))
        total = position - 1 + more
        yield Started(item, position, total, purse.spent, left, step.seconds)
        first = position == 1
        with _ending(interruption, purse):
            for event in measured(
                engine, item, settings, interruption, memory, first=first
            ):
                yield event
                whole = _wall(event)
                if whole is not None:
                    around.append(max(0.0, event.seconds - whole))
                elif not _is_interrupted(event):
                    failed.add(item.cell)


def processes(before: State, after: State) -> int:
    """Return how many more processes *after* has than *before*."""
    return sum(after.count(cell) - before.count(cell) for cell in before.known)


def _item(step: Step, now: State, past: Sequence[Past], campaign: str) -> Item:
    mine = (
        item for item in past if item.campaign == campaign and item.is_like(step.cell)
    )
    turn = max((item.replicate or 0 for item in mine), default=-1) + 1
    closing = now.costs[step.cell].after_blocks(now.count(step.cell))
    until = max(1, int(step.seconds - _CLOSING * closing))
    return Item(step.cell, turn, max(_REPLICATES, turn + 1), until)


@contextmanager
def _ending(interruption: Interruption, purse: Purse) -> Iterator[None]:
    """End the process that still runs when the time is over."""
    timer = Timer(purse.left + _OVER * purse.seconds, interruption.expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_interrupted(event: Finished) -> bool:
    """Tell whether something stopped a process that may succeed another time."""
    return event.record is not None and event.record.end.status == "interrupted"


def _wall(event: Finished) -> float | None:
    """Return the seconds of a process that succeeded and is stored."""
    if event.record is None or event.error or event.record.end.status != "ok":
        return None
    figures: dict[str, Any] = {
        value.metric: value.value for value in event.record.end.values
    }
    return figures.get("process_wall_seconds")
