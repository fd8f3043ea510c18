"""``benchdb collect``: run the standard workloads here, or go on with a campaign."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.application import refuse_others
from benchdb.cli.campaign_options import (
    campaign_name,
    campaign_options,
    chosen,
    estimated,
    isolation,
    usable,
    warn_of_spoilers,
)
from benchdb.cli.collect_budget import ALLOWED, asks_a_question, collect_within
from benchdb.cli.collect_summary import (
    conclude_campaign,
    database_words,
    foretold,
    time_text,
)
from benchdb.cli.console import counted, flag, option, plain, tell, warn
from benchdb.cli.progress import display
from benchdb.cli.reproduction import conclude_reproduction
from benchdb.cli.user_database import Db, address, existing, opened
from benchdb.cli.waiting_line import waiting
from benchdb.collecting import plan_files
from benchdb.collecting.campaign import measure
from benchdb.collecting.history import Expected, Past, left, of_campaign
from benchdb.collecting.item_runs import now
from benchdb.collecting.plan import Memory, Plan, Request, Settings, plan
from benchdb.collecting.plan_files import Place, Unfinished
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import ask_machine, fingerprint, source_digest
from benchdb.errors import UsageError
from benchdb.identity import digest
from benchdb.store.database import reading
from benchdb.user_data import data_folder, location_of

app = typer.Typer(add_completion=False)

_RUN = "This run"
_of_run, _flag = partial(option, panel=_RUN), partial(flag, panel=_RUN)
_OF_RESUME = ("resume", "workloads", "db", "isolated", "cool_down")


@app.command()
@campaign_options
def collect(
    context: typer.Context,
    dry_run: bool = _flag(
        "Say what would run, and how long it would take.", "--dry-run"
    ),
    resume: bool = _flag(
        "Go on where a campaign was interrupted; name an older one.", "--resume"
    ),
    budget: str | None = _of_run(
        "Measure what tells most in 10m, 1h30m …; again goes on.", "TIME", "--budget"
    ),
    db: Db = None,
) -> None:
    """Measure this machine, and store every sample.

    By itself it measures the CPU and each GPU. With --metal or --cuda alone it takes
    ten minutes to tell whether that GPU helps. Ctrl-C keeps what has finished, and
    --resume goes on from there.
    """
    if resume:
        why = "the campaign goes on as it was planned"
        refuse_others(context, _OF_RESUME, "--resume", why)
        _resume(context.params, db)
        return
    if budget is None and asks_a_question(context):
        budget = "10m"
    if budget is not None:
        why = "the time decides how often and how thoroughly"
        refuse_others(context, ALLOWED, "--budget", why)
        collect_within(context, budget, db, dry_run=dry_run)
        return
    request = chosen(context, Request)
    request.members()  # mistakes are told at once
    isolated = isolation(context.params)
    shared = {"campaign": campaign_name(), "time_limit": 0, "isolated": isolated}
    settings = chosen(context, Settings, **shared)
    with waiting("asking the frameworks what they can measure here"):
        descriptions = usable(request, isolated=isolated)
        planned = plan(request, descriptions, isolated=isolated)
    for warning in planned.warnings:
        warn(warning)
    if dry_run:
        foretell(planned, request.tier, db)
        return
    with waiting("looking at this machine"):
        machine = fingerprint()
    warn_of_spoilers(machine)
    begin(opened(db, create=True), machine, request, settings, planned)


def begin(
    engine: Engine,
    machine: dict[str, Any],
    request: Request,
    settings: Settings,
    planned: Plan,
) -> None:
    """Measure what is *planned* on this *machine*, as its fingerprint has it.

    The plan is kept meanwhile. The program ends as ``_measure_all`` has it.
    """
    campaign = Unfinished(
        replace(settings, time_limit=planned.time_limit),
        request,
        planned.cells,
        planned.replicates,
        now(),
        _place_of(machine, engine),
        planned.protocol,
    )
    with waiting("estimating how long it takes"):
        estimates = estimated(planned, machine, engine, settings.tier)
    path = plan_files.keep(data_folder() / "campaigns", campaign)
    try:
        with plan_files.held(path):
            _measure_all(engine, campaign, path, estimates)
    except UsageError:
        path.unlink()  # nothing was measured: there is nothing to go on with
        raise


def _resume(options: dict[str, Any], db: str | None) -> None:
    """Measure what is left of the campaign named, or of the newest there is."""
    named = options["workloads"] or []
    if len(named) > 1:
        raise UsageError(f"--resume takes one campaign, not {', '.join(named)}")
    with waiting("looking at this machine"):
        machine = fingerprint()
    if existing(db) is None:
        raise UsageError(f"nothing to resume: no database at {location_of(db)}")
    engine = opened(db, create=True)
    plans, campaign = data_folder() / "campaigns", next(iter(named), None)
    path = plan_files.find(plans, campaign, address(engine), warn)
    changes: dict[str, Any] = {}
    if options["cool_down"] is not None:
        changes["cool_down"] = options["cool_down"]
    if options["isolated"]:
        changes["isolated"] = True
    go_on(engine, machine, path, changes)


def go_on(
    engine: Engine, machine: dict[str, Any], path: Path, changes: Mapping[str, Any]
) -> None:
    """Measure what is left of the campaign whose plan is at *path*.

    Of its settings some may be others from here on: *changes* has them by name.
    """
    with plan_files.held(path):
        planned = plan_files.read(path)
        _compare(planned, _place_of(machine, engine))
        warn_of_spoilers(machine)
        settings = planned.settings
        if settings.isolated:  # it may be more than yes: the versions of a run
            changes = {**changes, "isolated": settings.isolated}
        settings = replace(settings, **changes)
        estimates = estimated(planned.plan, machine, engine, settings.tier)
        _measure_all(engine, replace(planned, settings=settings), path, estimates)


def _compare(campaign: Unfinished, here: Place) -> None:
    """Raise ``UsageError`` at another place; warn of what has changed since."""
    name, there = campaign.settings.campaign, campaign.place
    if here.database != there.database:
        raise UsageError(
            f"campaign {name} is stored in {there.database}; name it with --db"
        )
    if (here.machine or here.facts) != (there.machine or there.facts):
        raise UsageError(
            f"campaign {name} was begun on another machine; go on there, or start "
            "another campaign here"
        )
    if here.facts != there.facts:
        warn("what this machine says of itself has changed since the campaign began")
    if here.collectors != there.collectors:
        warn("the collectors have changed since the campaign began")


def _place_of(fingerprint: dict[str, Any], engine: Engine) -> Place:
    """Return where a campaign is measured: this machine, this database."""
    line = {k: v for k, v in fingerprint["machine"].items() if k not in ("type", "key")}
    return Place(
        database=address(engine),
        machine=line.get("anonymous_id"),
        facts=digest(line),
        collectors=source_digest(),
    )


def _measure_all(
    engine: Engine, campaign: Unfinished, path: Path, estimates: Sequence[Expected]
) -> None:
    """Measure what the database lacks of *campaign*; end the program as it went.

    It begins with what is planned, and ends with what came of it, on standard output.
    Its plan in *path* goes when nothing is left. Raise ``UsageError`` when the first
    collector refuses to start.
    """
    settings = campaign.settings
    past = _past(engine, settings.campaign)
    items = left(campaign.items, past)
    memory = Memory(machine=campaign.place.machine)
    # What the processes so far have found out for those that follow.
    for item in past:
        for cell in filter(item.is_of, campaign.cells):
            memory.take(cell, item.before, item.checks)
    tell(foretold(settings.tier, items, estimates))
    each = {
        estimate.cell: estimate.seconds for estimate in estimates if estimate.seconds
    }
    with Interruption() as interruption, display(len(items), memory) as shown:
        events = measure(engine, items, settings, interruption, memory, each)
        stored, failed = shown.follow(events)
    remaining = left(campaign.items, _past(engine, settings.campaign))
    if not remaining:
        path.unlink(missing_ok=True)
    conclude_campaign(engine, settings.campaign, stored)
    status = 0
    if settings.originals and not remaining:
        status = conclude_reproduction(engine, settings)
    # Of what failed none is left to do; of what the machine slept through, all.
    resumption = f"benchdb collect --resume{database_words(engine, address)}"
    again = f"; go on with: {resumption}" if remaining else ""
    if interruption.requested:
        tell(f"benchdb: interrupted; what had finished is stored{again}")
        raise typer.Exit(130)
    if failed:
        tell(f"benchdb: {failed} of {len(items)} did not succeed{again}")
        raise typer.Exit(1)
    if status:
        raise typer.Exit(status)


def _past(engine: Engine, campaign: str) -> list[Past]:
    with reading(engine) as connection:
        return of_campaign(connection, campaign, mine=True)


def foretell(planned: Plan, tier: str, db: str | None) -> None:
    """Print what would run and what it would take; nothing is made, nothing is run."""
    engine = existing(db)
    with waiting("estimating how long it takes"):
        if engine is not None:
            machine = fingerprint()
        else:  # the first time, the machine would get its id
            with TemporaryDirectory() as room:
                machine = ask_machine(["--json"], BENCHDB_HOME=room)
        estimates = estimated(planned, machine, engine, tier)
    replicates = planned.replicates
    for place, some in groupby(sorted(estimates, key=_device), key=_device):
        typer.echo(plain(place))
        for estimate in some:
            processes = counted(replicates, "process")
            took = f"{time_text(estimate.seconds, at_least=estimate.at_least)} each"
            took += f" (by {estimate.basis})" if estimate.basis else ""
            energy = "unknown" if estimate.joules is None else _energy(estimate.joules)
            line = f"  {_name(estimate):<44} {processes}, {took}, energy {energy}"
            typer.echo(plain(line))
    times = [estimate.seconds for estimate in estimates if estimate.seconds is not None]
    least = any(estimate.at_least for estimate in estimates)
    joules = [estimate.joules for estimate in estimates if estimate.joules is not None]
    whole = time_text(replicates * sum(times) if times else None, at_least=least)
    energy = "unknown: no earlier run of this was metered"
    if joules:
        unknown = len(estimates) - len(joules)
        without = f" without {counted(unknown, 'cell')}" if unknown else ""
        energy = _energy(replicates * sum(joules)) + without
    cells = len(planned.cells)
    counts = f"{counted(cells, 'cell')}, {counted(cells * replicates, 'process')}"
    typer.echo(f"{counts} of tier {tier}: {whole}, energy {energy}")


def _device(estimate: Expected) -> str:
    return f"{estimate.cell.framework} {estimate.cell.device}"


def _name(estimate: Expected) -> str:
    cell = estimate.cell
    points = [f"{name} {value}" for name, value in cell.axes]
    setting = [] if cell.setting == "standard" else [cell.setting]
    compiler = [] if cell.compiler == "none" else [cell.compiler]
    return ", ".join([cell.workload, *setting, *points, cell.precision, *compiler])


def _energy(joules: float) -> str:
    """Return *joules* in the unit that people pay for, once there is enough of it."""
    hours = joules / 3600
    return f"about {hours:.3g} Wh" if hours >= 1 else f"about {joules:.3g} J"
