"""The runs of the newest campaign of every cell: what a report of a million reads.

The newest campaign is that of the run that started last; what went well, what did not,
and smoke runs are apart, and what benchdb ships from what others say of its machines
and sources. *cell* is a short name, alike for all of them in one cell.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Select, Text, case, delete, select, type_coerce

from benchdb.conditions import COLUMNS
from benchdb.store.bulk_load import batched, delete_keys, insert_rows
from benchdb.store.dates import STARTED
from benchdb.store.hearsay import shipped_runs
from benchdb.store.tables import is_withdrawn, newest, run

CELL = tuple(run.c[name] for name in COLUMNS)
# With the parameters as text, which is alike where they are.
SPELLED = tuple(
    type_coerce(column, Text) if column is run.c.parameters else column
    for column in CELL
)

Age = tuple[str, str]
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def age(started: str | None, campaign: str | None) -> Age:
    """Return what is greatest for a run of a cell's newest campaign.

    That is the campaign whose run *started* last; its name decides between equals.
    What is no date is as good as none: any word would come after all dates.
    """
    dated = started if started and _DATE.match(started) else ""
    return dated, campaign or ""


_PLACE = (run.c.machine, run.c.workload)
# What else runs of one workload on one machine can differ in.
_OTHERWISE = {
    column.name: spelled
    for column, spelled in zip(CELL, SPELLED, strict=True)
    if column.name not in {item.name for item in _PLACE}
}
_AGED = (run.c.started, run.c.digest, run.c.campaign, run.c.tier, run.c.status, *_PLACE)
# What was withdrawn went no better than what failed.
_OUTCOME = case((is_withdrawn(run.c.digest), None), else_=run.c.status)
_FACTS = (
    *(STARTED, *_AGED[1:4], _OUTCOME.label("status"), *_PLACE),
    *_OTHERWISE.values(),
)
_facts_of = itemgetter(
    *(
        run.c.keys().index(name)
        for name in (*(column.name for column in _AGED), *_OTHERWISE)
    )
)

# A machine and a workload, what else a cell has; whether shipped, well, and smoke.
Kind = tuple[Any, ...]
Ages = dict[Kind, Age]


def note(
    ages: Ages, runs: Iterable[Sequence[Any]], undated: Collection[str] = ()
) -> None:
    """Take in the greatest age of each kind among *runs*, rows of that table.

    When those that are *undated* started counts as not known.
    """
    for row in runs:
        facts = _facts_of(row)
        _note(ages, [(None, *facts[1:]) if row[0] in undated else facts])


def cell_of(connection: Connection, digest: str) -> str:
    """Return the short name of the cell of a run."""
    facts = connection.execute(select(*_FACTS).where(run.c.digest == digest)).one()
    return _name(_aged(facts)[0])


def refresh(connection: Connection, ages: Mapping[Kind, Age]) -> None:
    """Decide anew for the kinds to which runs were added, none newer than *ages*."""
    newest_, stale = dict(ages), list[str]()
    kept = select(*_FACTS).join(newest, newest.c.run == run.c.digest)
    for machines in batched(sorted({kind[0] for kind in ages})):
        theirs = kept.where(newest.c.machine.in_(machines))
        for facts in connection.execute(theirs):
            kind, pair = _aged(facts)
            if kind in newest_:
                stale.append(facts.digest)
                newest_[kind] = max(newest_[kind], pair)
    delete_keys(connection, newest.c.run, stale)
    _add(connection, newest_)


def renew(connection: Connection) -> None:
    """Decide anew for all runs."""
    connection.execute(delete(newest))
    for place in connection.execute(select(*_PLACE).distinct()).all():
        _renew_place(connection, place[0], place[1])


def renew_at(connection: Connection, places: Iterable[tuple[str, str]]) -> None:
    """Decide anew for machines and workloads of which runs were taken away."""
    for machine, workload in places:
        rest = _at(machine, workload, select(run.c.digest))
        connection.execute(delete(newest).where(newest.c.run.in_(rest)))
        _renew_place(connection, machine, workload)


def _renew_place(connection: Connection, machine: str, workload: str) -> None:
    ages: Ages = {}
    _note(ages, connection.execute(_at(machine, workload, select(*_FACTS))))
    _add(connection, ages)


def _note(ages: Ages, facts: Iterable[Sequence[Any]]) -> None:
    for fact in facts:
        kind, pair = _aged(fact)
        if kind not in ages or pair > ages[kind]:
            ages[kind] = pair


def _aged(facts: Sequence[Any]) -> tuple[Kind, Age]:
    started, digest, campaign, tier, status, *cell = facts
    row = digest in shipped_runs(), status == "ok", tier == "smoke"
    return (*cell, *row), age(started, campaign)


def _add(connection: Connection, ages: Ages) -> None:
    """Add the runs of the campaign of each age, workload by workload."""
    campaigns = defaultdict[tuple[str, str], set[str]](set)
    for (machine, workload, *_), (_, campaign) in ages.items():
        campaigns[machine, workload].add(campaign)
    for (machine, workload), names in campaigns.items():
        query = _at(machine, workload, select(*_FACTS))
        rows = [
            {
                "run": facts[1],
                "machine": machine,
                "cell": _name(kind),
                "started": facts[0],
            }
            for facts in _of(connection, query, names)
            for kind, age in [_aged(facts)]
            if kind in ages and age[1] == ages[kind][1]
        ]
        insert_rows(connection, newest, sorted(rows, key=itemgetter("run")))


def _of(
    connection: Connection, query: Select[Any], campaigns: set[str]
) -> Iterator[Sequence[Any]]:
    """Yield what *query* finds of these *campaigns*; "" is that of runs without."""
    for some in batched(sorted(campaigns)):
        yield from connection.execute(query.where(run.c.campaign.in_(some)))
    if "" in campaigns:
        yield from connection.execute(query.where(run.c.campaign.is_(None)))


def _at(machine: str, workload: str, query: Select[Any]) -> Select[Any]:
    return query.where(run.c.machine == machine, run.c.workload == workload)


def _name(kind: Kind) -> str:
    """Return a short name for a cell of a machine."""
    data = json.dumps(kind[1:-3]).encode()
    return hashlib.blake2b(data, digest_size=8).hexdigest()
