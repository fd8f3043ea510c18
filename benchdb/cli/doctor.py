"""``benchdb doctor``: what this machine can measure, and what to do about the rest."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import typer
from sqlalchemy import URL
from sqlalchemy.exc import ArgumentError

from benchdb.catalogue import workloads
from benchdb.cli.campaign_options import Isolated, Python, isolation
from benchdb.cli.console import AsJson, option, plain
from benchdb.cli.user_database import Db, address, existing
from benchdb.cli.waiting_line import waiting
from benchdb.collecting.preflight import Health, health
from benchdb.collecting.programs import Description, collectors
from benchdb.errors import BenchdbError, UsageError
from benchdb.extensions import installed
from benchdb.importing.plugins import formats
from benchdb.own_catalogue import own
from benchdb.own_catalogue import path as catalogue_path
from benchdb.plausibility import rules
from benchdb.store.postgresql.server import is_address, parsed
from benchdb.user_data import config_folder, location_of

app = typer.Typer(add_completion=False)

_of_trial = partial(option, panel="A trial of everything")
_FILE = Path("benchdb-doctor.json")
# What it brings, before somebody types it; docs/installing.md has all of them.
_DOWNLOADS = {
    "torch": ("  downloads 0.2 GB on a Mac; 3 GB on Linux, where it brings CUDA",),
    "tensorflow": ("  downloads 0.3 GB on a Mac, 0.6 GB on Linux",),
}


@app.command()
def doctor(
    as_json: AsJson = False,
    isolated: Isolated = False,
    python: Python = None,
    attempt: bool = _of_trial(
        "Try everything for five minutes; write a file for an issue.",
        None,
        "--try",
        default=False,
    ),
    output: Path | None = _of_trial(
        "Write the file there (default: benchdb-doctor.json).", "FILE", "-o", "--output"
    ),
    powermetrics: bool = _of_trial(
        "Ask powermetrics as well, by sudo -n; run sudo -v before.",
        None,
        "--powermetrics",
        default=False,
    ),
    read: Path | None = _of_trial("Say what did not hold in such a file.", "FILE"),
    fixture: Path | None = _of_trial(
        "Add the Mac of --read to this folder of hosts, for tests.", "DIR"
    ),
    db: Db = None,
) -> None:
    """Say what this machine can measure, and what to install.

    It also says what would spoil a measurement now. Exit status: 1 when nothing can be
    measured, or with --try and --read when something did not hold.
    """
    if (
        lacking := _without(attempt, output or powermetrics, read, fixture)
    ) is not None:
        raise UsageError(lacking)
    where = isolation({"isolated": isolated, "python": python})
    if attempt or read is not None:
        # What the usual command has no use for.
        from benchdb.cli import doctor_trial  # noqa: PLC0415
        from benchdb.collecting.trial import How  # noqa: PLC0415

        if read is not None:
            doctor_trial.show_file(read, fixture)
            return
        how = How(isolated=where, powermetrics=powermetrics)
        doctor_trial.attempt(output or _FILE, how, as_json=as_json)
        return
    with waiting("asking each framework and meter"):
        seen = health(isolated=where)
    database = _database(db)
    if as_json:
        facts = {**msgspec.to_builtins(seen), "can_measure": seen.can_measure}
        facts["extensions"] = [*extensions()]
        typer.echo(json.dumps({**facts, "database": database}, indent=2))
    else:
        for line in (*_lines(seen, database), "", *_extension_lines()):
            typer.echo(plain(line))
    if not seen.can_measure:
        raise typer.Exit(1)


def _without(
    attempt: bool, of_attempt: object, read: object, fixture: object
) -> str | None:
    """Return which option lacks the one that it belongs to."""
    if attempt and read:
        return "--try writes a file and --read reads one; ask for one of them"
    if of_attempt and not attempt:
        return "--output and --powermetrics belong to --try"
    return "--fixture belongs to --read" if fixture and not read else None


def _database(db: str | None) -> dict[str, Any]:
    """Return which database is used, and whether it can be opened; none is made."""
    try:
        engine = existing(db)
    except BenchdbError as error:
        return {"location": _shown(db), "state": "unusable", "why": str(error)}
    if engine is None:
        why = "'benchdb collect' and 'benchdb import' make it"
        return {"location": _shown(db), "state": "not there yet", "why": why}
    return {"location": address(engine), "state": "usable", "why": None}


def _shown(db: str | None) -> str:
    """Return what was asked for, without what may be part of a password."""
    location = location_of(db)
    try:
        if not is_address(location):
            return location
        url = parsed(location)
    except (UsageError, ArgumentError, ValueError):
        return "not shown: it may hold a password"
    kind, server = url.drivername, (url.host, url.port, url.database)
    return URL.create(kind, None, None, *server).render_as_string()


def _lines(seen: Health, database: dict[str, Any]) -> Iterator[str]:
    yield ", ".join(
        f"{name.replace('_', ' ')} {version}" for name, version in seen.versions.items()
    )
    for framework in seen.frameworks:
        yield ""
        yield from _framework(framework)
    yield ""
    yield "energy"
    if why := seen.unknown.get("meters"):
        yield f"  not known: {why}"
    for device, meters in seen.meters.items():
        for meter in meters:
            no = f"no, {meter['why']}; {meter['install']}"
            answer = "yes" if meter["available"] else no
            yield f"  {device:<6} {meter['name']}: {answer}"
    yield ""
    yield "what would spoil a measurement now"
    yield from (f"  {spoiler.what}; {spoiler.advice}" for spoiler in seen.spoilers)
    if why := seen.unknown.get("machine"):
        yield f"  not known: {why}"
    elif not seen.spoilers:
        yield "  nothing that can be seen"
    yield ""
    why = f": {database['why']}" if database["why"] else ""
    yield f"database {database['location']}, {database['state']}{why}"


def extensions() -> Iterator[dict[str, str | None]]:
    """Yield what others have added, by kind, and where it comes from."""
    programs, faults = collectors()
    for name, its in programs.items():
        if not its.ours:
            origin = f"{its.path}, {its.origin}"
            yield {"kind": "collector", "name": name, "origin": origin, "fault": None}
    for fault in faults:
        yield {"kind": "collector", "name": None, "origin": None, "fault": fault}
    for extension in (*formats(), *rules.added(), *installed("section")):
        facts = {
            "kind": extension.kind,
            "name": extension.name,
            "origin": extension.origin,
        }
        yield {**facts, "fault": extension.fault or None}
    try:
        for kind, names in (("metric", own().metric), ("workload", workloads())):
            for name in names.keys() & {*own().metric, *own().workload}:
                origin = str(catalogue_path())
                yield {"kind": kind, "name": name, "origin": origin, "fault": None}
    except UsageError as error:
        yield {"kind": "catalogue", "name": None, "origin": None, "fault": str(error)}


def _extension_lines() -> Iterator[str]:
    yield "added to benchdb"
    lines = [
        it["fault"] or f"{it['kind']} {it['name']}: {it['origin']}"
        for it in extensions()
    ]
    nothing = f"nothing; {config_folder()} may have collectors/ and catalogue.toml"
    yield from (f"  {line}" for line in lines or [nothing])


def _framework(its: Description) -> Iterator[str]:
    if its.version is None:
        yield f"{its.framework}: no, {its.why}"
        # A reason often ends with it.
        if its.install and its.install not in (its.why or ""):
            yield f"  try: {its.install}"
        yield from _DOWNLOADS.get(its.framework, ())
        return
    yield f"{its.framework} {its.version}"
    for name, device in its.devices.items():
        if device.available:
            yield f"  {name:<6} yes, {device.name}"
            precisions = ", ".join(its.precisions.get(name, ()))
            compilers = ", ".join(its.compilers)
            yield f"         precisions {precisions}; compilers {compilers}"
        else:
            yield f"  {name:<6} no, {device.why}; {device.install}"
    for workload, lacking in its.missing.items():
        yield f"  {workload} needs {', '.join(lacking)}; try: {its.install}"
