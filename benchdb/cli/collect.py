"""``benchdb collect``: run the standard workloads here, or go on with a campaign."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli import options as given
from benchdb.cli.console import tell, warn
from benchdb.cli.database import Db, address, existing, location_of, opened, plans
from benchdb.cli.dry_run import foretell
from benchdb.cli.progress import Display, display
from benchdb.cli.request import campaign_name, refuse_others, request_of, usable
from benchdb.collecting import unfinished
from benchdb.collecting.campaign import Event, Finished, measure
from benchdb.collecting.failed_run import now
from benchdb.collecting.history import Past, left, of_campaign
from benchdb.collecting.plan import Memory, Plan, Settings, plan
from benchdb.collecting.preflight import spoilers
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import fingerprint, source_digest
from benchdb.collecting.request import Request
from benchdb.collecting.unfinished import Place, Unfinished
from benchdb.errors import UsageError
from benchdb.identity import digest
from benchdb.store.database import reading
from benchdb.store.error_text import name

app = typer.Typer(add_completion=False)

_OF_RESUME = ("resume", "workloads", "db", "isolated", "cool_down")


@app.command()
def collect(
    context: typer.Context,
    workloads: given.Workloads = None,
    suite: given.Suite = "standard",
    framework: given.Framework = None,
    metal: given.Metal = None,
    cuda: given.Cuda = None,
    tier: given.Tier = "quick",
    precision: given.Precision = None,
    batch_size: given.BatchSize = None,
    size: given.Size = None,
    setting: given.Setting = None,
    points: given.Points = None,
    compiler: given.Compiler = None,
    memory_format: given.MemoryFormat = None,
    optimizer_implementation: given.OptimizerImplementation = None,
    blocks_only: given.BlocksOnly = False,
    steps_per_epoch: given.StepsPerEpoch = None,
    data: given.Data = None,
    replicates: given.Replicates = None,
    seed: given.Seed = 0,
    cool_down: given.CoolDown = None,
    powermetrics: given.PowerMetrics = False,
    isolated: given.Isolated = False,
    dry_run: given.DryRun = False,
    resume: given.Resume = False,
    db: Db = None,
) -> None:
    """Run the standard workloads on this machine and store every sample.

    Without --metal or --cuda: the CPU, and each GPU that is there. Ctrl-C keeps all
    that has finished; the running replicate is kept as interrupted, and --resume
    goes on from there.
    """
    if resume:
        refuse_others(
            context, _OF_RESUME, "--resume", "the campaign goes on as it was planned"
        )
        resume_campaign(db, workloads or [], cool_down=cool_down, isolated=isolated)
        return
    request = request_of(context.params)
    planned = plan(request, usable(request, isolated=isolated), isolated=isolated)
    for warning in planned.warnings:
        warn(warning)
    if dry_run:
        foretell(planned, tier, db)
        return
    settings = Settings(
        campaign_name(),
        tier,
        seed,
        planned.time_limit,
        cool_down=cool_down,
        isolated=isolated,
        powermetrics=powermetrics,
    )
    _begin(request, planned, settings, db)


def _begin(request: Request, planned: Plan, settings: Settings, db: str | None) -> None:
    machine = fingerprint()
    warn_of_spoilers(machine)
    engine = opened(db, create=True)
    campaign = unfinished.Unfinished(
        settings,
        request,
        planned.cells,
        planned.replicates,
        now(),
        place_of(machine, engine),
    )
    path = unfinished.keep(plans(), campaign)
    try:
        with unfinished.held(path):
            measure_all(engine, campaign, path)
    except UsageError:
        path.unlink()  # nothing was measured: there is nothing to go on with
        raise


def resume_campaign(
    db: str | None, named: Sequence[str], *, cool_down: int | None, isolated: bool
) -> None:
    """Measure what is left of the campaign *named*, or of the newest there is."""
    if len(named) > 1:
        raise UsageError(f"--resume takes one campaign, not {', '.join(named)}")
    machine = fingerprint()
    if existing(db) is None:
        raise UsageError(f"nothing to resume: no database at {location_of(db)}")
    engine = opened(db, create=True)
    path = unfinished.find(plans(), next(iter(named), None), address(engine), warn)
    with unfinished.held(path):
        campaign = unfinished.read(path)
        _compare(campaign, place_of(machine, engine))
        warn_of_spoilers(machine)
        measure_all(engine, _changed(campaign, cool_down, isolated=isolated), path)


def _changed(
    campaign: Unfinished, cool_down: int | None, *, isolated: bool
) -> Unfinished:
    settings = campaign.settings
    if cool_down is not None:
        settings = replace(settings, cool_down=cool_down)
    settings = replace(settings, isolated=settings.isolated or isolated)
    return replace(campaign, settings=settings)


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


def warn_of_spoilers(fingerprint: dict[str, Any]) -> None:
    """Say what would spoil a measurement; it is recorded with every run anyway."""
    for spoiler in spoilers(fingerprint):
        warn(f"{spoiler.what}; {spoiler.advice}")


def place_of(fingerprint: dict[str, Any], engine: Engine) -> Place:
    """Return where a campaign is measured: this machine, this database."""
    line = {k: v for k, v in fingerprint["machine"].items() if k not in ("type", "key")}
    return Place(
        database=address(engine),
        machine=line.get("anonymous_id"),
        facts=digest(line),
        collectors=source_digest(),
    )


def measure_all(engine: Engine, campaign: Unfinished, path: Path) -> None:
    """Measure what the database lacks of *campaign*; end the program as it went.

    Its plan in *path* goes when nothing is left. Raise ``UsageError`` when the first
    collector refuses to start.
    """
    settings = campaign.settings
    past = _past(engine, settings.campaign)
    items = left(campaign.items, past)
    memory = _memory(campaign, past)
    with Interruption() as interruption, display(len(items)) as shown:
        events = measure(engine, items, settings, interruption, memory)
        stored, failed = _run(shown, events)
    what = "stored" if stored else "nothing stored"
    tell(f"{what} in {name(engine)}, campaign {settings.campaign}")
    remaining = left(campaign.items, _past(engine, settings.campaign))
    if not remaining:
        path.unlink(missing_ok=True)
    if interruption.requested:
        go_on = f"; go on with: {_resumption(engine)}" if remaining else ""
        tell(f"benchdb: interrupted; what had finished is stored{go_on}")
        raise typer.Exit(130)
    if failed:
        tell(f"benchdb: {failed} of {len(items)} did not succeed")
        raise typer.Exit(1)


def _resumption(engine: Engine) -> str:
    place = address(engine)
    own = place == str(Path(location_of(None)).resolve())
    return "benchdb collect --resume" + ("" if own else f" --db {quote(place)}")


def _run(shown: Display, events: Iterable[Event]) -> tuple[int, int]:
    """Return how many runs came into the database, and how many did not succeed."""
    stored = failed = 0
    for event in events:
        shown.tell(event)
        if isinstance(event, Finished):
            there = event.record is not None and event.error is None
            ok = event.record is not None and event.record.end.status == "ok"
            stored += there
            failed += not (there and ok)
    return stored, failed


def _past(engine: Engine, campaign: str) -> list[Past]:
    with reading(engine) as connection:
        return of_campaign(connection, campaign, mine=True)


def _memory(campaign: Unfinished, past: Sequence[Past]) -> Memory:
    """Return what the processes so far have found out for those that follow."""
    memory = Memory(machine=campaign.place.machine)
    for one in past:
        for cell in (cell for cell in campaign.cells if one.is_of(cell)):
            memory.take(cell, one.before, one.checks)
    return memory
