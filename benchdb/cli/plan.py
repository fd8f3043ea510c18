"""``benchdb plan``: write a campaign as items that a scheduler runs elsewhere."""

from collections.abc import Sequence
from pathlib import Path

import typer
from msgspec.structs import replace

from benchdb.cli import options as given
from benchdb.cli.console import counted, plain, warn
from benchdb.cli.database import Db, address, existing, location_of
from benchdb.cli.database import planned as kept_plans
from benchdb.cli.dry_run import past_here
from benchdb.cli.progress import clock
from benchdb.cli.request import campaign_name, refuse_others, request_of, usable
from benchdb.collecting import items, scripts
from benchdb.collecting import planned as kept
from benchdb.collecting.history import expected, of_campaign
from benchdb.collecting.items import PlannedItem
from benchdb.collecting.plan import Settings
from benchdb.collecting.plan import plan as planned
from benchdb.collecting.request import Request, assumed
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.store.database import reading

app = typer.Typer(add_completion=False)

_STDOUT = Path("-")
_OF_LEFT = ("left", "form", "exclusive", "output", "db")


@app.command()
def plan(
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
    campaign: given.Campaign = None,
    elsewhere: given.Elsewhere = False,
    python: given.Python = "python3",
    left: given.Left = None,
    form: given.Form = given.Format.JSONL,
    exclusive: given.Exclusive = True,
    output: given.Output = _STDOUT,
    db: Db = None,
) -> None:
    """Write a campaign as items that a scheduler runs elsewhere.

    Each item is one process of a collector, in the order of 'collect'; the same
    options and --campaign give the same items. They need the folder
    collectors/ and nothing else. 'benchdb import items/' puts the campaign together
    again (docs/fleets.md).
    """
    if left is not None:
        refuse_others(context, _OF_LEFT, "--left", "the plan has settled it")
        _keep_apart(left, output)
        chosen = _left(left, db)
    else:
        name = campaign or campaign_name()
        items.check_campaign(name)
        request = request_of(context.params)
        about = Settings(
            name,
            tier,
            seed,
            time_limit=0,  # the collectors say it
            cool_down=cool_down,
            isolated=isolated,
            powermetrics=powermetrics,
        )
        chosen = _planned(request, about, db, python=python, elsewhere=elsewhere)
        _keep(chosen)
    if chosen:
        _write(_lines(chosen, form, exclusive=exclusive), output)
    elif output != _STDOUT:
        _tell(f"nothing is left to run; {output} is not written")


def _keep_apart(plan: Path, output: Path) -> None:
    if output != _STDOUT and output.resolve() == plan.resolve():
        raise UsageError(
            f"{output} is the whole plan, which tells what is missing; name another "
            "file for the rest"
        )


def _planned(
    request: Request, about: Settings, db: str | None, *, python: str, elsewhere: bool
) -> list[PlannedItem]:
    isolated = about.isolated
    found = (assumed if elsewhere else usable)(request, isolated=isolated)
    whole = planned(request, found, isolated=isolated)
    for warning in whole.warnings:
        warn(warning)
    # What this machine took says nothing of another.
    past = [] if elsewhere else past_here(about.tier, db)
    settings = replace(about, time_limit=whole.time_limit)
    chosen = items.planned(expected(whole, past), whole.replicates, settings, python)
    _tell(f"campaign {about.campaign}: {_altogether(chosen)}")
    return chosen


def _keep(chosen: list[PlannedItem]) -> None:
    """Keep the plan, so that its answers are known as such when they are imported."""
    try:
        kept.keep(kept_plans(), chosen)
    except (BenchdbError, OSError) as error:
        warn(
            f"{error}; answers to this plan will count as contributed: name a folder "
            "that can be written with BENCHDB_HOME, and plan again"
        )


def _left(path: Path, db: str | None) -> list[PlannedItem]:
    """Return what is left of the plan in *path*; tell it and what did not succeed."""
    whole = items.read(path)
    campaign, engine = whole[0].campaign, existing(db)
    past = []
    if engine is not None:
        with reading(engine) as connection:
            past = of_campaign(connection, campaign)
    without, failed = items.remaining(whole, past)
    for one in failed:
        _tell(f"item {one.item} did not succeed: {_title(one)}")
    for one in without if past else ():
        _tell(f"item {one.item} has no run: {_title(one)}")
    there = len(whole) - len(without)
    have = "has" if there == 1 else "have"
    counts = f"{there} of {counted(len(whole), 'item')} {have} a run"
    place = location_of(db) if engine is None else address(engine)
    _tell(f"campaign {campaign}: {counts} in {place}")
    return without


def _title(one: PlannedItem) -> str:
    return f"{one.process.cell.title} {one.replicate + 1}/{one.replicates}"


def _altogether(chosen: Sequence[PlannedItem]) -> str:
    times = [one.seconds for one in chosen if one.seconds is not None]
    if not times:
        return f"{counted(len(chosen), 'item')}, time unknown"
    least = any(one.at_least for one in chosen)
    about = f"{'at least' if least else 'about'} {clock(sum(times))}"
    return f"{counted(len(chosen), 'item')}, {about} one after another"


def _tell(text: str) -> None:
    typer.echo(plain(f"benchdb: {text}"), err=True)


def _lines(
    chosen: Sequence[PlannedItem], form: given.Format, *, exclusive: bool
) -> list[str]:
    match form:
        case given.Format.JSONL:
            return items.lines(chosen)
        case given.Format.COMMANDS:
            return scripts.shell_lines(chosen)
        case given.Format.SLURM:
            return [scripts.slurm_script(chosen, exclusive=exclusive)]


def _write(lines: Sequence[str], output: Path) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if output == _STDOUT:
        typer.echo(text, nl=False)
        return
    with replacing(output) as stream:
        stream.write(text.encode())
