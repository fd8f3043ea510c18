"""What earlier processes were, and what that says of the next."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, or_, select

from benchdb.catalogue import workloads
from benchdb.collecting.plan import Cell, Item, Plan
from benchdb.store.tables import chip, machine, run, value

# Seconds for the start, the end and the storing of a process, which it does not count.
AROUND = 0.7


class Past(msgspec.Struct, frozen=True):
    """One stored process; seconds and watts are those of the whole of it."""

    workload: str
    framework: str
    device: str
    setting: str
    precision: str | None
    compiler: str | None
    parameters: dict[str, Any]
    replicate: int | None
    status: str
    before: dict[str, Any]
    checks: dict[str, Any]
    seconds: float | None
    watts: float | None
    campaign: str | None = None
    step_seconds: float | None = None

    def is_like(self, cell: Cell) -> bool:
        """Tell whether it was of *cell*, as far as that was asked for.

        Precision and compiler are what was in effect, which may be something else:
        a variable of the environment can turn fp32 into tf32.
        """
        mine = (self.workload, self.framework, self.device, self.setting)
        asked = (cell.workload, cell.framework, cell.device, cell.setting)
        points = all(self.parameters.get(name) == point for name, point in cell.axes)
        return mine == asked and points

    def is_of(self, cell: Cell) -> bool:
        """Tell whether it was of *cell*, and in just that way."""
        in_effect = (self.precision, self.compiler)
        return self.is_like(cell) and in_effect == (cell.precision, cell.compiler)

    def takes_as_long(self, cell: Cell) -> bool:
        """Tell whether it was of *cell*, without a term, and did what the source did.

        If it succeeded, that is.
        """
        source = "seed_protocol" in self.checks
        cut = "term_seconds" in self.checks or source != bool(source_protocol(cell))
        return self.status == "ok" and self.is_of(cell) and not cut


def source_protocol(cell: Cell) -> Mapping[str, Any]:
    """Return what a process does as the source of *cell* did, if anything."""
    its = workloads()[cell.workload]
    own: Mapping[str, Any] = its.settings.get(cell.setting, {})
    left_out = "--blocks-only" in cell.arguments
    return {} if left_out else own.get("seed_protocol", its.seed_protocol)


def of_campaign(
    connection: Connection, campaign: str, *, mine: bool = False
) -> list[Past]:
    """Return the processes of a campaign, oldest first; with *mine* no others'."""
    wanted = run.c.campaign == campaign
    return _past(connection, and_(wanted, run.c.mine) if mine else wanted)


def on_machine(connection: Connection, anonymous_id: str, tier: str) -> list[Past]:
    """Return the processes of this tier that this machine has finished."""
    return _past(
        connection,
        and_(
            machine.c.anonymous_id == anonymous_id,
            run.c.tier == tier,
            run.c.status == "ok",
            run.c.mine,
        ),
    )


def on_like_machines(
    connection: Connection, facts: Mapping[str, Any], cards: Iterable[str], tier: str
) -> list[Past]:
    """Return what others finished on a chip of these *facts*, or on one of *cards*."""
    same = (chip.c[name] == facts.get(name) for name in ("name", "cpu_cores"))
    gpu_cores = chip.c.gpu_cores.is_not_distinct_from(facts.get("gpu_cores"))
    alike = (
        select(machine.c.digest)
        .join(chip, chip.c.digest == machine.c.chip)
        .where(*same, gpu_cores)
    )
    here = and_(run.c.machine.in_(alike), run.c.device != "cuda")
    done = run.c.status == "ok", run.c.tier == tier, ~run.c.mine
    return _past(
        connection, and_(*done, or_(here, run.c.device_name.in_(sorted(cards))))
    )


def _past(connection: Connection, wanted: ColumnElement[bool]) -> list[Past]:
    wall, power, step = map(value.alias, ("wall", "power", "step"))
    query = (
        select(
            *(run.c[name] for name in Past.__struct_fields__ if name in run.c),
            run.c.conditions_before.label("before"),
            wall.c.value.label("seconds"),
            power.c.value.label("watts"),
            step.c.value.label("step_seconds"),
        )
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .outerjoin(wall, _of_run(wall, "process_wall_seconds"))
        .outerjoin(power, _of_run(power, "mean_power_watts"))
        .outerjoin(step, _of_run(step, "step_seconds"))
        .where(wanted)
        .order_by(run.c.started, run.c.digest)
    )
    return [Past(**row._mapping) for row in connection.execute(query)]


def _of_run(table: Any, metric: str) -> ColumnElement[bool]:
    return and_(table.c.run == run.c.digest, table.c.metric == metric)


def left(items: Sequence[Item], past: Iterable[Past]) -> list[Item]:
    """Return the *items* that have no process yet, or an interrupted one, in order."""
    done = [item for item in past if item.status != "interrupted"]
    open_items = list(items)
    unplaced = [item for item in done if not _place(item, open_items, Past.is_of)]
    for item in unplaced:
        _place(item, open_items, Past.is_like)
    return open_items


def _place(past: Past, items: list[Item], fits: Callable[[Past, Cell], bool]) -> bool:
    """Take the item that *past* is the process of out of *items*, if there is one."""
    for item in items:
        if item.replicate == past.replicate and fits(past, item.cell):
            items.remove(item)
            return True
    return False


class Guess(msgspec.Struct, frozen=True):
    """Seconds of a process that never ran here, and what they follow from."""

    seconds: float
    basis: str
    at_least: bool = False


class Expected(msgspec.Struct, frozen=True):
    """One process of a cell; *at_least* where the tier alone says how long.

    Seconds are None where it does not say either, joules where no earlier run of the
    cell was metered. *basis* says what the seconds follow from.
    """

    cell: Cell
    seconds: float | None
    at_least: bool
    joules: float | None
    basis: str = ""


def expected(
    plan: Plan,
    past: Sequence[Past],
    guesses: Mapping[Cell, Guess] | None = None,
    elsewhere: Sequence[Past] = (),
) -> list[Expected]:
    """Return what a process of each cell of *plan* will take, on average of several.

    What never ran here takes what it took *elsewhere*, on machines like this, else what
    is guessed.
    """
    estimates = []
    for cell in plan.cells:
        same = [item for item in past if item.is_of(cell)]
        joules = [
            item.watts * item.seconds for item in same if item.watts and item.seconds
        ]
        own, others = (
            _usual([item for item in some if item.takes_as_long(cell)], plan.replicates)
            for some in (past, elsewhere)
        )
        known = own or others
        # Earlier processes may have followed a shorter protocol.
        least = cell.least_seconds or (0 if known else plan.least_seconds)
        guess = (guesses or {}).get(cell, Guess(0.0, "", at_least=True))
        if known:
            guess = Guess(known, "runs here" if own else "runs of machines like this")
        estimates.append(
            Expected(
                cell,
                max(least, guess.seconds) or None,
                guess.at_least,
                median(joules) if joules else None,
                guess.basis,
            )
        )
    return estimates


def _usual(same: Sequence[Past], replicates: int) -> float | None:
    """Return what a process takes on average; the first one has more to check."""
    firsts = [past.seconds for past in same if past.seconds and not past.replicate]
    laters = [past.seconds for past in same if past.seconds and past.replicate]
    if not firsts or not laters:
        every = firsts or laters
        return median(every) + AROUND if every else None
    whole: float = median(firsts) + (replicates - 1) * median(laters)
    return whole / replicates + AROUND
