"""``benchdb list --campaigns``: what was measured together, a line each."""

import json
from collections.abc import Mapping
from typing import Any

import typer

from benchdb.cli import run_filters as only
from benchdb.cli.console import counted, table, tell
from benchdb.cli.figure_text import NONE
from benchdb.cli.user_database import opened
from benchdb.store.campaigns import Campaign, campaigns
from benchdb.store.database import reading
from benchdb.titles import device_title, framework_title

_COLUMNS = (
    *("campaign", "date", "system", "tier", "cells", "runs", "failed"),
    *("grades", "whose", "frameworks"),
)
_FIGURES = tuple(map(_COLUMNS.index, ("cells", "runs", "failed")))
_LIMIT = 20
_NAMED = 2  # accelerators; more are counted


def list_campaigns(options: Mapping[str, Any], db: str | None) -> None:
    """Print the campaigns that *options* of ``list`` ask for, newest first."""
    limit = options["limit"] or _LIMIT
    with reading(opened(db)) as connection:
        wanted, there = only.settled(connection, {**options, "limit": limit + 1})
        rows = campaigns(connection, wanted) if there else []
    if len(rows) > limit:
        rows = rows[:limit]
        tell(f"benchdb: the newest {limit:,}; --limit shows more")
    if options["as_json"]:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for line in table(_COLUMNS, list(map(_cells, rows)), _FIGURES):
        typer.echo(line)
    typer.echo(counted(len(rows), "campaign"), err=True)


def _cells(campaign: Campaign) -> tuple[str, ...]:
    grades = (f"{count} {letter}" for letter, count in campaign["grades"].items())
    return (
        campaign["campaign"],
        (campaign["started"] or NONE)[:10],
        _system(campaign),
        ", ".join(campaign["tiers"]) or NONE,
        f"{campaign['cells']:,}",
        f"{campaign['runs']:,}",
        f"{campaign['failed']:,}",
        ", ".join(grades) or NONE,
        "mine" if campaign["mine"] else "contributed",
        ", ".join(map(framework_title, campaign["frameworks"])) or NONE,
    )


def _system(campaign: Campaign) -> str:
    """Return what worked, and on how many machines where those are several."""
    chips = campaign["accelerators"]
    name = ", ".join(chips[:_NAMED]) or "chip not stated"
    if len(chips) > _NAMED:
        name += f" and {len(chips) - _NAMED} more"
    parts = [name, ", ".join(map(device_title, campaign["devices"]))]
    if len(campaign["machines"]) > 1:
        parts.append(counted(len(campaign["machines"]), "machine"))
    return " · ".join(parts)
