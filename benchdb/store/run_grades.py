"""Grade stored runs: the processes of a cell and campaign are judged together.

A gate that failed in one process disqualifies all of its session: they share the clock
and the state that it failed in. It disqualifies as well the other sessions of the
campaign in which no process passed it: some gates only the first process looks at.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import median, quantiles
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    and_,
    or_,
    select,
    type_coerce,
)

from benchdb.exchange.packing import readable
from benchdb.grading import (
    Grade,
    ProcessFacts,
    gates,
    grade,
    is_impossible,
    load_per_cpu,
    step_of,
)
from benchdb.sessions import Process, Session, sessions
from benchdb.steps import Step
from benchdb.store import gpu_selection
from benchdb.store.hearsay import shipped_runs
from benchdb.store.newest import SPELLED
from benchdb.store.retractions import withdrawn
from benchdb.store.tables import finding, flag, run, samples, value
from benchdb.store.vouching import vouched

# Alike in all of these and in their environments, runs are processes of one cell in one
# campaign.
_CELL = (*SPELLED, run.c.label, run.c.tier, run.c.campaign)
_FACTS = (
    *(run.c.digest, run.c.environment, run.c.replicate, run.c.status),
    *(run.c.started, run.c.ended),
    *(run.c.checks, run.c.conditions_before, run.c.conditions_after),
)
# The value of a process: the first of these that any of them has.
_SECONDS = (
    "step_seconds",
    "operation_seconds",
    "epoch_seconds",
    "script_wall_seconds",
)

# Figures of others that nothing speaks against: what is published without a campaign is
# no process of anything else.
_PUBLISHED = and_(
    run.c.campaign.is_(None),
    run.c.label != "measured",
    run.c.status == "ok",
    type_coerce(run.c.checks, Text) == "{}",
    *(run.c.digest.not_in(select(table.c.run)) for table in (flag, finding)),
)

_Rows = Sequence[Row[Any]]
_Judged = list[tuple[str, ProcessFacts]]
_AT_ONCE = 500  # runs whose evidence is asked for together


class _Evidence(NamedTuple):
    """What else is stored of runs: seconds by metric, spread of their blocks, flags."""

    seconds: Mapping[str, Mapping[str, float]]
    iqr_percent: Mapping[str, float | None]
    flags: Mapping[str, Sequence[tuple[str, str | None]]]


class Graded(NamedTuple):
    """What a run rests on: its grade, its session, whether its samples are there.

    There is no grade, and no *step* of the ladder, where there is no figure to judge.
    """

    grade: Grade | None
    session: Session
    sampled: bool
    step: Step | None = None


def grade_of(connection: Connection, digest: str) -> Grade | None:
    """Return the grade of the cell that the run *digest* is a process of."""
    return grades(connection, _only(digest))[digest].grade


def processes_of(connection: Connection, digest: str) -> tuple[ProcessFacts, ...]:
    """Return the processes that the grade of *digest* rests on, itself among them."""
    groups, known = _groups(connection, _with_campaigns(_only(digest)))
    group = next(some for some in groups if any(row.digest == digest for row in some))
    return next(
        tuple(facts for _, facts in judged)
        for judged in _judged_together(group, known, _evidence(connection, group))
        if any(name == digest for name, _ in judged)
    )


def grades(connection: Connection, among: Select[Any]) -> dict[str, Graded]:
    """Return the grade and the session of each run *among* these digests.

    All processes of their cells have a say, those that are not among them as well.
    """
    letters: dict[str, Grade | None] = {}
    steps: dict[str, Step] = {}
    kept = select(samples.c.run).where(samples.c.run.in_(among))
    sampled = set(connection.scalars(kept).all())
    groups, known = _groups(connection, and_(_with_campaigns(among), ~_PUBLISHED))
    rest = and_(run.c.digest.in_(among), ~_PUBLISHED)
    asked = set(connection.scalars(select(run.c.digest).where(rest)).all())
    for name, own, session in _published(connection, among):
        known[name] = session
        asked.add(name)
        if own:
            letters[name], steps[name] = _of_others(*own, sampled=name in sampled)
    ours = [
        group for group in groups if not asked.isdisjoint([row.digest for row in group])
    ]
    for some in _batched(ours):
        evidence = _evidence(connection, [row for group in some for row in group])
        for group in some:
            for judged in _judged_together(group, known, evidence):
                letter = grade([facts for _, facts in judged])
                letters |= {name: letter for name, _ in judged}
                steps |= {
                    name: step_of(facts, sampled=name in sampled)
                    for name, facts in judged
                    if name in asked and facts.status == "ok"
                }
    steps |= vouched(connection, steps)
    return {
        name: Graded(letters.get(name), place, name in sampled, steps.get(name))
        for name, place in known.items()
        if name in asked
    }


def _batched(groups: Sequence[_Rows]) -> Iterator[list[_Rows]]:
    """Yield as many groups at a time as the evidence of is asked for at once."""
    batch: list[_Rows] = []
    for group in groups:
        batch.append(group)
        if sum(map(len, batch)) >= _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _only(digest: str) -> Select[Any]:
    return select(run.c.digest).where(run.c.digest == digest)


def _with_campaigns(among: Select[Any]) -> ColumnElement[bool]:
    asked = run.c.digest.in_(among)
    campaigns = select(run.c.campaign).where(asked)
    # What was measured without a campaign may be processes of one cell all the same.
    alone = (run.c.campaign.is_(None), run.c.label == "measured")
    machines = select(run.c.machine).where(asked, *alone)
    beside = and_(run.c.machine.in_(machines), *alone)
    return or_(asked, run.c.campaign.in_(campaigns), beside)


def _published(
    connection: Connection, among: Select[Any]
) -> Iterator[tuple[str, tuple[str, str] | None, Session]]:
    """Yield digest, label and device, and session of figures of others *among* these.

    Nothing speaks against them; what is withdrawn has neither label nor device. Most
    runs are of this kind, and each is a cell and a session of its own.
    """
    query = select(run.c.digest, run.c.label, run.c.device, run.c.conditions_before)
    asked = and_(run.c.digest.in_(among), _PUBLISHED)
    gone = withdrawn(connection)
    for name, label, device, before in connection.execute(query.where(asked)).all():
        own = None if name in gone else (label, device)
        yield name, own, Session(name, load_per_cpu(before) if before else None)


def _groups(
    connection: Connection, among: ColumnElement[bool]
) -> tuple[list[_Rows], dict[str, Session]]:
    """Return the runs of each cell of a campaign, and the sessions of all runs."""
    query: Select[Any] = select(*_CELL, *_FACTS).where(among).order_by(run.c.digest)
    rows, shipped = connection.execute(query).all(), shipped_runs()
    known = sessions(
        Process(
            digest=row.digest,
            # A stranger who knows a campaign's name adds nothing to mine, and spoils
            # no session of what benchdb ships.
            machine=f"{row.machine} {row.mine} {row.digest in shipped}"
            if row.campaign is not None
            else "",
            campaign=row.campaign,
            started=row.started,
            ended=row.ended,
            before=row.conditions_before,
        )
        for row in rows
    )
    same = gpu_selection.same_environments(connection)
    gone = withdrawn(connection)
    groups: defaultdict[tuple[object, ...], list[Row[Any]]] = defaultdict(list)
    for row in rows:
        if row.digest in gone:  # it speaks neither for nor against the others
            continue
        environment = same.get(row.environment, row.environment)
        whose = environment, row.digest in shipped
        # What is published without a campaign is no process of anything else.
        alone = row.campaign is None and row.label != "measured"
        own = (row.digest,) if alone else row[: len(_CELL)]
        groups[*whose, *own].append(row)
    return list[_Rows](groups.values()), known


@cache  # as thousands have it
def _of_others(label: str, device: str, *, sampled: bool) -> tuple[Grade | None, Step]:
    """Return grade and step of a figure of others that nothing speaks against."""
    facts = ProcessFacts("ok", label, device)
    return grade([facts]), step_of(facts, sampled=sampled)


def _judged_together(
    group: _Rows, known: Mapping[str, Session], evidence: _Evidence
) -> list[_Judged]:
    """Return what is judged together: the sound sessions, and each other by itself.

    One that is not sound for what another failed is judged with that.
    """
    judged: defaultdict[str, _Judged] = defaultdict(list)
    for name, facts in _processes(group, known, evidence):
        judged[known[name].name].append((name, facts))
    if len(judged) < 2:
        return [*judged.values()]
    groups = {
        name: [process_facts for _, process_facts in members]
        for name, members in judged.items()
    }
    failed = {name for name in judged if is_impossible(groups[name])}
    tainted = {
        name: judged[bad] + judged[name]
        for bad in sorted(failed)
        for name in judged
        if name not in failed
        and gates(groups[bad], "failed") - gates(groups[name], "passed")
    }
    unsound = failed | tainted.keys()
    sound = [pair for name in judged if name not in unsound for pair in judged[name]]
    alone = (judged[name] for name in judged if name in failed)
    return [*([sound] if sound else []), *alone, *tainted.values()]


def _processes(
    group: _Rows, known: Mapping[str, Session], evidence: _Evidence
) -> _Judged:
    """Return what is known of each run, without those that were measured again.

    To measure again undoes no gate that failed.
    """
    again = {row.replicate for row in group if row.status == "ok"} - {None}
    rows = [
        row
        for row in group
        if row.status == "ok" or row.replicate not in again or _gate_failed(row)
    ]
    rows.sort(key=lambda row: (row.replicate is None, row.replicate or 0, row.digest))
    seconds = _seconds(rows, evidence)
    return [
        (
            row.digest,
            ProcessFacts(
                status=row.status,
                label=row.label,
                device=row.device,
                tier=row.tier,
                seconds=seconds.get(row.digest),
                iqr_percent=evidence.iqr_percent.get(row.digest),
                load_per_cpu=known[row.digest].load,
                checks=row.checks,
                before=row.conditions_before,
                after=row.conditions_after,
                flags=tuple(evidence.flags.get(row.digest, ())),
            ),
        )
        for row in rows
    ]


def _gate_failed(row: Row[Any]) -> bool:
    facts = ProcessFacts(row.status, row.label, row.device, checks=row.checks)
    return bool(gates([facts], "failed"))


def _evidence(connection: Connection, rows: _Rows) -> _Evidence:
    """Return what is stored of the runs *rows* beside themselves."""
    digests = [row.digest for row in rows]
    query = select(value.c.run, value.c.metric, value.c.value).where(
        value.c.run.in_(digests), value.c.metric.in_(_SECONDS), value.c.value > 0
    )
    seconds: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for name, metric, figure in connection.execute(query).all():
        seconds[metric][name] = figure
    packed = select(samples.c.run, samples.c.packed).where(samples.c.run.in_(digests))
    return _Evidence(
        seconds,
        {name: _iqr_percent(some) for name, some in connection.execute(packed)},
        _flags(connection, digests),
    )


def _seconds(rows: _Rows, evidence: _Evidence) -> dict[str, float]:
    """Return the value of each process, in the first metric that any of them has."""
    for metric in _SECONDS:
        there = evidence.seconds.get(metric, {})
        values = {row.digest: there[row.digest] for row in rows if row.digest in there}
        if values:
            return values
    return {}


def _flags(
    connection: Connection, digests: Sequence[str]
) -> dict[str, list[tuple[str, str | None]]]:
    """Return the doubts about each run: those that it bears, and those found later."""
    borne, later = (
        select(*(table.c[name] for name in ("run", "code", "metric")))
        .where(table.c.run.in_(digests))
        .order_by(order)
        for table, order in ((flag, flag.c.position), (finding, finding.c.code))
    )
    groups: dict[str, list[tuple[str, str | None]]] = {}
    for query in (borne, later):
        for name, code, metric in connection.execute(query).all():
            groups.setdefault(name, []).append((code, metric or None))
    return groups


def _iqr_percent(packed: bytes) -> float | None:
    """Return the interquartile range of the measured blocks in % of their median."""
    measured = [s for s in readable(packed) if s.phase == "measure"]
    steps = [time / s.per for s in measured for time in s.values]
    if len(steps) < 4 or median(steps) <= 0:
        return None
    low, middle, high = quantiles(steps, n=4, method="inclusive")
    return 100 * (high - low) / middle
