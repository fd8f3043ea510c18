"""``benchdb reproduce``: measure a run again, and say whether its figure holds."""

import secrets
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli import collect
from benchdb.cli.campaign_options import (
    Isolated,
    Python,
    campaign_name,
    chosen,
    isolation,
    usable,
    warn_of_spoilers,
)
from benchdb.cli.console import argument, flag, option, tell
from benchdb.cli.user_database import Db, address, opened
from benchdb.cli.waiting_line import waiting
from benchdb.collecting import plan_files
from benchdb.collecting.again import Why
from benchdb.collecting.plan import Plan, Request, Settings, plan
from benchdb.collecting.processes import Isolation
from benchdb.collecting.programs import fingerprint, launcher
from benchdb.collecting.reproducing import (
    obstacle,
    originals,
    software,
    term,
    with_python,
    words,
)
from benchdb.errors import UsageError
from benchdb.exchange.record import Record
from benchdb.grading import Grade
from benchdb.store.database import reading
from benchdb.store.read import find, record
from benchdb.store.run_grades import grade_of
from benchdb.user_data import data_folder

app = typer.Typer(add_completion=False)

_LETTERS = 12  # of a run
_SEEDS = 2**31  # of a campaign; a process adds its number, and TensorFlow has 2**32
_FOLDER = "DIR"  # stands for the folder of real images


@app.command()
def reproduce(
    run: str = argument("A run id, or how it starts."),
    isolated: Isolated = False,
    python: Python = None,
    fresh_seed: bool = flag(
        "Use another seed, chosen at random: a replication.", "--fresh-seed"
    ),
    data: str | None = option("Folder of the real images that the run had.", "DIR"),
    dry_run: bool = flag(
        "Say what would run, and how long it would take.", "--dry-run"
    ),
    db: Db = None,
) -> None:
    """Measure a run again, and say whether its figure holds.

    It runs the same work with the same precision, compiler, flags, tier, processes and
    seed; --isolated also brings back its framework. The answer is: reproduced within
    x %, differs, unclear, or conditions differ. Exit status: 0 if reproduced, 1 if not,
    2 if it cannot be measured again.
    """
    where = isolation({"isolated": isolated, "python": python})
    engine = opened(db)
    with reading(engine) as connection:
        original = record(connection, find(connection, run))
        asked = _command(original, grade_of(connection, original.run.key), data)
    going = _interrupted(engine, original.run.key)
    if going is not None and not (where or fresh_seed or dry_run):
        tell(f"going on with campaign {going.stem}, which was interrupted")
        collect.go_on(engine, fingerprint(), going, {})
        return
    request, settings = _wanted(asked)
    settings = replace(settings, term=term(original))
    if fresh_seed:
        settings = replace(settings, seed=secrets.randbelow(_SEEDS))
        tell(f"seed {settings.seed}, chosen at random")
    if where:
        its = where if isinstance(where, str) else _environment(original)
        settings = replace(settings, isolated=its)
    with waiting("asking the framework whether it can measure this here"):
        planned = _planned(request, settings)
    if dry_run:
        typer.echo(shlex.join(asked))
        collect.foretell(planned, request.tier, db)
        return
    with reading(engine) as connection:
        links = originals(connection, original, planned.replicates)
    with waiting("looking at this machine"):
        machine = fingerprint()
    warn_of_spoilers(machine)
    settings = replace(settings, originals=links, time_limit=planned.time_limit)
    collect.begin(engine, machine, request, settings, planned)


def _command(original: Record, grade: Grade | None, data: str | None) -> list[str]:
    """Return the command that measures the run again, with the user's own *data*.

    Raise ``UsageError`` where there is none, or no figure to reproduce.
    """
    command = words(original)
    why = command if isinstance(command, Why) else obstacle(original, grade)
    name = original.run.key[:_LETTERS]
    if isinstance(command, Why) or why is not None:
        hint = f"; 'benchdb recipe {name}' tells what is known of how it was measured"
        raise UsageError(f"run {name} cannot be reproduced: {why}{hint}")
    if _FOLDER not in command:
        return command
    if data is None:
        raise UsageError(
            f"run {name} cannot be reproduced without its images; name the folder that "
            "has them with --data"
        )
    return [data if word == _FOLDER else word for word in command]


def _interrupted(engine: Engine, run: str) -> Path | None:
    """Return the plan of a reproduction of *run* here that has not come to its end."""
    place = address(engine)
    for path in sorted((data_folder() / "campaigns").glob("*.json"), reverse=True):
        with suppress(UsageError):  # of one that cannot be read
            kept = plan_files.read(path)
            if run in kept.settings.originals and kept.place.database == place:
                return path
    return None


def _wanted(command: Sequence[str]) -> tuple[Request, Settings]:
    """Return what the words of *command* ask ``collect`` for."""
    its = typer.main.get_command(collect.app)
    try:
        context = its.make_context("collect", list(command[2:]))
    except typer.BadParameter as error:
        raise UsageError(
            f"the run asks for what there is not: {error.format_message()}"
        ) from error
    shared: dict[str, Any] = {"campaign": campaign_name(), "time_limit": 0}
    given = cast(typer.Context, context)
    return chosen(given, Request), chosen(given, Settings, **shared)


def _planned(request: Request, settings: Settings) -> Plan:
    """Return the plan for the one cell of the run; raise ``UsageError`` without it."""
    isolated = settings.isolated
    planned = plan(request, usable(request, isolated=isolated), isolated=isolated)
    if len(planned.cells) != 1:
        raise UsageError(
            f"the run is one of {len(planned.cells)} cells by now, and no option tells "
            "which; 'benchdb show' has the command for all of them"
        )
    return planned


def _environment(result: Record) -> Isolation:
    """Return the options of uv for the run's software, and say what is left out."""
    launcher(isolated=True)  # uv is there, or that is said
    asked = with_python(software(result.environment))
    tell(f"installing: {', '.join(asked.requirements) or 'nothing that is pinned'}")
    if asked.left:
        tell(f"cannot be brought back: {', '.join(asked.left)}")
    return asked.options or True
