"""Is a result normal? All runs of the same work on the same chip, one marked."""

from benchdb.report.charts.spec import (
    Chart,
    Key,
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
from benchdb.report.sections.normal import Normal
from benchdb.report.view.page import Report
from benchdb.statistics.ratios import axis_ticks

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
    return Chart(
        name="normal",
        title=words.title(language, section),
        alt=words.alt(language, section),
        panels=(_panel(language, section),),
        keys=_keys(language, section),
    )


def _panel(language: Language, normal: Normal) -> Panel:
    strips = normal.strips
    return Panel(
        title=words.shared(language, strips),
        x=_shares(language, normal),
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


def _shares(language: Language, normal: Normal) -> Scale:
    """Return the axis of speeds over the median's; 1 is always on it."""
    shares = [dot.share for strip in normal.strips for dot in strip.dots]
    low = min(1 / _NARROWEST, min(shares) / _MARGIN)
    high = max(_NARROWEST, max(shares) * _MARGIN)
    ticks = [tick for tick in _ticks(low, high) if low <= tick <= high]
    return Scale(
        low=low,
        high=high,
        ticks=tuple(
            Tick(
                tick,
                language.isolate(language.times(tick)),
                minor=tick not in (1, ticks[0], ticks[-1]),
            )
            for tick in ticks
        ),
        title=language.pgettext("axis", "times as fast as the median"),
    )


def _ticks(low: float, high: float) -> tuple[float, ...]:
    """Return round factors, closer ones where all machines are nearly alike."""
    if high / low > _FAR:
        return tuple(sorted({*axis_ticks(low, high), 1.0}))
    return _CLOSE


def _keys(language: Language, normal: Normal) -> tuple[Key, ...]:
    dots = [dot for strip in normal.strips for dot in strip.dots]
    mine = any(dot.mine for dot in dots)
    machine = language.pgettext("legend", "one machine")
    keys = [
        Key("mine", language.pgettext("badge", "this machine")) if mine else None,
        Key("quiet", language.pgettext("legend", "another machine"))
        if mine
        else Key("0", machine),
        Key("reference", language.pgettext("legend", "median")),
        Key(
            "quiet" if mine else "0",
            language.pgettext("legend", "flagged: see the note"),
            hollow=True,
        )
        if any(dot.quantity.notes for dot in dots)
        else None,
    ]
    return tuple(key for key in keys if key)
