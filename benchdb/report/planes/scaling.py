"""Scaling: throughput against GPU cores within one generation of chips."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.planes import Key, Look, Panel, Plane, Point, Scale, Stroke, Tick
from benchdb.report.planes.doublings import doublings, power_of_two, spread_out
from benchdb.report.sections.scaling import Curve, Generation, Step
from benchdb.report.sections.scaling import words as wording
from benchdb.report.view.page import Report

_BEYOND = 0.08  # of the axis, past the largest GPU: its labels are long
_LOOKS: Sequence[Look] = ("0", "1", "2", "3", "4")


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    if report.scaling is None:
        return None
    shown = [one for one in report.scaling.generations if one.charted]
    curves = [curve for one in shown for curve in _drawn(one)]
    perfect = language.pgettext("legend", "perfect scaling")
    return Plane(
        name="scaling",
        title=wording.title(language, report),
        alt=wording.alt(language, report),
        panels=tuple(_panel(language, one, curves) for one in shown),
        keys=(Key("quiet", perfect),),
    )


def _drawn(one: Generation) -> list[Curve]:
    return [curve for curve in one.curves if not curve.quiet]


def _panel(language: Language, one: Generation, curves: Sequence[Curve]) -> Panel:
    """Return a generation's panel, whose axes reach as far as all *curves* do."""
    own = {step.gpu_cores for curve in _drawn(one) for step in curve.steps}
    counts = [step.gpu_cores for curve in curves for step in curve.steps]
    x = Scale(
        low=min(counts),
        high=max(counts) * (max(counts) / min(counts)) ** _BEYOND,
        ticks=tuple(Tick(at, language.number(at)) for at in spread_out(own)),
        title=language.pgettext("axis", "GPU cores"),
    )
    rates = [step.quantity.value for curve in curves for step in curve.steps]
    marks = doublings(min(rates), max(rates))
    y = Scale(
        low=marks[0],
        high=marks[-1],
        ticks=tuple(Tick(at, power_of_two(language, at)) for at in marks),
        title=language.pgettext("axis", "samples per second"),
    )
    return Panel(
        title=one.name,
        x=x,
        y=y,
        points=tuple(
            _point(language, one, place, step)
            for place, curve in enumerate(_drawn(one))
            for step in curve.steps
        ),
        strokes=(
            *(_perfect(curve) for curve in _drawn(one)),
            *(
                Stroke(curve.fit, _LOOKS[place], wording.label(language, curve, one))
                for place, curve in enumerate(_drawn(one))
                if curve.fit
            ),
        ),
    )


def _point(language: Language, one: Generation, place: int, step: Step) -> Point:
    curve = _drawn(one)[place]
    last = step == curve.steps[-1] and not curve.fit
    return Point(
        x=step.gpu_cores,
        y=step.quantity.value,
        look=_LOOKS[place],
        label=wording.label(language, curve, one) if last else "",
        run=step.quantity.run,
        low=step.quantity.low,
        high=step.quantity.high,
    )


def _perfect(curve: Curve) -> Stroke:
    """Return the line on which throughput is in proportion to cores."""
    first, last = curve.steps[0], curve.steps[-1]
    start = float(first.gpu_cores), first.quantity.value
    factor = last.gpu_cores / first.gpu_cores
    end = float(last.gpu_cores), first.quantity.value * factor
    return Stroke((start, end), "quiet", guide=True)
