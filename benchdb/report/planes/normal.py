"""Is a result normal? All runs of the same work on the same chip, one marked."""

from benchdb.report.language import Language
from benchdb.report.planes import Key, Panel, Plane, Point, Scale, Stroke, Tick
from benchdb.report.sections.normal import Normal, words
from benchdb.report.view.page import Report
from benchdb.stats import axis_ticks

_HALF = 0.2  # of a row: the median's line
_NARROWEST = 1.25  # an axis that ends nearer to 1 would enlarge chance
_MARGIN = 1.05


def plane(report: Report, language: Language) -> Plane | None:
    """Return the chart, or ``None`` without its section."""
    if report.normal is None:
        return None
    return Plane(
        name="normal",
        title=words.title(language, report),
        alt=words.alt(language, report),
        panels=(_panel(language, report.normal),),
        keys=_keys(language, report.normal),
    )


def _panel(language: Language, normal: Normal) -> Panel:
    strips = normal.strips
    rows = {place: len(strips) - 1 - place for place in range(len(strips))}
    return Panel(
        title=words.shared(language, strips),
        x=_shares(language, normal),
        y=Scale(
            low=-0.5,
            high=len(strips) - 0.5,
            ticks=tuple(
                Tick(float(rows[place]), name)
                for place, name in enumerate(words.names(language, strips))
            ),
            title="",
            log=False,
            named=True,
        ),
        points=tuple(
            Point(
                x=dot.share,
                y=float(rows[place]),
                look="mine" if dot.mine else "quiet" if strip.mine else "0",
                run=dot.quantity.run,
                hollow=bool(dot.quantity.notes),
            )
            for place, strip in enumerate(strips)
            for dot in strip.dots
        ),
        strokes=tuple(
            Stroke(((1.0, row - _HALF), (1.0, row + _HALF)), "reference")
            for row in rows.values()
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
    if high / low > 6:
        return tuple(sorted({*axis_ticks(low, high), 1.0}))
    return (
        0.2,
        0.3,
        0.4,
        0.5,
        0.6,
        0.7,
        0.8,
        0.9,
        1.0,
        1.1,
        1.2,
        1.5,
        2.0,
        3.0,
        4.0,
        5.0,
    )


def _keys(language: Language, normal: Normal) -> tuple[Key, ...]:
    dots = [dot for strip in normal.strips for dot in strip.dots]
    mine = any(dot.mine for dot in dots)
    one = language.pgettext("legend", "one machine")
    keys = [
        Key("mine", language.pgettext("badge", "this machine")) if mine else None,
        Key("quiet", language.pgettext("legend", "another machine"))
        if mine
        else Key("0", one),
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
