"""Whose runs are whose, and which machines are the same: by rule, and by hand.

Mine is what ``collect`` wrote here, and what answers an item that was planned here; the
mark is stored with the run. An anonymous id stands in every file that is shared, so it
proves nothing: a run with the id of a machine of mine that came in a file from
elsewhere is of another machine, and a finding says so.

Rule: machines with the same anonymous id are one, whatever else of them changed; but
what others contributed is of no machine of mine, and of none that benchdb ships, and
what a later signer claims of none of an earlier one. Those of published documents have
none and stay apart. A hand-made link wins over the rule;
taking it away brings the rule back.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, delete, false, func, insert, select

from benchdb.errors import UsageError
from benchdb.store.bulk_load import delete_keys, insert_rows
from benchdb.store.hearsay import shipped_machines
from benchdb.store.signed_machines import machines_in_doubt
from benchdb.store.tables import chip, finding, machine, machine_link, run

FOREIGN_ID = "foreign-id"  # the code of the finding


def mine(column: Any) -> Select[Any]:
    """Return a query of *column* of the runs that are mine."""
    return select(column).where(run.c.mine)


def is_mine(connection: Connection, digest: str) -> bool:
    """Tell whether the run *digest* is mine."""
    query = mine(run.c.digest).where(run.c.digest == digest)
    return connection.scalar(query) is not None


def my_machines(connection: Connection) -> frozenset[str]:
    """Return the digests of the machines that runs of mine ran on."""
    return frozenset(connection.scalars(mine(run.c.machine).distinct()))


def my_ids(connection: Connection) -> frozenset[str]:
    """Return the anonymous ids of machines of mine."""
    result = connection.scalars(_my_ids())
    return frozenset(item for item in result if item is not None)


def _my_ids() -> Select[Any]:
    return select(machine.c.anonymous_id).where(
        machine.c.anonymous_id.is_not(None),
        machine.c.digest.in_(mine(run.c.machine)),
    )


def flag_foreign_ids(connection: Connection) -> None:
    """Find anew which contributed runs bear the anonymous id of a machine of mine.

    To be called when runs are there that were not, mine or others'.
    """
    there = set(
        connection.scalars(select(finding.c.run).where(finding.c.code == FOREIGN_ID))
    )
    namesakes = select(machine.c.digest).where(machine.c.anonymous_id.in_(_my_ids()))
    foreign = select(run.c.digest).where(run.c.machine.in_(namesakes), ~run.c.mine)
    wanted = set(connection.scalars(foreign))
    gone = there - wanted
    delete_keys(connection, finding.c.run, gone, finding.c.code == FOREIGN_ID)
    rows = [
        {"run": item, "code": FOREIGN_ID, "metric": "", "detail": {}}
        for item in sorted(wanted - there)
    ]
    insert_rows(connection, finding, rows)


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
    return {text: decided.root(text) for text in rule}


def known_machines(connection: Connection) -> list[Known]:
    """Return every machine, those that are the same beside each other."""
    rule, links = _by_rule(connection), _links(connection)
    decided = _Decided(rule, links)
    sizes, own_ids = Counter(rule.values()), my_ids(connection)
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
    known = [
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
        known, key=lambda it: (it.same_as, it.digest != it.same_as, not it.mine)
    )


def merge(connection: Connection, text: str, other: str) -> None:
    """Let *other*, and what is the same as it, be the same machine as *text*."""
    groups = canonical(connection)
    root = groups[text]
    if groups[other] == root:
        raise UsageError(
            "they are the same machine already; see 'benchdb machines list'"
        )
    moved = [digest for digest, stands in groups.items() if stands == groups[other]]
    _link(connection, dict.fromkeys((*moved, root), root))


def mine_with(connection: Connection, anonymous_id: str) -> list[str]:
    """Return the digests of the machines of mine that have this anonymous id."""
    query = select(machine.c.digest).where(
        machine.c.anonymous_id == anonymous_id,
        machine.c.digest.in_(mine(run.c.machine)),
    )
    return sorted(connection.scalars(query))


def unite(connection: Connection, some: Sequence[str]) -> None:
    """Let *some* machines be the same, those that are already included."""
    groups = canonical(connection)
    root = groups[some[0]]
    for other in sorted({groups[text] for text in some} - {root}):
        merge(connection, root, other)


def split(connection: Connection, member: str) -> None:
    """Keep the machine *member* apart from all others."""
    groups = canonical(connection)
    rest = sorted(
        digest for digest, stands in groups.items() if stands == groups[member]
    )
    rest.remove(member)
    if not rest:
        raise UsageError("that machine stands alone already")
    # The others stay together: one of them stands for them from now on.
    root = groups[member] if groups[member] != member else rest[0]
    _link(connection, {member: member, **dict.fromkeys(rest, root)})


def undo(connection: Connection, text: str) -> None:
    """Forget what was decided by hand about *text*, its group, and their namesakes."""
    groups, rule = canonical(connection), _by_rule(connection)
    ids = {rule[other] for other, stands in groups.items() if stands == groups[text]}
    group = [other for other in groups if rule[other] in ids]
    links = machine_link.c.machine.in_(group) | machine_link.c.same_as.in_(group)
    if not connection.execute(delete(machine_link).where(links)).rowcount:
        raise UsageError("nothing was decided by hand about that machine")


def find_machine(connection: Connection, prefix: str) -> str:
    """Return the digest of the one machine that starts with *prefix*."""
    wanted = prefix.lower()
    hexadecimal = wanted and not set(wanted) - set("0123456789abcdef")
    query = select(machine.c.digest).where(machine.c.digest.startswith(wanted)).limit(2)
    matches = list(connection.scalars(query)) if hexadecimal else []
    if not matches:
        raise UsageError(f"no machine {prefix!r}; 'benchdb machines list' shows them")
    if len(matches) > 1:
        raise UsageError(f"several machines start with {prefix!r}; give more digits")
    return str(matches[0])


def _by_rule(connection: Connection) -> dict[str, str]:
    query = select(machine.c.digest, machine.c.anonymous_id).order_by(machine.c.digest)
    kinds = (
        *(my_machines(connection), shipped_machines(connection)),
        machines_in_doubt(connection),
    )
    first: dict[tuple[object, ...], str] = {}
    return {
        row.digest: first.setdefault(
            (row.anonymous_id or row.digest, *(row.digest in some for some in kinds)),
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
        for text, other in links.items():
            votes[rule[text]][other] += 1
        self._namesakes = {
            first: min(some, key=lambda other: (-some[other], other))
            for first, some in votes.items()
        }

    def root(self, digest: str) -> str:
        """Return what stands for *digest*. Links of links end at themselves."""
        seen: set[str] = set()
        while digest not in seen:
            seen.add(digest)
            first = self._rule[digest]
            digest = self._links.get(digest) or self._namesakes.get(first) or first
        return digest


def _why(text: str, links: dict[str, str], sharing: int) -> str:
    if text in links:
        return "hand"
    return "rule" if sharing > 1 else "alone"


def _link(connection: Connection, pairs: dict[str, str]) -> None:
    there = machine_link.c.machine.in_(list(pairs))
    connection.execute(delete(machine_link).where(there))
    rows: list[dict[str, Any]] = [
        {"machine": text, "same_as": root} for text, root in pairs.items()
    ]
    connection.execute(insert(machine_link), rows)


_ENOUGH = 6  # characters of an id, or digits of a run: fewer are often several
_HEXADECIMAL = frozenset("0123456789abcdef")


def find_by_id(connection: Connection, wanted: str) -> str:
    """Return the anonymous id of the one machine that *wanted* names.

    Raise ``UsageError`` where that is none or several, or one that has no id: nobody
    can tell its runs from those of machines of the same kind.
    """
    ids = _all_ids(connection)
    if wanted in ids:
        return wanted
    start = wanted.casefold()
    digests, runs = set[str](), 0
    if len(start) >= _ENOUGH:
        digests = {text for text in ids if text.casefold().startswith(start)}
        machines = _of_runs(connection, start)
        runs = len(machines)
        groups = canonical(connection)
        roots = {groups[text] for text in machines}
        digests |= {text for text, digest in ids.items() if groups[digest] in roots}
        digests = {_first(ids, groups, digest) for digest in digests}
    if len(digests) == 1:
        return digests.pop()
    raise UsageError(_no_match(wanted, len(digests), runs))


def _all_ids(connection: Connection) -> dict[str, str]:
    """Return the anonymous ids, each with a machine that has it: mine before others."""
    query = select(machine.c.anonymous_id, machine.c.digest).where(
        machine.c.anonymous_id.is_not(None)
    )
    query = query.order_by(machine.c.digest.desc())
    own = my_machines(connection)
    rows = sorted(connection.execute(query), key=lambda row: row.digest in own)
    return {row.anonymous_id: row.digest for row in rows}


def _of_runs(connection: Connection, start: str) -> set[str]:
    """Return the machines of the runs whose digest starts so."""
    if set(start) - _HEXADECIMAL:
        return set()
    query = select(run.c.machine).where(run.c.digest.startswith(start)).distinct()
    return set(connection.scalars(query))


def _first(ids: dict[str, str], groups: dict[str, str], text: str) -> str:
    """Return the id that stands for all of the same machine."""
    same = (other for other in ids if groups[ids[other]] == groups[ids[text]])
    return min(same, key=lambda other: (ids[other] != groups[ids[other]], other))


def _no_match(wanted: str, machines: int, runs: int) -> str:
    if machines > 1:
        return f"several machines start with {wanted!r}; give more of the id"
    if runs:
        return (
            f"the machine of run {wanted!r} has no anonymous id, so it cannot be "
            "highlighted"
        )
    return (
        f"no machine {wanted!r} to highlight; 'benchdb show RUN' tells the anonymous "
        "id of a run's machine"
    )
