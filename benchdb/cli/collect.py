"""``benchdb collect``: run the standard workloads here."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from benchdb.cli.options import Db, opened
from benchdb.cli.progress import Display, display
from benchdb.collecting.campaign import Event, Finished, measure
from benchdb.collecting.plan import Request, cells, ordered, replicates
from benchdb.collecting.programs import (
    FRAMEWORKS,
    Description,
    describe,
    fingerprint,
)
from benchdb.collecting.runner import Interruption, Settings
from benchdb.errors import UsageError
from benchdb.store.database import name

app = typer.Typer(add_completion=False)


@app.command()
def collect(
    workloads: Annotated[
        list[str] | None, typer.Argument(metavar="[WORKLOAD…]", show_default=False)
    ] = None,
    suite: Annotated[
        str, typer.Option(help="Workloads, when none is named.")
    ] = "standard",
    framework: Annotated[
        list[str] | None,
        typer.Option(help="torch, tensorflow, numpy; repeatable [default: all here]"),
    ] = None,
    metal: Annotated[
        bool | None,
        typer.Option("--metal/--no-metal", help="The Metal GPU only, or not at all."),
    ] = None,
    cuda: Annotated[
        bool | None,
        typer.Option("--cuda/--no-cuda", help="The CUDA GPU only, or not at all."),
    ] = None,
    tier: Annotated[
        str, typer.Option(help="smoke, quick, standard or reference.")
    ] = "quick",
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Instead of the workload's own.")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="fp32, tf32, bf16, fp16 or fp64.")
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--replicates", min=1, help="Processes per cell, instead of the tier's."
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, help="For data, weights and the order."),
    ] = 0,
    db: Db = None,
) -> None:
    """Run the standard workloads on this machine and store every sample.

    Without --metal or --cuda: the CPU, and each GPU that is there. Ctrl-C keeps all
    that has finished; the running replicate is kept as interrupted.
    """
    request = Request(
        workloads=tuple(workloads or ()),
        suite=suite,
        frameworks=tuple(framework or ()),
        devices={"metal": metal, "cuda": cuda},
        tier=tier,
        batch_size=batch_size,
        precision=precision,
        replicates=processes,
    )
    found = _described(request)
    planned = cells(request, found)
    _warn(fingerprint()["conditions"])
    items = ordered(planned, replicates(request, found), seed)
    settings = Settings(_campaign(), tier, seed, batch_size, precision)
    engine = opened(db, create=True)
    with Interruption() as interruption, display(len(items)) as shown:
        failed = _run(shown, measure(engine, items, settings, interruption))
    typer.echo(f"stored in {name(engine)}, campaign {settings.campaign}", err=True)
    if interruption.requested:
        typer.echo("benchdb: interrupted; what had finished is stored", err=True)
        raise typer.Exit(130)
    if failed:
        typer.echo(f"benchdb: {failed} of {len(items)} did not succeed", err=True)
        raise typer.Exit(1)


def _run(shown: Display, events: Iterable[Event]) -> int:
    failed = 0
    for event in events:
        shown.tell(event)
        if isinstance(event, Finished):
            ok = event.record is not None and event.record.end.status == "ok"
            failed += not ok or event.error is not None
    return failed


def _described(request: Request) -> list[Description]:
    """Return the frameworks to use; those asked for must be there."""
    asked = tuple(dict.fromkeys(request.frameworks)) or FRAMEWORKS
    found = [describe(name) for name in asked]
    for one in found:
        if one.version is None and request.frameworks:
            raise UsageError(one.why or f"{one.framework} is not installed")
    usable = [one for one in found if one.version is not None]
    if not usable:
        reasons = "; ".join(one.why or one.framework for one in found)
        raise UsageError(f"no framework to measure with: {reasons}")
    return usable


def _warn(conditions: dict[str, Any]) -> None:
    """Say what would spoil a measurement; it is recorded with every run anyway."""
    spoilers = {
        "on battery": conditions.get("power_source") == "battery",
        "Low Power Mode is on": conditions.get("low_power_mode") is True,
        "this Python runs under Rosetta": conditions.get("rosetta") is True,
        "the machine is hot": conditions.get("thermal_state")
        in ("serious", "critical"),
        f"other work is running (load {conditions.get('load_1m')})": _busy(conditions),
    }
    for what, holds in spoilers.items():
        if holds:
            typer.echo(
                f"benchdb: warning: {what}; it is recorded with every run", err=True
            )


def _busy(conditions: dict[str, Any]) -> bool:
    load, cpus = conditions.get("load_1m"), conditions.get("cpu_count_usable")
    return load is not None and load > 0.5 * (cpus or 1)


def _campaign() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
