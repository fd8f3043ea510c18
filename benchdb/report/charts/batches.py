"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Scale,
    Stroke,
    Tick,
    doubling_scale,
    power_of_two,
    spread_out,
)
from benchdb.report.language import Language
from benchdb.report.sections.batches import words as wording
from benchdb.report.sections.batches.data import Batches, BatchSystem, Level, Line
from benchdb.report.view.page import Report


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("batches")
    if section is None:
        return None
    systems = [system for system in section.systems if system.charted]
    lines = [line for system in systems for line in system.drawn]
    looks = set(map(_look, lines))
    keys = (
        Key("0", wording.strong_text(language, section)),
        Key("quiet", wording.quiet_text(language, section)),
    )
    return Chart(
        name="batches",
        title=wording.title(language, section),
        alt=wording.alt(language, section),
        panels=tuple(_panel(language, section, system) for system in systems),
        keys=tuple(key for key in keys if key.look in looks),
    )


def _panel(language: Language, section: Batches, system: BatchSystem) -> Panel:
    """Return a system's panel; its axes reach as far as all levels of its kind do."""
    lines = system.drawn
    levels = _levels(section, paired=system.paired)
    sizes = [level.batch_size for level in levels]
    ratios = [level.ratio.value for level in levels]
    ticks = spread_out(level.batch_size for line in lines for level in line.levels)
    return Panel(
        title=wording.headed(language, system, section),
        x=Scale(
            low=min(sizes),
            high=max(sizes),
            ticks=tuple(Tick(size, language.number(size)) for size in ticks),
            title=language.pgettext("axis", "Batch size"),
        ),
        y=doubling_scale(
            min(ratios),
            max(ratios),
            lambda factor: language.multiple(power_of_two(language, factor)),
            wording.against(language, paired=system.paired),
        ),
        points=tuple(_point(line, level) for line in lines for level in line.levels),
        strokes=tuple(
            Stroke(
                tuple((level.batch_size, level.ratio.value) for level in line.levels),
                _look(line),
                wording.label(system, line),
            )
            for line in lines
        ),
    )


def _levels(section: Batches, *, paired: bool) -> list[Level]:
    """Return what is drawn of Metal against CPUs, or of systems against themselves."""
    return [
        level
        for system in section.systems
        if system.charted and system.paired == paired
        for line in system.drawn
        for level in line.levels
    ]


def _look(line: Line) -> Look:
    return "0" if line.strong else "quiet"


def _point(line: Line, level: Level) -> Point:
    return Point(
        x=level.batch_size,
        y=level.ratio.value,
        look=_look(line),
        run=level.quantity.run,
        low=level.ratio.low,
        high=level.ratio.high,
    )
