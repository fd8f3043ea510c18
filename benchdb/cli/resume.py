"""``benchdb collect --resume``: go on where a campaign was cut off."""

from collections.abc import Sequence

from msgspec.structs import replace

from benchdb.cli.measuring import measure_all, place_of, warn, warn_of_spoilers
from benchdb.cli.options import address, existing, location_of, opened, plans
from benchdb.collecting import unfinished
from benchdb.collecting.programs import fingerprint
from benchdb.collecting.unfinished import Place, Unfinished
from benchdb.errors import UsageError


def resume_campaign(
    db: str | None, named: Sequence[str], *, cool_down: int | None, isolated: bool
) -> None:
    """Measure what is left of the campaign *named*, or of the newest there is."""
    if len(named) > 1:
        raise UsageError(f"--resume takes one campaign, not {', '.join(named)}")
    machine = fingerprint()
    if existing(db) is None:
        raise UsageError(f"nothing to resume: no database at {location_of(db)}")
    engine = opened(db, create=True)
    path = unfinished.find(plans(), next(iter(named), None), address(engine), warn)
    with unfinished.held(path):
        campaign = unfinished.read(path)
        _compare(campaign, place_of(machine, engine))
        warn_of_spoilers(machine)
        measure_all(engine, _changed(campaign, cool_down, isolated=isolated), path)


def _changed(
    campaign: Unfinished, cool_down: int | None, *, isolated: bool
) -> Unfinished:
    settings = campaign.settings
    if cool_down is not None:
        settings = replace(settings, cool_down=cool_down)
    settings = replace(settings, isolated=settings.isolated or isolated)
    return replace(campaign, settings=settings)


def _compare(campaign: Unfinished, here: Place) -> None:
    """Raise ``UsageError`` at another place; warn of what has changed since."""
    name, there = campaign.settings.campaign, campaign.place
    if here.database != there.database:
        raise UsageError(
            f"campaign {name} is stored in {there.database}; name it with --db"
        )
    if (here.machine or here.facts) != (there.machine or there.facts):
        raise UsageError(
            f"campaign {name} was begun on another machine; go on there, or start "
            "another campaign here"
        )
    if here.facts != there.facts:
        warn("what this machine says of itself has changed since the campaign began")
    if here.collectors != there.collectors:
        warn("the collectors have changed since the campaign began")
