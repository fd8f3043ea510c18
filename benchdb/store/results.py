"""Results: the figure of each cell and session, for whoever asks in SQL.

Each run has a row that names the run which stands for it: the first process of its cell
in its session. That one's row has the figure, as a report tells it of that session.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Table,
    delete,
    func,
    or_,
    select,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.metric_kinds import headlines, listed
from benchdb.statistics.comparison import Estimate
from benchdb.steps import lowest
from benchdb.store import bulk_load, newest
from benchdb.store.bulk_load import batched, delete_keys
from benchdb.store.places import Places, chip_at_work, is_known
from benchdb.store.pooling import average, by_session, is_usable, pooled
from benchdb.store.replications import confirmed
from benchdb.store.run_facts import Around, Figure, KnownRun, around, known_runs
from benchdb.store.tables import WITHDRAWN, Digest, result, run
from benchdb.titles import system_title

_TOGETHER = 1000  # runs whose results are made at once; more where they are one lot
_LARGEST = 2**63
_MOST = 5000  # runs of one work; of more, only linked ones are held together
_WORK = (run.c.workload, run.c.framework, run.c.device)
_AFFECTED = Table(
    "benchdb_affected",
    MetaData(),
    Column("digest", Digest, primary_key=True),
    prefixes=["TEMPORARY"],
)

Row = tuple[Any, ...]
Known = TypeVar("Known", bound=KnownRun)


class Lot(NamedTuple):
    """Runs that decide together which results there are of them.

    That is a campaign; without any, the runs of one source and workload on a machine.
    """

    campaign: str | None
    source: str | None = None
    machine: str | None = None
    workload: str | None = None

    @classmethod
    def of(cls, campaign: str | None, *others: str | None) -> "Lot":
        """Return the lot of a run from its columns ``LOT``."""
        return cls(None, *others) if campaign is None else cls(campaign)


LOT = tuple(run.c[name] for name in Lot._fields)
_LABEL = run.c.keys().index("label")
_work_of = itemgetter(*(run.c.keys().index(column.name) for column in _WORK))
_lot_of = itemgetter(*(run.c.keys().index(name) for name in Lot._fields))


class Changes:
    """What is written in a transaction, until the results follow from it anew.

    ``begin`` comes before the first row is written or taken away.
    """

    def __init__(self, connection: Connection) -> None:
        """Look into the database only when rows come."""
        self._connection = connection
        self._before: Places | None = None
        self._lots: set[Lot] = set()
        self._works: set[Row] = set()

    def begin(self) -> None:
        """Remember which machines are the same."""
        if self._before is None:
            self._before = Places(self._connection)

    def note(self, runs: Iterable[Sequence[Any]]) -> None:
        """Take in rows of *runs* that are new."""
        for row in runs:
            self._lots.add(Lot.of(*_lot_of(row)))
            if row[_LABEL] == "measured":
                self._works.add(_work_of(row))

    def touch(self, runs: Iterable[str]) -> None:
        """Take in *runs* by their digests: what is found in them has changed."""
        for some in batched(sorted(set(runs))):
            self._add(run.c.digest.in_(some))

    def _add(self, which: ColumnElement[bool]) -> None:
        query = select(run.c.label, *_WORK, *LOT).where(which).distinct()
        for label, *facts in self._connection.execute(query):
            self._lots.add(Lot.of(*facts[len(_WORK) :]))
            if label == "measured":
                self._works.add(tuple(facts[: len(_WORK)]))

    def refresh(self) -> None:
        """Let the results follow from what was written, and forget what that was."""
        if self._before is None:
            return
        surroundings = around(self._connection)
        moved = self._before.moved(surroundings.places)
        for some in batched(sorted(moved)):
            self._add(run.c.machine.in_(some))
        works = sorted(self._works)
        raised = _replicated(self._connection, works, surroundings)
        # Whose own runs stay may be measured again elsewhere, or not any more.
        self.touch(raised ^ _raised_before(self._connection, works))
        _refresh(self._connection, self._lots, surroundings, raised)
        self._before, self._lots, self._works = None, set(), set()


@contextmanager
def following(connection: Connection) -> Iterator[Changes]:
    """Let the results follow from what is decided inside about machines or runs."""
    changes = Changes(connection)
    changes.begin()
    yield changes
    changes.refresh()


def renew(connection: Connection) -> None:
    """Make all results anew."""
    connection.execute(delete(result))
    rows = connection.execute(select(*LOT).distinct())
    lots, surroundings = {Lot.of(*row) for row in rows}, around(connection)
    done = select(*_WORK).where(run.c.label == "measured").distinct()
    works = sorted(tuple(row) for row in connection.execute(done))
    raised = _replicated(connection, works, surroundings)
    _refresh(connection, lots, surroundings, raised)


def _replicated(
    connection: Connection, works: Iterable[Row], surroundings: Around
) -> set[str]:
    """Return the runs that somebody known here measured again on another machine."""
    texts = set[str]()
    for done in _measured(works):
        among = select(run.c.digest).where(*done)
        count = select(func.count()).select_from(run).where(*done)
        if (connection.scalar(count) or 0) > _MOST:
            other = run.alias()
            linked = select(other.c.campaign).where(other.c.reproduces.is_not(None))
            own = select(other.c.reproduces).where(other.c.reproduces.is_not(None))
            among = among.where(or_(run.c.campaign.in_(linked), run.c.digest.in_(own)))
        texts |= confirmed(connection, among, surroundings)
    return texts


def replicated(connection: Connection) -> set[str]:
    """Return the runs of the results that were measured again elsewhere."""
    own = result.alias()
    query = select(own.c.run).join(result, result.c.run == own.c.first)
    return set(connection.scalars(query.where(result.c.trust == "replicated")))


def _raised_before(connection: Connection, works: Iterable[Row]) -> set[str]:
    texts = set[str]()
    own = result.alias()
    for done in _measured(works):
        query = select(own.c.run).join(result, result.c.run == own.c.first)
        query = query.join(run, run.c.digest == own.c.run)
        raised = result.c.trust == "replicated"
        texts.update(connection.scalars(query.where(raised, *done)))
    return texts


def _measured(works: Iterable[Row]) -> Iterator[list[ColumnElement[bool]]]:
    for work in works:
        alike = [column == fact for column, fact in zip(_WORK, work, strict=True)]
        yield [run.c.label == "measured", run.c.status == "ok", *alike]


def _refresh(
    connection: Connection, lots: set[Lot], surroundings: Around, raised: set[str]
) -> None:
    if not lots:
        return
    connection.execute(CreateTable(_AFFECTED))
    turned = set[str]()
    for some in _together(connection, lots):
        connection.execute(delete(_AFFECTED))
        bulk_load.insert(connection, _AFFECTED, [(digest,) for digest in some])
        affected = select(_AFFECTED.c.digest)
        known = list(known_runs(connection, affected, listed(), surroundings))
        query = select(result).where(result.c.run.in_(affected))
        there = {tuple(row) for row in connection.execute(query)}
        wanted = set(results(known, raised))
        turned |= {row[0] for row in there if row[-1]} ^ {
            row[0] for row in wanted if row[-1]
        }
        delete_keys(connection, result.c.run, [row[0] for row in there - wanted])
        if new := sorted(wanted - there, key=itemgetter(0)):
            bulk_load.insert(connection, result, new)
    connection.execute(DropTable(_AFFECTED))
    _follow(connection, sorted(turned))


def _follow(connection: Connection, turned: Sequence[str]) -> None:
    """Let what else counts runs follow from what is withdrawn, or is not any more."""
    places = set[Row]()
    for some in batched(turned):
        query = select(run.c.machine, run.c.workload).where(run.c.digest.in_(some))
        places.update(tuple(row) for row in connection.execute(query.distinct()))
    newest.renew_at(connection, sorted(places))
    from benchdb.store import findings  # noqa: PLC0415  who only reads judges nothing

    findings.compare(connection, turned)


def _together(connection: Connection, lots: set[Lot]) -> Iterator[list[str]]:
    """Yield the digests of the runs of *lots*, several lots at a time, each whole."""
    pending: list[str] = []
    for digests in _digests(connection, lots):
        pending += digests
        if len(pending) >= _TOGETHER:
            yield pending
            pending = []
    if pending:
        yield pending


def _digests(connection: Connection, lots: set[Lot]) -> Iterator[list[str]]:
    """Yield the digests of the runs of each lot."""
    campaigns = sorted(lot.campaign for lot in lots if lot.campaign is not None)
    for some in batched(campaigns):
        query = select(run.c.campaign, run.c.digest).where(run.c.campaign.in_(some))
        rows = connection.execute(query.order_by(run.c.campaign)).all()
        for _, group in groupby(rows, itemgetter(0)):
            yield [digest for _, digest in group]
    for _, source, machine, workload in (lot for lot in lots if lot.campaign is None):
        yield [
            *connection.scalars(
                select(run.c.digest).where(
                    run.c.machine == machine,
                    run.c.workload == workload,
                    run.c.campaign.is_(None),
                    run.c.source.is_(None)
                    if source is None
                    else run.c.source == source,
                )
            )
        ]


def results(runs: Iterable[KnownRun], raised: Collection[str] = ()) -> Iterator[Row]:
    """Yield the row of each of *runs*, whole lots of which *raised* are replicated."""
    for metric, members in sessions(runs):
        first, *others = members
        facts, place = first.facts, first.place
        size = facts.whole("size")
        accelerator = chip_at_work(place) if is_known(place) else None
        figure, n = Estimate(0.0), None
        if metric is not None:
            values = [_value(member, metric) for member in members]
            figure, n = average(values), len(values)
        yield (
            facts.digest,
            facts.digest,
            place.machine,
            accelerator,
            system_title(accelerator, facts.device, facts.framework),
            size if size is not None and 0 <= size < _LARGEST else None,
            metric,
            None if metric is None else figure.value,
            figure.low,
            figure.high,
            n,
            max(
                (member.facts.grade for member in members if member.facts.grade),
                default=None,
            ),
            lowest(
                "replicated" if member.facts.digest in raised else member.facts.trust
                for member in members
            ),
            facts.status == WITHDRAWN,
        )
        nothing = (None,) * (len(result.columns) - 3)
        for known_run in others:
            yield (known_run.facts.digest, facts.digest, *nothing, False)


def sessions(runs: Iterable[Known]) -> Iterator[tuple[str | None, list[Known]]]:
    """Yield the processes of each cell and session, the first one first.

    With them comes the metric that a report shows of them before all others, ``None``
    where there is no figure. Whatever is no process of a campaign stands alone.
    """
    cells = defaultdict[object, list[Known]](list)
    for known_run in runs:
        facts = known_run.facts
        if facts.status == "ok" and facts.campaign is not None:
            # What is disqualified is in no measurement, and stands beside it.
            cells[facts.campaign, facts.disqualified, facts.cell].append(known_run)
        else:
            yield next(_names(known_run), None), [known_run]
    for members in cells.values():
        if len(members) == 1:
            yield next(_names(members[0]), None), members
        else:
            for metric, some in _by_headline(members):
                yield from ((metric, session) for session in by_session(some))


def _by_headline(
    members: Sequence[Known],
) -> Iterator[tuple[str | None, list[Known]]]:
    """Yield the processes of a cell and campaign that are together, by their headline.

    That is the first metric that all processes under like conditions have, if there is
    any.
    """
    together = defaultdict[tuple[str, object], list[Known]](list)
    pools = defaultdict[str, dict[str, object]](dict)
    for figures in (_first, _ranked):
        for number, (_, pairs) in enumerate(pooled(members, figures)):
            for member, figure in pairs:
                pools[member.facts.digest][figure.metric] = number
        if len(pools) == len(members):  # most have their first one in common
            break
        pools.clear()
    for member in members:
        if not (names := [*_names(member)]):
            yield None, [member]
            continue
        own = pools[member.facts.digest]
        metric = next((name for name in names if name in own), names[0])
        together[metric, own.get(metric, member.facts.alike)].append(member)
    yield from ((metric, some) for (metric, _), some in together.items())


def _first(known_run: KnownRun) -> Iterator[Figure]:
    return islice(_ranked(known_run), 1)


def _ranked(known_run: KnownRun) -> Iterator[Figure]:
    """Yield the figures of a run that may head it, the first choice first."""
    there = {figure.metric: figure for figure in known_run.figures if is_usable(figure)}
    order = headlines(known_run.facts.workload)
    return (there[name] for name in order if name in there)


def _names(known_run: KnownRun) -> Iterator[str]:
    return (figure.metric for figure in _ranked(known_run))


def _value(known_run: KnownRun, metric: str) -> float:
    return next(
        figure.value
        for figure in known_run.figures
        if figure.metric == metric and figure.value is not None
    )
