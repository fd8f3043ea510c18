"""Runs become measurements: all processes of one cell together, and what is missing.

Two figures compare only when their conditions are alike. Where they are not, the
condition that differs is named, and the figure stays out of every headline.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeGuard

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics, workloads
from benchdb.conditions import Conditions, Difference, difference, divided
from benchdb.report.metric_kinds import (
    RATES,
    REPORTED,
    SPEEDS,
    TIMES_OF_A_STEP,
    TIMES_OF_ALL_SAMPLES,
)
from benchdb.report.runs import NO_FIGURE, Figure, StoredRun
from benchdb.report.systems import Place
from benchdb.statistics import spreads
from benchdb.statistics.comparison import Sample, Spread, estimate
from benchdb.statistics.spreads import WorkClass
from benchdb.store.newest import age

# Beyond these nothing is a speed; ratios of such numbers are no numbers.
_SLOWEST, _FASTEST = 1e-15, 1e18
_OF_SCRIPTS = ("fit_samples_per_second", *TIMES_OF_ALL_SAMPLES)
_COUNTS = ("warmup_epochs", "epochs", "steps_per_epoch")
_MANY = 10**9  # more than anybody's

Process = tuple[StoredRun, Figure]


class Measurement(msgspec.Struct, frozen=True):
    """The processes of one cell: one value each, in the unit of the metric.

    *runs* are their digests in the same order, *sizes* how many of them each session
    has; *printed* are the source's characters where there is a single one. *grade* is
    that of all processes, the worst where campaigns differ. One *leads* if it may be
    in a headline: measured with samples of its own, or published by a named source.
    It is *proven* unless gates are absent that say what it did.
    *spread* is what such work has shown elsewhere, *limit* the watts that the card may
    draw.
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

    def sampled(self, values: Sequence[float]) -> Sample:
        """Return *values*, one for each process, by session, the newest first."""
        left = iter(values)
        sizes = self.sizes or (len(self.values),)
        sessions = tuple(tuple(islice(left, size)) for size in sizes)
        return Sample(sessions, self.spread)

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


class Gap(msgspec.Struct, frozen=True):
    """A cell that was tried, or has a place in a table, but has no figure."""

    conditions: Conditions
    place: Place
    reason: str
    run: str


def measurements(
    runs: Iterable[StoredRun], among: Collection[str] = SPEEDS
) -> list[Measurement]:
    """Return what was measured under each conditions, the processes together.

    Of the metrics *among* these, all of which have a direction.

    Campaigns of one cell under the same conditions are sessions of one measurement, the
    newest first. A session in which a gate failed is in none, nor are runs that are
    left out. The spread is what such work shows in these, else in what benchdb ships.
    """
    done = [
        one for one in runs if one.facts.status == "ok" and not one.facts.disqualified
    ]
    processes = Counter(map(_campaign, done))
    cells = defaultdict[tuple[object, ...], list[Process]](list)
    for one in done:
        for figure in one.figures:
            speed = figure.value is not None and _SLOWEST <= figure.value <= _FASTEST
            if speed and figure.metric in among:
                own = conditions(one, figure.metric)
                cells[one.place, one.facts.alike, own].append((one, figure))
    result = []
    for pairs in cells.values():
        # Of a campaign of which only quick processes had time for the figure, theirs
        # alone would flatter.
        there = Counter(_campaign(one) for one, _ in pairs)
        kept = [
            (one, figure)
            for one, figure in pairs
            if there[_campaign(one)] >= processes[_campaign(one)] and not one.left_out
        ]
        if not kept:
            continue
        figures = {one.facts.digest: figure for one, figure in kept}
        sessions = by_session(one for one, _ in kept)
        ordered = [one for members in sessions for one in members]
        first, facts = ordered[0], [one.facts for one in ordered]
        figure = figures[first.facts.digest]
        values = [figures[one.digest].value for one in facts]
        limits = {one.limit for one in facts}
        result.append(
            Measurement(
                conditions=conditions(first, figure.metric),
                place=first.place,
                environment=first.facts.environment,
                values=tuple(value for value in values if value is not None),
                runs=tuple(one.digest for one in facts),
                campaign=first.facts.campaign,
                started=max(
                    (one.started for one in facts if one.started), default=None
                ),
                printed=figure.printed if len(kept) == 1 else None,
                derived=any(one.derived is not None for one in figures.values()),
                sizes=tuple(map(len, sessions)),
                session=first.facts.session.name,
                grade=max((one.grade for one in facts if one.grade), default=None),
                label=first.facts.label,
                leads=all(one.leads for one in facts),
                proven=all(one.proven for one in facts),
                limit=limits.pop() if len(limits) == 1 else None,
            )
        )
    result.sort(key=lambda one: (one.conditions.metric, one.runs))
    seen = spreads.seen(
        (name, one.sampled(one.values)) for one, name in classified(result)
    )
    known = {
        name: spreads.spread_of(name, seen, spreads.shipped())
        for name in set(map(_work_class, result))
    }
    return [replace(one, spread=known[_work_class(one)]) for one in result]


def _campaign(one: StoredRun) -> tuple[object, ...]:
    facts = one.facts
    # What was under other conditions is another figure, and takes none from this one.
    return facts.alike, facts.campaign, facts.environment


def by_session(runs: Iterable[StoredRun]) -> list[list[StoredRun]]:
    """Return the runs of each session in their turns, the newest session first."""

    def turn(run: StoredRun) -> tuple[bool, int, str]:
        replicate = run.facts.replicate
        return replicate is None, replicate or 0, run.facts.digest

    def started(members: Iterable[StoredRun]) -> tuple[str, str]:
        return max(age(run.facts.started, run.facts.campaign) for run in members)

    sessions = defaultdict[str, list[StoredRun]](list)
    for run in sorted(runs, key=turn):
        sessions[run.facts.session.name].append(run)
    return sorted(sessions.values(), key=started, reverse=True)


def gaps(runs: Iterable[StoredRun]) -> list[Gap]:
    """Return the cells without a figure: failed, unsupported, or not measured."""
    result = []
    for run in runs:
        missing = [
            figure
            for figure in run.figures
            if figure.metric in SPEEDS and figure.value is None
        ]
        if not missing and run.facts.status != "ok":
            missing = [NO_FIGURE]
        if not run.left_out:
            result += [
                Gap(
                    conditions=conditions(run, figure.metric),
                    place=run.place,
                    reason=figure.reason or run.facts.why or run.facts.status,
                    run=run.facts.digest,
                )
                for figure in sorted(missing, key=lambda figure: figure.metric)
            ]
    return result


def conditions(run: StoredRun, metric: str) -> Conditions:
    """Return what must be equal for another figure to compare with this *metric*."""
    facts = run.facts
    parameters, choices, lengths = divided(facts.spelled)
    extent = _extent(run, metric)
    if extent is None and metric in TIMES_OF_ALL_SAMPLES:
        # Nobody knows the samples: what was said of its length tells times apart.
        choices = (*choices, *((name, str(fact)) for name, fact in lengths.items()))
    author = facts.source if metric in REPORTED else facts.program
    ours = facts.label == "measured" and facts.framework == "tensorflow"
    if author is None and ours and metric in _OF_SCRIPTS:
        # The sources ran model.fit. The step of our TensorFlow script is our own, on
        # batches that lie on the device, not on arrays of the host.
        author = "custom step"
    return Conditions(
        workload=facts.workload,
        version=facts.workload_version,
        setting=facts.setting,
        framework=facts.framework,
        batch_size=facts.batch_size,
        precision=facts.precision,
        compiler=facts.compiler,
        metric=metric,
        extent=extent,
        tier=facts.tier,
        told_by=author,
        parameters=parameters,
        choices=choices,
        surroundings=facts.surroundings,
    )


def _extent(run: StoredRun, metric: str) -> float | None:
    """Return the samples that a time covers: as stated, or from epochs and steps."""
    batch, plan = run.facts.batch_size, run.plan
    if metric == "reported_step_seconds":
        return None if batch is None else float(batch)
    if metric not in TIMES_OF_ALL_SAMPLES:
        return None
    stated = run.facts.parameters.get("samples_total")
    if isinstance(stated, int | float):
        return float(stated) if 0 < stated < _FASTEST else None
    if not plan or plan.get("kind", "fit") != "fit" or batch is None:
        return None
    counts = [count for name in _COUNTS if _is_count(count := plan.get(name))]
    if len(counts) < len(_COUNTS):
        return None  # a stranger's words
    warmup, epochs, steps = counts
    return float((warmup + epochs) * steps * batch)


def _is_count(said: object) -> TypeGuard[int]:
    return isinstance(said, int) and 0 <= said < _MANY


def classified(
    measurements: Iterable[Measurement],
) -> Iterator[tuple[Measurement, WorkClass]]:
    """Yield what collectors measured, with the class of the work."""
    for measurement in measurements:
        # A rate is the inverse of its step.
        counts = measurement.conditions.metric not in (
            "samples_per_second",
            "teraflops",
        )
        # What may lead nothing says nothing of chance either, nor do strangers: a
        # file of wild times would leave every other verdict unclear.
        own = (
            measurement.place.measured
            and measurement.place.known
            and measurement.leads
            and measurement.proven
        )
        name = _work_class(measurement) if own and counts else None
        if name is not None and not measurement.conditions.smoke:
            yield measurement, name


def _work_class(measurement: Measurement) -> WorkClass | None:
    """Return the class of work, ``None`` for work that none of them is like."""
    metric, batch = measurement.conditions.metric, measurement.conditions.batch_size
    known = workloads().get(measurement.conditions.workload)
    if known is None:
        return None
    seconds = None
    if metric in TIMES_OF_A_STEP:
        seconds = estimate(measurement.sampled(measurement.values)).value
    elif metric in RATES and batch:
        seconds = batch / estimate(measurement.sampled(measurement.values)).value
    return spreads.work_class(
        measurement.place.device,
        seconds,
        operation=known.kind == "operation",
        whole_run=metric in TIMES_OF_ALL_SAMPLES,
    )


def compared(measurement: Measurement, other: Measurement) -> Difference:
    """Name the conditions in which two measurements of one workload are not alike."""
    same = measurement.place.source == other.place.source
    return difference(measurement.conditions, other.conditions, same_source=same)


def differs(one: Measurement, other: Measurement) -> tuple[str, ...]:
    """Name the conditions that keep two measurements out of one headline."""
    return compared(one, other).unlike


def newest(measurements: Iterable[Measurement]) -> Measurement:
    """Return the measurement that was started last, of those that lead if any does.

    What is proven comes before what is not. The rest of the order is fixed.
    """

    def order(one: Measurement) -> tuple[object, ...]:
        started = one.started or "", one.campaign or ""
        return one.leads, one.proven, *started, one.runs

    return max(measurements, key=order)
