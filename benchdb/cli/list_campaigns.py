"""``benchdb campaigns``: what was measured together, a line each."""

import json
from typing import Annotated

import typer

from benchdb.cli import run_filters as only
from benchdb.cli.console import AsJson, aligned, counted, tell
from benchdb.cli.figure_text import NONE
from benchdb.cli.user_database import Db, opened
from benchdb.store.campaigns import Campaign, campaigns
from benchdb.store.database import reading
from benchdb.titles import device_title, framework_title

app = typer.Typer(add_completion=False)

_COLUMNS = (
    *("campaign", "date", "system", "tier", "cells", "runs", "failed"),
    *("grades", "whose", "frameworks"),
)
_FIGURES = tuple(map(_COLUMNS.index, ("cells", "runs", "failed")))
_NAMED = 2  # accelerators; more are counted


@app.command()
def list_campaigns(
    context: typer.Context,
    machine: only.Machine = None,
    mine: only.Mine = None,
    since: only.Since = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """List campaigns, newest first.

    A campaign is one call of 'collect', or a plan. 'benchdb list --campaign NAME' shows
    the figures of one, 'benchdb export --campaign NAME' writes it.
    """
    options = context.params | {"limit": limit + 1}
    with reading(opened(db)) as connection:
        wanted, there = only.settled(connection, options)
        found = campaigns(connection, wanted) if there else []
    if len(found) > limit:
        found = found[:limit]
        tell(f"benchdb: the newest {limit:,}; --limit shows more")
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for line in aligned([_COLUMNS, *map(_cells, found)], _FIGURES):
        typer.echo(line)
    typer.echo(counted(len(found), "campaign"), err=True)


def _cells(one: Campaign) -> tuple[str, ...]:
    grades = (f"{count} {letter}" for letter, count in one["grades"].items())
    return (
        one["campaign"],
        (one["started"] or NONE)[:10],
        _system(one),
        ", ".join(one["tiers"]) or NONE,
        f"{one['cells']:,}",
        f"{one['runs']:,}",
        f"{one['failed']:,}",
        ", ".join(grades) or NONE,
        "mine" if one["mine"] else "contributed",
        ", ".join(map(framework_title, one["frameworks"])) or NONE,
    )


def _system(one: Campaign) -> str:
    """Return what worked, and on how many machines where those are several."""
    chips = one["accelerators"]
    name = ", ".join(chips[:_NAMED]) or "chip not stated"
    if len(chips) > _NAMED:
        name += f" and {len(chips) - _NAMED} more"
    parts = [name, ", ".join(map(device_title, one["devices"]))]
    if len(one["machines"]) > 1:
        parts.append(counted(len(one["machines"]), "machine"))
    return " · ".join(parts)
