"""What is said of the sweep: shares of the peak, clocks, names of lines and peaks."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

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
from benchdb.report.language.arguments import Argument, Name, Share
from benchdb.report.sections.sweep import (
    Peak,
    Sweep,
    SweepLine,
    SweepPanel,
    SweepPoint,
)
from benchdb.report.view.atoms import Quantity, System
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.terms import (
    condition,
    framework_text,
    sentence,
    system_text,
)

_FASTER = 1.02  # what a burst is at least, against the rate that was held
# Conditions whose values say what they are of.
_VALUES_ALONE = {
    "attention",
    "compiler",
    "data",
    "layout",
    "protocol",
    "system",
    "tier",
}
_KERNELS = {"needle"}  # their authors wrote the product, where others call a library
_SIZES = 6  # in one table, beside the system and its precision
_ALUS = re.compile(r"(\d+) ALUs × 2 FLOP × (\d+) MHz")
_STEPS = (1, 2, 2.5, 5, 10)
_MOST_STEPS = 5
_ROOM = 1.04  # above the highest mark


def title(language: Language, section: Sweep | None) -> str:
    """Return the heading, with the finding where there is one."""
    best = _best(section) if section else None
    if best is None:
        return language.pgettext("heading", "Matrix products by size")
    line, point = best
    facts: dict[str, Argument] = {
        "system": Name(system_text(language, line.system)),
        "precision": precision(language, line.precision),
        "rate": point.quantity,
    }
    held = _share_held(line, point)
    if held is not None:
        return language.gettext(
            "In matrix products, %(system)s reaches %(share)s of its %(precision)s "
            "peak at the clock that it held",
            share=Share(held),
            **facts,
        )
    if line.peak and not line.peak.largest:
        return language.gettext(
            "In matrix products, %(system)s reaches %(share)s of its %(precision)s "
            "peak",
            share=Share(point.quantity.value / line.peak.teraflops),
            **facts,
        )
    return language.gettext(
        "In matrix products, %(system)s reaches %(rate)s in %(precision)s", **facts
    )


def _share_held(line: SweepLine, point: SweepPoint) -> float | None:
    """Return the share of the peak at the clock that was held, where that is lower."""
    peak, held = line.peak, point.held
    if peak is None or peak.largest or peak.clock_mhz is None or held is None:
        return None
    if held.clock_mhz >= peak.clock_mhz:
        return None
    most = peak.teraflops * held.clock_mhz / peak.clock_mhz
    return point.quantity.value / most


def _clock(language: Language, section: Sweep) -> list[str]:
    """Say at which clock the leading figure was computed, and what share that is."""
    line, point = _best(section) or (None, None)
    if line is None or point is None or _share_held(line, point) is None:
        return []
    peak, held = line.peak, point.held
    if peak is None or peak.clock_mhz is None or held is None:
        return []
    said = language.gettext(
        "At %(size)s it held %(own)s of the %(full)s GHz that the peak is of; of the "
        "full peak its rate is %(share)s.",
        size=size_text(language, point.size),
        own=Name(language.number(held.clock_mhz / 1000, 2)),
        full=Name(language.number(peak.clock_mhz / 1000, 2)),
        share=Share(point.quantity.value / peak.teraflops),
    )
    parts = [said]
    if held.capped and held.limit is None:
        capped = language.gettext(
            "Its power limit held it back %(share)s of the time.",
            share=Share(held.capped),
        )
        parts.append(capped)
    elif held.capped and held.limit is not None:
        capped = language.gettext(
            "Its power limit of %(watts)s held it back %(share)s of the time.",
            watts=Quantity(held.limit, "W", ""),
            share=Share(held.capped),
        )
        parts.append(capped)
    rate = held.burst or 0.0
    if point.quantity.value * _FASTER < rate <= peak.teraflops:
        burst = language.gettext(
            "Its first products reached %(rate)s: %(share)s of the full peak.",
            rate=Quantity(rate, "TFLOPS", ""),
            share=Share(rate / peak.teraflops),
        )
        parts.append(burst)
    return parts


def lead(language: Language, section: Sweep) -> str:
    """Return the sentence or two under the heading."""
    said = language.gettext(
        "Rate of the product of two square matrices, by their number of rows M."
    )
    peak = language.gettext("A dotted line is the peak of a chip in that precision.")
    own = language.gettext("Each chart has a scale of its own.")
    return language.sentences(
        [
            *_clock(language, section),
            said,
            peak if any(line.guided for line in section.drawn) else "",
            own if len(section.panels) > 1 else "",
        ]
    )


def alt(language: Language, section: Sweep) -> str:
    """Tell the chart's finding: where each line begins and ends."""
    finding = sentence(language, title(language, section))
    return language.sentences([finding, courses(language, section)])


def courses(language: Language, section: Sweep) -> str:
    """Tell where each line of the chart begins and ends."""
    return language.sentences([_course(language, section, it) for it in section.drawn])


def _course(language: Language, sweep: Sweep, line: SweepLine) -> str:
    first, last = line.points[0], line.points[-1]
    facts: dict[str, Argument] = {
        "line": Name(name(language, sweep, line)),
        "precision": precision(language, line.precision),
        "first": first.quantity,
        "small": first.size,
    }
    if first is last:
        return language.gettext(
            "%(line)s, %(precision)s: %(first)s at M = %(small)s.", **facts
        )
    return language.gettext(
        "%(line)s, %(precision)s: from %(first)s at M = %(small)s to %(last)s at "
        "M = %(large)s.",
        last=last.quantity,
        large=last.size,
        **facts,
    )


def remarks(language: Language, section: Sweep) -> list[str]:
    """Say what hollow marks are, which peaks are missing, and what is not drawn."""
    drawn, n = section.drawn, len(section.rest)
    hollow = any(line.differs or point.doubtful for line, point in _points(drawn))
    unknown = dict.fromkeys(
        f"{language.isolate(system_text(language, line.system))} "
        f"({precision(language, line.precision)})"
        for line in drawn
        if line.peak is None
    )
    far = dict.fromkeys(
        peak_text(language, line.peak)
        for line in drawn
        if line.peak and not line.guided
    )
    marks = language.gettext(
        "Hollow marks are not like for like, above the peak, or flagged in a note."
    )
    peaks = language.gettext("No peak is known of: %(systems)s.", systems=list(unknown))
    above = language.gettext(
        "Too far above these figures to be drawn: %(peaks)s.", peaks=list(far)
    )
    rest = language.ngettext(
        "%(n)s more line, slower or with few sizes, is in the table only.",
        "%(n)s more lines, slower or with few sizes, are in the table only.",
        n,
    )
    return [
        marks if hollow else "",
        peaks if unknown else "",
        above if far else "",
        rest if n else "",
    ]


def name(language: Language, sweep: Sweep, line: SweepLine) -> str:
    """Name a line: its system, and what tells it from the system's other lines."""
    own = line.system
    where = [one for one in sweep.lines if one.precision == line.precision]
    there = [
        one
        for one in where
        if (one.system.chip, one.system.device) == (own.chip, own.device)
    ]
    parts = [system_text(language, own)]
    if own.framework in _KERNELS:
        # TRANSLATORS: a program of the framework's author multiplied, no vendor's
        # library
        kernel = language.pgettext(
            "matrix products",
            "kernel of %(framework)s",
            framework=framework_text(language, own.framework),
        )
        parts.append(kernel)
    elif len({one.system.framework for one in there}) > 1:
        parts.append(framework_text(language, own.framework))
    same = [dict(one.variant) for one in there if one.system == own]
    for fact, value in line.variant:
        if len({other.get(fact) for other in same}) > 1:
            parts.append(_variant(language, fact, value))
    return " · ".join(parts)


def _variant(language: Language, fact: str, value: str) -> str:
    if fact == "threads" and value.isdecimal():
        n = int(value)
        return language.ngettext("%(n)s thread", "%(n)s threads", n)
    if fact == "metric":
        return metric_text(language, value)
    if fact == "workload":
        return f"{language.pgettext('condition', 'version')} {value}"
    if fact in _VALUES_ALONE:
        return value
    return f"{condition(language, fact)} {value}"


def precision(language: Language, token: str | None) -> str:
    """Name a precision, or say that nobody states it."""
    if token is None:
        return language.pgettext("precision", "precision not stated")
    return language.isolate(token)


def peak_text(language: Language, peak: Peak) -> str:
    """Name the chip and its peak; of several variants it is the largest."""
    chip = language.isolate(peak.chip)
    if peak.largest:
        chip = language.pgettext("peak", "%(chip)s (largest variant)", chip=chip)
    rate = Quantity(peak.teraflops, "TFLOPS", "")
    return language.pgettext("peak", "%(chip)s: %(rate)s", chip=chip, rate=rate)


def basis_text(language: Language, peak: Peak) -> str:
    """Say what a peak rests on, and how sure the catalogue is of it."""
    counted = _ALUS.fullmatch(peak.basis)
    basis = language.isolate(peak.basis)
    if counted:
        alus, clock = map(int, counted.groups())
        basis = language.pgettext(
            "basis of a peak",
            "%(alus)s ALUs × 2 FLOP × %(clock)s MHz",
            alus=alus,
            clock=clock,
        )
    elif peak.basis == "vendor datasheet, dense":
        basis = language.pgettext("basis of a peak", "vendor's data sheet, dense")
    sure = {
        "high": language.pgettext("confidence", "high confidence"),
        "medium": language.pgettext("confidence", "medium confidence"),
    }.get(peak.confidence, "")
    largest = language.pgettext("basis of a peak", "largest variant")
    parts = (largest if peak.largest else "", basis, sure)
    return language.comma.join(filter(None, parts))


def panel_title(language: Language, sweep: Sweep, panel: SweepPanel) -> str:
    """Name the precision of a panel, and that faster systems have another one."""
    named = precision(language, panel.precision)
    alike = [one for one in sweep.panels if one.precision == panel.precision]
    if panel == alike[0]:
        return named
    return language.pgettext("chart", "%(precision)s, lower rates", precision=named)


def size_text(language: Language, size: int) -> str:
    """Name a size of square matrices by their number of rows."""
    said = language.pgettext("matrix size", "M = %(size)s", size=language.number(size))
    return language.isolate(said)


def digits(language: Language, quantity: Quantity) -> str:
    """Return a rate without its unit, for a table that names it once."""
    return language.compact(replace(quantity, unit=""))


def rate_text(language: Language, teraflops: float) -> str:
    """Return a rate with its unit, to three digits."""
    return language.compact(Quantity(teraflops, "TFLOPS", ""))


def _best(sweep: Sweep) -> tuple[SweepLine, SweepPoint] | None:
    """Return the fastest figure of like lines that nothing is noted about."""
    pairs = _points(line for line in sweep.drawn if not line.differs)
    sound = [(line, one) for line, one in pairs if one.leads and not one.doubtful]
    return max(sound, key=lambda pair: pair[1].quantity.value, default=None)


def _points(lines: Iterable[SweepLine]) -> list[tuple[SweepLine, SweepPoint]]:
    return [(line, point) for line in lines for point in line.points]


def tables(language: Language, section: Sweep) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    sizes = section.sizes
    parts = [sizes[at : at + _SIZES] for at in range(0, len(sizes), _SIZES)]
    rates = [_rates(language, section, part) for part in parts]
    peaks = {  # each with what it rests on, once
        (
            language.isolate(line.peak.chip),
            precision(language, line.precision),
            language.isolate(rate_text(language, line.peak.teraflops)),
            basis_text(language, line.peak),
        ): None
        for line in section.lines
        if line.peak
    }
    head = (
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "Precision"),
        language.pgettext("table header", "Peak"),
        language.pgettext("table header", "Basis"),
    )
    return [*rates, cells.Table(head, list(peaks), frozenset({2}))] if peaks else rates


def _rates(language: Language, section: Sweep, sizes: Sequence[int]) -> cells.Table:
    head = (
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Precision"),
        *(size_text(language, size) for size in sizes),
    )
    known, rows = grades(section), []
    for line in section.lines:
        there = {it.size: it.quantity for it in line.points if it.size in sizes}
        if there:
            unlike = cells.sign(line.differs, section.unlike)
            named, here = name(language, section, line), line.system.here
            row = (
                unlike + cells.here(language, named, marked=here),
                precision(language, line.precision),
                *(cells.figure(language, there.get(size), known) for size in sizes),
            )
            rows.append(row)
    return cells.Table(head, rows, frozenset(range(2, len(head))))


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return rates by size, a panel for each precision."""
    section = sections["sweep"]
    return Chart(
        name="sweep",
        title=title(language, section),
        alt=courses(language, section),
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
        look, named = looks[line.system], name(language, sweep, line)
        if line.peak and line.guided:
            rate = line.peak.teraflops
            label = language.pgettext(
                "guide line",
                "peak %(peak)s",
                peak=peak_text(language, line.peak),
            )
            ends = ((x.low, rate), (x.high, rate))
            peaks[line.peak.chip, rate] = Stroke(ends, look, label, guide=True)
        through = tuple((point.size, point.quantity.value) for point in line.points)
        if len(through) > 1:
            strokes.append(Stroke(through, look, named))
            named = ""  # only alone does a mark bear it itself
        points += (
            mark(
                *place,
                look,
                point.quantity,
                label=named,
                hollow=bool(line.differs) or point.doubtful,
            )
            for place, point in zip(through, line.points, strict=True)
        )
    strokes = [*peaks.values(), *strokes]
    tops = [y for stroke in strokes for _, y in stroke.through]
    tops += [top for point in points for top in (point.y, point.high or 0)]
    title = panel_title(language, sweep, panel)
    y = _rate_axis(language, max(tops))
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


def _rate_axis(language: Language, top: float) -> Scale:
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
