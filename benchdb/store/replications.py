"""What measured a cell again: the same machine for its own figure, and other machines.

A run may be linked to the run that it was started to reproduce; whoever measures the
same cell on a machine of the same chip class replicates it as well. A link is a claim:
it counts where both runs did the same work under the same conditions, but for versions,
system and driver, and their figures agree by ``statistics.agreement``.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Select,
    Table,
    func,
    insert,
    or_,
    select,
    tuple_,
    union,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.metric_kinds import headlines
from benchdb.statistics import spreads
from benchdb.statistics.agreement import Outcome, agreement
from benchdb.statistics.comparison import Sample, Spread, geometric_mean
from benchdb.statistics.spreads import Seen, WorkClass
from benchdb.store.hearsay import hearsay
from benchdb.store.newest import cell_of
from benchdb.store.places import chip_at_work, is_card, is_known
from benchdb.store.pooling import conditions, is_usable, work_class
from benchdb.store.run_facts import Around, KnownRun, around, known_runs
from benchdb.store.tables import Digest, finding, machine, newest, run

_GIB = 2**30
_WORK = (run.c.workload, run.c.framework, run.c.device)
_COPIES = ("copied-samples",)  # findings by which a run is no measurement of its own
_MOST = 5_000  # runs of one work that are all held against one of them
_TOGETHER = 50_000  # runs; each time all runs of their campaigns are read for the grade
_ASKED = Table(
    "benchdb_asked",
    MetaData(),
    Column("digest", Digest, primary_key=True),
    prefixes=["TEMPORARY"],
)
ClassSpreads = Mapping[WorkClass, Seen]


class Replication(msgspec.Struct, frozen=True):
    """How a figure of a cell on a machine stands beside what measured it again.

    *machines* have distinct anonymous ids and are of the same chip class, this one
    among them; *agreement* is half of the range of their figures, as a share: a figure
    of theirs is their middle ± that. *n* counts processes. It is *replicated* where
    another of them agrees with this one on another seed. So do so many *reruns*,
    campaigns by which this machine reproduced its own, the furthest *within* a share;
    *unlike* are those that differ. What is unclear is not told.
    """

    machines: int = 1
    agreement: float | None = None
    n: int = 0
    replicated: bool = False
    reruns: int = 0
    within: float | None = None
    unlike: int = 0


class _Process(NamedTuple):
    """A process with the figure that heads it, and the seed of its campaign."""

    run: KnownRun
    value: float
    seed: int | None


_Machines = Mapping[str, Sequence[_Process]]  # the processes of a cell by machine


def replications(
    connection: Connection,
    among: Select[Any] | None = None,
    seen: Callable[[Connection], ClassSpreads] | None = None,
    surroundings: Around | None = None,
) -> Mapping[str, Replication]:
    """Return the replication of each run that has any, by digest.

    *among* are digests of runs, with all that may measure the same; ``None`` stands for
    all that collectors measured. *seen* gives what classes of work have shown of
    chance, where more is known than what benchdb ships.
    """
    result: dict[str, Replication] = {}
    every = [*_measured(connection, among, surroundings)]
    shown = seen(connection) if seen is not None and every else {}
    for cell in _cells(every, shown):
        for name, own in cell.machines.items():
            known = cell.replication(name)
            if known != Replication(n=known.n):
                result |= dict.fromkeys(
                    (process.run.facts.digest for process in own), known
                )
    return result


def replications_beside(
    connection: Connection,
    shown: Select[Any],
    seen: Callable[[Connection], ClassSpreads],
) -> Mapping[str, Replication]:
    """Return the replication of each run that has any, those *shown* among them.

    Asked is whoever may have measured one of these again, which may be many more.
    """
    cells = select(newest.c.cell).where(newest.c.run.in_(shown)).distinct()
    every, result = _beside(shown, cells), dict[str, Replication]()
    kinds = select(run.c.workload, func.count()).group_by(run.c.workload)
    alike = kinds.where(run.c.digest.in_(every)).order_by(run.c.workload)
    once = cache(seen)
    for works in _portions(connection.execute(alike).all()):
        # A query of queries would look at all runs of a workload, again and again.
        connection.execute(CreateTable(_ASKED))
        among = every.where(run.c.workload.in_(works))
        connection.execute(insert(_ASKED).from_select(["digest"], among))
        result |= replications(connection, select(_ASKED.c.digest), once)
        connection.execute(DropTable(_ASKED))
    return result


def replications_of(
    connection: Connection,
    digest: str,
    seen: Callable[[Connection], ClassSpreads],
) -> Mapping[str, Replication]:
    """Return the replication of a run, if it has any, by digest; others may be there.

    Where many runs did the same work the newest of each machine are held against it.
    """
    own = connection.execute(select(run).where(run.c.digest == digest)).one()
    alike = [column == own._mapping[column.name] for column in _WORK]
    among = select(run.c.digest).where(*alike)
    count = select(func.count()).select_from(run).where(*alike)
    if (connection.scalar(count) or 0) > _MOST:
        together = [run.c.digest == digest]
        if own.campaign is not None:
            together = [run.c.campaign == own.campaign, run.c.machine == own.machine]
        cell = select(newest.c.cell).where(newest.c.cell == cell_of(connection, digest))
        among = _beside(select(run.c.digest).where(*alike, *together), cell)
        among = among.where(*alike)
    return replications(connection, among, seen)


def _beside(shown: Select[Any], cells: Select[Any]) -> Select[Any]:
    """Return the query of what is *shown* and of the newest runs of *cells* anywhere.

    With them are campaigns of which a run is linked to one that is shown, either way.
    """
    link = run.alias()
    reruns = select(link.c.digest).where(link.c.reproduces.in_(shown))
    rerun = select(link.c.reproduces).where(
        link.c.digest.in_(shown), link.c.reproduces.is_not(None)
    )
    linked = select(link.c.campaign).where(link.c.digest.in_(union(reruns, rerun)))
    # One after the other by an index: with "or" all runs would be looked at.
    every = union(
        shown,
        select(newest.c.run).where(newest.c.cell.in_(cells)),
        reruns,
        rerun,
        select(link.c.digest).where(link.c.campaign.in_(linked)),
    )
    return select(run.c.digest).where(run.c.digest.in_(every))


def _portions(works: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
    """Yield workloads whose runs are held together: few times, and not too many."""
    some, held = list[str](), 0
    for work, runs in works:
        if some and held + runs > _TOGETHER:
            yield some
            some, held = [], 0
        some.append(work)
        held += runs
    if some:
        yield some


def confirmed(
    connection: Connection, among: Select[Any], surroundings: Around
) -> set[str]:
    """Return the runs *among* these that somebody known here measured again elsewhere.

    Known is who measured here or for benchdb, or signed with a known key. A stranger's
    run may be made to agree with what was there: it needs a run that is linked to it.
    """
    texts = set[str]()
    for cell in _cells(_measured(connection, among, surroundings), {}):
        known = {
            name: {process.run.facts.reproduces for process in own}
            for name, own in cell.machines.items()
            if any(_is_known(process.run) for process in own)
        }
        for name, own in cell.machines.items():
            digests = {process.run.facts.digest for process in own}
            others = (
                other
                for other, links in known.items()
                if other != name and (name in known or links & digests)
            )
            if any(cell.replicated_by(name, [other]) for other in others):
                texts |= digests
    return texts


def _is_known(known_run: KnownRun) -> bool:
    facts = known_run.facts
    return facts.mine or facts.shipped or facts.trust == "signed"


def _measured(
    connection: Connection, among: Select[Any] | None, surroundings: Around | None
) -> Iterator[KnownRun]:
    """Yield the runs of collectors whose work several machines did, or that are linked.

    What counts nowhere is left out.
    """
    copies = select(finding.c.run).where(finding.c.code.in_(_COPIES))
    done = [
        run.c.label == "measured",
        run.c.status == "ok",
        run.c.digest.not_in(copies),
    ]
    if among is not None:
        done.append(run.c.digest.in_(among))
    machines = func.count(machine.c.anonymous_id.distinct())
    several = (
        select(*_WORK)
        .join(machine, machine.c.digest == run.c.machine)
        .where(*done)
        .group_by(*_WORK)
        .having(or_(machines > 1, func.count(run.c.reproduces) > 0))
    )
    if connection.execute(several.limit(1)).first() is None:
        return
    wanted = select(run.c.digest).where(*done, tuple_(*_WORK).in_(several))
    heard = hearsay(connection, wanted)
    works = select(run.c.workload).where(run.c.digest.in_(wanted)).distinct()
    metrics = {name for work in connection.scalars(works) for name in headlines(work)}
    places = surroundings or around(connection)
    for known_run in known_runs(connection, wanted, metrics, places):
        if known_run.facts.digest not in heard:
            yield known_run


class _Cell:
    """A cell on a chip class: its processes by machine, and what chance does to it."""

    def __init__(self, machines: _Machines, spread: Spread | None) -> None:
        self.machines = machines
        self._spread = spread
        self._samples = {name: _sample(own, spread) for name, own in machines.items()}
        ids = {name: own[0].run.place.anonymous_id for name, own in machines.items()}
        self._ids = {name: known for name, known in ids.items() if known}

    def replicated_by(
        self, place: str, among: Sequence[str] | None = None
    ) -> list[str]:
        """Return which machines, *among* some, replicate the figure at *place*."""
        others = [*self._ids] if among is None else [*filter(self._ids.get, among)]
        return [other for other in others if self._replicates(place, other)]

    def _replicates(self, place: str, other: str) -> bool:
        own = self._ids.get(place)
        if own is None or own == self._ids[other]:
            return False
        seeds, fresh = (
            {process.seed for process in self.machines[it]} - {None}
            for it in (place, other)
        )
        if not fresh - seeds:
            return False
        text, _ = self._compared(self.machines[other], self.machines[place])
        return text == "reproduced"

    def _compared(
        self, second: Sequence[_Process], first: Sequence[_Process]
    ) -> tuple[Outcome, float]:
        """Return whether *second* agrees with *first*, and how far they are apart.

        Where more other work ran beside one of them it proves nothing.
        """
        text, value = agreement(
            (_sample(second, self._spread), _sample(first, self._spread))
        )
        loads = [
            {process.run.facts.session.state for process in some} - {""}
            for some in (second, first)
        ]
        busier = all(loads) and loads[0] != loads[1]
        return ("unclear" if busier else text), value

    def replication(self, place: str) -> Replication:
        """Return how the figure of the machine at *place* stands beside all others."""
        centers = {
            known: math.log(self._samples[name].center)
            for name, known in self._ids.items()
        }
        reruns = [*self._reruns(place)]
        near = [value for text, value in reruns if text == "reproduced"]
        several = len(centers) > 1 and place in self._ids
        counted = self._ids if several else (place,)
        half = (max(centers.values()) - min(centers.values())) / 2 if several else 0.0
        return Replication(
            machines=len(centers) if several else 1,
            agreement=math.expm1(half) if several else None,
            n=sum(self._samples[name].count for name in counted),
            replicated=bool(self.replicated_by(place)),
            reruns=len(near),
            within=max(near, default=None),
            unlike=sum(text == "differs" for text, _ in reruns),
        )

    def _reruns(self, place: str) -> Iterator[tuple[Outcome, float]]:
        """Yield for each rerun of a campaign whether it agrees, and how far it is."""
        campaigns = defaultdict[str | None, list[_Process]](list)
        for process in self.machines[place]:
            campaigns[process.run.facts.campaign or process.run.facts.digest].append(
                process
            )
        of_run = {
            item.run.facts.digest: name
            for name, some in campaigns.items()
            for item in some
        }
        for name, some in campaigns.items():
            links = (of_run.get(item.run.facts.reproduces or "") for item in some)
            for original in sorted({link for link in links if link} - {name}):
                yield self._compared(some, campaigns[original])


def _cells(runs: Iterable[KnownRun], seen: ClassSpreads) -> Iterator[_Cell]:
    """Yield the cells that several machines measured, or that a run is linked in."""
    cells: defaultdict[tuple[str, object], defaultdict[str, list[_Process]]]
    cells = defaultdict(lambda: defaultdict(list))
    for known_run in runs:
        if (process := _process(known_run)) is not None:
            metric, value, key = process
            seed = known_run.facts.seed
            of_campaign = (
                None if seed is None else seed - (known_run.facts.replicate or 0)
            )
            cells[metric, key][known_run.place.machine].append(
                _Process(known_run, value, of_campaign)
            )
    for (metric, _), machines in cells.items():
        every = [item for own in machines.values() for item in own]
        if len(machines) > 1 or any(item.run.facts.reproduces for item in every):
            first = every[0].run
            own = conditions(first, metric)
            value = geometric_mean([item.value for item in every])
            name = work_class(own, first.place.device, value)
            yield _Cell(machines, spreads.spread_of(name, seen, spreads.shipped()))


def _process(known_run: KnownRun) -> tuple[str, float, object] | None:
    """Return the figure that heads a run, with all that makes its cell and chip class.

    ``None`` where it may lead nothing, or nobody said on which chip it was.
    """
    facts, place = known_run.facts, known_run.place
    if not (facts.leads and facts.proven and place.measured and is_known(place)):
        return None
    figures = {it.metric: it for it in known_run.figures if is_usable(it)}
    metric = next((name for name in headlines(facts.workload) if name in figures), None)
    value = figures[metric].value if metric else None
    if metric is None or value is None or value <= 0:
        return None
    own = replace(conditions(known_run, metric), surroundings=())
    if own.smoke:
        return None
    sizes = None
    if not is_card(place):
        memory = place.ram_bytes and round(place.ram_bytes / _GIB)
        sizes = facts.cpu_cores, facts.gpu_cores, memory
    return metric, value, (chip_at_work(place), place.device, sizes, own)


def _sample(own: Sequence[_Process], spread: Spread | None) -> Sample:
    sessions = defaultdict[str, list[float]](list)
    for process in own:
        sessions[process.run.facts.session.name].append(process.value)
    machine = own[0].run.place.machine
    return Sample(tuple(map(tuple, sessions.values())), spread, machine)
