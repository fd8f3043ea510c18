"""Campaigns over time: courses as they are shown."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise

import msgspec

from benchdb.conditions import Conditions
from benchdb.report.history.courses import Course
from benchdb.report.history.surroundings import Changed
from benchdb.report.quantities import quantity
from benchdb.report.references import Notes
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import Quantity, Ratio, System, Workload
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import geometric_mean


class Shift(msgspec.Struct, frozen=True):
    """A change point: *ratio* holds *after* campaigns against *before* of them."""

    ratio: Ratio
    before: int
    after: int


class Entry(msgspec.Struct, frozen=True):
    """A campaign: its figure, *level* of the campaigns that it is among.

    *against* holds it against the campaign before it, and *changed* is what was not as
    it was there. With a *shift* another level begins.
    """

    campaign: str
    started: str
    quantity: Quantity
    level: float
    leads: bool
    against: Ratio | None = None
    changed: tuple[Changed, ...] = ()
    shift: Shift | None = None


class Line(msgspec.Struct, frozen=True):
    """A course as it is shown, the oldest campaign first.

    *distinction* tells it from others of its workload.
    """

    system: System
    machine: str | None
    workload: Workload
    metric: str
    batch_size: int | None
    size: str | None
    precision: str | None
    tier: str | None
    entries: tuple[Entry, ...]
    distinction: tuple[str, ...] = ()


def lines_of(every: Sequence[Course], notes: Notes, here: str | None) -> list[Line]:
    """Return the courses as they are shown, in the same order."""
    parties = [
        party(course.place, course.conditions.framework, here) for course in every
    ]
    systems = resolve(parties)
    distinctions = _of_courses(every)
    return [
        Line(
            system=systems[who],
            machine=course.place.anonymous_id,
            workload=workload_of(course.conditions.workload),
            metric=course.conditions.metric,
            batch_size=course.conditions.batch_size,
            size=course.conditions.facts.get("size"),
            precision=course.conditions.precision,
            tier=course.conditions.tier,
            entries=tuple(_entries(course, notes)),
            distinction=distinctions[place],
        )
        for place, (course, who) in enumerate(zip(every, parties, strict=True))
    ]


def _of_courses(courses: Sequence[Course]) -> list[tuple[str, ...]]:
    """Return what tells each course from the others of its workload."""
    distinctions: dict[int, tuple[str, ...]] = {}
    order = sorted(
        range(len(courses)), key=lambda place: courses[place].conditions.workload
    )
    for _, same in groupby(order, key=lambda place: courses[place].conditions.workload):
        places = list(same)
        every = [courses[place].conditions for place in places]
        tiers = len({own.tier for own in every}) > 1
        for place, own, words in zip(places, every, _distinctions(every), strict=True):
            there = {own.precision, f"size {own.facts.get('size')}"}
            more = (own.tier,) if tiers and own.tier else ()
            distinctions[place] = tuple(
                word for word in (*words, *more) if word not in there
            )
    return [distinctions[place] for place in range(len(courses))]


def _entries(course: Course, notes: Notes) -> Iterable[Entry]:
    turns = {turn.at: turn for turn in course.turns}
    starts = [0, *turns, len(course.campaigns)]
    for start, end in pairwise(starts):
        members = course.campaigns[start:end]
        quantities = [quantity(member.measurement, notes) for member in members]
        level = geometric_mean([item.value for item in quantities])
        for campaign, shown in zip(members, quantities, strict=True):
            turn = turns.get(start) if campaign is members[0] else None
            yield Entry(
                campaign=campaign.name,
                started=campaign.started,
                quantity=shown,
                level=level,
                leads=campaign.measurement.leads,
                against=campaign.against,
                changed=campaign.changed,
                shift=Shift(turn.ratio, turn.before, turn.after) if turn else None,
            )


def _distinctions(every: Sequence[Conditions]) -> list[tuple[str, ...]]:
    """Return of each how it was computed, as far as not all others are alike."""
    return _telling(
        [(own.precision, own.compiler, own.setting) for own in every],
        [
            _parameters(own)
            | {
                name: f"{name} {fact}" if fact.isdecimal() else fact
                for name, fact in own.choices
            }
            for own in every
        ],
    )


def _parameters(own: Conditions) -> dict[str, str]:
    """Return the parameters of the work, each with its name: most are numbers."""
    return {name: f"{name} {fact}" for name, fact in own.facts.items()}


def _telling(
    fixed: Sequence[tuple[str | None, ...]], named: Sequence[Mapping[str, str]]
) -> list[tuple[str, ...]]:
    names = sorted({name for facts in named for name in facts})
    rows = [
        (*first, *map(facts.get, names))
        for first, facts in zip(fixed, named, strict=True)
    ]
    differ = [len(set(column)) > 1 for column in zip(*rows, strict=True)]
    return [
        tuple(fact for fact, tells in zip(row, differ, strict=True) if tells and fact)
        for row in rows
    ]
