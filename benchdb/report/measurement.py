"""Runs become measurements: all processes of one cell together, and what is missing.

Two figures compare only when their conditions are alike. Where they are not, the
condition that differs is named, and the figure stays out of every headline.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.conditions import Conditions, Difference, difference
from benchdb.metric_kinds import RATES, SPEEDS, TOKENS
from benchdb.report.runs import StoredRun
from benchdb.statistics import spreads
from benchdb.statistics.comparison import Sample, Spread
from benchdb.statistics.spreads import Seen, WorkClass
from benchdb.steps import Step, lowest
from benchdb.store.memo import Memo
from benchdb.store.places import Place
from benchdb.store.pooling import by_session, pooled, work_class
from benchdb.store.run_facts import Figure

Process = tuple[StoredRun, Figure]
ClassSpreads = Mapping[WorkClass, Seen]

# Rates that are the inverse of a step, which has its own measurement.
_INVERSE = frozenset({"samples_per_second", "teraflops", *TOKENS})


class Measurement(msgspec.Struct, frozen=True):
    """The processes of one cell: one value each, in the unit of the metric.

    *runs* are their digests in the same order, *sizes* how many of them each session
    has; *printed* are the source's characters where there is a single one. *grade* is
    that of all processes, the worst where campaigns differ. One *leads* if it may be
    in a headline: measured with samples of its own, or published by a named source.
    It is *proven* unless gates are absent that say what it did.
    *spread* is what such work has shown elsewhere, *limit* the watts that the card may
    draw. The first of its runs was *begun* when it says so, the last *started* then.
    *trust* is the lowest step of the ladder that they reach, *work_class* which class
    of work such a step is, ``None`` for work that none of them is like.
    """

    conditions: Conditions
    place: Place
    environment: str
    values: tuple[float, ...]
    runs: tuple[str, ...]
    campaign: str | None
    started: str | None
    printed: str | None = None
    derived: bool = False
    sizes: tuple[int, ...] = ()
    session: str = ""
    grade: str | None = None
    label: str = "measured"
    leads: bool = True
    proven: bool = True
    spread: Spread | None = None
    limit: float | None = None
    begun: str | None = None
    trust: Step | None = None
    work_class: WorkClass | None = None

    @property
    def span(self) -> tuple[str, str, str] | None:
        """Return the machine of its only session, and when runs began there.

        ``None`` where there are several, or a run does not say when it began.
        """
        if len(self.sizes) > 1 or self.begun is None or self.started is None:
            return None
        return self.place.machine, self.begun, self.started

    def sampled(self, values: Sequence[float]) -> Sample:
        """Return *values*, one for each process, by session, the newest first."""
        sessions = _sessions(values, self.sizes or (len(self.values),))
        return Sample(sessions, self.spread, self.place.machine)

    @property
    def speeds(self) -> tuple[float, ...]:
        """Return the values so that more is better: rates, or inverse seconds."""
        if metrics()[self.conditions.metric].direction == "higher":
            return self.values
        return tuple(1 / seconds for seconds in self.values)

    @property
    def throughputs(self) -> tuple[float, ...] | None:
        """Return samples per second, or ``None`` where the samples are not known."""
        own = self.conditions
        samples = 1.0 if own.metric in RATES else own.extent
        if samples is None:
            return None
        return tuple(samples * speed for speed in self.speeds)


def measurements(
    runs: Iterable[StoredRun],
    among: Collection[str] = SPEEDS,
    seen: ClassSpreads | None = None,
) -> list[Measurement]:
    """Return what was measured under each conditions, the processes together.

    Of the metrics *among* these, all of which have a direction. *seen* is what each
    class of work has shown of chance; ``None`` stands for what it shows here.

    Campaigns of one cell under the same conditions are sessions of one measurement, the
    newest first. A session in which a gate failed is in none, nor are runs that are
    left out. The spread is what such work shows in these, else in what benchdb ships.
    """
    return with_spreads(without_spreads(runs, among), seen)


def without_spreads(
    runs: Iterable[StoredRun], among: Collection[str], memo: Memo | None = None
) -> list[Measurement]:
    """Return ``measurements`` before anything is known of chance.

    *memo* is for who asks for the same again when runs were added.
    """
    # A machine, a source and a workload: no cell has runs of several.
    places = defaultdict[object, list[StoredRun]](list)
    for run in runs:
        facts = run.facts
        places[facts.machine, facts.source, facts.workload].append(run)
    given = {place: tuple(some) for place, some in places.items()}
    groups = (memo or Memo()).each(
        "measured",
        given,
        lambda keys: [list(_measured(given[it], among)) for it in keys],
    )
    return sorted(
        chain.from_iterable(groups),
        key=lambda measurement: (measurement.conditions.metric, measurement.runs),
    )


def _measured(
    runs: Iterable[StoredRun], among: Collection[str]
) -> Iterator[Measurement]:
    done = (run for run in runs if not run.facts.disqualified)

    def counting(run: StoredRun) -> Iterator[Figure]:
        return (
            figure
            for figure in run.figures
            if figure.metric in among and (figure.value or 0) > 0
        )

    for own, pairs in pooled(done, counting):
        kept = [pair for pair in pairs if not pair[0].left_out]
        if kept:
            yield _measurement(own, kept)


def _measurement(own: Conditions, kept: Sequence[Process]) -> Measurement:
    """Return what the processes that are *kept* measured under these conditions."""
    figures = {run.facts.digest: figure for run, figure in kept}
    sessions = by_session([run for run, _ in kept])
    ordered = [member for members in sessions for member in members]
    first, facts = ordered[0], [run.facts for run in ordered]
    values = [figures[fact.digest].value or 0.0 for fact in facts]
    sizes = tuple(map(len, sessions))
    started = [fact.started for fact in facts if fact.started]
    limits = {fact.limit for fact in facts}
    return Measurement(
        conditions=own,
        place=first.place,
        environment=first.facts.environment,
        values=tuple(values),
        runs=tuple([fact.digest for fact in facts]),
        campaign=first.facts.campaign,
        started=max(started, default=None),
        printed=figures[first.facts.digest].printed if len(kept) == 1 else None,
        derived=any(figure.derived is not None for figure in figures.values()),
        sizes=sizes,
        session=first.facts.session.name,
        grade=max([fact.grade for fact in facts if fact.grade], default=None),
        label=first.facts.label,
        leads=all(fact.leads for fact in facts),
        proven=all(fact.proven for fact in facts),
        limit=limits.pop() if len(limits) == 1 else None,
        begun=min(started) if len(started) == len(facts) else None,
        trust=lowest([fact.trust for fact in facts]),
        work_class=work_class(own, first.place.device, _center(values, sizes)),
    )


def _center(values: Sequence[float], sizes: Sequence[int]) -> float:
    return values[0] if len(values) == 1 else Sample(_sessions(values, sizes)).center


def _sessions(
    values: Sequence[float], sizes: Sequence[int]
) -> tuple[tuple[float, ...], ...]:
    left = iter(values)
    return tuple([tuple(islice(left, size)) for size in sizes])


def with_spreads(
    measured: Sequence[Measurement], seen: ClassSpreads | None = None
) -> list[Measurement]:
    """Return what was *measured* with the spread of each; *seen* as above."""
    own = [measurement.work_class for measurement in measured]
    shown = seen_in(measured) if seen is None else seen
    # An operation's rate has the class of its time, which the same processes told.
    timed = {
        measurement.runs: name
        for measurement, name in zip(measured, own, strict=True)
        if name
    }
    classes = [
        name or timed.get(measurement.runs)
        for measurement, name in zip(measured, own, strict=True)
    ]
    known = {
        name: spreads.spread_of(name, shown, spreads.shipped()) for name in set(classes)
    }
    return [
        measurement
        if known[name] == measurement.spread
        else replace(measurement, spread=known[name])
        for measurement, name in zip(measured, classes, strict=True)
    ]


def seen_in(measured: Iterable[Measurement]) -> ClassSpreads:
    """Return what each class of work has shown of chance in what was *measured*."""
    return spreads.seen(
        (name, measurement.sampled(measurement.values))
        for measurement, name in classified(measured)
    )


def classified(
    measurements: Iterable[Measurement],
) -> Iterator[tuple[Measurement, WorkClass]]:
    """Yield what collectors measured, with the class of the work."""
    for measurement in measurements:
        counts = measurement.conditions.metric not in _INVERSE
        # What may lead nothing says nothing of chance either, nor do strangers: a
        # file of wild times would leave every other verdict unclear.
        own = (
            measurement.place.measured
            and measurement.place.known
            and measurement.leads
            and measurement.proven
        )
        name = measurement.work_class if own and counts else None
        if name is not None and not measurement.conditions.smoke:
            yield measurement, name


def compared(measurement: Measurement, other: Measurement) -> Difference:
    """Name the conditions in which two measurements of one workload are not alike."""
    same = measurement.place.source == other.place.source
    return difference(measurement.conditions, other.conditions, same_source=same)


def differs(measurement: Measurement, other: Measurement) -> tuple[str, ...]:
    """Name the conditions that keep two measurements out of one headline."""
    return compared(measurement, other).unlike


def newest(measurements: Iterable[Measurement]) -> Measurement:
    """Return the measurement that was started last, of those that lead if any does.

    What is proven comes before what is not. The rest of the order is fixed.
    """

    def order(measurement: Measurement) -> tuple[object, ...]:
        started = measurement.started or "", measurement.campaign or ""
        return measurement.leads, measurement.proven, *started, measurement.runs

    return max(measurements, key=order)
