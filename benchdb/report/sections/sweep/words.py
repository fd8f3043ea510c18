"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share
from benchdb.report.sections.sweep import (
    Held,
    Peak,
    Sweep,
    SweepLine,
    SweepPanel,
    SweepPoint,
)
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
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
_ALUS = re.compile(r"(\d+) ALUs × 2 FLOP × (\d+) MHz")


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    found = _best(report.sweep) if report.sweep else None
    if found is None:
        return language.pgettext("heading", "Matrix products by size")
    line, point = found
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


def _clock(language: Language, sweep: Sweep) -> str:
    """Say at which clock the leading figure was computed, and what share that is."""
    line, point = _best(sweep) or (None, None)
    if line is None or point is None or _share_held(line, point) is None:
        return ""
    peak, held = line.peak, point.held
    if peak is None or peak.clock_mhz is None or held is None:
        return ""
    said = language.gettext(
        "At %(size)s it held %(own)s of the %(full)s GHz that the peak is of; of the "
        "full peak its rate is %(share)s.",
        size=size_text(language, point.size),
        own=Name(language.number(held.clock_mhz / 1000, 2)),
        full=Name(language.number(peak.clock_mhz / 1000, 2)),
        share=Share(point.quantity.value / peak.teraflops),
    )
    parts = [said, _capped(language, held), _burst(language, peak, point)]
    return language.sentences(parts)


def _burst(language: Language, peak: Peak, point: SweepPoint) -> str:
    """Say how fast the first products were, where they were faster than the others."""
    rate = point.held.burst if point.held else None
    if not rate or not point.quantity.value * _FASTER < rate <= peak.teraflops:
        return ""
    return language.gettext(
        "Its first products reached %(rate)s: %(share)s of the full peak.",
        rate=_rate(rate),
        share=Share(rate / peak.teraflops),
    )


def _capped(language: Language, held: Held) -> str:
    """Say how long the power limit slowed the chip, and the limit if it is stored."""
    if not held.capped:
        return ""
    share = Share(held.capped)
    if held.limit is None:
        return language.gettext(
            "Its power limit held it back %(share)s of the time.", share=share
        )
    return language.gettext(
        "Its power limit of %(watts)s held it back %(share)s of the time.",
        watts=Quantity(held.limit, "W", ""),
        share=share,
    )


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.sweep is None:
        return ""
    said = language.gettext(
        "Rate of the product of two square matrices, by their number of rows M."
    )
    guided = any(line.guided for line in report.sweep.drawn)
    peak = language.gettext("A dotted line is the peak of a chip in that precision.")
    own = language.gettext("Each chart has a scale of its own.")
    several = len(report.sweep.panels) > 1
    return language.sentences(
        [
            _clock(language, report.sweep),
            said,
            peak if guided else "",
            own if several else "",
        ]
    )


def alt(language: Language, report: Report) -> str:
    """Tell the chart's finding: where each line begins and ends."""
    if report.sweep is None:
        return ""
    finding = sentence(language, title(language, report))
    return language.sentences([finding, courses(language, report.sweep)])


def courses(language: Language, sweep: Sweep) -> str:
    """Tell where each line of the chart begins and ends."""
    return language.sentences([_course(language, sweep, line) for line in sweep.drawn])


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


def figures(report: Report) -> list[tuple[Quantity, None]]:
    """Return the figures of the chart; each stands for itself."""
    lines = report.sweep.drawn if report.sweep else ()
    return [(point.quantity, None) for line in lines for point in line.points]


def remarks(language: Language, report: Report) -> str:
    """Say what hollow marks are, which peaks are missing, and what is not drawn."""
    if report.sweep is None:
        return ""
    drawn = report.sweep.drawn
    hollow = any(line.differs or point.doubtful for line, point in _points(drawn))
    return language.sentences(
        [
            language.gettext(
                "Hollow marks are not like for like, above the peak, or flagged in "
                "a note."
            )
            if hollow
            else "",
            *_peaks(language, drawn),
            _elsewhere(language, report.sweep),
        ]
    )


def _peaks(language: Language, drawn: Iterable[SweepLine]) -> list[str]:
    unknown: dict[str, None] = {}
    far: dict[str, None] = {}
    for line in drawn:
        if line.peak is None:
            who = language.isolate(system_text(language, line.system))
            where = precision(language, line.precision)
            unknown[f"{who} ({where})"] = None
        elif not line.guided:
            far[peak_text(language, line.peak)] = None
    return [
        language.gettext("No peak is known of: %(systems)s.", systems=list(unknown))
        if unknown
        else "",
        language.gettext(
            "Too far above these figures to be drawn: %(peaks)s.", peaks=list(far)
        )
        if far
        else "",
    ]


def _elsewhere(language: Language, sweep: Sweep) -> str:
    n = len(sweep.rest)
    if not n:
        return ""
    return language.ngettext(
        "%(n)s more line, slower or with few sizes, is in the table only.",
        "%(n)s more lines, slower or with few sizes, are in the table only.",
        n,
    )


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
        parts.append(_kernel(language, own.framework))
    elif len({one.system.framework for one in there}) > 1:
        parts.append(framework_text(language, own.framework))
    same = [dict(one.variant) for one in there if one.system == own]
    for fact, value in line.variant:
        if len({other.get(fact) for other in same}) > 1:
            parts.append(_variant(language, fact, value))
    return " · ".join(parts)


def _kernel(language: Language, framework: str) -> str:
    """Name what multiplied: not the system's own library."""
    # TRANSLATORS: a program of the framework's author multiplied, no vendor's library
    return language.pgettext(
        "matrix products",
        "kernel of %(framework)s",
        framework=framework_text(language, framework),
    )


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
    """Name the chip and its peak."""
    return language.pgettext(
        "peak",
        "%(chip)s: %(rate)s",
        chip=peak_name(language, peak),
        rate=_rate(peak.teraflops),
    )


def peak_name(language: Language, peak: Peak) -> str:
    """Name the chip that a peak is of; of several it is the largest."""
    chip = language.isolate(peak.chip)
    if not peak.largest:
        return chip
    return language.pgettext("peak", "%(chip)s (largest variant)", chip=chip)


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
    return language.compact(_rate(teraflops))


def _rate(teraflops: float) -> Quantity:
    return Quantity(teraflops, "TFLOPS", "")


def _best(sweep: Sweep) -> tuple[SweepLine, SweepPoint] | None:
    """Return the fastest figure of like lines that nothing is noted about."""
    pairs = _points(line for line in sweep.drawn if not line.differs)
    sound = [(line, one) for line, one in pairs if one.leads and not one.doubtful]
    return max(sound, key=lambda pair: pair[1].quantity.value, default=None)


def _points(lines: Iterable[SweepLine]) -> list[tuple[SweepLine, SweepPoint]]:
    return [(line, point) for line in lines for point in line.points]
