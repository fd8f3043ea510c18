"""``benchdb recipe``: how to measure a run again, for somebody else's machine."""

import shlex
from collections.abc import Iterator
from typing import Any

import typer

from benchdb.catalogue import metrics
from benchdb.cli.console import argument, counted, flag, plain
from benchdb.cli.figure_text import figure, interval
from benchdb.cli.list_runs import work
from benchdb.cli.user_database import Db, opened
from benchdb.collecting.again import Why
from benchdb.collecting.reproducing import obstacle, software, words
from benchdb.exchange.record import Record
from benchdb.grading import mapping
from benchdb.report.language import load
from benchdb.site.run.named_facts import listed
from benchdb.statistics.agreement import TOLERANCE
from benchdb.store.database import reading
from benchdb.store.listing import standing
from benchdb.store.read import find, record
from benchdb.store.run_grades import grade_of
from benchdb.titles import device_title, framework_title

app = typer.Typer(add_completion=False)

_LETTERS = 12  # of a run, and of a digest
_CODE = ("measure", "install", "or")  # what is typed
_GIB = 2**30


@app.command()
def recipe(
    run: str = argument("A run id, or how it starts."),
    markdown: bool = flag("As Markdown, for a README or an issue.", "--markdown"),
    db: Db = None,
) -> None:
    """Tell how somebody else measures a run again.

    The command, what to install, the conditions, the figure to expect with its
    interval, and what to look at. Of what others published: what its source says of
    how it was measured.
    """
    with reading(opened(db)) as connection:
        original = record(connection, find(connection, run))
        stands = standing(connection, original.run.key)
        grade = grade_of(connection, original.run.key)
    command = words(original)
    if isinstance(command, Why):
        rows = [*_head(original, stands), *_published(original, command)]
    else:
        why = obstacle(original, grade)
        rows = [*_head(original, stands), *_ours(original, command, stands)]
        if why is not None:
            rows.append(("not to expect", f"this run itself is no example: {why}"))
    for line in _in_markdown(rows) if markdown else _in_text(rows):
        typer.echo(plain(line))


Rows = Iterator[tuple[str, str]]


def _head(original: Record, stands: dict[str, Any] | None) -> Rows:
    run = original.run
    own = stands or {"batch_size": original.batch_size, "size": None}
    own = {**own, "workload": run.workload, "setting": run.setting, "source": None}
    on = f"{framework_title(run.framework)} on {device_title(run.device)}"
    yield "work", ", ".join(filter(None, (work(own), on, run.precision)))
    yield "run", original.run.key
    if stands is not None and stands["value"] is not None:
        metric, workload = stands["metric"], original.run.workload
        text = (
            f"{figure(stands['value'], metric, workload)} ({metrics()[metric].short})"
        )
        if stands["low"] is not None:
            ends = stands["low"], stands["high"]
            text += (
                f", 95 % interval {interval(stands['value'], ends, metric, workload)}"
            )
        yield "expect", f"{text}, n = {stands['n']}, grade {stands['grade'] or '–'}"


def _ours(original: Record, command: list[str], stands: dict[str, Any] | None) -> Rows:
    """Yield how a run that a collector measured is measured again."""
    run, asked = original.run, software(original.environment)
    pinned = shlex.join(asked.requirements)
    if pinned:
        yield "install", f"python -m pip install {pinned}"
    if asked.python:
        yield "python", asked.python
    if asked.left:
        yield "not by pip", ", ".join(asked.left)
    yield "measure", shlex.join(command)
    yield "or", f"benchdb reproduce {original.run.key[:_LETTERS]}"
    yield "seed", "–" if run.seed is None else str(run.seed - (run.replicate or 0))
    yield "tier", f"{run.tier}, {counted(run.replicates or 1, 'process')}"
    yield "machine", _machine(original)
    english = load("en")
    for name, facts in (
        ("before", dict(run.conditions)),
        ("modes", dict(original.environment.math)),
        ("devices", _devices(original)),
    ):
        if facts:
            yield name, listed(english, facts)
    if variables := original.environment.variables:
        yield "variables", " ".join(f"{name}={it}" for name, it in variables.items())
    if run.collector:
        own = run.collector
        yield "collector", f"{own.name} {own.version}, SHA-256 {own.sha256[:_LETTERS]}"
    yield "look at", "; ".join(_look_at(original))
    if stands is not None and stands["value"] is not None:
        yield (
            "reproduced",
            f"if 'benchdb compare' calls it neither faster nor slower, it is at most "
            f"{100 * TOLERANCE:.0f} % off and every gate passes",
        )


def _look_at(original: Record) -> Iterator[str]:
    gates = mapping(original.end.checks.get("gates"))
    passed = sorted(
        name for name, gate in gates.items() if mapping(gate).get("status") == "passed"
    )
    if passed:
        yield f"gates that passed here and have to: {', '.join(passed)}"
    yield "nothing else runs, mains power, and the same power mode"
    steady = mapping(original.end.checks.get("steady")).get("drift_pct")
    if isinstance(steady, int | float):
        yield f"drift over the blocks: {abs(steady):.1f} % here"


def _devices(result: Record) -> dict[str, Any]:
    """Return driver and power limit of each device that tells one."""
    groups = {}
    for device in result.environment.devices:
        facts = {
            name: device[name]
            for name in ("driver", "power_limit_watts")
            if device.get(name) is not None
        }
        if facts:
            groups[str(device.get("name") or device.get("kind"))] = facts
    return groups


def _machine(result: Record) -> str:
    chip, own = result.machine.chip, result.machine
    parts = [
        own.model,
        f"{chip.vendor} {chip.name}",
        chip.cpu_cores and f"{chip.cpu_cores} CPU cores",
        chip.gpu_cores and f"{chip.gpu_cores} GPU cores",
        chip.ram_bytes and f"{chip.ram_bytes / _GIB:.0f} GiB",
        *(
            f"{accelerator.count} × {accelerator.name}"
            for accelerator in chip.accelerators
        ),
        "virtual" if own.virtual else None,
    ]
    return ", ".join(str(part) for part in parts if part)


def _published(original: Record, why: Why) -> Rows:
    """Yield what the source of a run says of how it was measured."""
    yield "measure", f"no command of ours does the same: {why}"
    yield "machine", _machine(original)
    source = original.source
    if source is not None:
        yield "source", f"{source.title} ({source.slug})"
        if source.url:
            yield "address", source.url
        if original.run.locator:
            yield "place", original.run.locator
        if source.protocol:
            yield "its protocol", listed(load("en"), dict(source.protocol))
    own = original.environment
    words = {
        "system": " ".join(filter(None, (own.os_name, own.os_version))),
        "framework": " ".join(filter(None, (own.framework, own.framework_version))),
        "python": own.python,
        **own.packages,
    }
    yield "software", listed(load("en"), words) or "not stated"
    if original.run.parameters:
        yield "parameters", listed(load("en"), dict(original.run.parameters))
    if original.run.basis:
        yield "inferred", listed(load("en"), dict(original.run.basis))
    unsaid = {
        **original.run.missing,
        **original.environment.missing,
        **original.machine.missing,
    }
    if unsaid:
        yield "not stated", ", ".join(sorted(unsaid))


def _in_text(rows: list[tuple[str, str]]) -> Iterator[str]:
    wide = max(len(name) for name, _ in rows)
    return (f"{name:<{wide}}  {text}" for name, text in rows)


def _in_markdown(rows: list[tuple[str, str]]) -> Iterator[str]:
    # A template engine: text does without it.
    from benchdb.report.markdown import escape  # noqa: PLC0415  heavy

    for name, text in rows:
        if name in _CODE and not text.startswith("no command"):
            yield from (f"* {name}:", "", f"      {plain(text)}", "")
        else:
            yield f"* {name}: {escape(plain(text))}"
