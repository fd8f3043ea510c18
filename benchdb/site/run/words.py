"""What the page of a run says."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from statistics import fmean, median, stdev
from typing import Any

import msgspec

from benchdb.collecting.again import PROCESSES, PUBLISHED
from benchdb.metric_kinds import LASTING
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording import (
    cells,
    grades,
    ladder,
    metrics,
    notes,
    terms,
)
from benchdb.report.wording.facts import locator_text
from benchdb.report.wording.measured_again import badge_text, replication_texts
from benchdb.site import wording
from benchdb.site.badges import badge
from benchdb.site.content import Site
from benchdb.site.pages import Words
from benchdb.site.run import (
    Gate,
    Printed,
    RunFacts,
    Series,
    circumstances,
    over_time,
)
from benchdb.site.run.circumstances import Row
from benchdb.site.run.named_facts import marked

_SHOWN_FACTS = 5  # figures beside the headline that stand at the top
_LETTERS = 12  # of a digest
_BARS = 12  # of a histogram, at most
_MILLI = 1000.0
_MICRO = 0.001  # seconds below which steps are told in microseconds


class Dot(msgspec.Struct, frozen=True):
    """A sample on the plot: places in per cent of width and height, and its value."""

    x: str
    y: str
    text: str
    warm: bool = False


class Plot(msgspec.Struct, frozen=True):
    """Samples in the order measured, and how often each time occurred.

    *ticks* are (place from the top, label), *bars* (place, width, height) of the
    histogram, all in per cent; *middle* is the place of the median.
    """

    dots: tuple[Dot, ...]
    ticks: tuple[tuple[str, str], ...]
    warm_width: str
    middle: str
    bars: tuple[tuple[str, str, str], ...]
    ends: tuple[str, str]
    unit: str


def words(site: Site, facts: RunFacts, row: ValueRow, language: Language) -> Words:
    """Return what the page says of a run."""
    work = cells.workload(language, row)
    system = terms.system_text(language, row.system)
    figure = (
        language.compact(facts.quantity)
        if facts.quantity
        else terms.missing_text(language, facts.reason, facts.status)
    )
    title = language.pgettext(
        "title of a run",
        "%(figure)s: %(work)s, %(system)s",
        figure=Name(figure),
        work=work,
        system=Name(system),
    )
    crumbs = [("runs", language.pgettext("page", "Runs"))]
    if facts.workload in site.workloads:
        crumbs.append(
            (site.workloads[facts.workload], terms.title_text(language, row.workload))
        )
    if facts.chip in site.chips:
        crumbs.append((site.chips[facts.chip], terms.chip_text(language, facts.chip)))
    if machine := site.machines.get(site.places[facts.run].machine):
        name = language.pgettext("run", "Machine")
        crumbs.append((machine, f"{name} {machine.partition('/')[2]}"))
    plot = _plot(language, facts)
    rest = [printed for printed in facts.figures[1:] if printed.metric not in LASTING]
    shown, more = rest[:_SHOWN_FACTS], rest[_SHOWN_FACTS:]
    return Words(
        title=title,
        crumbs=tuple(crumbs),
        contents=_contents(language, facts),
        parts={
            "facts": facts,
            "figure": figure,
            "work": work,
            "system": system,
            "lead": _lead(language, facts),
            "label": terms.label_text(
                language, facts.label, facts.tier, mine=facts.mine
            ),
            "bars": wording.bars(facts.trust),
            "top": [
                *_beside(language, facts),
                *(Row(*last) for last in over_time.lasts(language, facts)),
                *_figures(language, shown),
            ],
            "more_figures": [*_figures(language, more)],
            "tracks": [*over_time.tracks(language, facts.over_time)],
            "counterpart": over_time.counterpart(facts),
            "grade_rows": list(_grade_rows(language, facts)),
            "processes": _strip(language, facts),
            "plot": plot,
            "gates": [_gate(language, gate) for gate in facts.gates],
            "gate_title": _gate_title(language, facts.gates),
            "ran": list(circumstances.ran(language, facts)),
            "around": list(circumstances.around(language, facts)),
            "origin": list(circumstances.origin(language, facts)),
            "printed": [printed for printed in facts.figures if printed.printed],
            "again": [*_again(language, facts)],
            "badge": _badge(language, facts),
            "reproduced": site.runs.get(facts.reproduces or ""),
            "noted": [notes.note_text(language, note) for note in facts.notes],
            "metric": metrics.metric_text(language, facts.metric),
            "why_not": _why_not(language, facts),
            "name_of": partial(metrics.metric_text, language),
            "locator_text": partial(locator_text, language),
        },
    )


def _why_not(language: Language, facts: RunFacts) -> str:
    if facts.again:
        return ""
    why = facts.why_not or PUBLISHED  # as thousands are, which then need not say it
    about = {name: Name(fact) for name, fact in why.facts.items()}
    text = wording.capital(language.gettext(why.text, **about))
    return terms.sentence(language, text)


def _again(language: Language, facts: RunFacts) -> Iterator[str]:
    """Yield what measured the figure again."""
    if facts.replication is not None:
        yield from replication_texts(language, facts.replication)


def _badge(language: Language, facts: RunFacts) -> dict[str, Any] | None:
    words = facts.replication and badge_text(language, facts.replication)
    return badge(*words) if words else None


def _contents(language: Language, facts: RunFacts) -> tuple[tuple[str, str], ...]:
    names = [("grade", language.pgettext("section of a run", "Grade"))]
    if facts.origin:
        names.append(("printed", language.pgettext("section of a run", "As printed")))
    names += [
        ("samples", language.pgettext("section of a run", "Samples")),
        ("gates", language.pgettext("section of a run", "Gates")),
        ("conditions", language.pgettext("section of a run", "Conditions")),
        ("origin", language.pgettext("section of a run", "Origin")),
        ("again", language.pgettext("section of a run", "Again")),
    ]
    return tuple(names)


def _lead(language: Language, facts: RunFacts) -> str:
    """Say what the figure is, of how many processes, and when it was measured."""
    own = facts.quantity
    parts = [
        language.ngettext(
            "Metric: %(metric)s, of %(n)s process.",
            "Metric: %(metric)s, over %(n)s processes.",
            own.n if own else len(facts.processes),
            metric=metrics.metric_text(language, facts.metric),
        )
    ]
    if own and (bounds := cells.measured_limits(language, own)):
        text = language.gettext("95 %% interval %(interval)s.", interval=Name(bounds))
        parts.append(text.replace(" %", "\N{NO-BREAK SPACE}%"))
    started = facts.processes[0].started if facts.processes else None
    if started:
        day = language.date(started[: len("2026-11-21")])
        parts.append(language.gettext("Measured on %(day)s.", day=day))
    return language.sentences(parts)


def _beside(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield how it stands against its own CPU and the baseline of the site."""
    for beside in facts.beside:
        if beside.device == "cpu" and beside.chip == facts.chip:
            name = language.pgettext("run", "Against its CPU")
        else:
            name = language.pgettext(
                "run",
                "Against the %(system)s",
                system=Name(
                    f"{beside.chip} · {terms.device_text(language, beside.device)}"
                ),
            )
        ratio = terms.verdict_text(language, beside.ratio)
        yield Row(name, f"{ratio} ({language.compact(beside.quantity)})")


def _figures(language: Language, some: Sequence[Printed]) -> Iterator[Row]:
    for printed in some:
        value = Quantity(printed.value, printed.unit, "")
        yield Row(
            metrics.metric_text(language, printed.metric), language.compact(value)
        )


def _grade_rows(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield what speaks for and against the figure."""
    yield from _trust_rows(language, facts)
    grade = facts.grade
    if grade is None:
        return
    wanted = PROCESSES.get(facts.tier or "")
    processes = (
        language.pgettext(
            "processes", "%(n)s of %(wanted)s wanted", n=grade.processes, wanted=wanted
        )
        if wanted and facts.label == "measured"
        else language.number(grade.processes)
    )
    yield Row(language.pgettext("grade", "Processes"), processes)
    values = [process.value for process in facts.processes if process.value]
    if len(values) > 1:
        yield Row(
            language.pgettext("grade", "Spread"),
            language.gettext(
                "coefficient of variation %(share)s",
                share=Share(stdev(values) / fmean(values), 2),
            ),
        )
    drift = facts.steady.get("drift_pct")
    if isinstance(drift, int | float):
        yield Row(
            language.pgettext("grade", "Steady"),
            language.gettext("drift %(share)s", share=Share(drift / 100, 2)),
        )
    against = [
        grades.ground_text(language, code, grade.figures.get(code))
        for code in grade.reasons
    ]
    nothing = language.gettext("nothing that was looked for")
    yield Row(
        language.pgettext("grade", "Against it"),
        language.semicolon.join(filter(None, against)) or nothing,
    )


def _trust_rows(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield the step of the ladder, what the next asks for, and who withdraws it."""
    name = language.pgettext("table header", "Trust")
    if facts.trust is not None:
        texts = (
            ladder.step_text(language, facts.trust),
            ladder.next_text(language, facts.trust, facts.run, facts.workload),
        )
        yield Row(name, language.semicolon.join(filter(None, texts)))
    for retraction in facts.retractions:
        yield Row(name, ladder.retraction_text(language, retraction))


def _strip(language: Language, facts: RunFacts) -> dict[str, Any] | None:
    """Return the processes side by side on an axis, where there are several."""
    known = [
        (process.run, process.value)
        for process in facts.processes
        if process.value is not None
    ]
    if len(known) < 2 or facts.quantity is None:
        return None
    values = [value for _, value in known]
    own = facts.quantity
    # The figure may be in another unit than the values are.
    middle = (
        math.exp(fmean(map(math.log, values))) if min(values) > 0 else fmean(values)
    )
    size = middle / own.value if own.value else 1.0
    low = own.low * size if own.low is not None else min(values)
    high = own.high * size if own.high is not None else max(values)
    first, last = min(*values, low), max(*values, high)
    room = (last - first) * 0.06 or abs(first) * 0.01 or 1.0

    def place(value: float) -> str:
        return _per_cent((value - first + room) / (last - first + 2 * room))

    texts = [
        language.compact(Quantity(value / size, own.unit, run)) for run, value in known
    ]
    return {
        "dots": [
            (place(value), run[:_LETTERS], text)
            for (run, value), text in zip(known, texts, strict=True)
        ],
        "band": (place(low), place(high)) if own.low is not None else None,
        "middle": place(middle),
        "ends": tuple(texts[values.index(end)] for end in (min(values), max(values))),
    }


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f}%".replace(".0%", "%")


def _plot(language: Language, facts: RunFacts) -> Plot | None:
    """Return the samples of the first process, warm-up in front."""
    series = facts.processes[0].series if facts.processes else ()
    # What lies between burst and measured blocks is warm-up as well.
    warm = [_per_step(item) for item in series if item.phase in ("warmup", "burst")]
    blocks = ("measure", "settle")
    measured = [_per_step(item) for item in series if item.phase in blocks]
    if not measured:
        measured = [
            _per_step(item) for item in series if item.phase in ("step", "seed")
        ][:1]
    first, own = ([*chain(*parts)] for parts in (warm, measured))
    if not own:
        return None
    # One slow first step would flatten all that follows; it is told in the sentence.
    top = max(own) + (max(own) - min(own) or max(own) * 0.01)
    bottom = min(own) - (max(own) - min(own) or max(own) * 0.01) * 0.4
    scale, unit = (_MILLI * _MILLI, "µs") if top < _MICRO else (_MILLI, "ms")
    every = first + own

    def height(value: float) -> str:
        share = (min(value, top) - bottom) / (top - bottom)
        return _per_cent(1 - max(0.0, min(1.0, share)))

    def text(value: float) -> str:
        return language.measure(language.significant(value * scale, 4), unit)

    dots = tuple(
        Dot(
            _per_cent((n + 0.5) / len(every)),
            height(value),
            text(value),
            warm=n < len(first),
        )
        for n, value in enumerate(every)
    )
    marks = [bottom + (top - bottom) * share for share in (0.1, 0.5, 0.9)]
    return Plot(
        dots=dots,
        ticks=tuple(
            (height(value), language.significant(value * scale, 4)) for value in marks
        ),
        warm_width=_per_cent(len(first) / len(every)),
        middle=height(median(own)),
        bars=_bars(own),
        ends=(
            language.significant(min(own) * scale, 4),
            language.significant(max(own) * scale, 4),
        ),
        unit=unit,
    )


def _per_step(series: Series) -> list[float]:
    return [value / max(series.per, 1) for value in series.seconds]


def _bars(values: Sequence[float]) -> tuple[tuple[str, str, str], ...]:
    low, high = min(values), max(values)
    count = min(_BARS, max(1, math.isqrt(len(values)) + 1))
    counts = [0] * count
    for value in values:
        place = int((value - low) / (high - low) * count) if high > low else 0
        counts[min(place, count - 1)] += 1
    return tuple(
        (
            _per_cent(n / count),
            _per_cent(0.94 / count),
            _per_cent(tall / max(counts)),
        )
        for n, tall in enumerate(counts)
        if tall
    )


def _gate(language: Language, gate: Gate) -> dict[str, str]:
    mark = {"passed": "✓", "failed": "✗"}.get(gate.status, "–")
    text = marked(language, gate.facts) or terms.status_text(language, gate.status)
    return {
        "mark": mark,
        "status": gate.status,
        "name": grades.gate_text(language, gate.name),
        "text": text,
    }


def _gate_title(language: Language, gates: Sequence[Gate]) -> str:
    counts = [
        sum(gate.status == status for gate in gates) for status in ("passed", "failed")
    ]
    if not gates:
        return language.pgettext("section of a run", "Gates")
    if counts[1]:
        return language.gettext(
            "Gates: %(passed)s passed, %(failed)s failed",
            passed=counts[0],
            failed=counts[1],
        )
    return language.ngettext("Gates: %(n)s passed", "Gates: %(n)s passed", counts[0])
