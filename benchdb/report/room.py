"""What of a large database a page has room for, and what it leaves to others.

A database of some thousand runs is shown whole. Of a larger one a page shows the newest
campaign of every cell; where even those are too many, of one machine of each chip, then
of a second, until the page is full.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, func, select

from benchdb.store.machines import canonical, mine, my_ids
from benchdb.store.places import tidy
from benchdb.store.tables import chip, machine, newest, run

WHOLE = 3_000  # runs, old campaigns among them, that a page still lists one by one
CELLS = 400  # that a reader can still survey, in half a megabyte


class Resident(msgspec.Struct, frozen=True):
    """A machine with what it would take: so many *cells*, the *newest* run of them.

    *digests* are those of a machine that several are known to be; of all that it ran,
    what is *mine* or what was contributed. *first* marks what the page is about: the
    machine or the chip that was asked for.
    """

    digests: frozenset[str]
    chip: str
    cells: int
    newest: str
    first: bool = False
    mine: bool = False


def with_room(there: Sequence[Resident], cells: int = CELLS) -> list[Resident]:
    """Return the machines that have room: of each chip in turn the most measured.

    Those that come *first* take up to half of the room together. There is always room
    for one machine.
    """
    left, taken = cells, list[Resident]()
    asked = [resident for resident in there if resident.first]
    for resident in _most_measured(asked):
        if resident.cells <= left - cells // 2 or not taken:
            taken.append(resident)
            left -= resident.cells
    for resident in _in_turn(other for other in there if other not in taken):
        if resident.cells <= left or not taken:
            taken.append(resident)
            left -= resident.cells
    return taken


def residents(
    connection: Connection,
    among: Select[Any] | None,
    here: str | None,
    baseline: str | None,
) -> list[Resident]:
    """Return the machines that made the newest runs *among* these digests, or all.

    First come those that are mine, or the one with the anonymous id *here* instead,
    those of their chips, and those of a chip that the name of the *baseline* has in it.
    """
    same, by_machine = (
        canonical(connection),
        defaultdict[tuple[str, bool], list[Any]](list),
    )
    own, own_ids = set[str](), my_ids(connection)
    for is_mine in (True, False):
        for row in connection.execute(_counted(among, is_mine=is_mine)):
            by_machine[same.get(row.machine, row.machine), is_mine].append(row)
            known = is_mine or row.anonymous_id not in own_ids
            if is_mine if here is None else known and row.anonymous_id == here:
                own.add(_name(row))
    asked = (baseline or "").casefold()
    return [
        Resident(
            digests=frozenset(row.machine for row in rows),
            chip=_name(rows[0]),
            cells=sum(row.cells for row in rows),
            newest=max((row.newest or "" for row in rows), default=""),
            first=any(_name(row) in own or _name(row) in asked for row in rows),
            mine=is_mine,
        )
        for (_, is_mine), rows in sorted(by_machine.items())
    ]


def _counted(among: Select[Any] | None, *, is_mine: bool) -> Select[Any]:
    """Return the query of what each machine would take, of mine or of others."""
    which = newest.c.run.in_(mine(run.c.digest))
    counted = (
        select(
            newest.c.machine,
            func.count(newest.c.cell.distinct()).label("cells"),
            func.max(newest.c.started).label("newest"),
        )
        .where(which if is_mine else ~which)
        .group_by(newest.c.machine)
    )
    if among is not None:
        counted = counted.where(newest.c.run.in_(among))
    there = counted.subquery()
    names = machine.c.anonymous_id, chip.c.name, chip.c.accelerators
    return (
        select(there, *names)
        .join_from(there, machine, there.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .order_by(there.c.machine)
    )


def _name(row: Any) -> str:
    names = [str(card["name"]) for card in row.accelerators[:1]]
    return tidy(next(iter(names), row.name)).casefold()


def _most_measured(some: Iterable[Resident]) -> list[Resident]:
    newest = sorted(some, key=lambda one: (one.newest, min(one.digests)), reverse=True)
    return sorted(newest, key=lambda one: -one.cells)


def _in_turn(some: Iterable[Resident]) -> list[Resident]:
    chips: defaultdict[str, list[Resident]] = defaultdict(list)
    for one in _most_measured(some):
        chips[one.chip].append(one)
    turns = zip_longest(*chips.values())
    return [one for turn in turns for one in turn if one]
