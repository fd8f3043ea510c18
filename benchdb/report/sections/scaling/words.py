"""What is said and drawn of scaling: throughput against GPU cores."""

from collections.abc import Mapping, Sequence
from typing import Any

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
from benchdb.report.language.arguments import Name
from benchdb.report.sections.scaling import Curve, Generation, Scaling
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import chip_text, framework_text, sentence

_LITTLE, _MUCH = 0.9, 1.1  # exponents between them are about 1
_BEYOND = 0.08  # of the axis, past the largest GPU: its labels are long


def title(language: Language, section: Scaling | None) -> str:
    """Return the heading, with the finding where there is one."""
    exponents = _exponents(section) if section else []
    if exponents and max(exponents) < _LITTLE and min(exponents) > 0:
        return language.gettext("More GPU cores train faster, but not in proportion")
    if exponents and min(exponents) >= _LITTLE and max(exponents) <= _MUCH:
        return language.gettext("Throughput grows in proportion to the GPU cores")
    return language.pgettext("heading", "Scaling with GPU cores")


def _exponents(section: Scaling) -> list[float]:
    return [it.exponent for it in section.curves if it.exponent is not None]


def lead(language: Language, section: Scaling) -> str:
    """Return the sentence or two under the heading."""
    said = language.gettext(
        "Chips of one generation at the same work with Metal. The dotted lines show "
        "perfect scaling from the smallest GPU: twice the cores, twice the throughput."
    )
    exponents = _exponents(section)
    if not exponents:
        return said
    low, high = power(language, min(exponents)), power(language, max(exponents))
    grows = language.gettext(
        "Throughput grows as %(low)s to %(high)s, from workload to workload.",
        low=low,
        high=high,
    )
    if low == high:
        grows = language.gettext("Throughput grows as %(power)s.", power=low)
    return language.sentences([said, grows])


def power(language: Language, exponent: float) -> str:
    """Write a power of the number of cores."""
    digits = language.number(exponent, 1)
    # TRANSLATORS: GPU cores to the power of an exponent, in plain characters.
    return language.isolate(
        language.pgettext("power", "cores^%(exponent)s", exponent=digits)
    )


def work(language: Language, curve: Curve, generation: Generation) -> str:
    """Name what a curve is about; its framework and batch where that tells it apart."""
    same = [one for one in generation.curves if one.workload == curve.workload]
    more = list(curve.apart)
    if len({one.framework for one in same}) > 1:
        more.append(framework_text(language, curve.framework))
    if len({one.batch_size for one in same}) > 1 and curve.batch_size:
        batch = language.number(curve.batch_size)
        more.append(language.gettext("batch %(n)s", n=batch))
    return " · ".join([curve.workload.title, *more])


def label(language: Language, curve: Curve, generation: Generation) -> str:
    """Name a curve in the chart, with its exponent."""
    name = language.isolate(work(language, curve, generation))
    if curve.exponent is None:
        return name
    return f"{name} · {power(language, curve.exponent)}"


def alt(language: Language, section: Scaling) -> str:
    """Tell the chart's finding with its numbers."""
    said = [
        language.pgettext(
            "system and its lines",
            "%(system)s: %(lines)s.",
            system=Name(one.name),
            lines=language.semicolon.join(
                _from_to(language, curve, one)
                for curve in one.curves
                if not curve.quiet
            ),
        )
        for one in section.generations
        if one.charted
    ]
    return language.sentences([sentence(language, title(language, section)), *said])


def _from_to(language: Language, curve: Curve, generation: Generation) -> str:
    first, last = curve.steps[0], curve.steps[-1]
    return language.pgettext(
        "GPU cores",
        "%(workload)s from %(low)s on %(few)s cores to %(high)s on %(many)s cores",
        workload=label(language, curve, generation),
        low=first.quantity,
        few=first.gpu_cores,
        high=last.quantity,
        many=last.gpu_cores,
    )


def remarks(language: Language, section: Scaling) -> list[str]:
    """Say where core counts come from, and what the chart leaves to the table."""
    steps = [step for curve in section.curves for step in curve.steps]
    hidden = sum(
        not one.charted or curve.quiet
        for one in section.generations
        for curve in one.curves
    )
    flagged = any(step.quantity.notes for step in steps)
    alone = sorted({it.system.chip for it in steps if it.basis == "catalogue"})
    fits = language.gettext(
        "Solid lines are least squares fits, of which the exponent is the slope."
    )
    notes = language.gettext("No exponent rests on a figure that carries a note.")
    basis = language.ngettext(
        "GPU cores as stated for each machine; the %(chips)s exists in one variant "
        "only, whose count stands where none is stated.",
        "GPU cores as stated for each machine; %(chips)s exist in one variant only, "
        "whose count stands where none is stated.",
        len(alone),
        chips=alone,
    )
    beyond = language.ngettext(
        "%(n)s more line stands in the table only.",
        "%(n)s more lines stand in the table only.",
        hidden,
    )
    return [
        fits if _exponents(section) else "",
        notes if flagged else "",
        basis if alone else "",
        beyond if hidden else "",
    ]


def tables(language: Language, section: Scaling) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "GPU cores"),
        language.pgettext("table header", "Throughput"),
        language.pgettext("table header", "Scaling"),
    )
    known = grades(section)
    rows = [
        (
            language.isolate(work(language, curve, one)),
            cells.here(
                language,
                chip_text(language, step.system.chip),
                marked=step.system.here,
            ),
            language.written(step.gpu_cores),
            cells.figure(language, step.quantity, known),
            cells.DASH if curve.exponent is None else power(language, curve.exponent),
        )
        for one in section.generations
        for curve in one.curves
        for step in curve.steps
    ]
    return [cells.Table(head, rows, frozenset({2, 3}))]


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return throughput by cores, a panel for each generation."""
    section = sections["scaling"]
    charted = [one for one in section.generations if one.charted]
    curves = [curve for generation in charted for curve in _curves(generation)]
    return Chart(
        name="scaling",
        title=title(language, section),
        alt=alt(language, section),
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
        named = label(language, curve, generation)
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
            fits.append(Stroke(curve.fit, look, named))
        else:
            points[-1] = replace(points[-1], label=named)
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
