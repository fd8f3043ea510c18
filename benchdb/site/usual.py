"""Is my result normal? Reports of a chip as multiples of the median of their kind."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from benchdb.catalogue import metrics
from benchdb.metric_kinds import TOKENS
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name, Share, Times
from benchdb.report.wording import cells, terms
from benchdb.report.wording.metrics import metric_text
from benchdb.site import wording
from benchdb.site.normal_strip import Strip
from benchdb.site.plots import Axis, Mark, Plot, axis, times_tick
from benchdb.site.wording import FigureCell

_MOST = 30  # strips; those with most reports
_BAND = 1.1  # what is called normal: within so much of the median
_WIDEST = 2.0  # of the axis; what is farther stands at its end
_DIGITS = 6  # of a strip's name
_SEVERAL = 3  # reports, from which on a share around the median means something


class StripRow(msgspec.Struct, frozen=True):
    """A strip in words; *name* stays the same on every site.

    *figures* are all of its reports in their *unit*; *slow* ones are higher.
    """

    name: str
    work: str
    place: str
    plot: Plot
    median: FigureCell
    limits: str
    results: int
    machines: str
    spread: str
    standing: str
    figures: str
    unit: str
    slow: bool


def of_chip(strips: Iterable[Strip], chip: str) -> tuple[Strip, ...]:
    """Return the strips of *chip*: of work with several reports in one of its bins."""
    own = [it for it in strips if it.chip.casefold() == chip.casefold()]
    repeated = {_task(it) for it in own if it.results > 1}
    shown = [it for it in own if _task(it) in repeated or it.mine]
    most: dict[object, int] = {}
    for it in shown:
        most[_task(it)] = max(it.results, most.get(_task(it), 0))
    shown.sort(key=lambda it: (-most[_task(it)], repr(_task(it)), -(it.gpu_cores or 0)))
    kept = [it for it in shown if it.mine]
    kept += [it for it in shown if not it.mine][: max(0, _MOST - len(kept))]
    return tuple(kept)


def _task(strip: Strip) -> tuple[object, ...]:
    """Return what is equal for the same work on other bins of a chip."""
    how = strip.batch_size, strip.precision, strip.compiler, strip.metric
    protocol = strip.setting, strip.framework, strip.device
    return strip.workload.name, strip.facts, how, protocol


def lead(language: Language, strips: Sequence[Strip], chip: str) -> str:
    """Say what is usual for the work with most reports."""
    text = language.gettext(
        "Every report of an %(chip)s as a multiple of the median of its kind; the band "
        "is within %(share)s of it.",
        chip=Name(chip),
        share=Share(_BAND - 1),
    )
    first = strips[0]
    usual = language.ngettext(
        "%(work)s: %(low)s to %(high)s in %(n)s report.",
        "%(work)s: %(low)s to %(high)s in %(n)s reports.",
        first.results,
        work=Name(work(language, first)),
        low=first.slowest,
        high=first.fastest,
    )
    unnamed = language.gettext(
        "Where a source does not identify its machines, their number is the least that "
        "it can be."
    )
    least = any(strip.at_least for strip in strips)
    return language.sentences([text, usual, unnamed if least else ""])


def scale(language: Language, strips: Sequence[Strip]) -> Axis:
    """Return the axis of multiples of the median."""
    shares = [
        min(max(dot.share, 1 / _WIDEST), _WIDEST)
        for strip in strips
        for dot in strip.dots
    ]
    around = (1 / (2 * _BAND - 1), 1.0, 2 * _BAND - 1)
    return axis("normal", shares, partial(times_tick, language), around)


def rows(
    language: Language,
    runs: Mapping[str, str],
    strips: Sequence[Strip],
    shown: Axis,
) -> Iterator[StripRow]:
    """Yield the strips as the table shows them; *runs* are addresses of their pages."""
    several = len({strip.framework for strip in strips}) > 1
    for strip in strips:
        sound = [dot for dot in strip.dots if not dot.quantity.notes]
        yield StripRow(
            name=f"normal-{_digest(strip)}",
            work=work(language, strip),
            place=_place(language, strip, framework=several),
            plot=_plot(strip, shown),
            median=wording.quantity_cell(language, runs, strip.median, strip.machines),
            limits=_limits(language, strip) if strip.results > 1 else cells.DASH,
            results=strip.results,
            machines=machines(language, strip),
            spread=_spread(language, [dot.share for dot in sound], strip.middle),
            standing=_standing(language, strip),
            figures=" ".join(f"{dot.quantity.value:.4g}" for dot in sound),
            unit=language.unit(strip.median.unit) if strip.median.unit else "",
            slow=metrics()[strip.metric].direction == "lower",
        )


def _digest(strip: Strip) -> str:
    """Return what names a strip in addresses that readers keep."""
    about = repr((_task(strip), strip.gpu_cores))
    return hashlib.sha256(about.encode()).hexdigest()[:_DIGITS]


def own(language: Language, shown: Axis) -> dict[str, str]:
    """Return what the script needs to place a figure that a reader types.

    In the patterns ``{unit}``, ``{times}`` and so on stand for what it fills in.
    """
    low, high = shown.scale.ends
    verdict = partial(_verdict, language, times="{times}")
    return {
        "scale": f"{low:.5g} {high:.5g} {_BAND}",
        "yours": language.pgettext("table header", "Yours"),
        "of": language.pgettext(
            "control", "Your figure in %(unit)s: %(work)s", unit="{unit}", work="{work}"
        ),
        "times": language.isolate(language.multiple("{}")),
        "normal": verdict(1.0),
        "fast": verdict(2.0),
        "slow": verdict(0.5),
        "rank": language.pgettext(
            "standing",
            "faster than %(n)s of %(all)s, percentile %(percentile)s",
            n="{n}",
            all="{all}",
            percentile="{percentile}",
        ),
    }


def _plot(strip: Strip, shown: Axis) -> Plot:
    low, high = float(shown.at(1 / _BAND)), float(shown.at(_BAND))
    dots = [
        Mark(
            shown.at(min(max(dot.share, 1 / _WIDEST), _WIDEST)),
            "here" if dot.mine else "flagged" if dot.quantity.notes else "report",
        )
        for dot in sorted(strip.dots, key=lambda it: it.mine)
    ]
    middle = Mark(shown.at(1.0), "median")
    band = shown.at(1 / _BAND), f"{high - low:.1f}"
    return Plot((*dots, middle), band=band)


def _place(language: Language, strip: Strip, *, framework: bool) -> str:
    parts = (
        terms.cores_text(language, strip.gpu_cores) if strip.gpu_cores else "",
        metric_text(language, strip.metric)
        if strip.metric != "tokens_per_second"
        else "",
        terms.framework_text(language, strip.framework) if framework else "",
        strip.setting if strip.setting != "standard" else "",
        strip.precision,
        terms.device_text(language, strip.device) if strip.device == "cpu" else "",
    )
    return " · ".join(language.isolate(part) for part in parts if part)


def _limits(language: Language, strip: Strip) -> str:
    values = sorted((strip.slowest.value, strip.fastest.value))
    ends = [language.significant(value) for value in values]
    if len(set(ends)) == 1:
        return language.isolate(ends[0])
    text = language.pgettext("interval", "%(low)s–%(high)s", low=ends[0], high=ends[1])
    return language.isolate(text)


def _spread(
    language: Language, shares: Sequence[float], middle: tuple[float, float]
) -> str:
    """Say how far reports are from the median, as far as there are enough of them.

    *middle* are the ends of the middle half of them.
    """
    if len(shares) == 1:
        return language.pgettext("spread", "one report: no range")
    if len(shares) < _SEVERAL:
        return language.pgettext("spread", "two reports")
    far = max(abs(share - 1) for share in shares)
    whole = language.pgettext(
        "spread", "± %(share)s around the median", share=Share(far)
    )
    if len(shares) <= _SEVERAL:
        return whole
    half = language.pgettext(
        "spread", "the middle half at %(range)s", range=Times(*middle)
    )
    return whole + language.comma + half


def _standing(language: Language, strip: Strip) -> str:
    """Say where the marked machine stands: its multiple of the median."""
    if strip.mine is None:
        return ""
    share = strip.mine.share
    return _verdict(language, share, terms.times_text(language, share))


def _verdict(language: Language, share: float, times: str) -> str:
    """Say what *times* the median is, which is its *share* in words."""
    if 1 / _BAND <= share <= _BAND:
        return language.pgettext(
            "standing", "this machine: %(times)s the median, normal", times=times
        )
    if share > 1:
        return language.pgettext(
            "standing", "this machine: %(times)s the median, fast", times=times
        )
    return language.pgettext(
        "standing", "this machine: %(times)s the median, slow", times=times
    )


def work(language: Language, strip: Strip) -> str:
    """Name the work: the workload with its batch size, and a language model's facts."""
    named = terms.title_text(language, strip.workload)
    text = terms.workload_text(language, named, strip.batch_size)
    of_model = strip.metric in TOKENS or strip.workload.kind == "operation"
    more = terms.model_text(language, dict(strip.facts)) if of_model else ""
    return " · ".join(filter(None, (text, more)))


def machines(language: Language, strip: Strip) -> str:
    """Count the machines; where not all are told apart, the least that they can be."""
    count = language.number(strip.machines)
    return language.isolate(f"≥ {count}" if strip.at_least else count)
