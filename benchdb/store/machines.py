"""Which machines are the same: by rule, and by hand where a person knows better.

Rule: machines with the same anonymous id are one, whatever else of them changed; but
what others contributed is of no machine of mine, and of none that benchdb ships, for an
id stands in every file that is shared. Those of published documents have none and stay
apart. A hand-made link wins over the rule; taking it away brings the rule back.
"""

from collections import Counter, defaultdict
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, false, func, insert, select

from benchdb.errors import UsageError
from benchdb.store import ownership
from benchdb.store.hearsay import shipped_machines
from benchdb.store.tables import chip, machine, machine_link, run


class Known(msgspec.Struct, frozen=True):
    """A machine: *same_as* is the digest that stands for it, *why* tells what decided.

    That is ``alone``, ``rule`` (same anonymous id) or ``hand``. Where some of its runs
    are *mine* and others were contributed, it is two. *foreign_id* marks contributed
    runs with the anonymous id of a machine of mine.
    """

    digest: str
    chip: str
    model: str | None
    label: str | None
    anonymous_id: str | None
    runs: int
    same_as: str
    why: str
    mine: bool = False
    foreign_id: bool = False


def canonical(connection: Connection) -> dict[str, str]:
    """Return the digest that stands for each machine, for all of them."""
    rule = _by_rule(connection)
    decided = _Decided(rule, _links(connection))
    return {one: decided.root(one) for one in rule}


def known(connection: Connection) -> list[Known]:
    """Return every machine, those that are the same beside each other."""
    rule, links = _by_rule(connection), _links(connection)
    decided = _Decided(rule, links)
    sizes, own_ids = Counter(rule.values()), ownership.ids(connection)
    query = (
        select(
            machine.c.digest,
            chip.c.vendor,
            chip.c.name,
            machine.c.model,
            machine.c.label,
            machine.c.anonymous_id,
            func.count(run.c.digest).label("runs"),
            func.coalesce(run.c.mine, false()).label("mine"),
        )
        .join_from(machine, chip, machine.c.chip == chip.c.digest)
        .outerjoin(run, run.c.machine == machine.c.digest)
        .group_by(machine.c.digest, chip.c.digest, "mine")
    )
    found = [
        Known(
            row.digest,
            f"{row.vendor} {row.name}",
            row.model,
            row.label,
            row.anonymous_id,
            row.runs,
            decided.root(row.digest),
            _why(row.digest, links, sizes[rule[row.digest]]),
            bool(row.mine),
            not row.mine and row.anonymous_id in own_ids,
        )
        for row in connection.execute(query)
    ]
    return sorted(
        found, key=lambda one: (one.same_as, one.digest != one.same_as, not one.mine)
    )


def merge(connection: Connection, one: str, other: str) -> None:
    """Let *other*, and what is the same as it, be the same machine as *one*."""
    groups = canonical(connection)
    root = groups[one]
    if groups[other] == root:
        raise UsageError(
            "they are the same machine already; see 'benchdb machines list'"
        )
    moved = [digest for digest, stands in groups.items() if stands == groups[other]]
    _link(connection, dict.fromkeys((*moved, root), root))


def split(connection: Connection, one: str) -> None:
    """Keep the machine *one* apart from all others."""
    groups = canonical(connection)
    rest = sorted(digest for digest, stands in groups.items() if stands == groups[one])
    rest.remove(one)
    if not rest:
        raise UsageError("that machine stands alone already")
    # The others stay together: one of them stands for them from now on.
    root = groups[one] if groups[one] != one else rest[0]
    _link(connection, {one: one, **dict.fromkeys(rest, root)})


def undo(connection: Connection, one: str) -> None:
    """Forget what was decided by hand about *one*, its group, and their namesakes."""
    groups, rule = canonical(connection), _by_rule(connection)
    ids = {rule[other] for other, stands in groups.items() if stands == groups[one]}
    group = [other for other in groups if rule[other] in ids]
    links = machine_link.c.machine.in_(group) | machine_link.c.same_as.in_(group)
    if not connection.execute(delete(machine_link).where(links)).rowcount:
        raise UsageError("nothing was decided by hand about that machine")


def find(connection: Connection, prefix: str) -> str:
    """Return the digest of the one machine that starts with *prefix*."""
    wanted = prefix.lower()
    hexadecimal = wanted and not set(wanted) - set("0123456789abcdef")
    query = select(machine.c.digest).where(machine.c.digest.startswith(wanted)).limit(2)
    found = list(connection.scalars(query)) if hexadecimal else []
    if not found:
        raise UsageError(f"no machine {prefix!r}; 'benchdb machines list' shows them")
    if len(found) > 1:
        raise UsageError(f"several machines start with {prefix!r}; give more digits")
    return str(found[0])


def _by_rule(connection: Connection) -> dict[str, str]:
    query = select(machine.c.digest, machine.c.anonymous_id).order_by(machine.c.digest)
    own, shipped = ownership.machines(connection), shipped_machines(connection)
    first: dict[tuple[str, bool, bool], str] = {}
    return {
        row.digest: first.setdefault(
            (row.anonymous_id or row.digest, row.digest in own, row.digest in shipped),
            row.digest,
        )
        for row in connection.execute(query)
    }


def _links(connection: Connection) -> dict[str, str]:
    query = select(machine_link.c.machine, machine_link.c.same_as)
    return {row.machine: row.same_as for row in connection.execute(query)}


class _Decided:
    """Where the links lead, and where no link is, the rule.

    A machine that came after its namesakes were linked goes where most of them went.
    """

    def __init__(self, rule: dict[str, str], links: dict[str, str]) -> None:
        self._rule, self._links = rule, links
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for one, other in links.items():
            votes[rule[one]][other] += 1
        self._namesakes = {
            first: min(some, key=lambda other: (-some[other], other))
            for first, some in votes.items()
        }

    def root(self, one: str) -> str:
        """Return what stands for *one*. Links of links end at themselves."""
        seen: set[str] = set()
        while one not in seen:
            seen.add(one)
            first = self._rule[one]
            one = self._links.get(one) or self._namesakes.get(first) or first
        return one


def _why(one: str, links: dict[str, str], sharing: int) -> str:
    if one in links:
        return "hand"
    return "rule" if sharing > 1 else "alone"


def _link(connection: Connection, pairs: dict[str, str]) -> None:
    there = machine_link.c.machine.in_(list(pairs))
    connection.execute(delete(machine_link).where(there))
    rows: list[dict[str, Any]] = [
        {"machine": one, "same_as": root} for one, root in pairs.items()
    ]
    connection.execute(insert(machine_link), rows)
