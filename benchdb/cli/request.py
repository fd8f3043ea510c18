"""From the options of ``collect`` and ``plan`` to what is asked, and of whom."""

import secrets
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import typer

from benchdb.collecting.programs import Description, frameworks, survey
from benchdb.collecting.request import Request
from benchdb.errors import UsageError


def request_of(chosen: dict[str, Any]) -> Request:
    """Return what the options of the command line ask for, by their names."""
    several = ("workloads", "framework", "precision", "batch_size", "size", "points")
    lists = {name: tuple(chosen[name] or ()) for name in several}
    named = ("memory_format", "optimizer_implementation")
    alike = ("suite", "tier", "setting", "compiler", "blocks_only", "steps_per_epoch")
    return Request(
        workloads=lists["workloads"],
        frameworks=lists["framework"],
        devices={name: chosen[name] for name in ("metal", "cuda")},
        precisions=lists["precision"],
        batch_sizes=lists["batch_size"],
        sizes=lists["size"],
        points=lists["points"],
        options={name: chosen[name] for name in named if chosen[name] is not None},
        **{name: chosen[name] for name in (*alike, "data", "replicates")},
    )


def usable(request: Request, *, isolated: bool) -> list[Description]:
    """Return the frameworks to plan with, of which one is there at least.

    Those asked for must be there.
    """
    asked = tuple(dict.fromkeys(request.frameworks)) or frameworks()
    found = survey(asked, isolated=isolated)
    for one in found:
        if one.version is None and request.frameworks:
            raise UsageError(one.why or f"{one.framework} is not installed")
    if all(one.version is None for one in found):
        reasons = "; ".join(one.why or one.framework for one in found)
        raise UsageError(f"no framework to measure with: {reasons}")
    return found


def campaign_name() -> str:
    """Return a name for a campaign that begins now; names sort by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def refuse_others(
    context: typer.Context, allowed: Collection[str], option: str, why: str
) -> None:
    """Raise ``UsageError`` for an option that *option* leaves nothing to choose of."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        given = source is not None and source.name == "COMMANDLINE"
        if given and parameter.name not in allowed:
            raise UsageError(f"{parameter.opts[0]} does not go with {option}: {why}")
