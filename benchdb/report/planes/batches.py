"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.language import Language
from benchdb.report.planes import Key, Look, Panel, Plane, Point, Scale, Stroke, Tick
from benchdb.report.planes.doublings import doublings, power_of_two, spread_out
from benchdb.report.sections.batches import Batches, BatchSystem, Level, Line
from benchdb.report.sections.batches import words as wording
from benchdb.report.view.page import Report


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    if report.batches is None:
        return None
    section = report.batches
    shown = [one for one in section.systems if one.charted]
    looks = {_look(line) for one in shown for line in wording.drawn(one)}
    return Plane(
        name="batches",
        title=wording.title(language, report),
        alt=wording.alt(language, report),
        panels=tuple(_panel(language, section, one) for one in shown),
        keys=_keys(language, section, looks),
    )


def _panel(language: Language, section: Batches, one: BatchSystem) -> Panel:
    """Return a system's panel; its axes reach as far as all levels of its kind do."""
    own = [level.batch_size for line in wording.drawn(one) for level in line.levels]
    levels = _levels(section, paired=one.paired)
    sizes = [level.batch_size for level in levels]
    x = Scale(
        low=min(sizes),
        high=max(sizes),
        ticks=tuple(Tick(at, language.number(at)) for at in spread_out(own)),
        title=language.pgettext("axis", "Batch size"),
    )
    ratios = [level.ratio.value for level in levels]
    marks = doublings(min(ratios), max(ratios))
    ticks = tuple(_tick(language, at) for at in marks)
    title = wording.against(language, paired=one.paired)
    return Panel(
        title=wording.headed(language, one, section),
        x=x,
        y=Scale(marks[0], marks[-1], ticks, title),
        points=tuple(
            _point(line, at) for line in wording.drawn(one) for at in line.levels
        ),
        strokes=tuple(_stroke(one, line) for line in wording.drawn(one)),
    )


def _levels(section: Batches, *, paired: bool) -> list[Level]:
    """Return what is drawn of Metal against CPUs, or of systems against themselves."""
    kind = [one for one in section.systems if one.charted and one.paired == paired]
    return [
        level for one in kind for line in wording.drawn(one) for level in line.levels
    ]


def _tick(language: Language, factor: float) -> Tick:
    return Tick(factor, language.multiple(power_of_two(language, factor)))


def _look(line: Line) -> Look:
    return "0" if line.strong else "quiet"


def _point(line: Line, at: Level) -> Point:
    return Point(
        x=at.batch_size,
        y=at.ratio.value,
        look=_look(line),
        run=at.quantity.run,
        low=at.ratio.low,
        high=at.ratio.high,
    )


def _stroke(one: BatchSystem, line: Line) -> Stroke:
    through = tuple((float(at.batch_size), at.ratio.value) for at in line.levels)
    return Stroke(through, _look(line), label=wording.label(one, line))


def _keys(language: Language, section: Batches, looks: set[Look]) -> tuple[Key, ...]:
    keys = (
        Key("0", wording.strong_text(language, section)),
        Key("quiet", wording.quiet_text(language, section)),
    )
    return tuple(key for key in keys if key.look in looks)
