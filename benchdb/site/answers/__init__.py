"""The six questions, answered for all Macs or for one chip."""

from benchdb.site.answers.facts import Card
from benchdb.site.content import Site


def cards(site: Site, chip: str | None) -> tuple[Card, ...]:
    """Return the answers to the six questions for *chip*, for all Macs without one."""
    return ()
