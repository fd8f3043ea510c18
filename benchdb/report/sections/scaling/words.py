"""What is said and drawn of scaling: throughput and tokens against what grows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Stroke,
    axis_of,
    doubling_scale,
    mark,
    power_of_two,
    short,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.sections.scaling import Curve, Generation, Scaling
from benchdb.report.sections.scaling.laws import Against, Law, Mean
from benchdb.report.wording import cells
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import (
    chip_text,
    device_text,
    framework_text,
    model_text,
    named_text,
    sentence,
    title_text,
    workload_text,
)

_LITTLE, _MUCH = 0.9, 1.1  # exponents between them are about 1
_POWERS: tuple[Against, ...] = ("cores", "bandwidth")
_MEDIANS = 18  # bins in a table: those that most laws go through
_BEYOND = 0.08  # of the axis, past the largest GPU: its labels are long


def title(language: Language, section: Scaling | None) -> str:
    """Return the heading, with the finding where there is one."""
    exponents = _exponents(section) if section else []
    if exponents and max(exponents) < _LITTLE and min(exponents) > 0:
        return language.gettext("More GPU cores train faster, but not in proportion")
    if exponents and min(exponents) >= _LITTLE and max(exponents) <= _MUCH:
        return language.gettext("Throughput grows in proportion to the GPU cores")
    of = _first_of(section) if section and not exponents else {}
    if len(of) == len(_POWERS) and all(one.low > 0 for one in of.values()):
        return language.gettext(
            "Prompts are read faster with more GPU cores, answers are written faster "
            "with more memory bandwidth"
        )
    return language.pgettext("heading", "Scaling with GPU cores")


def _first_of(section: Scaling) -> dict[Against, Law]:
    every = {against: section.laws.of(against) for against in _POWERS}
    return {against: some[0] for against, some in every.items() if some}


def _exponents(section: Scaling) -> list[float]:
    return [it.exponent for it in section.curves if it.exponent is not None]


def lead(language: Language, section: Scaling) -> str:
    """Return the sentences under the heading."""
    laws = [law_text(language, one) for one in _first_of(section).values()]
    medians = language.gettext(
        "Language models: lines through the medians of kinds of machines, one for "
        "each model, weights and protocol."
    )
    tokens = [medians, *laws] if laws else []
    if not section.generations:
        return language.sentences(tokens)
    said = language.gettext(
        "Chips of one generation at the same work with Metal. The dotted lines show "
        "perfect scaling from the smallest GPU: twice the cores, twice the throughput."
    )
    exponents = _exponents(section)
    if not exponents:
        return language.sentences([said, *tokens])
    low, high = power(language, min(exponents)), power(language, max(exponents))
    grows = language.gettext(
        "Throughput grows as %(low)s to %(high)s, from workload to workload.",
        low=low,
        high=high,
    )
    if low == high:
        grows = language.gettext("Throughput grows as %(power)s.", power=low)
    return language.sentences([said, grows, *tokens])


def power(language: Language, exponent: float, of: Against | None = None) -> str:
    """Write a power of cores, or of what a law says; that has two decimals."""
    digits = language.number(exponent, 2 if of else 1)
    # TRANSLATORS: GPU cores to the power of an exponent, in plain characters.
    cores = language.pgettext("power", "cores^%(exponent)s", exponent=digits)
    # TRANSLATORS: memory bandwidth to the power of an exponent, in plain characters.
    width = language.pgettext("power", "bandwidth^%(exponent)s", exponent=digits)
    return language.isolate(width if of == "bandwidth" else cores)


def law_text(language: Language, law: Law) -> str:
    """Say how the speed of a work grows, how sure that is, and over how many bins."""
    return language.ngettext(
        "%(work)s: grows as %(power)s (95%% interval of the exponent: %(interval)s; "
        "%(n)s kind of machine).",
        "%(work)s: grows as %(power)s (95%% interval of the exponent: %(interval)s; "
        "%(n)s kinds of machines).",
        len(law.bins),
        work=Name(
            language.comma.join((law_work(language, law), protocol(language, law)))
        ),
        power=power(language, law.exponent, law.against),
        interval=interval(language, law),
    )


def interval(language: Language, law: Law) -> str:
    """Write the ends of the interval of an exponent."""
    low, high = (language.number(end, 2) for end in (law.low, law.high))
    # TRANSLATORS: the ends of an interval, which may be negative
    return language.pgettext(
        "interval",
        "%(low)s to %(high)s",
        low=language.isolate(low),
        high=language.isolate(high),
    )


def law_work(language: Language, law: Law) -> str:
    """Name the work of a law: what was done, with which model and length."""
    named = title_text(language, law.workload)
    named = workload_text(language, named, law.batch_size)
    said = named, model_text(language, dict(law.facts)), law.precision
    return " · ".join(map(language.isolate, filter(None, said)))


def protocol(language: Language, law: Law) -> str:
    """Name device, framework and protocol."""
    framework = framework_text(language, law.framework)
    said = device_text(language, law.device), framework, law.setting
    return " · ".join(map(language.isolate, said))


def law_tables(language: Language, section: Scaling) -> list[cells.Table]:
    """Return the laws, then the medians that those in the chart go through."""
    laws = section.laws.shown
    if not laws:
        return []
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "Protocol"),
        language.pgettext("table header", "Grows as"),
        language.pgettext("table header", "Interval"),
        language.pgettext("table header", "Kinds of machines"),
    )
    rows = [
        (
            law_work(language, law),
            protocol(language, law),
            power(language, law.exponent, law.against),
            interval(language, law),
            language.number(len(law.bins)),
        )
        for law in laws
    ]
    drawn = [section.laws.of(against) for against in _POWERS]
    medians = [_medians(language, some) for some in drawn if some]
    return [cells.Table(head, rows, frozenset({2, 3, 4})), *medians]


def _medians(language: Language, laws: Sequence[Law]) -> cells.Table:
    """Return the median of each bin under its laws, with the number of results."""
    against = laws[0].against
    found = [{(b.chip, b.gpu_cores, b.amount): b for b in law.bins} for law in laws]
    told = Counter(key for one in found for key in one)
    kept = [key for key, _ in told.most_common(_MEDIANS)]
    every = sorted(kept, key=lambda key: (key[2], key[0]))
    rows = [
        (
            chip_text(language, chip),
            language.number(cores) if cores else cells.DASH,
            *([language.significant(amount)] if against == "bandwidth" else []),
            *(_median(language, one.get((chip, cores, amount))) for one in found),
        )
        for chip, cores, amount in every
    ]
    head = [
        language.pgettext("table header", "Chip"),
        language.pgettext("table header", "GPU cores"),
        *([_axis(language, against)] if against == "bandwidth" else []),
        *(law_work(language, law) for law in laws),
    ]
    return cells.Table(head, rows, frozenset(range(1, len(head))))


def _median(language: Language, one: Mean | None) -> str:
    if one is None:
        return cells.DASH
    median = language.isolate(language.significant(one.median))
    if one.results == 1:
        return median
    count = language.pgettext(
        "repetitions", "n = %(n)s", n=language.number(one.results)
    )
    return f"{median} ({count})"


def _axis(language: Language, against: Against) -> str:
    if against == "bandwidth":
        return language.pgettext("axis", "memory bandwidth, GB/s")
    return language.pgettext("axis", "GPU cores")


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
    laws = [law_text(language, one) for one in section.laws.shown if not one.quiet]
    heading = sentence(language, title(language, section))
    return language.sentences([heading, *said, *laws])


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
    laws = section.laws
    more = language.ngettext(
        "%(n)s more line of a language model has no room here; %(command)s has its "
        "figures.",
        "%(n)s more lines of language models have no room here; %(command)s has their "
        "figures.",
        laws.more,
        command=Name("benchdb list --workload llm-prefill"),
    )
    differing = {name for law in laws.shown for name in law.differs}
    return [
        named_text(language, differing),
        more if laws.more else "",
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
    curves = [cells.Table(head, rows, frozenset({2, 3}))] if rows else []
    return [*curves, *law_tables(language, section)]


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return throughput by cores, a panel for each generation; then tokens."""
    section = sections["scaling"]
    charted = [one for one in section.generations if one.charted]
    curves = [curve for generation in charted for curve in _curves(generation)]
    laws = [some for against in _POWERS if (some := section.laws.of(against))]
    models = dict.fromkeys(_model(language, law) for some in laws for law in some)
    looks = dict(zip(models, SERIES, strict=False))
    perfect = Key("quiet", language.pgettext("legend", "perfect scaling"))
    return Chart(
        name="scaling",
        title=title(language, section),
        alt=alt(language, section),
        panels=(
            *(_panel(language, generation, curves) for generation in charted),
            *(_law_panel(language, some, looks) for some in laws),
        ),
        keys=(
            *((perfect,) if charted else ()),
            *(Key(look, model) for model, look in looks.items()),
        ),
    )


def _law_panel(
    language: Language, laws: Sequence[Law], looks: Mapping[str, Look]
) -> Panel:
    """Return the medians of the bins under some laws, with their lines."""
    drawn = [(looks.get(_model(language, law), "quiet"), law) for law in laws]
    bins = [one for law in laws for one in law.bins]
    amounts = [round(one.amount) for one in bins]
    low, high = min(amounts), max(one.amount for one in bins)
    rates = [rate for law in laws for rate in (*_ends(law), *_medians_of(law))]
    points = [
        Point(one.amount, one.median, "mine" if one.here else look)
        for look, law in drawn
        for one in law.bins
    ]
    fits = (
        Stroke(law.fit, look, power(language, law.exponent, law.against))
        for look, law in drawn
    )
    named = title_text(language, laws[0].workload)
    return Panel(
        title=named,
        x=axis_of(
            amounts,
            (low, high * (high / low) ** _BEYOND),
            language,
            _axis(language, laws[0].against),
        ),
        y=doubling_scale(
            min(rates),
            max(rates),
            lambda rate: power_of_two(language, rate),
            language.pgettext("axis", "tokens per second"),
        ),
        points=tuple(points),
        strokes=tuple(fits),
    )


def _model(language: Language, law: Law) -> str:
    """Name what has one look in all panels: model and weights."""
    facts = dict(law.facts)
    names = filter(None, (facts.get("model"), facts.get("quantization")))
    return short(language, " ".join(names))


def _ends(law: Law) -> list[float]:
    return [rate for _, rate in law.fit]


def _medians_of(law: Law) -> list[float]:
    return [one.median for one in law.bins]


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
