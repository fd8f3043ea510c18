"""Tombstones: runs that a maintainer takes out of what is built, with the reason.

Bundles stay as they are in git, so that every signature still fits; who has to take a
file out of the history as well rewrites that by hand.
"""

import re
from collections.abc import Mapping
from datetime import date

import msgspec

from benchdb.repository.collection import TOMBSTONES
from benchdb.repository.problems import Problem

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 500  # characters of a reason
_FORM = '{"run": "64 hexadecimal digits", "reason": "…", "date": "2026-11-27"}'


class Tombstone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A *run*, by its digest, that is not to be built, why, and since when."""

    run: str
    reason: str
    date: date


def read(content: bytes) -> tuple[Mapping[str, Tombstone], list[Problem]]:
    """Return the tombstones in *content* by their runs, and what is wrong with it."""
    tombstones: dict[str, Tombstone] = {}
    problems = []
    for number, line in enumerate(content.splitlines(), start=1):
        where = f"{TOMBSTONES}:{number}"
        try:
            tombstone = msgspec.json.decode(line, type=Tombstone)
        except (msgspec.DecodeError, ValueError) as error:
            problems.append(Problem(where, str(error), f"write {_FORM}"))
            continue
        if (
            not _DIGEST.fullmatch(tombstone.run)
            or not 0 < len(tombstone.reason) <= _LONGEST
        ):
            problems.append(
                Problem(where, "no digest of a run, or no reason", f"write {_FORM}")
            )
        elif tombstone.run in tombstones:
            problems.append(Problem(where, "the run is there already", "leave it out"))
        else:
            tombstones[tombstone.run] = tombstone
    return tombstones, problems
