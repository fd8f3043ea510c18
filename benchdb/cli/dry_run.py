"""``benchdb collect --dry-run``: what would run, and what it would take."""

from collections.abc import Sequence
from itertools import groupby

import typer

from benchdb.cli.console import counted, plain
from benchdb.cli.database import existing
from benchdb.cli.progress import clock
from benchdb.collecting.history import Expected, Past, expected, on_machine
from benchdb.collecting.plan import Cell, Plan
from benchdb.collecting.programs import fingerprint
from benchdb.store.database import reading


def foretell(plan: Plan, tier: str, db: str | None) -> None:
    """Print the plan with what it will take; nothing is made and nothing is run."""
    estimates = expected(plan, past_here(tier, db))
    for place, some in groupby(sorted(estimates, key=_place), key=_place):
        typer.echo(plain(" ".join(place)))
        for one in some:
            typer.echo(plain(_line(one, plan.replicates)))
    cells, processes = len(plan.cells), len(plan.cells) * plan.replicates
    counts = f"{counted(cells, 'cell')}, {counted(processes, 'process')}"
    typer.echo(f"{counts} of tier {tier}: {_altogether(estimates, plan.replicates)}")


def past_here(tier: str, db: str | None) -> list[Past]:
    """Return what this machine has measured before, as far as that is stored."""
    engine = existing(db)
    if engine is None:
        return []
    # Not before: the first time, the machine gets its id.
    machine = fingerprint()["machine"].get("anonymous_id")
    if machine is None:
        return []
    with reading(engine) as connection:
        return on_machine(connection, machine, tier)


def _place(expected: Expected) -> tuple[str, str]:
    return expected.cell.framework, expected.cell.device


def _line(one: Expected, replicates: int) -> str:
    processes = counted(replicates, "process")
    energy = "unknown" if one.joules is None else f"about {_energy(one.joules)}"
    took = f"{_time(one.seconds, at_least=one.at_least)} each"
    return f"  {_name(one.cell):<44} {processes}, {took}, energy {energy}"


def _name(cell: Cell) -> str:
    points = [f"{name} {value}" for name, value in cell.axes]
    setting = [] if cell.setting == "standard" else [cell.setting]
    compiler = [] if cell.compiler == "none" else [cell.compiler]
    return ", ".join([cell.workload, *setting, *points, cell.precision, *compiler])


def _altogether(estimates: Sequence[Expected], replicates: int) -> str:
    times = [one.seconds for one in estimates if one.seconds is not None]
    least = any(one.at_least for one in estimates)
    known = [one.joules for one in estimates if one.joules is not None]
    time = _time(replicates * sum(times) if times else None, at_least=least)
    if not known:
        return f"{time}, energy unknown: no earlier run of this was metered"
    energy = f"{time}, energy about {_energy(replicates * sum(known))}"
    unknown = len(estimates) - len(known)
    return energy + (f" without {counted(unknown, 'cell')}" if unknown else "")


def _time(seconds: float | None, *, at_least: bool) -> str:
    if seconds is None:
        return "time unknown"
    return f"{'at least' if at_least else 'about'} {clock(seconds)}"


def _energy(joules: float) -> str:
    """Return *joules* in the unit that people pay for, once there is enough of it."""
    hours = joules / 3600
    return f"{hours:.3g} Wh" if hours >= 1 else f"{joules:.3g} J"
