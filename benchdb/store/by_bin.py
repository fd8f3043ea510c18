"""Figures by bin and cell: which are far from all other machines' there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    case,
    func,
    select,
    tuple_,
    type_coerce,
)

from benchdb.catalogue import shipped_workloads
from benchdb.conditions import divided
from benchdb.metric_kinds import BESIDE_THEIR_RATE
from benchdb.plausibility import bin_rule
from benchdb.plausibility.figures import RATES, TIMES
from benchdb.plausibility.observed import Finding
from benchdb.store.bulk_load import batched
from benchdb.store.tables import (
    chip,
    finding,
    is_withdrawn,
    machine,
    run,
    source,
    value,
)

_WORKED = case(  # what of the machine computed
    (
        run.c.device.in_(("cuda", "rocm")),
        func.coalesce(run.c.device_name, type_coerce(chip.c.accelerators, Text)),
    ),
    else_=chip.c.vendor + " " + chip.c.name,
)
_NOBODY = ("unknown unknown", "[]")
_CELL = (
    _WORKED,
    chip.c.gpu_cores,
    *(run.c[name] for name in ("workload", "setting", "framework", "device")),
    *(run.c[name] for name in ("precision", "batch_size")),
)
_TELLS = (
    run.c.status == "ok",
    run.c.label != "claimed",
    run.c.workload.in_(
        sorted(n for n, workload in shipped_workloads().items() if workload.cell)
    ),
    _WORKED.not_in(_NOBODY),
)
_COUNTS = (*_TELLS, ~is_withdrawn(run.c.digest))
# What collectors measured, on machines that are told apart.
_COLLECTED = (
    run.c.status == "ok",
    run.c.label == "measured",
    run.c.source.is_(None),
    func.coalesce(run.c.tier, "") != "smoke",
    machine.c.anonymous_id.is_not(None),
    _WORKED.not_in(_NOBODY),
)
_MEASURED_CELL = (
    *_CELL,
    *(run.c.workload_version, run.c.compiler, type_coerce(run.c.parameters, Text)),
)
_CEILED = tuple({*TIMES, *RATES} - {*BESIDE_THEIR_RATE})
Place = tuple[str, str]  # what worked, and on what


def places(connection: Connection, digests: Sequence[str]) -> set[Place]:
    """Return where these runs did work of others, and which."""
    query = (
        select(_WORKED.label("worked"), run.c.workload)
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .where(*_TELLS)
        .distinct()
    )
    bins = set[Place]()
    for some in batched(digests):
        rows = connection.execute(query.where(run.c.digest.in_(some)))
        bins |= {(row.worked, row.workload) for row in rows}
    return bins


def compare(
    connection: Connection, there: Iterable[Place]
) -> tuple[set[str], list[Finding]]:
    """Return all runs at these places, and what is out of its bin among them."""
    judged, findings = set[str](), list[Finding]()
    for some in batched(sorted(there)):
        placed = _placed(connection, tuple_(_WORKED, run.c.workload).in_(some))
        judged |= {item.run for item in placed}
        findings += bin_rule.findings(placed)
    return judged, findings


def beside(connection: Connection, digests: Sequence[str]) -> set[str]:
    """Return the sources of runs in the same places as these, which may be judged
    otherwise without them.
    """
    others = set[str]()
    for some in batched(sorted(places(connection, digests))):
        query = (
            select(run.c.source)
            .join_from(run, machine, run.c.machine == machine.c.digest)
            .join(chip, machine.c.chip == chip.c.digest)
            .where(tuple_(_WORKED, run.c.workload).in_(some), *_COUNTS)
            .distinct()
        )
        others |= set(connection.scalars(query)) - {None}
    return others


def _placed(
    connection: Connection, which: ColumnElement[bool]
) -> list[bin_rule.Placed]:
    query = (
        select(
            run.c.digest,
            # Sources that tell the same little of their machines speak of several.
            (run.c.machine + source.c.slug).label("machine"),
            value.c.metric,
            value.c.value,
            type_coerce(run.c.parameters, Text).label("parameters"),
            *_CELL,
        )
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .join(source, run.c.source == source.c.digest)
        .join(value, value.c.run == run.c.digest)
        .where(which, *_COUNTS, value.c.metric.in_((*TIMES, *RATES)), value.c.value > 0)
        .order_by(run.c.digest)
    )
    placed = []
    for digest, who, metric, figure, parameters, *cell in connection.execute(query):
        work = divided(cell[2], parameters)[0]
        placed.append(bin_rule.Placed(digest, who, metric, figure, (*cell, work)))
    return placed


def beyond_ceilings(
    connection: Connection, digests: Sequence[str]
) -> tuple[set[str], list[Finding]]:
    """Return what was beyond a ceiling where these runs were collected, and what is."""
    there = set[Place]()
    where = _collected(_WORKED.label("worked"), run.c.workload).distinct()
    for some in batched(digests):
        rows = connection.execute(where.where(run.c.digest.in_(some)))
        there |= {(row.worked, row.workload) for row in rows}
    judged, findings = set[str](), list[Finding]()
    ids = func.count(machine.c.anonymous_id.distinct())
    for place in sorted(there):
        at = tuple_(_WORKED, run.c.workload).in_([place])
        flagged = select(finding.c.run).where(finding.c.code == bin_rule.CODE)
        before = _collected(run.c.digest).where(at, run.c.digest.in_(flagged))
        judged |= set(connection.scalars(before))
        if (connection.scalar(_collected(ids).where(at)) or 0) > bin_rule.MACHINES:
            findings += _beyond(connection, at)
    return judged, findings


def _collected(*columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .select_from(run)
        .join(machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .where(*_COLLECTED)
    )


def _beyond(connection: Connection, at: ColumnElement[bool]) -> Iterator[Finding]:
    """Yield the figures beyond the ceilings of their bins, all of them at a place."""
    figure = value.c.value
    named = value.c.metric.in_(_CEILED), figure > 0, ~is_withdrawn(run.c.digest), at
    key = machine.c.anonymous_id, value.c.metric, *_MEASURED_CELL

    def there(*columns: Any) -> Select[Any]:
        query = _collected(*columns).join(value, value.c.run == run.c.digest)
        return query.where(*named)

    best = defaultdict[tuple[Any, ...], dict[str, float]](dict)
    query = there(*key, func.min(figure), func.max(figure)).group_by(*key)
    for who, metric, *cell, low, high in connection.execute(query):
        best[metric, *cell][who] = low if metric in TIMES else high
    for (metric, *cell), machines in best.items():
        for who, ceiling in bin_rule.ceilings(metric, machines).items():
            limit = ceiling.limit
            out = figure < limit if metric in TIMES else figure > limit
            facts = zip(key, (who, metric, *cell), strict=True)
            same = [column.is_not_distinct_from(fact) for column, fact in facts]
            detail = ceiling.detail(machines[who])
            for digest in connection.scalars(there(run.c.digest).where(out, *same)):
                yield Finding(digest, bin_rule.CODE, metric, detail)
