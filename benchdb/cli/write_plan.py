"""``benchdb plan``: write a campaign as items that a scheduler runs elsewhere."""

from enum import StrEnum
from functools import partial
from pathlib import Path

import typer
from msgspec.structs import replace

from benchdb.cli.application import refuse_others
from benchdb.cli.campaign_options import (
    campaign_name,
    campaign_options,
    chosen,
    estimated,
    isolation,
    usable,
)
from benchdb.cli.console import clock, counted, flag, option, plain, warn
from benchdb.cli.user_database import Db, address, existing
from benchdb.cli.waiting_line import waiting
from benchdb.collecting import items, plan_files, scripts
from benchdb.collecting.history import expected, of_campaign
from benchdb.collecting.items import PlannedItem
from benchdb.collecting.plan import Request, Settings, assumed
from benchdb.collecting.plan import plan as planned
from benchdb.collecting.programs import fingerprint
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.store.database import reading
from benchdb.user_data import data_folder, location_of

app = typer.Typer(add_completion=False)

_PLAN = "The plan"
_of_plan = partial(option, panel=_PLAN)
_STDOUT = Path("-")
_OF_LEFT = ("left", "form", "exclusive", "output", "db")


class Format(StrEnum):
    """How the items are written."""

    JSONL = "jsonl"
    COMMANDS = "commands"
    SLURM = "slurm"


@app.command()
@campaign_options
def plan(
    context: typer.Context,
    campaign: str | None = _of_plan(
        "Name of the campaign (default: made from the time)", "NAME", show_default=False
    ),
    elsewhere: bool = flag(
        "Plan for machines that have what this one may lack.",
        "--elsewhere",
        panel=_PLAN,
    ),
    left: Path | None = _of_plan(
        "Write what the database has no run of yet.", "PLAN.jsonl", show_default=False
    ),
    form: Format = _of_plan(
        "jsonl, commands (of a shell), slurm (a job array)",
        "NAME",
        "--format",
        default=Format.JSONL,
    ),
    exclusive: bool = _of_plan(
        "Take whole nodes of Slurm; neighbours disturb.", default=True
    ),
    output: Path = _of_plan(
        "Write there; - is standard output.", "FILE", "-o", "--output", default=_STDOUT
    ),
    db: Db = None,
) -> None:
    """Write a campaign as items that a scheduler runs elsewhere.

    An item is one process. It needs the folder collectors/ and nothing else; the same
    options and --campaign give the same items. 'benchdb import items/' puts the
    campaign together again.
    """
    if left is not None:
        refuse_others(context, _OF_LEFT, "--left", "the plan has settled it")
        if output != _STDOUT and output.resolve() == left.resolve():
            raise UsageError(
                f"{output} is the whole plan, which tells what is missing; name "
                "another file for the rest"
            )
        some = _left(left, db)
    else:
        name = campaign or campaign_name()
        items.check_campaign(name)
        request = chosen(context, Request)
        # The collectors say the limit of time.
        settings = chosen(context, Settings, campaign=name, time_limit=0)
        with waiting("asking the frameworks what they can measure"):
            some = _planned(
                request, settings, db, context.params["python"], elsewhere=elsewhere
            )
        try:  # so that its answers are known as such when they are imported
            plan_files.keep_items(data_folder() / "planned", some)
        except (BenchdbError, OSError) as error:
            warn(
                f"{error}; answers to this plan will count as contributed: name a "
                "folder that can be written with BENCHDB_HOME, and plan again"
            )
    if not some:
        if output != _STDOUT:
            _tell(f"nothing is left to run; {output} is not written")
        return
    match form:
        case Format.JSONL:
            lines = items.lines(some)
        case Format.COMMANDS:
            lines = list(map(scripts.shell_line, some))
        case Format.SLURM:
            lines = [scripts.slurm_script(some, exclusive=exclusive)]
    text = "".join(f"{line}\n" for line in lines)
    if output == _STDOUT:
        typer.echo(text, nl=False)
        return
    with replacing(output) as stream:
        stream.write(text.encode())


def _planned(
    request: Request,
    settings: Settings,
    db: str | None,
    python: str | None,
    *,
    elsewhere: bool,
) -> list[PlannedItem]:
    isolated = settings.isolated
    if python is not None and not elsewhere:
        isolated = isolation({"isolated": isolated, "python": python})
        python = str(isolated)
    with waiting("asking the frameworks what they can measure"):
        descriptions = (assumed if elsewhere else usable)(request, isolated=isolated)
        whole = planned(request, descriptions, isolated=isolated)
    for warning in whole.warnings:
        warn(warning)
    # What this machine took says nothing of another.
    estimates = (
        expected(whole, [])
        if elsewhere
        else estimated(whole, fingerprint(), existing(db), settings.tier)
    )
    settings = replace(settings, time_limit=whole.time_limit)
    some = items.planned(estimates, whole.replicates, settings, python or "python3")
    times = [item.seconds for item in some if item.seconds is not None]
    about = "at least" if any(item.at_least for item in some) else "about"
    took = f"{about} {clock(sum(times))} one after another" if times else "time unknown"
    _tell(f"campaign {settings.campaign}: {counted(len(some), 'item')}, {took}")
    return some


def _left(path: Path, db: str | None) -> list[PlannedItem]:
    """Return what is left of the plan in *path*; tell it and what did not succeed."""
    whole = items.read(path)
    campaign, engine = whole[0].campaign, existing(db)
    past = []
    if engine is not None:
        with reading(engine) as connection:
            past = of_campaign(connection, campaign)
    without, failed = items.remaining(whole, past)
    for item in failed:
        _tell(f"item {item.item} did not succeed: {_title(item)}")
    for item in without if past else ():
        _tell(f"item {item.item} has no run: {_title(item)}")
    there = len(whole) - len(without)
    have = "has" if there == 1 else "have"
    counts = f"{there} of {counted(len(whole), 'item')} {have} a run"
    place = location_of(db) if engine is None else address(engine)
    _tell(f"campaign {campaign}: {counts} in {place}")
    return without


def _title(item: PlannedItem) -> str:
    return f"{item.process.cell.title} {item.replicate + 1}/{item.replicates}"


def _tell(text: str) -> None:
    typer.echo(plain(f"benchdb: {text}"), err=True)
