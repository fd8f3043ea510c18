"""Courses: the campaigns of one cell on one machine, in the order of time.

A cell is what a report compares, less its surroundings: these may change from one
campaign to the next, and stand beside the figures. Trial runs are in no course, nor is
what a gate disqualified, nor a machine that nobody can tell from others of its kind.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from benchdb import own_catalogue
from benchdb.conditions import Conditions, Difference
from benchdb.metric_kinds import SPEEDS, headlines
from benchdb.report.history.surroundings import (
    Changed,
    Surroundings,
    around,
    changed,
    of_campaign,
)
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.quantities import Side, ratio, side
from benchdb.report.references import Notes
from benchdb.report.runs import StoredRun
from benchdb.report.view.atoms import Ratio
from benchdb.sessions import moment
from benchdb.statistics.change_points import changes, together
from benchdb.statistics.comparison import Spread
from benchdb.store.places import Place, chip_at_work
from benchdb.store.run_facts import Software

LEAST = 3  # campaigns; of fewer nobody knows which of them is out of the ordinary
Obstacle = (
    Literal["published", "failed", "trial", "disqualified"]
    | Literal["left out", "nameless", "undated"]
)
_METRICS = ("teraflops", "gigabytes_per_second", *SPEEDS)
_LOAD = Difference(unlike=("load",))
_NOTHING_IN_COMMON = Ratio(1.0, "unclear")


class Campaign(msgspec.Struct, frozen=True):
    """A campaign in its course: what was measured, from when, in what surroundings.

    *against* holds it against the campaign before it, and *changed* is what was not as
    it was there.
    """

    measurement: Measurement
    name: str
    started: str
    around: Surroundings
    against: Ratio | None = None
    changed: tuple[Changed, ...] = ()

    @property
    def load(self) -> str:
        """Return whether the machine was busy with something else; "" if not known."""
        return self.around.get("load", "")


class Turn(msgspec.Struct, frozen=True):
    """A change point: the campaign *at* is the first of another level.

    *ratio* holds *after* campaigns of it against *before* of the level before; where
    the machine was busy in some, those that it was like in.
    """

    at: int
    ratio: Ratio
    before: int
    after: int


class Course(msgspec.Struct, frozen=True):
    """The campaigns of a cell on a machine, the oldest first, with its change points.

    *conditions* are those of all of them, without surroundings.
    """

    place: Place
    conditions: Conditions
    campaigns: tuple[Campaign, ...]
    turns: tuple[Turn, ...] = ()

    @property
    def newest(self) -> Campaign:
        """Return the campaign that began last."""
        return self.campaigns[-1]


def campaign_of(run: StoredRun) -> str:
    """Return the campaign of a run; one without is its own."""
    return run.facts.campaign or run.facts.session.name


def obstacle(process: StoredRun) -> Obstacle | None:
    """Return what keeps a run out of every course; ``None`` where nothing does."""
    facts = process.facts
    reasons: tuple[tuple[Obstacle, bool], ...] = (
        ("published", facts.label != "measured"),
        ("failed", facts.status != "ok"),
        ("trial", facts.tier == "smoke"),
        ("disqualified", facts.disqualified),
        ("left out", process.left_out is not None),
        ("nameless", process.place.anonymous_id is None),
        ("undated", moment(facts.started) is None),
    )
    return next((reason for reason, holds in reasons if holds), None)


def courses(
    connection: Connection,
    runs: Sequence[StoredRun],
    usual: Iterable[Measurement],
    notes: Notes,
    least: int = 1,
) -> list[Course]:
    """Return the courses of *runs* with the *least* number of campaigns or more.

    Of several metrics of the same work it is the one that heads its runs. *usual* are
    the measurements of the report: what such work shows is taken from them.
    """
    there = [run for run in runs if obstacle(run) is None]
    known = {run.facts.digest: run for run in there}
    spreads = {
        run: measurement.spread for measurement in usual for run in measurement.runs
    }
    best: dict[object, Course] = {}
    for variant, course in _plain_courses(known, spreads):
        own = replace(course.conditions, metric="", extent=None, told_by=None)
        work = course.place, own, variant
        if len(course.campaigns) >= least and (
            work not in best or _preference(course) > _preference(best[work])
        ):
            best[work] = course
    every = [_finished(item, known, notes, connection) for item in best.values()]
    return sorted(every, key=lambda it: (repr(it.conditions), repr(it.place)))


def _preference(course: Course) -> tuple[int, int, str]:
    order = headlines(course.conditions.workload)
    place = -order.index(course.conditions.metric)
    return len(course.campaigns), place, repr(course.conditions)


def _plain_courses(
    known: Mapping[str, StoredRun], spreads: Mapping[str, Spread | None]
) -> Iterator[tuple[int, Course]]:
    """Yield the courses of every metric, without what is beside them.

    Each has the number of its variant: where a campaign ran a cell with several numbers
    of threads, say, these were chosen, and are courses of their own.
    """
    cells: defaultdict[tuple[Place, Conditions], list[dict[str, Measurement]]]
    cells = defaultdict(list)
    metrics = (*_METRICS, *own_catalogue.own().metric)
    for measurement in measurements(_without_surroundings(known.values()), metrics):
        plain = replace(
            measurement, conditions=replace(measurement.conditions, surroundings=())
        )
        parts = _by_campaign(plain, known, spreads)
        same = cells[plain.place, plain.conditions]
        joined = next((it for it in same if not it.keys() & parts.keys()), None)
        if joined is None:
            same.append(parts)
        else:
            joined.update(parts)
    for (place, own), several in cells.items():
        for variant, parts in enumerate(several):
            dated = [_campaign(name, part, known) for name, part in parts.items()]
            yield variant, Course(place, own, tuple(sorted(dated, key=_age)))


def _without_surroundings(runs: Iterable[StoredRun]) -> Iterator[StoredRun]:
    """Yield the runs as if all had been measured in the same surroundings."""
    places: dict[object, Place] = {}
    for process in runs:
        own, chip = process.place, chip_at_work(process.place)
        whose = own.machine, own.source, own.mine, own.shipped
        facts = replace(
            process.facts,
            software=Software(),
            session=replace(process.facts.session, load=None),
        )
        place = places.setdefault((*whose, own.device, chip), own)
        yield replace(process, facts=facts, place=place)


def _by_campaign(
    measurement: Measurement,
    known: Mapping[str, StoredRun],
    spreads: Mapping[str, Spread | None],
) -> dict[str, Measurement]:
    """Return the part of each campaign in a measurement that is of all of them."""
    parts: defaultdict[str, list[range]] = defaultdict(list)
    start = 0
    for size in measurement.sizes:
        parts[campaign_of(known[measurement.runs[start]])].append(
            range(start, start + size)
        )
        start += size
    by_campaign = {}
    for name, sessions in parts.items():
        places = [place for session in sessions for place in session]
        runs = tuple(measurement.runs[place] for place in places)
        facts = [known[run].facts for run in runs]
        by_campaign[name] = replace(
            measurement,
            values=tuple(measurement.values[place] for place in places),
            runs=runs,
            sizes=tuple(map(len, sessions)),
            campaign=facts[0].campaign,
            session=facts[0].session.name,
            started=max((it.started for it in facts if it.started), default=None),
            begun=min(it.started or "" for it in facts) or None,
            environment=facts[0].environment,
            grade=max((it.grade for it in facts if it.grade), default=None),
            spread=spreads.get(runs[0], measurement.spread),
        )
    return by_campaign


def _campaign(
    name: str, measurement: Measurement, known: Mapping[str, StoredRun]
) -> Campaign:
    dates = [known[run].facts.started or "" for run in measurement.runs]
    return Campaign(measurement, name, min(dates, key=_moment), {})


def _moment(started: str) -> float:
    time = moment(started)
    return time.timestamp() if time else 0.0


def _age(campaign: Campaign) -> tuple[float, str]:
    return _moment(campaign.started), campaign.name


def _finished(
    course: Course,
    known: Mapping[str, StoredRun],
    notes: Notes,
    connection: Connection,
) -> Course:
    """Return *course* with what is beside its figures, its ratios and its turns."""
    stood = around(
        connection, [run for item in course.campaigns for run in item.measurement.runs]
    )
    campaigns: list[Campaign] = []
    for campaign in course.campaigns:
        runs = campaign.measurement.runs
        facts = dict(of_campaign([stood.get(run, {}) for run in runs]))
        loads = {known[run].facts.session.state for run in runs} - {""}
        if loads:
            facts["load"] = " / ".join(sorted(loads))
        whole = replace(campaign, around=facts)
        if campaigns:
            last = campaigns[-1]
            whole = replace(
                whole,
                against=_against(whole, last, notes),
                changed=changed(last.around, facts),
            )
        campaigns.append(whole)
    whole_course = replace(course, campaigns=tuple(campaigns))
    return replace(whole_course, turns=_turns(whole_course.campaigns))


def _against(campaign: Campaign, other: Campaign, notes: Notes) -> Ratio:
    sides = side(campaign.measurement, notes), side(other.measurement, notes)
    return ratio([sides], Difference() if _as_busy(campaign, other) else _LOAD)


def _as_busy(campaign: Campaign, other: Campaign) -> bool:
    return campaign.load == other.load or not campaign.load or not other.load


def _turns(campaigns: Sequence[Campaign]) -> tuple[Turn, ...]:
    """Return the change points of a course that is long enough for any."""
    if len(campaigns) < LEAST:
        return ()
    turns: dict[tuple[range, range], Turn] = {}

    def judged(before: range, after: range) -> str:
        old, new = ([campaigns[place] for place in side] for side in (before, after))
        turns[before, after] = _turn(after.start, old, new)
        return turns[before, after].ratio.verdict

    samples = [
        campaign.measurement.sampled(campaign.measurement.speeds)
        for campaign in campaigns
    ]
    return tuple(
        turns[range(change.start, change.at), range(change.at, change.end)]
        for change in changes(samples, judged)
    )


def _turn(at: int, before: Sequence[Campaign], after: Sequence[Campaign]) -> Turn:
    """Hold the campaigns *after* a candidate against those *before* it.

    A machine that was busy on one side only proves nothing.
    """
    old = [
        campaign
        for campaign in before
        if any(_as_busy(campaign, other) for other in after)
    ]
    new = [
        campaign
        for campaign in after
        if any(_as_busy(campaign, other) for other in before)
    ]
    if not old or not new:
        return Turn(at, _NOTHING_IN_COMMON, len(old), len(new))
    return Turn(at, ratio([(_side(new), _side(old))]), len(old), len(new))


def _side(campaigns: Iterable[Campaign]) -> Side:
    every = [campaign.measurement for campaign in campaigns]
    sample = together(measurement.sampled(measurement.speeds) for measurement in every)
    return Side(sample, leads=all(measurement.leads for measurement in every))
