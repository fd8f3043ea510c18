"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

import math
from collections.abc import Mapping

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Look,
    Panel,
    Point,
    Scale,
    Stroke,
    Tick,
    doubling_scale,
    mark,
)
from benchdb.report.language import Language
from benchdb.report.sections.sweep import words
from benchdb.report.sections.sweep.data import Sweep, SweepPanel
from benchdb.report.view.atoms import System
from benchdb.report.view.page import Report

_STEPS = (1, 2, 2.5, 5, 10)
_MOST_STEPS = 5
_ROOM = 1.04  # above the highest mark


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("sweep")
    if section is None:
        return None
    return Chart(
        name="sweep",
        title=words.title(language, section),
        alt=words.courses(language, section),
        panels=tuple(_panel(language, section, panel) for panel in section.panels),
    )


def _panel(language: Language, sweep: Sweep, panel: SweepPanel) -> Panel:
    looks = _looks(sweep, panel)
    # All panels have the same axis: powers of two around what is drawn.
    sizes = [point.size for line in sweep.drawn for point in line.points]
    x = doubling_scale(
        min(sizes),
        max(sizes),
        lambda size: language.isolate(language.number(size)),
        language.pgettext("axis", "M, rows of each matrix"),
    )
    points: list[Point] = []
    peaks: dict[tuple[str, float], Stroke] = {}  # one for all lines of a chip
    strokes: list[Stroke] = []
    for line in panel.lines:
        look, name = looks[line.system], words.name(language, sweep, line)
        if line.peak and line.guided:
            rate = line.peak.teraflops
            label = language.pgettext(
                "guide line",
                "peak %(peak)s",
                peak=words.peak_text(language, line.peak),
            )
            ends = ((x.low, rate), (x.high, rate))
            peaks[line.peak.chip, rate] = Stroke(ends, look, label, guide=True)
        through = tuple((point.size, point.quantity.value) for point in line.points)
        if len(through) > 1:
            strokes.append(Stroke(through, look, name))
            name = ""  # only alone does a mark bear it itself
        points += (
            mark(
                *place,
                look,
                point.quantity,
                label=name,
                hollow=bool(line.differs) or point.doubtful,
            )
            for place, point in zip(through, line.points, strict=True)
        )
    strokes = [*peaks.values(), *strokes]
    tops = [y for stroke in strokes for _, y in stroke.through]
    tops += [top for point in points for top in (point.y, point.high or 0)]
    title = words.panel_title(language, sweep, panel)
    y = _rates(language, max(tops))
    return Panel(title, x, y, tuple(points), tuple(strokes))


def _looks(sweep: Sweep, panel: SweepPanel) -> Mapping[System, Look]:
    """Return a look for each system: its own in all panels, as far as they suffice.

    This machine's stands out.
    """
    systems = dict.fromkeys(line.system for line in sweep.drawn)
    others = [system for system in systems if not system.here]
    looks: dict[System, Look] = {}
    for system in dict.fromkeys(line.system for line in panel.lines):
        look: Look = "mine"
        if system in others:
            look = SERIES[others.index(system) % len(SERIES)]
        free = (look for look in SERIES if look not in looks.values())
        looks[system] = look if look not in looks.values() else next(free)
    return looks


def _rates(language: Language, top: float) -> Scale:
    """Return the axis from 0 to a little above *top*, in round steps."""
    size = 10.0 ** math.floor(math.log10(top / _MOST_STEPS))
    step = next(n * size for n in _STEPS if n * size * _MOST_STEPS >= top)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9) + (step / size == 2.5))
    count = math.floor(top * _ROOM / step)
    return Scale(
        low=0.0,
        high=max(top * _ROOM, step),
        ticks=tuple(
            Tick(place * step, language.number(place * step, decimals if place else 0))
            for place in range(count + 1)
        ),
        title=language.unit("TFLOPS"),
        log=False,
    )
