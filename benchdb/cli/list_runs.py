"""``benchdb list``: one line per run."""

import json
from typing import Annotated, Any

import typer
from sqlalchemy import Connection

from benchdb.cli.console import NAME_LIMIT, AsJson, aligned, counted, label_text, plain
from benchdb.cli.user_database import Db, opened
from benchdb.store.database import reading
from benchdb.store.listing import Filter, digests, listed_runs, unmatched

app = typer.Typer(add_completion=False)

_COLUMNS = (
    *("run", "workload", "system", "framework", "batch", "precision"),
    *("tier", "status", "grade", "label", "from"),
)


@app.command()
def list_runs(
    workload: Annotated[str | None, typer.Option(help="Only this workload.")] = None,
    framework: Annotated[str | None, typer.Option(help="Only this framework.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, metal or cuda.")] = None,
    precision: Annotated[str | None, typer.Option(help="fp32, tf32 …")] = None,
    status: Annotated[str | None, typer.Option(help="ok, failed, oom …")] = None,
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None,
    label: Annotated[str | None, typer.Option(help="measured, transcribed …")] = None,
    mine: Annotated[
        bool | None,
        typer.Option(
            "--mine/--contributed",
            help="Only what was measured or planned here, or only what others gave.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """List runs, newest first."""
    engine = opened(db)
    wanted = Filter(
        *(workload, framework, device, status, source, label),
        precision=precision,
        limit=limit,
        mine=mine,
    )
    with reading(engine) as connection:
        runs = _graded(connection, wanted, listed_runs(connection, wanted))
        absent = {} if runs else unmatched(connection, wanted)
    if absent.pop("mine", None) is not None:
        whose = "mine" if mine else "contributed"
        typer.echo(f"benchdb: no run is {whose}", err=True)
    for name, there in absent.items():
        asked = getattr(wanted, name)
        known = ", ".join(plain(one, NAME_LIMIT) for one in there) or "no runs at all"
        said = f"benchdb: no run has --{name} {asked}; there are {known}"
        typer.echo(plain(said), err=True)
    if as_json:
        typer.echo(json.dumps(runs, indent=2))
        return
    for line in aligned([_COLUMNS, *map(_cells, runs)]):
        typer.echo(line)
    typer.echo(counted(len(runs), "run"), err=True)


def _graded(
    connection: Connection, wanted: Filter, runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return *runs*, each with the letter of its grade beside its label."""
    if not runs:
        return []
    from benchdb.store.run_grades import grades  # noqa: PLC0415 - an empty list needs none

    known = grades(connection, digests(wanted))
    letters = {name: one.grade and one.grade.letter for name, one in known.items()}
    return [one | {"grade": letters[one["digest"]]} for one in runs]


def _cells(run: dict[str, Any]) -> tuple[str, ...]:
    size = run["parameters"].get("size")
    name = run["workload"] + (f" {size}" if size else "")
    system = f"{run['device_name'] or _worked(run)} · {run['device']}"
    return (
        run["digest"][:12],
        name,
        system,
        run["framework"],
        str(run["batch_size"] or "–"),
        run["precision"] or "–",
        run["tier"] or "–",
        run["status"],
        run["grade"] or "–",
        label_text(run["label"], mine=run["mine"]),
        run["source"] or "–",
    )


def _worked(run: dict[str, Any]) -> str:
    """Return the chip that would have worked, of a run that ended before it said so."""
    cards = {f"{card['vendor']} {card['name']}" for card in run["accelerators"]}
    if run["device"] == "cuda" and len(cards) == 1:
        return cards.pop()
    return str(run["chip"])
