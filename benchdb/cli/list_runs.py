"""``benchdb list``: one line per run."""

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchdb.cli.options import AsJson, Db, opened
from benchdb.store.database import reading
from benchdb.store.read import Filter, listed

app = typer.Typer(add_completion=False)

_COLUMNS = ("run", "workload", "system", "framework", "batch", "tier", "status", "from")
_PIPE_WIDTH = 200


@app.command()
def list_runs(
    workload: Annotated[str | None, typer.Option(help="Only this workload.")] = None,
    framework: Annotated[str | None, typer.Option(help="Only this framework.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, metal or cuda.")] = None,
    status: Annotated[str | None, typer.Option(help="ok, failed, oom …")] = None,
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None,
    label: Annotated[str | None, typer.Option(help="measured, transcribed …")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """List runs, newest first."""
    engine, _ = opened(db)
    wanted = Filter(workload, framework, device, status, source, label, limit)
    with reading(engine) as connection:
        runs = listed(connection, wanted)
    if as_json:
        typer.echo(json.dumps(runs, ensure_ascii=False, indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, no_wrap=column == "run")
    for run in runs:
        table.add_row(*(Text(cell) for cell in _cells(run)))
    # Into a pipe goes one line per run, whatever the width of the terminal.
    Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(table)
    typer.echo(f"{len(runs)} runs", err=True)


def _cells(run: dict[str, Any]) -> tuple[str, ...]:
    size = run["parameters"].get("size")
    name = run["workload"] + (f" {size}" if size else "")
    system = f"{run['device_name'] or run['chip']} · {run['device']}"
    return (
        run["digest"][:12],
        name,
        system,
        run["framework"],
        str(run["batch_size"] or "–"),
        run["tier"] or "–",
        run["status"],
        run["source"] or run["label"],
    )
