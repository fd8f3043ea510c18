"""Named facts of a foreign record, refused where they cannot be what they say."""

from collections.abc import Mapping
from typing import Any

from benchdb.exchange.lines import Claim, Source
from benchdb.exchange.reader import Item, SourceClaim
from benchdb.exchange.validation import UNDERSTANDABLE, RefusedError, reason
from benchdb.importing import building
from benchdb.importing.tools.json_numbers import amount, characters

ABSURD = 1e18  # more of anything than these tools count: a broken clock or counter
LONGEST = 4000  # characters of a fact: the names of 64 GPUs, and some
NANOSECONDS = 1e9  # a second


def size(facts: Mapping[str, Any], name: str) -> float:
    """Return the fact *name*, a number that is not negative; or refuse it."""
    if facts.get(name) is None:
        raise RefusedError(f"{name} is missing")
    found = amount(facts[name], name)
    if found >= ABSURD:
        raise RefusedError(f"{name} is {characters(facts[name])[:40]}, which cannot be")
    return found


def positive(facts: Mapping[str, Any], name: str) -> float:
    """Return the fact *name*, a number above 0; or refuse it."""
    found = size(facts, name)
    if not found:
        raise RefusedError(f"{name} is 0, which cannot be")
    return found


def whole(facts: Mapping[str, Any], name: str, default: int | None = None) -> int:
    """Return the fact *name*, a whole number that is not negative; or refuse it.

    Where it is missing it is *default*, if there is one.
    """
    if default is not None and facts.get(name) is None:
        return default
    found = size(facts, name)
    if found != int(found):
        raise RefusedError(f"{name} is {characters(facts[name])}, not a whole number")
    return int(found)


def text(facts: Mapping[str, Any], name: str) -> str | None:
    """Return the fact *name* as text without space around it; ``None`` if blank."""
    found = facts.get(name)
    if found is None:
        return None
    if not isinstance(found, str):
        raise RefusedError(f"{name} is {str(found)[:40]}, not text")
    if len(found) > LONGEST:
        raise RefusedError(f"{name} has {len(found)} characters; {LONGEST} are read")
    return " ".join(found.split()) or None


def claimed(claim: Claim, source: Source) -> Item:
    """Return the claim that *source* makes, or why it cannot be kept."""
    try:
        return SourceClaim(building.acceptable(claim), source)
    except UNDERSTANDABLE as why:
        return building.bad(reason(why), locator=claim.locator, raw=claim.printed)
