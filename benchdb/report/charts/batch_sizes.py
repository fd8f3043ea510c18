"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Stroke,
    axis_of,
    doubling_scale,
    mark,
    power_of_two,
)
from benchdb.report.language import Language
from benchdb.report.sections.batches import words as wording
from benchdb.report.sections.batches.data import Batches, BatchSystem, Line
from benchdb.report.view.page import Report


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("batches")
    if section is None:
        return None
    systems = [system for system in section.systems if system.charted]
    looks = {_look(line) for system in systems for line in system.drawn}
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
    # Of Metal against CPUs, or of systems against themselves.
    levels = [
        level
        for other in section.systems
        if other.charted and other.paired == system.paired
        for line in other.drawn
        for level in line.levels
    ]
    sizes = [level.batch_size for level in levels]
    ratios = [level.ratio.value for level in levels]
    curves = [
        (line, tuple((level.batch_size, level.ratio.value) for level in line.levels))
        for line in lines
    ]
    return Panel(
        title=wording.headed(language, system, section),
        x=axis_of(
            [level.batch_size for line in lines for level in line.levels],
            (min(sizes), max(sizes)),
            language,
            language.pgettext("axis", "Batch size"),
        ),
        y=doubling_scale(
            min(ratios),
            max(ratios),
            lambda factor: language.multiple(power_of_two(language, factor)),
            wording.against(language, paired=system.paired),
        ),
        points=tuple(
            mark(*place, _look(line), level.quantity, level.ratio)
            for line, curve in curves
            for place, level in zip(curve, line.levels, strict=True)
        ),
        strokes=tuple(
            Stroke(curve, _look(line), wording.label(system, line))
            for line, curve in curves
        ),
    )


def _look(line: Line) -> Look:
    return "0" if line.strong else "quiet"
