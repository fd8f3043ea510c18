"""Campaigns over time, in words and in a chart."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Scale,
    Stroke,
    Tick,
    mark,
)
from benchdb.report.history import Entry, Line, Shift
from benchdb.report.history.surroundings import Changed
from benchdb.report.language import Language
from benchdb.report.language.units import shortened
from benchdb.report.wording import cells, terms
from benchdb.report.wording.terms import verdict_text
from benchdb.sessions import moment

_STEPS = (1, 2, 5, 10)
_MOST_STEPS = 6
_MOST_DATES = 4
_ROOM = 0.35  # of the range of the figures, above and below them
_LEAST_ROOM = 0.03  # of the figures: smaller differences look like none
_MARGIN = 0.5  # campaigns, at both ends of the axis


def name(language: Language, line: Line) -> str:
    """Name a course: the work, what tells it apart, and the system."""
    work = terms.title_text(language, line.workload)
    if line.size is not None:
        size = language.number(int(line.size)) if line.size.isdecimal() else line.size
        work = language.isolate(f"{work}, {size} × {size}")
    elif line.workload.kind != "operation":
        work = terms.workload_text(language, work, line.batch_size)
    system = f"{terms.system_text(language, line.system)} · " + terms.framework_text(
        language, line.system.framework
    )
    words = (work, line.precision, *line.distinction, system)
    return " · ".join(language.isolate(word) for word in words if word)


def changed_text(language: Language, every: Sequence[Changed]) -> str:
    """Say what was not as it was in the campaign before; nothing if all was."""
    return language.semicolon.join(
        language.pgettext(
            "what changed",
            "%(name)s: %(before)s → %(after)s",
            name=_named(language, changed.name),
            before=_value(language, changed.name, changed.before),
            after=_value(language, changed.name, changed.after),
        )
        for changed in every
    )


def _named(language: Language, surrounding: str) -> str:
    kind, _, detail = surrounding.partition(":")
    if detail:  # of a library, a variable, a mode: its name is in no language
        return language.isolate(detail)
    known = {
        # TRANSLATORS: the program of ours that measured
        "collector": language.pgettext("condition", "measuring program"),
        # TRANSLATORS: what Linux sets the clock of a processor by
        "governor": language.pgettext("condition", "frequency governor"),
        # TRANSLATORS: of an operating system
        "kernel": language.pgettext("condition", "kernel"),
        # TRANSLATORS: the watts that a graphics card may draw
        "limit": language.pgettext("condition", "power limit"),
        # TRANSLATORS: as Apple calls it
        "low_power_mode": language.pgettext("condition", "Low Power Mode"),
        # TRANSLATORS: quiet, balanced, performance …
        "power_mode": language.pgettext("condition", "power mode"),
        # TRANSLATORS: mains or battery
        "power_source": language.pgettext("condition", "power source"),
        "python": "Python",
    }
    return known.get(kind) or terms.condition(language, kind)


def _value(language: Language, surrounding: str, value: str) -> str:
    if not value:
        return cells.DASH
    words = {
        ("power_source", "ac"): language.pgettext("power source", "mains"),
        ("power_source", "battery"): language.pgettext("power source", "battery"),
        ("low_power_mode", "true"): language.pgettext("mode", "on"),
        ("low_power_mode", "false"): language.pgettext("mode", "off"),
    }
    if surrounding == "load":
        return terms.load_text(language, value)
    if surrounding == "limit" and value.replace(".", "").isdecimal():
        return language.isolate(language.measure(value.removesuffix(".0"), "W"))
    return language.isolate(words.get((surrounding, value), value))


def shift_text(language: Language, shift: Shift) -> str:
    """Say what a change point is: so many times as fast as before, by how many."""
    return language.pgettext(
        "change",
        "from here on %(verdict)s (campaigns: %(before)s before, %(after)s after)",
        verdict=verdict_text(language, shift.ratio),
        before=shift.before,
        after=shift.after,
    )


def of_lines(language: Language, lines: Sequence[Line]) -> Chart:
    """Return a chart of these courses alone."""
    names = [name(language, line) for line in lines]
    return Chart(
        name="history",
        title=language.pgettext("heading", "The same work over time"),
        alt=language.semicolon.join(names),
        panels=tuple(panel(language, line) for line in lines),
        keys=_keys(language, lines),
    )


def _keys(language: Language, lines: Sequence[Line]) -> tuple[Key, ...]:
    """Return what the marks mean that are there."""
    looks = {_look(entry) for line in lines for entry in line.entries}
    known: tuple[tuple[Look, str], ...] = (
        ("even", language.pgettext("legend", "campaign")),
        ("faster", language.pgettext("legend", "faster from here on")),
        ("slower", language.pgettext("legend", "slower from here on")),
    )
    keys = [Key(look, text) for look, text in known if look in looks]
    if any(not entry.leads for line in lines for entry in line.entries):
        text = language.pgettext("legend", "too little evidence for a verdict")
        keys.append(Key("even", text, hollow=True))
    return tuple(keys)


def _look(entry: Entry) -> Look:
    if entry.shift is None:
        return "even"
    return "faster" if entry.shift.ratio.value > 1 else "slower"


def panel(language: Language, line: Line) -> Panel:
    """Return the campaigns of a course with the mean of each level."""
    entries = line.entries
    middle = entries[len(entries) // 2].quantity
    size, unit = shortened(middle.value, middle.unit)
    points = tuple(
        _sized(
            mark(
                place,
                entry.quantity.value,
                _look(entry),
                entry.quantity,
                hollow=not entry.leads,
                label=verdict_text(
                    language, entry.shift.ratio if entry.shift else None
                ),
            ),
            size,
        )
        for place, entry in enumerate(entries)
    )
    return Panel(
        title=name(language, line),
        x=_dates(entries),
        y=_figures(language, points, language.unit(unit)),
        points=points,
        strokes=(_levels(entries, size),),
    )


def _sized(point: Point, size: float) -> Point:
    if point.low is None or point.high is None:
        return replace(point, y=point.y * size)
    return replace(
        point, y=point.y * size, low=point.low * size, high=point.high * size
    )


def _levels(entries: Sequence[Entry], size: float) -> Stroke:
    """Return the steps from level to level, between the campaigns on both sides."""
    through = [(-_MARGIN, entries[0].level * size)]
    for place, entry in enumerate(entries):
        if entry.shift and place:
            at = place - _MARGIN
            through += [(at, through[-1][1]), (at, entry.level * size)]
    through.append((len(entries) - 1 + _MARGIN, entries[-1].level * size))
    return Stroke(tuple(through), "quiet")


def _dates(entries: Sequence[Entry]) -> Scale:
    """Return the axis of campaigns, with the days of some of them."""
    last = len(entries) - 1
    count = min(_MOST_DATES, len(entries))
    places = {round(n * last / max(1, count - 1)) for n in range(count)}
    days = {place: moment(entries[place].started) for place in sorted(places)}
    ticks, known = [], set()
    for place, day in days.items():
        if day is not None and day.date() not in known:
            known.add(day.date())
            ticks.append(Tick(place, day.date().isoformat()))
    return Scale(-_MARGIN, last + _MARGIN, tuple(ticks), "", log=False)


def _figures(language: Language, points: Sequence[Point], title: str) -> Scale:
    """Return an axis around the figures: intervals may leave it, figures do not."""
    values = [point.y for point in points]
    room = max(_ROOM * (max(values) - min(values)), _LEAST_ROOM * max(values))
    low, high = max(0.0, min(values) - room), max(values) + room
    step = 10.0 ** math.floor(math.log10((high - low) / _MOST_STEPS))
    step *= next(n for n in _STEPS if n * step * _MOST_STEPS >= high - low)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = (
        Tick(n * step, language.number(n * step, decimals))
        for n in range(math.ceil(low / step), math.floor(high / step) + 1)
    )
    return Scale(low, high, tuple(ticks), title, log=False)
