"""Scaling: throughput against GPU cores within one generation of chips."""

from collections.abc import Sequence

from msgspec.structs import replace

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Panel,
    Point,
    Stroke,
    axis_of,
    doubling_scale,
    mark,
    power_of_two,
)
from benchdb.report.language import Language
from benchdb.report.sections import scaling as wording
from benchdb.report.sections.scaling import Curve, Generation
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
    counts = [step.gpu_cores for curve in curves for step in curve.steps]
    rates = [step.quantity.value for curve in curves for step in curve.steps]
    points: list[Point] = []
    guides: list[Stroke] = []
    fits: list[Stroke] = []
    for look, curve in zip(SERIES, _curves(generation), strict=False):
        label = wording.label(language, curve, generation)
        points += (
            mark(step.gpu_cores, step.quantity.value, look, step.quantity)
            for step in curve.steps
        )
        # Perfect scaling: throughput in proportion to cores.
        first, last = curve.steps[0], curve.steps[-1].gpu_cores
        rate = first.quantity.value
        ends = ((first.gpu_cores, rate), (last, rate * last / first.gpu_cores))
        guides.append(Stroke(ends, "quiet", guide=True))
        if curve.fit:
            fits.append(Stroke(curve.fit, look, label))
        else:
            points[-1] = replace(points[-1], label=label)
    low, high = min(counts), max(counts)
    return Panel(
        title=generation.name,
        x=axis_of(
            [step.gpu_cores for one in _curves(generation) for step in one.steps],
            (low, high * (high / low) ** _BEYOND),
            language,
            language.pgettext("axis", "GPU cores"),
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
