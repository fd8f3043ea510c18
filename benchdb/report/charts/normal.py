"""Is a result normal? All runs of the same work on the same chip, one marked."""

from collections.abc import Iterator, Sequence

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Scale,
    Stroke,
    Tick,
)
from benchdb.report.language import Language
from benchdb.report.sections import normal as words
from benchdb.report.sections.normal import Dot
from benchdb.report.view.page import Report
from benchdb.statistics.ticks import axis_ticks

_HALF = 0.25  # of a row: the median's line
_NARROWEST = 1.25  # an axis that ends nearer to 1 would enlarge chance
_MARGIN = 1.05
_FAR = 6  # the fastest over the slowest, from which on round numbers are close enough
_CLOSE = (*(tenths / 10 for tenths in range(2, 13)), 1.5, 2.0, 3.0, 4.0, 5.0)


def chart(report: Report, language: Language) -> Chart | None:
    """Return the chart, or ``None`` without its section."""
    section = report.sections.get("normal")
    if section is None:
        return None
    strips = section.strips
    dots = [dot for strip in strips for dot in strip.dots]
    panel = Panel(
        title=words.shared(language, strips),
        x=_shares(language, [dot.share for dot in dots]),
        y=Rows(tuple(map(Row, words.names(language, strips)))),
        points=tuple(
            Point(
                x=dot.share,
                y=row,
                look="mine" if dot.mine else "quiet" if strip.mine else "0",
                run=dot.quantity.run,
                hollow=bool(dot.quantity.notes),
            )
            for row, strip in enumerate(strips)
            for dot in strip.dots
        ),
        strokes=tuple(
            Stroke(((1.0, row + _HALF), (1.0, row - _HALF)), "reference")
            for row in range(len(strips))
        ),
    )
    return Chart(
        name="normal",
        title=words.title(language, section),
        alt=words.alt(language, section),
        panels=(panel,),
        keys=tuple(_keys(language, dots)),
    )


def _shares(language: Language, shares: Sequence[float]) -> Scale:
    """Return the axis of speeds over the median's; 1 is always on it."""
    low = min(1 / _NARROWEST, min(shares) / _MARGIN)
    high = max(_NARROWEST, max(shares) * _MARGIN)
    # Round factors, closer ones where all machines are nearly alike.
    factors = {*axis_ticks(low, high), 1.0} if high / low > _FAR else _CLOSE
    values = [value for value in sorted(factors) if low <= value <= high]
    major = (1, values[0], values[-1])
    ticks = tuple(
        Tick(value, language.isolate(language.times(value)), minor=value not in major)
        for value in values
    )
    title = language.pgettext("axis", "times as fast as the median")
    return Scale(low, high, ticks, title)


def _keys(language: Language, dots: Sequence[Dot]) -> Iterator[Key]:
    others: Look = "0"
    if any(dot.mine for dot in dots):
        others = "quiet"
        yield Key("mine", language.pgettext("badge", "this machine"))
        yield Key("quiet", language.pgettext("legend", "another machine"))
    else:
        yield Key("0", language.pgettext("legend", "one machine"))
    yield Key("reference", language.pgettext("legend", "median"))
    if any(dot.quantity.notes for dot in dots):
        text = language.pgettext("legend", "flagged: see the note")
        yield Key(others, text, hollow=True)
