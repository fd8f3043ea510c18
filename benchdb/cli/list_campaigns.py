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
        found = campaigns(connection, wanted) if there else []
    if len(found) > limit:
        found = found[:limit]
        tell(f"benchdb: the newest {limit:,}; --limit shows more")
    if options["as_json"]:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for line in table(_COLUMNS, list(map(_cells, found)), _FIGURES):
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
