"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

import math
from collections.abc import Mapping

from benchdb.report.language import Language
from benchdb.report.planes import Look, Panel, Plane, Point, Scale, Stroke, Tick
from benchdb.report.sections.sweep import Sweep, SweepLine, SweepPanel, words
from benchdb.report.view.atoms import System
from benchdb.report.view.page import Report

_LOOKS: tuple[Look, ...] = ("0", "1", "2", "3", "4")
_STEPS = (1, 2, 2.5, 5, 10)
_MOST_STEPS = 5
_ROOM = 1.04  # above the highest mark
_MOST_TICKS = 5  # between the first size and the last

Looks = Mapping[System, Look]


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    if report.sweep is None:
        return None
    return Plane(
        name="sweep",
        title=words.title(language, report),
        alt=words.courses(language, report.sweep),
        panels=tuple(
            _panel(language, report.sweep, panel) for panel in report.sweep.panels
        ),
    )


def _panel(language: Language, sweep: Sweep, panel: SweepPanel) -> Panel:
    looks = _looks(sweep, panel)
    points = tuple(
        mark
        for line in panel.lines
        for mark in _marks(language, sweep, line, looks[line.system])
    )
    strokes = [
        Stroke(
            through=tuple((one.size, one.quantity.value) for one in line.points),
            look=looks[line.system],
            label=words.name(language, sweep, line),
        )
        for line in panel.lines
        if len(line.points) > 1
    ]
    x = _sizes(language, sweep)
    guides = _peaks(language, panel, x, looks)
    tops = [height for one in guides for _, height in one.through]
    tops += [top for mark in points for top in (mark.y, mark.high or 0)]
    return Panel(
        title=words.panel_title(language, sweep, panel),
        x=x,
        y=_rates(language, max(tops)),
        points=points,
        strokes=(*guides, *strokes),
    )


def _looks(sweep: Sweep, panel: SweepPanel) -> Looks:
    """Return a look for each system: its own in all panels, as far as they suffice.

    This machine's stands out.
    """
    everyone = dict.fromkeys(line.system for line in sweep.drawn)
    order = [one for one in everyone if not one.here]
    looks: dict[System, Look] = {}
    for one in dict.fromkeys(line.system for line in panel.lines):
        usual = _LOOKS[order.index(one) % len(_LOOKS)] if one in order else "mine"
        free = (look for look in _LOOKS if look not in looks.values())
        looks[one] = usual if usual not in looks.values() else next(free)
    return looks


def _marks(
    language: Language, sweep: Sweep, line: SweepLine, look: Look
) -> list[Point]:
    """Return the marks of a line; alone, a mark bears the name itself."""
    alone = len(line.points) == 1
    return [
        Point(
            x=one.size,
            y=one.quantity.value,
            look=look,
            label=words.name(language, sweep, line) if alone else "",
            run=one.quantity.run,
            low=one.quantity.low,
            high=one.quantity.high,
            hollow=bool(line.differs) or one.doubtful,
        )
        for one in line.points
    ]


def _peaks(
    language: Language, panel: SweepPanel, x: Scale, looks: Looks
) -> tuple[Stroke, ...]:
    """Return a guide for each peak in sight: one for all lines of a chip."""
    found = {
        (line.peak.chip, line.peak.teraflops): Stroke(
            through=((x.low, line.peak.teraflops), (x.high, line.peak.teraflops)),
            look=looks[line.system],
            label=language.pgettext(
                "guide line", "peak %(peak)s", peak=words.peak_text(language, line.peak)
            ),
            guide=True,
        )
        for line in panel.lines
        if line.peak and line.guided
    }
    return tuple(found.values())


def _sizes(language: Language, sweep: Sweep) -> Scale:
    """Return the axis of all panels: powers of two around what is drawn."""
    sizes = [one.size for line in sweep.drawn for one in line.points]
    first = math.floor(math.log2(min(sizes)))
    last = max(math.ceil(math.log2(max(sizes))), first + 1)
    powers = range(first, last + 1, math.ceil((last - first) / _MOST_TICKS))
    return Scale(
        low=2.0**first,
        high=2.0**last,
        ticks=tuple(
            Tick(2.0**one, language.isolate(language.number(2**one))) for one in powers
        ),
        title=language.pgettext("axis", "M, rows of each matrix"),
    )


def _rates(language: Language, top: float) -> Scale:
    """Return the axis from 0 to a little above *top*, in round steps."""
    size = 10.0 ** math.floor(math.log10(top / _MOST_STEPS))
    step = next(one * size for one in _STEPS if one * size * _MOST_STEPS >= top)
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
