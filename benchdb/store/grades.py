"""Grade stored runs: all processes of a run's cell and campaign, judged together."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, select

from benchdb.exchange.packing import unpack
from benchdb.grading import Grade, ProcessFacts, grade
from benchdb.grading_state import load_per_cpu
from benchdb.store import cards
from benchdb.store.tables import finding, flag, run, samples, value

# Alike in all of these and in their environments, runs are processes of one cell in one
# campaign.
CELL = (
    "machine",
    "source",
    "label",
    "workload",
    "workload_version",
    "setting",
    "framework",
    "device",
    "precision",
    "compiler",
    "parameters",
    "tier",
    "campaign",
    "mine",
)
# The value of a process: the first of these that any of them has.
_SECONDS = (
    "step_seconds",
    "operation_seconds",
    "epoch_seconds",
    "script_wall_seconds",
)
# By then a load average over one minute has forgotten what ran before.
_FORGOTTEN = timedelta(minutes=3)


def _alike(names: Iterable[str], other: Any) -> ColumnElement[bool]:
    """Return the condition that a run and *other* are equal in these columns."""
    return and_(
        *(
            run.c[name].is_not_distinct_from(other.c[name])
            if run.c[name].nullable
            else run.c[name] == other.c[name]
            for name in names
        )
    )


_ASKED = run.alias("asked")
_PROCESSES = (
    select(run, samples.c.packed)
    .join_from(_ASKED, run, _alike(CELL, _ASKED))
    .outerjoin(samples, samples.c.run == run.c.digest)
    .where(_ASKED.c.digest == bindparam("asked"))
    .order_by(run.c.replicate.nulls_last(), run.c.digest)
)
# All that the machine measured in the campaign, whatever the cell.
_CAMPAIGN = (
    select(run.c.digest, run.c.started, run.c.ended, run.c.conditions_before)
    .where(run.c.machine == bindparam("machine"))
    .where(run.c.campaign.is_not_distinct_from(bindparam("campaign")))
    .where(run.c.mine == bindparam("mine"))
    .order_by(run.c.started, run.c.digest)
)


_Campaign = tuple[str, str | None, bool]  # on which machine, its name, whether mine


class Grades:
    """The grades of runs in a database; what cells have in common is asked once."""

    def __init__(self, connection: Connection) -> None:
        """Grade runs that *connection* reads."""
        self._connection = connection
        self._same = cards.alike(connection)
        self._loads: dict[_Campaign, dict[str, float | None]] = {}

    def of(self, digest: str) -> Grade | None:
        """Return the grade of the cell that the run *digest* is a process of."""
        return grade(self.processes(digest))

    def processes(self, digest: str) -> tuple[ProcessFacts, ...]:
        """Return the processes of the run's cell and campaign, itself among them.

        One that did not finish is left out where it was measured again.
        """
        rows = self._cell(digest)
        again = {row.replicate for row in rows if row.status == "ok"} - {None}
        kept = [row for row in rows if row.status == "ok" or row.replicate not in again]
        digests = [row.digest for row in kept]
        seconds = _seconds(self._connection, digests)
        flags = _flags(self._connection, digests)
        loads = self._campaign((rows[0].machine, rows[0].campaign, rows[0].mine))
        return tuple(
            ProcessFacts(
                status=row.status,
                label=row.label,
                device=row.device,
                tier=row.tier,
                seconds=seconds.get(row.digest),
                iqr_percent=_iqr_percent(row.packed),
                load_per_cpu=loads.get(row.digest),
                checks=row.checks,
                before=row.conditions_before,
                after=row.conditions_after,
                flags=tuple(flags.get(row.digest, ())),
            )
            for row in kept
        )

    def environment(self, digest: str) -> str:
        """Return the environment that stands for all that are like *digest*."""
        return self._same.get(digest, digest)

    def _cell(self, digest: str) -> list[Row[Any]]:
        rows = self._connection.execute(_PROCESSES, {"asked": digest}).all()
        own = next(row.environment for row in rows if row.digest == digest)
        wanted = self.environment(own)
        return [row for row in rows if self.environment(row.environment) == wanted]

    def _campaign(self, key: _Campaign) -> dict[str, float | None]:
        """Return the load that each run of a campaign found, as ``_loads`` tells."""
        if key not in self._loads:
            named = dict(zip(("machine", "campaign", "mine"), key, strict=True))
            self._loads[key] = _loads(self._connection.execute(_CAMPAIGN, named))
        return self._loads[key]


def _loads(rows: Iterable[Row[Any]]) -> dict[str, float | None]:
    """Return the load that each run found, where it is not that of our own runs.

    A run shortly after another is given what the first in the row of them found.
    """
    loads: dict[str, float | None] = {}
    found, until = None, None
    for row in rows:
        own, started = load_per_cpu(row.conditions_before), _time(row.started)
        loads[row.digest] = own
        if started is None:
            continue
        if until is None or started - until > _FORGOTTEN:
            found, until = own, started
        if own is not None and found is not None:
            loads[row.digest] = min(own, found)
        until = max(until, _time(row.ended) or started)
    return loads


def _time(printed: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(printed or "")
    except ValueError:
        return None  # a stranger's way to write it
    return time if time.tzinfo else time.replace(tzinfo=UTC)


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
