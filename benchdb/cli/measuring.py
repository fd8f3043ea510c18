"""Measure what is left of a campaign, show it, and say how it ended."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from sqlalchemy import Engine

from benchdb.cli.options import address, location_of
from benchdb.cli.plain import tell
from benchdb.cli.progress import Display, display
from benchdb.collecting.campaign import Event, Finished, measure
from benchdb.collecting.history import Past, left, of_campaign
from benchdb.collecting.interruption import Interruption
from benchdb.collecting.programs import source_digest
from benchdb.collecting.settings import Memory
from benchdb.collecting.spoilers import spoilers
from benchdb.collecting.unfinished import Place, Unfinished
from benchdb.identity import digest
from benchdb.store.database import reading
from benchdb.store.error_text import name


def warn(text: str) -> None:
    """Say what the user should know, and go on."""
    tell(f"benchdb: warning: {text}")


def warn_of_spoilers(fingerprint: dict[str, Any]) -> None:
    """Say what would spoil a measurement; it is recorded with every run anyway."""
    for spoiler in spoilers(fingerprint):
        warn(f"{spoiler.what}; {spoiler.advice}")


def place_of(fingerprint: dict[str, Any], engine: Engine) -> Place:
    """Return where a campaign is measured: this machine, this database."""
    line = {k: v for k, v in fingerprint["machine"].items() if k not in ("type", "key")}
    return Place(
        database=address(engine),
        machine=line.get("anonymous_id"),
        facts=digest(line),
        collectors=source_digest(),
    )


def measure_all(engine: Engine, campaign: Unfinished, path: Path) -> None:
    """Measure what the database lacks of *campaign*; end the program as it went.

    Its plan in *path* goes when nothing is left. Raise ``UsageError`` when the first
    collector refuses to start.
    """
    settings = campaign.settings
    past = _past(engine, settings.campaign)
    items = left(campaign.items, past)
    memory = _memory(campaign, past)
    with Interruption() as interruption, display(len(items)) as shown:
        events = measure(engine, items, settings, interruption, memory)
        stored, failed = _run(shown, events)
    what = "stored" if stored else "nothing stored"
    tell(f"{what} in {name(engine)}, campaign {settings.campaign}")
    remaining = left(campaign.items, _past(engine, settings.campaign))
    if not remaining:
        path.unlink(missing_ok=True)
    if interruption.requested:
        go_on = f"; go on with: {_resumption(engine)}" if remaining else ""
        tell(f"benchdb: interrupted; what had finished is stored{go_on}")
        raise typer.Exit(130)
    if failed:
        tell(f"benchdb: {failed} of {len(items)} did not succeed")
        raise typer.Exit(1)


def _resumption(engine: Engine) -> str:
    place = address(engine)
    own = place == str(Path(location_of(None)).resolve())
    return "benchdb collect --resume" + ("" if own else f" --db {quote(place)}")


def _run(shown: Display, events: Iterable[Event]) -> tuple[int, int]:
    """Return how many runs came into the database, and how many did not succeed."""
    stored = failed = 0
    for event in events:
        shown.tell(event)
        if isinstance(event, Finished):
            there = event.record is not None and event.error is None
            ok = event.record is not None and event.record.end.status == "ok"
            stored += there
            failed += not (there and ok)
    return stored, failed


def _past(engine: Engine, campaign: str) -> list[Past]:
    with reading(engine) as connection:
        return of_campaign(connection, campaign, mine=True)


def _memory(campaign: Unfinished, past: Sequence[Past]) -> Memory:
    """Return what the processes so far have found out for those that follow."""
    memory = Memory(machine=campaign.place.machine)
    for one in past:
        for cell in (cell for cell in campaign.cells if one.is_of(cell)):
            memory.take(cell, one.before, one.checks)
    return memory
