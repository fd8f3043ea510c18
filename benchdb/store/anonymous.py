"""Which machine is meant by its anonymous id, by how that starts, or by a run of it."""

from sqlalchemy import Connection, select

from benchdb.errors import UsageError
from benchdb.store import ownership
from benchdb.store.machines import canonical
from benchdb.store.tables import machine, run

_ENOUGH = 6  # characters of an id, or digits of a run: fewer are often several
_HEXADECIMAL = frozenset("0123456789abcdef")


def find(connection: Connection, wanted: str) -> str:
    """Return the anonymous id of the one machine that *wanted* names.

    Raise ``UsageError`` where that is none or several, or one that has no id: nobody
    can tell its runs from those of machines of the same kind.
    """
    ids = _ids(connection)
    if wanted in ids:
        return wanted
    start = wanted.casefold()
    found, runs = set[str](), 0
    if len(start) >= _ENOUGH:
        found = {one for one in ids if one.casefold().startswith(start)}
        machines = _of_runs(connection, start)
        runs = len(machines)
        groups = canonical(connection)
        roots = {groups[one] for one in machines}
        found |= {one for one, digest in ids.items() if groups[digest] in roots}
        found = {_first(ids, groups, one) for one in found}
    if len(found) == 1:
        return found.pop()
    raise UsageError(_why(wanted, len(found), runs))


def _ids(connection: Connection) -> dict[str, str]:
    """Return the anonymous ids, each with a machine that has it: mine before others."""
    query = select(machine.c.anonymous_id, machine.c.digest).where(
        machine.c.anonymous_id.is_not(None)
    )
    query = query.order_by(machine.c.digest.desc())
    own = ownership.machines(connection)
    rows = sorted(connection.execute(query), key=lambda row: row.digest in own)
    return {row.anonymous_id: row.digest for row in rows}


def _of_runs(connection: Connection, start: str) -> set[str]:
    """Return the machines of the runs whose digest starts so."""
    if set(start) - _HEXADECIMAL:
        return set()
    query = select(run.c.machine).where(run.c.digest.startswith(start)).distinct()
    return set(connection.scalars(query))


def _first(ids: dict[str, str], groups: dict[str, str], one: str) -> str:
    """Return the id that stands for all of the same machine."""
    same = (other for other in ids if groups[ids[other]] == groups[ids[one]])
    return min(same, key=lambda other: (ids[other] != groups[ids[other]], other))


def _why(wanted: str, machines: int, runs: int) -> str:
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
