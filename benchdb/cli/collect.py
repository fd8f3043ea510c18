"""``benchdb collect``: run the standard workloads here."""

import secrets
from datetime import UTC, datetime
from typing import Any

import typer

from benchdb.cli import collect_options as given
from benchdb.cli.dry_run import foretell
from benchdb.cli.measuring import measure_all, place_of, warn, warn_of_spoilers
from benchdb.cli.options import Db, opened, plans
from benchdb.cli.resume import refuse_other_options, resume_campaign
from benchdb.collecting import unfinished
from benchdb.collecting.plan import Plan, plan
from benchdb.collecting.programs import Description, fingerprint, frameworks, survey
from benchdb.collecting.request import Request
from benchdb.collecting.settings import Settings
from benchdb.collecting.silence import now
from benchdb.errors import UsageError

app = typer.Typer(add_completion=False)


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
        refuse_other_options(context)
        resume_campaign(db, workloads or [], cool_down=cool_down, isolated=isolated)
        return
    request = _request(context.params)
    planned = plan(request, _usable(request, isolated=isolated), isolated=isolated)
    for warning in planned.warnings:
        warn(warning)
    if dry_run:
        foretell(planned, tier, db)
        return
    settings = Settings(
        _campaign(),
        tier,
        seed,
        planned.time_limit,
        cool_down=cool_down,
        isolated=isolated,
        powermetrics=powermetrics,
    )
    _begin(request, planned, settings, db)


def _request(chosen: dict[str, Any]) -> Request:
    """Return what the options of the command line ask for, by their names."""
    several = ("workloads", "framework", "precision", "batch_size", "size", "points")
    lists = {name: tuple(chosen[name] or ()) for name in several}
    named = ("memory_format", "optimizer_implementation")
    alike = ("suite", "tier", "setting", "compiler", "blocks_only", "steps_per_epoch")
    return Request(
        workloads=lists["workloads"],
        frameworks=lists["framework"],
        devices={name: chosen[name] for name in ("metal", "cuda")},
        precisions=lists["precision"],
        batch_sizes=lists["batch_size"],
        sizes=lists["size"],
        points=lists["points"],
        options={name: chosen[name] for name in named if chosen[name] is not None},
        **{name: chosen[name] for name in (*alike, "data", "replicates")},
    )


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


def _usable(request: Request, *, isolated: bool) -> list[Description]:
    """Return the frameworks to use; those asked for must be there."""
    asked = tuple(dict.fromkeys(request.frameworks)) or frameworks()
    found = survey(asked, isolated=isolated)
    for one in found:
        if one.version is None and request.frameworks:
            raise UsageError(one.why or f"{one.framework} is not installed")
    usable = [one for one in found if one.version is not None]
    if not usable:
        reasons = "; ".join(one.why or one.framework for one in found)
        raise UsageError(f"no framework to measure with: {reasons}")
    return usable


def _campaign() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
