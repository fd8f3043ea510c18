"""Scaling: throughput against GPU cores within one generation of chips."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.scaling import Curve, Generation, Scaling, Step
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.terms import framework_text, sentence

_LITTLE, _MUCH = 0.9, 1.1  # exponents between them are about 1


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    found = _exponents(report.scaling)
    if found and max(found) < _LITTLE and min(found) > 0:
        return language.gettext("More GPU cores train faster, but not in proportion")
    if found and min(found) >= _LITTLE and max(found) <= _MUCH:
        return language.gettext("Throughput grows in proportion to the GPU cores")
    return language.pgettext("heading", "Scaling with GPU cores")


def _exponents(section: Scaling | None) -> list[float]:
    generations = section.generations if section else ()
    curves = [curve for one in generations for curve in one.curves]
    return [curve.exponent for curve in curves if curve.exponent is not None]


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.scaling is None:
        return ""
    said = language.gettext(
        "Chips of one generation at the same work with Metal. The dotted lines show "
        "perfect scaling from the smallest GPU: twice the cores, twice the throughput."
    )
    return language.sentences([said, _range(language, _exponents(report.scaling))])


def _range(language: Language, found: Sequence[float]) -> str:
    if not found:
        return ""
    low, high = power(language, min(found)), power(language, max(found))
    if low == high:
        return language.gettext("Throughput grows as %(power)s.", power=low)
    return language.gettext(
        "Throughput grows as %(low)s to %(high)s, from workload to workload.",
        low=low,
        high=high,
    )


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


def alt(language: Language, report: Report) -> str:
    """Tell the chart's finding with its numbers."""
    generations = report.scaling.generations if report.scaling else ()
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
        for one in generations
        if one.charted
    ]
    return language.sentences([sentence(language, title(language, report)), *said])


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


def remarks(language: Language, report: Report) -> str:
    """Say where core counts come from, and what the chart leaves to the table."""
    generations = report.scaling.generations if report.scaling else ()
    curves = [curve for one in generations for curve in one.curves]
    hidden = sum(not one.charted or c.quiet for one in generations for c in one.curves)
    beyond = language.ngettext(
        "%(n)s more line stands in the table only.",
        "%(n)s more lines stand in the table only.",
        hidden,
    )
    flagged = any(step.quantity.notes for curve in curves for step in curve.steps)
    notes = language.gettext("No exponent rests on a figure that carries a note.")
    steps = [step for curve in curves for step in curve.steps]
    fits = language.gettext(
        "Solid lines are least squares fits, of which the exponent is the slope."
    )
    return language.sentences(
        [
            fits if _exponents(report.scaling) else "",
            notes if flagged else "",
            _basis(language, steps),
            beyond if hidden else "",
        ]
    )


def _basis(language: Language, steps: Sequence[Step]) -> str:
    known = sorted({s.system.chip for s in steps if s.basis == "catalogue"})
    if not known:
        return ""
    return language.ngettext(
        "GPU cores as stated for each machine; the %(chips)s exists in one variant "
        "only, whose count stands where none is stated.",
        "GPU cores as stated for each machine; %(chips)s exist in one variant only, "
        "whose count stands where none is stated.",
        len(known),
        chips=known,
    )


def figures(report: Report) -> list[tuple[Quantity, Ratio | None]]:
    """Return every figure of the section; none is compared under unlike conditions."""
    generations = report.scaling.generations if report.scaling else ()
    curves = [curve for one in generations for curve in one.curves]
    return [(step.quantity, None) for curve in curves for step in curve.steps]
