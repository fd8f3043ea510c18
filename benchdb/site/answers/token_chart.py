"""Tokens per second against what a chip has: GPU cores for prefill, memory for decode.

Both axes are logarithmic, so that proportional is a straight line.
"""

from collections.abc import Callable, Mapping, Sequence

from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Look,
    Panel,
    Scale,
    Stroke,
    Tick,
    spread_out,
)
from benchdb.report.charts.spec import Point as Mark
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.site.answers.facts import ModelPlot, Variant

_STEPS = (1, 2, 5)
_GB = 1e9
_MODELS = 3


def chart(language: Language, plot: ModelPlot, name: str) -> Chart:
    """Return both plots of a model, with axes of their own."""
    every = (*plot.prefill, *plot.decode)
    generations = tuple(dict.fromkeys(it.generation for it in every))
    looks = dict(zip(generations, SERIES, strict=False))
    pgettext = language.pgettext
    return Chart(
        name=name,
        title=pgettext("chart", "Tokens per second of %(model)s")
        % {"model": plot.model},
        alt=_alt(language, plot),
        panels=(
            _panel(
                language,
                pgettext("chart", "Prefill, tokens/s"),
                pgettext("chart", "GPU cores"),
                (plot.prefill, looks),
            ),
            _panel(
                language,
                pgettext("chart", "Decode, tokens/s"),
                pgettext("chart", "Memory bandwidth, GB/s"),
                (plot.decode, looks),
            ),
        ),
        keys=tuple(Key(look, generation) for generation, look in looks.items()),
    )


def _panel(
    language: Language,
    title: str,
    across: str,
    drawn: tuple[Sequence[Variant], Mapping[str, Look]],
) -> Panel:
    variants, looks = drawn
    amounts = sorted({round(it.amount) for it in variants}) or [1, 2]
    rates = [it.median for it in variants] or [1.0, 2.0]
    low, high = min(rates) / 1.25, max(rates) * 1.25
    written: Callable[[float], str] = lambda it: language.significant(it, 1)  # noqa: E731
    marks = tuple(
        Mark(it.amount, it.median, looks.get(it.generation, "quiet"), it.chip)
        for it in variants
    )
    first = min(variants, key=lambda it: it.amount, default=None)
    guide = _proportional(first, variants, (low, high)) if first else ()
    return Panel(
        title=title,
        x=Scale(
            amounts[0] / 1.12,
            amounts[-1] * 1.12,
            tuple(Tick(it, language.number(it)) for it in spread_out(amounts)),
            across,
        ),
        y=Scale(
            low,
            high,
            tuple(Tick(it, written(it)) for it in _ticks(low, high)),
            "",
        ),
        points=marks,
        strokes=guide,
    )


def _proportional(
    first: Variant, variants: Sequence[Variant], ends: tuple[float, float]
) -> tuple[Stroke, ...]:
    """Return the line of equal tokens for equal amounts, through the smallest chip."""
    last = max(it.amount for it in variants)
    reach = min(last, first.amount * ends[1] / first.median)
    if reach <= first.amount:
        return ()
    end = (reach, first.median * reach / first.amount)
    return (Stroke(((first.amount, first.median), end), "quiet", guide=True),)


def _ticks(low: float, high: float) -> list[float]:
    powers = (10.0**n for n in range(-2, 7))
    every = [float(f"{step * power:.6g}") for power in powers for step in _STEPS]
    return [it for it in every if low <= it <= high]


def _alt(language: Language, plot: ModelPlot) -> str:
    phrase = [
        language.pgettext(
            "chip and its tokens per second",
            "%(chip)s %(rate)s",
            chip=Name(it.chip),
            rate=language.significant(it.median),
        )
        for it in plot.decode
    ]
    return language.gettext("Decode, tokens per second: %(chips)s.", chips=phrase)
