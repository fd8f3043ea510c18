"""Grade stored runs: the processes of a cell and campaign are judged together.

A gate that failed in one process disqualifies all of its session: they share the clock
and the state that it failed in. The other sessions of the campaign are judged alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, quantiles
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select

from benchdb import cell
from benchdb.exchange.packing import unpack
from benchdb.grading import FORGED, Grade, ProcessFacts, grade, is_impossible
from benchdb.sessions import Process, Session, sessions
from benchdb.sorted_json import sorted_json
from benchdb.store import cards
from benchdb.store.hearsay import shipped_runs
from benchdb.store.tables import finding, flag, run, samples, value

# Alike in all of these and in their environments, runs are processes of one cell in one
# campaign.
_CELL = (*cell.COLUMNS, "label", "tier", "campaign")
_FACTS = (
    *("digest", "environment", "replicate", "status", "started", "ended"),
    *("checks", "conditions_before", "conditions_after"),
)
# The value of a process: the first of these that any of them has.
_SECONDS = (
    "step_seconds",
    "operation_seconds",
    "epoch_seconds",
    "script_wall_seconds",
)

_Rows = Sequence[Row[Any]]
_Judged = list[tuple[str, ProcessFacts]]


class Graded(NamedTuple):
    """What a run rests on: its grade, its session, whether its samples are there.

    There is no grade where there is no figure to judge.
    """

    grade: Grade | None
    session: Session
    sampled: bool


def grade_of(connection: Connection, digest: str) -> Grade | None:
    """Return the grade of the cell that the run *digest* is a process of."""
    return grades(connection, _only(digest))[digest].grade


def processes_of(connection: Connection, digest: str) -> tuple[ProcessFacts, ...]:
    """Return the processes that the grade of *digest* rests on, itself among them."""
    return next(
        tuple(facts for _, facts in judged)
        for group, known in _groups(connection, _only(digest))
        if any(row.digest == digest for row in group)
        for judged in _judged_together(connection, group, known)
        if any(name == digest for name, _ in judged)
    )


def grades(connection: Connection, among: Select[Any]) -> dict[str, Graded]:
    """Return the grade and the session of each run *among* these digests.

    All processes of their cells have a say, those that are not among them as well.
    """
    asked = set(connection.scalars(among))
    doubtful = _doubtful(connection, among)
    letters: dict[str, Grade | None] = {}
    places: dict[str, Session] = {}
    for group, known in _groups(connection, among):
        wanted = [row.digest for row in group if row.digest in asked]
        places |= {name: known[name] for name in wanted}
        if wanted and _is_published(group, doubtful):
            # Queries for each of a hundred thousand imported runs would take minutes.
            letter = grade([ProcessFacts("ok", group[0].label, group[0].device)])
            letters |= dict.fromkeys(wanted, letter)
        elif wanted:
            for judged in _judged_together(connection, group, known):
                letter = grade([facts for _, facts in judged])
                letters |= {name: letter for name, _ in judged}
    kept = select(samples.c.run).where(samples.c.run.in_(among))
    sampled = set(connection.scalars(kept))
    return {
        name: Graded(letters.get(name), place, name in sampled)
        for name, place in places.items()
    }


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


def _groups(
    connection: Connection, among: Select[Any]
) -> Iterator[tuple[_Rows, Mapping[str, Session]]]:
    """Yield the runs of each cell of a campaign, with the sessions of all runs."""
    columns = [run.c[name] for name in (*_CELL, *_FACTS)]
    query = select(*columns).where(_with_campaigns(among)).order_by(run.c.digest)
    rows = connection.execute(query).all()
    beside = _strangers(connection)
    known = sessions(
        Process(
            digest=row.digest,
            # A stranger who knows a campaign's name adds nothing to mine, and spoils
            # no session of what benchdb ships.
            machine=f"{row.machine} {row.mine} {row.digest in beside}",
            campaign=row.campaign,
            started=row.started,
            ended=row.ended,
            before=row.conditions_before,
        )
        for row in rows
    )
    same = cards.alike(connection)
    groups: defaultdict[tuple[object, ...], list[Row[Any]]] = defaultdict(list)
    for row in rows:
        environment = same.get(row.environment, row.environment)
        groups[environment, *map(_hashable, row[: len(_CELL)])].append(row)
    for group in groups.values():
        yield group, known


def _strangers(connection: Connection) -> set[str]:
    """Return the runs that cannot be true, less those that benchdb ships."""
    query = select(finding.c.run).where(finding.c.code.in_(sorted(FORGED)))
    doubted = set(connection.scalars(query))
    return doubted - shipped_runs() if doubted else doubted


def _hashable(fact: object) -> object:
    # Some have JSON in them, which cannot be a key.
    return sorted_json(fact) if isinstance(fact, dict | list) else fact


def _doubtful(connection: Connection, among: Select[Any]) -> set[str]:
    """Return the runs that anything speaks against."""
    those = _with_campaigns(among)
    return {
        digest
        for table in (flag, finding)
        for digest in connection.scalars(
            select(table.c.run).join(run, run.c.digest == table.c.run).where(those)
        )
    }


def _is_published(group: _Rows, doubtful: set[str]) -> bool:
    """Tell whether these are figures of others, and nothing speaks against them."""
    return group[0].label != "measured" and all(
        row.status == "ok" and not row.checks and row.digest not in doubtful
        for row in group
    )


def _judged_together(
    connection: Connection, group: _Rows, known: Mapping[str, Session]
) -> list[_Judged]:
    """Return what is judged together: the sound sessions, and each other by itself."""
    judged: defaultdict[str, _Judged] = defaultdict(list)
    for name, facts in _processes(connection, group, known):
        judged[known[name].name].append((name, facts))
    impossible = {
        name
        for name, members in judged.items()
        if is_impossible([facts for _, facts in members])
    }
    sound = [one for name in judged if name not in impossible for one in judged[name]]
    return [*([sound] if sound else []), *(judged[name] for name in impossible)]


def _processes(
    connection: Connection, group: _Rows, known: Mapping[str, Session]
) -> _Judged:
    """Return what is known of each run, without those that were measured again."""
    again = {row.replicate for row in group if row.status == "ok"} - {None}
    rows = [row for row in group if row.status == "ok" or row.replicate not in again]
    rows.sort(key=lambda row: (row.replicate is None, row.replicate or 0, row.digest))
    digests = [row.digest for row in rows]
    seconds, packed = _seconds(connection, digests), _samples(connection, digests)
    flags = _flags(connection, digests)
    return [
        (
            row.digest,
            ProcessFacts(
                status=row.status,
                label=row.label,
                device=row.device,
                tier=row.tier,
                seconds=seconds.get(row.digest),
                iqr_percent=_iqr_percent(packed.get(row.digest)),
                load_per_cpu=known[row.digest].load,
                checks=row.checks,
                before=row.conditions_before,
                after=row.conditions_after,
                flags=tuple(flags.get(row.digest, ())),
            ),
        )
        for row in rows
    ]


def _samples(connection: Connection, digests: Sequence[str]) -> dict[str, bytes]:
    query = select(samples.c.run, samples.c.packed).where(samples.c.run.in_(digests))
    return {row.run: row.packed for row in connection.execute(query)}


def _seconds(connection: Connection, digests: Sequence[str]) -> dict[str, float]:
    query = select(value.c.run, value.c.metric, value.c.value).where(
        value.c.run.in_(digests), value.c.metric.in_(_SECONDS), value.c.value > 0
    )
    found: dict[str, dict[str, float]] = {}
    for row in connection.execute(query):
        found.setdefault(row.metric, {})[row.run] = row.value
    return next((found[metric] for metric in _SECONDS if metric in found), {})


def _flags(
    connection: Connection, digests: Sequence[str]
) -> dict[str, list[tuple[str, str | None]]]:
    """Return the doubts about each run: those that it bears, and those found later."""
    borne = select(flag).where(flag.c.run.in_(digests)).order_by(flag.c.position)
    later = select(finding).where(finding.c.run.in_(digests)).order_by(finding.c.code)
    found: dict[str, list[tuple[str, str | None]]] = {}
    for query in (borne, later):
        for row in connection.execute(query):
            found.setdefault(row.run, []).append((row.code, row.metric or None))
    return found


def _iqr_percent(packed: bytes | None) -> float | None:
    """Return the interquartile range of the measured blocks in % of their median."""
    series = unpack(packed) if packed is not None else ()
    steps = [t / s.per for s in series if s.phase == "measure" for t in s.values]
    if len(steps) < 4 or median(steps) <= 0:
        return None
    low, middle, high = quantiles(steps, n=4, method="inclusive")
    return 100 * (high - low) / middle
