"""``benchdb collect``: run the standard workloads here."""

import typer

from benchdb.cli import collect_options as given
from benchdb.cli.asking import campaign_name, refuse_others, request_of, usable
from benchdb.cli.dry_run import foretell
from benchdb.cli.measuring import measure_all, place_of, warn, warn_of_spoilers
from benchdb.cli.options import Db, opened, plans
from benchdb.cli.resume import resume_campaign
from benchdb.collecting import unfinished
from benchdb.collecting.plan import Plan, plan
from benchdb.collecting.programs import fingerprint
from benchdb.collecting.request import Request
from benchdb.collecting.settings import Settings
from benchdb.collecting.silence import now
from benchdb.errors import UsageError

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
