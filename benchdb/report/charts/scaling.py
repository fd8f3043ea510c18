"""Scaling: throughput against GPU cores within one generation of chips."""

from collections.abc import Sequence

from msgspec.structs import replace

from benchdb.report.charts.spec import (
    SERIES,
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
from benchdb.report.sections import scaling as wording
from benchdb.report.sections.scaling import Curve, Generation, Step
from benchdb.report.view.page import Report

_BEYOND = 0.08  # of the axis, past the largest GPU: its labels are long


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("scaling")
    if section is None:
        return None
    charted = [one for one in section.generations if one.charted]
    curves = [curve for generation in charted for curve in _curves(generation)]
    return Chart(
        name="scaling",
        title=wording.title(language, section),
        alt=wording.alt(language, section),
        panels=tuple(_panel(language, generation, curves) for generation in charted),
        keys=(Key("quiet", language.pgettext("legend", "perfect scaling")),),
    )


def _curves(generation: Generation) -> list[Curve]:
    return [curve for curve in generation.curves if not curve.quiet]


def _panel(
    language: Language, generation: Generation, curves: Sequence[Curve]
) -> Panel:
    """Return a generation's panel, whose axes reach as far as all *curves* do."""
    steps = [step for curve in curves for step in curve.steps]
    counts = [step.gpu_cores for step in steps]
    rates = [step.quantity.value for step in steps]
    ticks = spread_out(
        step.gpu_cores for curve in _curves(generation) for step in curve.steps
    )
    points: list[Point] = []
    guides: list[Stroke] = []
    fits: list[Stroke] = []
    for look, curve in zip(SERIES, _curves(generation), strict=False):
        label = wording.label(language, curve, generation)
        points += (_point(step, look) for step in curve.steps)
        guides.append(_perfect(curve))
        if curve.fit:
            fits.append(Stroke(curve.fit, look, label))
        else:
            points[-1] = replace(points[-1], label=label)
    return Panel(
        title=generation.name,
        x=Scale(
            low=min(counts),
            high=max(counts) * (max(counts) / min(counts)) ** _BEYOND,
            ticks=tuple(Tick(count, language.number(count)) for count in ticks),
            title=language.pgettext("axis", "GPU cores"),
        ),
        y=doubling_scale(
            min(rates),
            max(rates),
            lambda rate: power_of_two(language, rate),
            language.pgettext("axis", "samples per second"),
        ),
        points=tuple(points),
        strokes=(*guides, *fits),
    )


def _point(step: Step, look: Look) -> Point:
    return Point(
        x=step.gpu_cores,
        y=step.quantity.value,
        look=look,
        run=step.quantity.run,
        low=step.quantity.low,
        high=step.quantity.high,
    )


def _perfect(curve: Curve) -> Stroke:
    """Return the line on which throughput is in proportion to cores."""
    first, last = curve.steps[0], curve.steps[-1]
    rate = first.quantity.value
    ends = (
        (first.gpu_cores, rate),
        (
            last.gpu_cores,
            rate * last.gpu_cores / first.gpu_cores,
        ),
    )
    return Stroke(ends, "quiet", guide=True)
